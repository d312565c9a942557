/**
 * Connects the queue of an executor with fences that threads and devices share (SYSTEMS F2, F4, F8). Commands name
 * handles, as always; what is behind a handle lives in the group of fences.
 *
 *   context.createFence ─► handle ─ bind ─► MonitoredFence 'simulated', which a worker has open, too
 *   context.signalFence(handle, 3)   when the GPU has done what is before: the worker's wait for 3 ends
 *   context.waitFence(handle, 4)     what is behind is held until the worker signals 4; recording goes on
 */
import { checkOption, checkOptionNames, isObject } from '../../core/option-names.js';
import type { FenceLogReader } from '../../sync/monitored/fence-log.js';
import type { FenceQueue, FenceQueueOptions } from '../../sync/monitored/fence-queue.js';
import type { Fences } from '../../sync/monitored/fences.js';
import type { MonitoredFence } from '../../sync/monitored/monitored-fence.js';
import type { FenceHandle } from '../commands/descriptors.js';
import type { Executor } from './executor.js';

export interface ConnectFencesOptions extends FenceQueueOptions {
  /** Of the queue, in messages and traces. Default: "queue". */
  readonly name?: string;
}

export class ConnectedQueue {
  readonly #executor: Executor;
  readonly #queue: FenceQueue;

  /** @internal Made by `connectFences`. */
  constructor(executor: Executor, queue: FenceQueue) {
    this.#executor = executor;
    this.#queue = queue;
    queue.follow(executor.completed);
  }

  /** The queue's number in the group: what `Fences.readLog` takes. */
  get index(): number {
    return this.#queue.index;
  }

  /** How many lists the GPU has finished. */
  get progress(): MonitoredFence {
    return this.#queue.progress;
  }

  /**
   * Commands with this handle signal and wait for the fence. Call it right after `createFence`.
   * @throws RhiError `fence-exists`; StateError `intra-device-fence`; OptionError `option-invalid`
   */
  bind(handle: FenceHandle, fence: MonitoredFence): void {
    const isFence = isObject(fence) && typeof fence.whenReached === 'function' && isObject(fence.local);
    checkOption(
      'The fence given to bind',
      fence,
      isFence,
      'one that a group of fences has created or opened',
    );
    this.#executor.bindFence(handle, this.#queue.use(fence));
  }

  /** What this queue has done with fences (SYSTEMS F9). */
  readLog(kind: 'waits' | 'signals', from: 'start' | 'now' = 'start'): FenceLogReader {
    return this.#queue.readLog(kind, from);
  }

  /** Ends the connection, before or after the executor; waits of its commands fail, the fences stay. */
  close(): void {
    this.#queue.close();
  }
}

/**
 * Gives an executor's queue a place in the thread's group of fences. Call it on the executor's thread, which may not
 * block from then on.
 * @throws StateError `too-many-fence-queues`; OptionError `option-invalid`, `option-unknown`
 */
export function connectFences(
  fences: Fences,
  executor: Executor,
  options: ConnectFencesOptions = {},
): ConnectedQueue {
  const isGroup = isObject(fences) && typeof fences.openQueue === 'function';
  checkOption('The group of connectFences', fences, isGroup, 'what createFences or joinFences returns');
  const isExecutor = isObject(executor) && typeof executor.bindFence === 'function';
  checkOption('The executor of connectFences', executor, isExecutor, 'the executor of an RHI, rhi.executor');
  checkOptionNames('connectFences', options, 'name, progress, onEvent, onDetached');
  return new ConnectedQueue(executor, fences.openQueue(options.name ?? 'queue', options));
}
