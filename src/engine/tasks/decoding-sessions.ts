import { DECODING_MODULE } from '../../assets/decoding-workers/decoding-messages.js';
import type { DecodingHelpers } from '../../assets/loading/asset-client.js';
import type { TaskFuture } from '../../tasks/futures/task-future.js';
import type { TaskSystem } from '../../tasks/system/task-system.js';
import type { SetSizes } from '../../tasks/task-sets.js';

/**
 * Runs the asset worker's helpers as tasks of the engine's pool (SYSTEMS T8, T14). Each helper is a task of the
 * background set. The task lasts as long as pieces of files wait. A task that no worker has begun can be taken back.
 *
 *   asset worker ═ pieces ═ port ═══════════════════════════╗
 *       └─ helper ─► page ─ serve ─► background queue ─► a worker ─ pieces ─► done
 */
export class DecodingSessions implements DecodingHelpers {
  readonly #tasks: () => TaskSystem;
  readonly count: number;

  /** @param tasks opens the engine's task system @param sizes number of workers by set */
  constructor(tasks: () => TaskSystem, { normal, background }: SetSizes) {
    this.#tasks = tasks;
    this.count = background || normal;
  }

  begin(port: MessagePort): ReturnType<DecodingHelpers['begin']> {
    const { port1: control, port2 } = new MessageChannel();
    let future: TaskFuture<unknown> | null = null;
    let isOver = false;
    const run = async (): Promise<void> => {
      try {
        const module = await this.#tasks().load(DECODING_MODULE);
        if (isOver) return;
        future = module.serve('serve', { port, control: port2 }, 'background');
        await future;
      } finally {
        control.close();
      }
    };
    return {
      ended: run(),
      retract: () => {
        isOver = true;
        // The asset worker ends a begun task through the task's own port. If the asset worker has ended, the control
        // port ends the task.
        void future?.retract().then((isTakenBack) => isTakenBack || control.postMessage('end'));
      },
    };
  }
}
