import { errorToData } from '../../core/errors.js';
import type { FenceHandle } from '../../rhi/commands/descriptors.js';
import { type ConnectedQueue, connectFences } from '../../rhi/host/connect-fences.js';
import type { Fences } from '../../sync/monitored/fences.js';
import type { FenceDescriptor } from '../../sync/monitored/monitored-fence.js';
import type { RhiSide } from '../rhi-worker/rhi-side.js';
import type { BindAnswer, BindRequest } from './fence-messages.js';

/**
 * The page's fences on the thread of the GPU: its queue signals and awaits them as commands say (SYSTEMS F2, F4). It ends
 * with the executor. What was to be signalled then is not failed: the main thread signals it with the next threads' frame.
 */
export class QueueFences {
  readonly #fences: Fences;
  readonly #queue: ConnectedQueue;

  constructor(fences: Fences, { executor }: RhiSide) {
    this.#fences = fences;
    this.#queue = connectFences(fences, executor, {
      name: 'GPU',
      onDetached: (fence) => fence.close(),
    });
    const endWith = (): void => {
      if (executor.completed.error) fences.dispose();
    };
    executor.completed.subscribe(endWith);
    endWith();
  }

  /** From now on commands with this handle mean that fence. */
  bind(handle: FenceHandle, descriptor: FenceDescriptor): void {
    this.#queue.bind(handle, this.#fences.open(descriptor));
  }

  /** For a render thread beside this one. */
  serve(port: MessagePort): void {
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
}
