import type { FencepostError } from '../../core/errors.js';
import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import { FrameStat } from '../control/frame-stats.js';
import type { PipelineThread, RenderConnection } from './connection.js';
import { DrawingToken } from './drawing-token.js';
import { FollowedFence } from './followed-fence.js';

/**
 * The main thread's end of the pipeline, which outlives the threads behind it. Connections come and go (a lost device,
 * a dead worker, other threads); what the engine and its callers wait for stays, in the same frame numbers.
 *
 *   connection A   rendered 7 · submitted 6 · completed 5 ✕
 *   connection B                                             8 ·· 8 ·· 8      its first frame draws everything
 *   these fences   rendered 7 · submitted 6 · completed 5 ······ 8 ·· 8 ·· 8   who waits for 6 or 7 has them with 8
 *   synced         7                                       7: the game may go on
 */
export class Pipeline {
  readonly #rendered = new FollowedFence('rendered');
  readonly #submitted = new FollowedFence('submitted');
  readonly #completed = new FollowedFence('completed');
  readonly #synced = new FollowedFence('synced');
  readonly rendered = this.#rendered.fence;
  readonly submitted = this.#submitted.fence;
  readonly completed = this.#completed.fence;
  /** The fence that `FrameEndSync` waits for: `rendered` or `submitted`, and every frame of threads that are gone. */
  readonly synced = this.#synced.fence;
  /** Names the thread that draws. */
  readonly token = new DrawingToken();
  /** As they are now: `threading` can change. */
  options: ResolvedOptions;
  connection: RenderConnection;
  /** Told of each connection that takes over, before it is sent the scene. */
  readonly takeovers = new Set<(next: RenderConnection) => Promise<void>>();
  /** Frames that earlier connections have presented. */
  #presentedBefore = 0;
  /** The connection whose fences are followed; none between its end and the next one. */
  #followed: RenderConnection | null = null;
  /** The connection that was asked for GPU times. */
  #measured: RenderConnection | null = null;
  /** Whether `startCapture` was called: threads that follow go on capturing. */
  isCapturing = false;
  readonly #onEnd: (error: FencepostError, thread: PipelineThread) => void;

  /** @param onEnd called when a thread of the connection has failed, or lost its device */
  constructor(
    connection: RenderConnection,
    options: ResolvedOptions,
    onEnd: (error: FencepostError, thread: PipelineThread) => void,
  ) {
    this.connection = connection;
    this.options = options;
    this.#onEnd = onEnd;
  }

  /** Follows the connection. Calls `onEnd` at once where it has failed already, so whoever made this has to be complete. */
  start(): void {
    const { connection } = this;
    const { rendered, submitted, completed } = connection;
    this.token.take(connection, this.options.threading);
    this.#followed = connection;
    const end = (error: FencepostError, thread: PipelineThread): void => {
      if (this.#followed === connection) this.end(error, thread);
    };
    this.#rendered.follow(rendered);
    this.#submitted.follow(submitted);
    this.#completed.follow(completed);
    this.#synced.follow(this.options.frameSync === 'present' ? submitted : rendered);
    for (const source of [rendered, submitted, completed]) {
      const thread = source === rendered ? 'render' : 'RHI';
      source.onFailure((error) => end(error, thread));
    }
    // The stream may hear of the other end's failure before the fences do; nothing can be written then.
    connection.writer.onFail = (error) => end(error, 'render');
  }

  /** Running total of all connections. */
  get presentedFrames(): number {
    return this.#presentedBefore + (this.connection.stats[FrameStat.presentedFrames] as number);
  }

  /** Has the threads that work measure GPU times from now on; there are none where what it takes can't be loaded. */
  measureGpu(): void {
    const connection = this.#followed;
    if (!connection || connection === this.#measured) return;
    this.#measured = connection;
    this.completed
      .whenReached(2)
      .then(() => connection.control.measureGpu())
      .catch(() => {});
  }

  /** @param frame the last that was produced for the connection before */
  adopt(connection: RenderConnection, frame: number): void {
    this.#presentedBefore = this.presentedFrames;
    this.#measured = null;
    this.connection = connection;
    this.start();
    this.synced.signal(frame);
  }

  /** Capabilities of the device that draws. Known once a frame was drawn. */
  get capabilities(): RhiCapabilities {
    return this.connection.capabilities as RhiCapabilities;
  }

  /** Whether there are threads that work. */
  get isConnected(): boolean {
    return this.#followed !== null;
  }

  /** The threads there are can't go on; what their connection says from now on doesn't count. */
  end(error: FencepostError, thread: PipelineThread): void {
    this.release();
    this.#onEnd(error, thread);
  }

  /** Ignores the connection's fences from now on. */
  release(): void {
    this.#followed = null;
    for (const fence of [this.#rendered, this.#submitted, this.#completed, this.#synced]) fence.follow(null);
    this.token.giveBack();
  }

  /** Fails all waits for frames with the error. The first error stays. */
  fail(error: FencepostError): void {
    for (const fence of [this.rendered, this.submitted, this.completed, this.synced]) fence.fail(error);
  }
}
