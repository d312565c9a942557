import { errorToData, type ThreadError } from '../../core/errors.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import type { FenceHandle } from '../../rhi/commands/descriptors.js';
import { type ConnectedQueue, connectFences } from '../../rhi/host/connect-fences.js';
import type { Fences } from '../../sync/fences/fences.js';
import type { FenceDescriptor } from '../../sync/fences/monitored-fence.js';
import type { BindAnswer, BindRequest } from '../control/fence-messages.js';
import type { RhiSide } from '../rhi-side/rhi-side.js';

/**
 * The page's fences on the thread of the GPU: its queue signals and awaits them as commands say (SYSTEMS F2, F4). It ends
 * with the executor, and with the render thread where that has the same group: after a lost device that one goes on until it
 * is told to end, and its modules signal. What was to be signalled by the GPU then is not failed: the main thread signals
 * it with the next threads' frame.
 */
export class QueueFences {
  readonly #fences: Fences;
  readonly #queue: ConnectedQueue;
  readonly #executor: RhiSide['executor'];
  #isUsed = false;

  constructor(fences: Fences, { executor }: Pick<RhiSide, 'executor'>) {
    this.#fences = fences;
    this.#executor = executor;
    this.#queue = connectFences(fences, executor, {
      name: 'GPU',
      onDetached: (fence) => fence.close(),
    });
    executor.completed.subscribe(() => this.#endWithExecutor());
    this.#endWithExecutor();
  }

  /** The render thread has fences of the group open, until `release`. */
  use(): void {
    this.#isUsed = true;
  }

  release(): void {
    this.#isUsed = false;
    this.#endWithExecutor();
  }

  /** From now on commands with this handle mean that fence. */
  bind(handle: FenceHandle, descriptor: FenceDescriptor): void {
    this.#queue.bind(handle, this.#fences.open(descriptor));
  }

  /** For a render thread beside this one. @param onLoss told of requests that the browser could not read */
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
