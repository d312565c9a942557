import { errorFromData } from '../../core/errors.js';
import { type Fences, joinFences } from '../../sync/fences/fences.js';
import { setFenceJoining } from '../../tasks/execution/task-tools.js';
import type { TaskNotice, WorkerNotice } from '../../tasks/task-messages.js';

/** The page's end of a pool worker's messages. */
interface PagePort {
  postMessage(message: WorkerNotice): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<TaskNotice>) => void): void;
}

/** Lets the tasks of this worker join the engine's fences. The worker asks the page for an invitation, once. */
export function joinTaskFences(page: PagePort): void {
  let joined: Promise<Fences> | null = null;
  let answered: (notice: Extract<TaskNotice, { kind: 'fences' }>) => void = () => {};
  page.addEventListener('message', ({ data }) => {
    if (data.kind === 'fences') answered(data);
  });
  setFenceJoining(() => {
    joined ??= new Promise((resolve, reject) => {
      answered = (answer) => {
        const { name, invitation } = answer;
        if (invitation) resolve(joinFences(invitation, { name, mayBlock: true }));
        else reject(errorFromData(answer.error));
      };
      page.postMessage({ kind: 'fences' });
    });
    // After a refusal the next call asks again.
    joined.catch(() => {
      joined = null;
    });
    return joined;
  });
}
