/**
 * Connects an executor's queue with fences that threads and devices share (SYSTEMS F2, F4, F8). Commands refer to a
 * fence by its handle. `bind` connects the handle to a fence of the thread's group.
 *
 *   context.createFence ─► handle ─ bind ─► MonitoredFence 'simulated', which a worker has opened too
 *   context.signalFence(handle, 3)   when the GPU has finished earlier commands: the worker's wait for 3 ends
 *   context.waitFence(handle, 4)     later commands are held until the worker signals 4; recording continues
 */
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { byDefault, having, text } from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';
import { FENCE_QUEUE_OPTIONS } from '../../sync/fences/fence-queue.js';
import type { Fences } from '../../sync/fences/fences.js';
import type { FenceLogReader } from '../../sync/fences/logs/fence-log.js';
import type { MonitoredFence } from '../../sync/fences/monitored-fence.js';
import { checkValue } from '../commands/class-arguments.js';
import type { FenceHandle } from '../commands/descriptors.js';
import type { Executor } from '../execute/executor.js';

const monitoredFence = {
  accepts: (value: unknown): value is object =>
    isObject(value) && typeof value.whenReached === 'function' && isObject(value.local),
  remedy: 'a fence that a group of fences has created or opened',
};

const CONNECT_FENCES_OPTIONS = {
  ...FENCE_QUEUE_OPTIONS,
  /** Name of the queue in messages and traces. Default: "queue". */
  name: byDefault(text(), 'queue'),
};

export type ConnectFencesOptions = Shaped<typeof CONNECT_FENCES_OPTIONS>;

export interface ConnectedQueue {
  /** The queue's number in the group, for `Fences.readLog`. */
  readonly index: number;
  /** Fence whose value is the number of lists that the GPU has finished. */
  readonly progress: MonitoredFence;
  /**
   * Binds the handle to the fence, so that commands with this handle signal and wait for the fence. Call it right after
   * `createFence`.
   * @throws RhiError `fence-exists`; StateError `intra-device-fence`; OptionError `option-invalid`
   */
  bind(handle: FenceHandle, fence: MonitoredFence): void;
  /** Reads the log of this queue's waits or signals (SYSTEMS F9). */
  readLog(kind: 'waits' | 'signals', from?: 'start' | 'now'): FenceLogReader;
  /**
   * Ends the connection, before or after the executor's disposal. Pending waits of commands fail; the fences remain.
   */
  close(): void;
}

/**
 * Adds an executor's queue to the thread's group of fences. Call it on the executor's thread, which must not block
 * afterwards.
 * @throws StateError `too-many-fence-queues`; OptionError `option-invalid`, `option-unknown`
 */
export function connectFences(
  fences: Fences,
  executor: Executor,
  options: ConnectFencesOptions = {},
): ConnectedQueue {
  const group = having('openQueue', 'a group that createFences or joinFences has returned');
  checkValue('The group of connectFences', fences, group);
  const executes = having('bindFence', 'the executor of an RHI, rhi.executor');
  checkValue('The executor of connectFences', executor, executes);
  const { name } = fillOptions('connectFences', options, CONNECT_FENCES_OPTIONS);
  const queue = fences.openQueue(name, options);
  queue.follow(executor.completed);
  return {
    index: queue.index,
    progress: queue.progress,
    bind: (handle, fence) => {
      checkValue('The fence given to bind', fence, monitoredFence);
      executor.bindFence(handle, queue.use(fence));
    },
    readLog: (kind, from) => queue.readLog(kind, from),
    close: () => queue.close(),
  };
}
