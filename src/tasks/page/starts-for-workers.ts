/**
 * Starts tasks for workers: a worker's task requests a start by message (`message-starter.ts`). The page runs the new
 * task as its own, and reports its end to the worker.
 *
 *   worker ═ start, with copies of its arrays ═► a task of the page ─► result and changes ═► worker
 *                                                        └─ changes of the page's memory are written there at once
 */

import { applyChanges, changesOf, unpackArguments } from '../arguments/task-arguments.js';
import { failureOf } from '../failure.js';
import type { TaskNotice, WorkerNotice } from '../task-messages.js';
import type { CopiedMemories } from './copied-memories.js';
import type { StartFor } from './page-starter.js';
import type { PoolWorker } from './pool-worker.js';

interface StartsForWorkersHost {
  readonly startFor: StartFor;
  readonly copied: CopiedMemories;
  readonly announceMail: (worker: PoolWorker) => void;
  readonly isDisposed: () => boolean;
}

export class StartsForWorkers {
  readonly #host: StartsForWorkersHost;

  constructor(host: StartsForWorkersHost) {
    this.#host = host;
  }

  async start(worker: PoolWorker, notice: Extract<WorkerNotice, { kind: 'start' }>): Promise<void> {
    const { startFor, copied, announceMail, isDisposed } = this.#host;
    const { started, packed, args } = notice;
    const copies = packed?.copies ?? [];
    const before = copies.map((copy) => copy.slice(0));
    const tell = (answer: Extract<TaskNotice, { kind: 'startEnded' }>['answer']): void => {
      const changes = changesOf(copies, before);
      // Write changes of the page's memory now, and not only when the starting task ends.
      for (const [index, source] of (packed?.sources ?? []).entries()) {
        const memory = copied.find(source);
        if (memory)
          applyChanges(
            [memory],
            changes.filter(({ buffer }) => buffer === index).map((each) => ({ ...each, buffer: 0 })),
          );
      }
      if (!notice.isTracked || isDisposed()) return;
      worker.tell({ kind: 'startEnded', started, changes, answer });
      announceMail(worker);
    };
    if (notice.isTracked) worker.awaited++;
    try {
      const future = startFor(notice, packed ? unpackArguments(packed) : args);
      const result = await future;
      tell({ kind: 'done', result, changes: [] });
    } catch (thrown) {
      tell({ kind: 'failed', ...failureOf(thrown), changes: [] });
    }
    if (notice.isTracked) worker.awaited--;
  }
}
