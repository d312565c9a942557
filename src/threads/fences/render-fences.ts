import { errorFromData, StateError, type ThreadError } from '../../core/errors.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import type { FenceHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { fenceValue } from '../../sync/fences/cells/fence-cell.js';
import { checkSignallable } from '../../sync/fences/fence-options.js';
import type { Fences } from '../../sync/fences/fences.js';
import type { LocalFence } from '../../sync/fences/local-fence.js';
import type { FenceDescriptor, MonitoredFence } from '../../sync/fences/monitored-fence.js';
import type { BindAnswer, BindRequest, FencesNotice } from '../control/fence-messages.js';
import type { WorldFeature } from '../render-side/world-feature.js';
import { renderThreadEnded } from '../rhi-side/rhi-points.js';
import type { QueueFences } from './queue-fences.js';

interface RenderFencesHost {
  readonly fences: Fences;
  readonly rhi: ImmediateContext;
  readonly port: MessagePort;
  /** The fences of the RHI side: an object on this thread, or a port to the RHI thread. */
  readonly queue: QueueFences | MessagePort;
  /** Called when the browser could not read an answer of the RHI thread. */
  readonly onLoss: (error: ThreadError) => void;
}

/** A fence that RHI commands name. All modules that have opened the fence share its handle. */
interface Recorded {
  readonly handle: FenceHandle;
  readonly created: Promise<void>;
  /** Number of times that modules have opened the fence and not yet closed it. */
  users: number;
}

interface Signal {
  readonly fence: MonitoredFence;
  readonly value: number | bigint;
}

/**
 * The page's fences on the render thread. Render modules open them, and record signals and waits of the GPU.
 *
 *   onFrame callbacks, commands │ the frame's command list│ end of the list
 *     waitFence(a, 3) ── at once │ … held until a ≥ 3      │
 *     signalFence(b, 7) ─────────┼─────────────────────────┼─► recorded: b ← 7 when the GPU has done the list
 */
export class RenderFences implements WorldFeature {
  readonly #host: RenderFencesHost;
  readonly #recorded = new Map<LocalFence, Recorded>();
  readonly #binds = new Map<FenceHandle, { resolve(): void; reject(error: Error): void }>();
  /** Signals to record at the end of the command list. */
  #signals: Signal[] = [];
  #isStopped = false;

  constructor(host: RenderFencesHost) {
    this.#host = host;
    const { queue } = host;
    if ('bind' in queue) {
      queue.use();
      return;
    }
    queue.onmessage = ({ data: { handle, error } }: MessageEvent<BindAnswer>) => {
      const bind = this.#binds.get(handle);
      this.#binds.delete(handle);
      if (error) bind?.reject(errorFromData(error));
      else bind?.resolve();
    };
    const lose = (error: ThreadError): void => {
      for (const { reject } of this.#binds.values()) reject(error);
      this.#binds.clear();
      host.onLoss(error);
    };
    hearLosses(queue, 'fences of the RHI thread', lose, 'Pending openFence() calls reject. Call them again.');
  }

  /** Does nothing, because no render command belongs to this feature. */
  execute(): void {}

  /** Opens a fence. @throws (rejects) like `Fences.open`; ThreadError `render-thread-ended` */
  async open(descriptor: FenceDescriptor): Promise<MonitoredFence> {
    const { fences } = this.#host;
    const fence = fences.open(descriptor);
    try {
      await this.#record(fence).created;
      await fences.core.whenCopied(fence.local);
      if (fence.error) throw fence.error;
      return fence;
    } catch (error) {
      fence.close();
      throw error;
    }
  }

  /**
   * Makes the GPU signal the fence after a frame's command list, or after the commands recorded so far.
   * @param isInFrame whether the call belongs to a frame, whose command list is being recorded or comes next
   * @throws StateError `fence-not-open`, `fence-of-queue`, `bad-fence-value`
   */
  signal(fence: MonitoredFence, value: number | bigint, isInFrame: boolean): void {
    this.#handleOf(fence, 'signalFence()');
    checkSignallable(fence);
    fenceValue(value, fence.name); // In the stream −1 would become a large value, and the fence could not rise again.
    this.#signals.push({ fence, value });
    if (isInFrame) return;
    this.endList();
    this.#host.rhi.publish();
  }

  /**
   * Makes later commands wait for the fence.
   * @throws StateError `fence-not-open`, `bad-fence-value`
   */
  wait(fence: MonitoredFence, value: number | bigint): void {
    const handle = this.#handleOf(fence, 'waitFence()');
    fenceValue(value, fence.name);
    this.#host.rhi.waitFence(handle, value);
  }

  close(fence: MonitoredFence): void {
    const { local } = fence;
    const recorded = this.#recorded.get(local);
    fence.close();
    if (!recorded || --recorded.users > 0 || this.#isStopped) return;
    this.#recorded.delete(local);
    this.#destroy(recorded.handle);
  }

  endList(): void {
    if (this.#signals.length === 0) return;
    const { rhi, port } = this.#host;
    for (const { fence, value } of this.#signals) {
      const recorded = this.#recorded.get(fence.local);
      if (!recorded) continue; // The module was removed in this frame.
      const notice: FencesNotice = { kind: 'signalling', fence: fence.share(), value };
      port.postMessage(notice);
      rhi.signalFence(recorded.handle, value);
    }
    this.#signals = [];
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const { queue, fences } = this.#host;
    for (const { reject } of this.#binds.values()) reject(renderThreadEnded());
    for (const { handle } of this.#recorded.values()) this.#destroy(handle);
    if ('bind' in queue) {
      queue.release();
      return;
    }
    queue.close();
    fences.dispose();
  }

  #record(fence: MonitoredFence): Recorded {
    const { local } = fence;
    let recorded = this.#recorded.get(local);
    if (!recorded) {
      const { rhi } = this.#host;
      const handle = rhi.reserveFence(fence.name);
      const created = this.#bind(handle, fence.share()).then(() => {
        rhi.createFence(fence.name, 0, handle);
      });
      recorded = { handle, created, users: 0 };
      this.#recorded.set(local, recorded);
      created.catch(() => this.#recorded.delete(local));
    }
    recorded.users++;
    return recorded;
  }

  #bind(handle: FenceHandle, fence: FenceDescriptor): Promise<void> {
    const { queue } = this.#host;
    if ('bind' in queue) return Promise.resolve(queue.bind(handle, fence));
    const request: BindRequest = { handle, fence };
    queue.postMessage(request);
    return new Promise((resolve, reject) => this.#binds.set(handle, { resolve, reject }));
  }

  #destroy(handle: FenceHandle): void {
    try {
      this.#host.rhi.destroy(handle);
    } catch {
      // The stream has ended, and the executor has released everything.
    }
  }

  #handleOf(fence: MonitoredFence, call: string): FenceHandle {
    const recorded = this.#recorded.get(fence?.local);
    if (recorded) return recorded.handle;
    const given =
      fence?.name === undefined ? 'no fence' : `the fence "${fence.name}", which this module has not opened`;
    throw new StateError(
      'fence-not-open',
      `${call} was given ${given}. Pass a fence to which openFence() has resolved.`,
    );
  }
}
