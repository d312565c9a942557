import { errorFromData } from '../../core/errors.js';
import { messageLost } from '../../core/streams/port-messages.js';
import { type Fences, joinFences } from '../../sync/fences/fences.js';
import { setFenceJoining } from '../../tasks/execution/task-tools.js';
import type { TaskNotice, WorkerNotice } from '../../tasks/task-messages.js';

/** The port to the page, as a pool worker uses it. */
interface PagePort {
  postMessage(message: WorkerNotice): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<TaskNotice>) => void): void;
  addEventListener(type: 'messageerror', listener: () => void): void;
}

/** A request for an invitation that the page has not answered. */
interface Request {
  readonly number: number;
  readonly resolve: (joined: Fences) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets the tasks of this worker join the engine's fences. The worker asks the page for an invitation, once. After a
 * refusal or a lost message the next call asks again.
 */
export function joinTaskFences(page: PagePort): void {
  let joined: Promise<Fences> | null = null;
  let request: Request | null = null;
  let requests = 0;

  function fail(error: unknown): void {
    joined = null;
    request?.reject(error);
    request = null;
  }
  /** Fails the request, because the lost message may have been the request or its answer. */
  function lose(): void {
    if (request) fail(messageLost('a worker of the task system', 'Call task.tools.fences() again.'));
  }

  page.addEventListener('messageerror', lose);
  page.addEventListener('message', ({ data }) => {
    if (data.kind === 'lost') lose();
    if (data.kind !== 'fences' || data.request !== request?.number) return;
    try {
      const { name, invitation } = data;
      if (!invitation) throw errorFromData(data.error);
      request.resolve(joinFences(invitation, { name, mayBlock: true }));
      request = null;
    } catch (error) {
      fail(error);
    }
  });
  setFenceJoining(() => {
    joined ??= new Promise((resolve, reject) => {
      request = { number: requests++, resolve, reject };
      page.postMessage({ kind: 'fences', request: request.number });
    });
    return joined;
  });
}
