/**
 * A thread's waits for fences: asynchronous or blocking, for all points or for any of them (SYSTEMS F3).
 *
 *   when    wait ─ listen to the bell ······· rung ─ check ─ settle     returns a promise
 *   block   wait ─ sleep on the bell ~~~~~~~~ rung ─ check ─ return     workers of a pool only
 */
import { ThreadError } from '../../core/errors.js';
import { atDeadline, timedOut } from '../deadline.js';
import { checkRange, fenceValue } from './cells/fence-cell.js';
import { checkWait, type WaitOptions } from './fence-options.js';
import type { FenceThread } from './fence-thread.js';
import { FenceWait, type WaitMode, type WaitPoint } from './fence-wait.js';
import type { FencePoint, MonitoredFence } from './monitored-fence.js';

interface ThreadWaitsOptions {
  /**
   * Returns the pending waits of a handle; closing it ends them.
   * @throws FencepostError for a closed or foreign handle
   */
  readonly pendingOf: (fence: MonitoredFence) => Set<FenceWait>;
  /** Returns whether a device needs the thread's event loop. */
  readonly hasQueue: () => boolean;
  readonly mayBlock: boolean;
}

export class ThreadWaits {
  readonly #core: FenceThread;
  readonly #pendingOf: ThreadWaitsOptions['pendingOf'];
  readonly #hasQueue: () => boolean;
  readonly #mayBlock: boolean;

  constructor(core: FenceThread, { pendingOf, hasQueue, mayBlock }: ThreadWaitsOptions) {
    this.#core = core;
    this.#pendingOf = pendingOf;
    this.#hasQueue = hasQueue;
    this.#mayBlock = mayBlock;
  }

  /** Waits asynchronously. @returns index of the point that ended the wait */
  when(points: readonly FencePoint[], mode: WaitMode, options: WaitOptions): Promise<number> {
    return new Promise((resolve, reject) => {
      checkWait(points, options);
      const { deadline, signal } = options;
      signal?.throwIfAborted();
      let cancel: (() => void) | undefined;
      const abort = (): void => {
        reject(signal?.reason);
        wait.end(null);
      };
      const wait = new FenceWait(this.#pointsOf(points), mode, ({ error, index }) => {
        cancel?.();
        signal?.removeEventListener('abort', abort);
        if (error) reject(error);
        else resolve(index);
      });
      if (wait.isOver) return;
      signal?.addEventListener('abort', abort);
      if (deadline !== undefined) {
        const { clock } = this.#core.environment;
        const began = clock.now();
        cancel = atDeadline(deadline, clock, () => wait.end(this.#timedOut(points, deadline - began)));
      }
      this.#core.listen();
    });
  }

  /** Waits by blocking the thread. @returns index of the point that ended the wait */
  block(points: readonly FencePoint[], mode: WaitMode, options: WaitOptions): number {
    checkWait(points, options);
    this.#checkMayBlock(points);
    const { deadline } = options;
    const { clock } = this.#core.environment;
    const began = clock.now();
    const wait = new FenceWait(this.#pointsOf(points), mode, () => {});
    while (!wait.isOver) {
      const remaining = (deadline ?? Number.POSITIVE_INFINITY) - clock.now();
      if (remaining <= 0) {
        wait.end(this.#timedOut(points, (deadline ?? began) - began));
        break;
      }
      this.#core.sleep(remaining);
      this.#core.handlePending();
    }
    if (wait.error) throw wait.error;
    return wait.index;
  }

  #pointsOf(points: readonly FencePoint[]): WaitPoint[] {
    if (this.#core.error) throw this.#core.error;
    return points.map(({ fence, value }) => {
      const { local } = fence;
      const pending = this.#pendingOf(fence);
      const awaited = fenceValue(value, local.name);
      if (fence.is32Bit) checkRange(awaited, local.cell.current, local.name);
      return { waiters: local.waiters, value: awaited, pending };
    });
  }

  #timedOut(points: readonly FencePoint[], milliseconds: number): ThreadError {
    const awaited = points.map(({ fence, value }) => `"${fence.name}" to reach ${value}`).join(' and ');
    return timedOut(this.#core.name, `the fence ${awaited}`, Math.max(0, milliseconds));
  }

  /** @throws ThreadError `blocking-refused` */
  #checkMayBlock(points: readonly FencePoint[]): void {
    let reason = '';
    if (typeof document !== 'undefined') reason = 'is the main thread';
    else if (this.#hasQueue()) reason = 'has a queue, whose device needs its event loop';
    else if (!this.#mayBlock) reason = 'was not declared as a pool worker (mayBlock)';
    else if (!this.#core.memory.isShared)
      reason = 'shares no memory with other threads, so no thread could wake it';
    else if (points.some(({ fence, value }) => fence.isPrivate && !fence.isReached(value))) {
      reason = 'would wait for a private fence, which only it can signal';
    }
    if (reason === '') return;
    throw new ThreadError(
      'blocking-refused',
      `A blocking wait was refused: ${this.#core.name} ${reason}. Use whenReached, or wait on a pool worker.`,
    );
  }
}
