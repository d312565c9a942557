import { errorToData, type ThreadError } from '../../core/errors.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import type { FenceHandle } from '../../rhi/commands/descriptors.js';
import type { FenceQueue } from '../../sync/fences/fence-queue.js';
import type { Fences } from '../../sync/fences/fences.js';
import type { FenceDescriptor } from '../../sync/fences/monitored-fence.js';
import type { BindAnswer, BindRequest } from '../control/fence-messages.js';
import type { RhiSide } from '../rhi-side/rhi-side.js';

/**
 * The page's fences on the RHI thread. A fence queue signals them and waits for them when RHI commands request it
 * (SYSTEMS F2, F4). This object ends with the executor. If the render thread uses the same group of fences, the group
 * stays open until the render thread releases it too.
 *
 * After a lost device, the render thread runs until it is stopped, and its modules still signal. Pending signals of the
 * GPU do not fail. The main thread signals them with the first frame after the restart.
 */
export class QueueFences {
  readonly #fences: Fences;
  readonly #queue: FenceQueue;
  readonly #executor: RhiSide['executor'];
  #isUsed = false;

  /** @param progress fence of the page that counts completed frames, over this RHI thread and its successors */
  constructor(
    fences: Fences,
    { executor, frames }: Pick<RhiSide, 'executor' | 'frames'>,
    progress: FenceDescriptor,
  ) {
    this.#fences = fences;
    this.#executor = executor;
    this.#queue = fences.openQueue('GPU', {
      progress: fences.open(progress),
      onDetached: (fence) => fence.close(),
    });
    // After a lost device, the next threads continue to count.
    this.#queue.follow(frames.completed, false);
    executor.completed.subscribe(() => this.#endWithExecutor());
    this.#endWithExecutor();
  }

  /** Keeps the group of fences open until `release`, because the render thread uses it. */
  use(): void {
    this.#isUsed = true;
  }

  release(): void {
    this.#isUsed = false;
    this.#endWithExecutor();
  }

  /** Connects a handle with a fence: later commands with the handle refer to this fence. */
  bind(handle: FenceHandle, descriptor: FenceDescriptor): void {
    this.#executor.bindFence(handle, this.#queue.use(this.#fences.open(descriptor)));
  }

  /**
   * Serves a render thread on another thread.
   * @param onLoss called when the browser could not read a request
   */
  serve(port: MessagePort, onLoss: (error: ThreadError) => void): void {
    hearLosses(port, 'fences of the render thread', onLoss);
    port.onmessage = ({ data: { handle, fence } }: MessageEvent<BindRequest>) => {
      let answer: BindAnswer = { handle, error: null };
      try {
        this.bind(handle, fence);
      } catch (error) {
        answer = { handle, error: errorToData(error) };
      }
      port.postMessage(answer);
    };
  }

  #endWithExecutor(): void {
    if (this.#executor.completed.error && !this.#isUsed) this.#fences.dispose();
  }
}
