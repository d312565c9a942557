import type { FencepostError } from '../../core/errors.js';
import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import { FrameStat } from '../control/frame-stats.js';
import type { PipelineThread, RenderConnection } from './connection.js';
import { DrawingToken } from './drawing-token.js';
import { FollowedFence } from './followed-fence.js';

/**
 * The main thread's end of the pipeline. It outlives the render and RHI threads. The connection to these threads is
 * replaced after a lost device, a dead worker or a change of threads. The fences of the engine and its callers stay
 * the same, and frame numbers continue.
 *
 *   connection A   rendered 7 · submitted 6 · completed 5 ✕
 *   connection B                                             8 ·· 8 ·· 8      its first frame draws everything
 *   these fences   rendered 7 · submitted 6 · completed 5 ······ 8 ·· 8 ·· 8   waits for 6 or 7 end with 8
 *   synced         7                                       7: the game may continue
 */
export class Pipeline {
  readonly #rendered = new FollowedFence('rendered');
  readonly #submitted = new FollowedFence('submitted');
  readonly #completed = new FollowedFence('completed');
  readonly #synced = new FollowedFence('synced');
  readonly rendered = this.#rendered.fence;
  readonly submitted = this.#submitted.fence;
  readonly completed = this.#completed.fence;
  /**
   * The fence that `FrameEndSync` waits for. It follows `rendered` or `submitted`, and counts all frames of
   * ended threads as done.
   */
  readonly synced = this.#synced.fence;
  /** The token of the thread that draws. */
  readonly token = new DrawingToken();
  /** Current options: `threading` can change. */
  options: ResolvedOptions;
  connection: RenderConnection;
  /** Called with each connection that takes over, before the scene is sent to it. */
  readonly takeovers = new Set<(next: RenderConnection) => Promise<void>>();
  /** Number of frames that earlier connections have presented. */
  #presentedBefore = 0;
  /** The connection whose fences are followed; null after its end until the next connection starts. */
  #followed: RenderConnection | null = null;
  /** The connection whose threads measure GPU times. */
  #measured: RenderConnection | null = null;
  /** Whether `startCapture` was called. Later threads then continue to capture. */
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

  /**
   * Follows the connection. Calls `onEnd` at once if it has failed already, so the caller must be completely
   * constructed.
   */
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
    // A thread's failure may reach the stream before the fences. The stream then accepts no more commands.
    connection.writer.onFail = (error) => end(error, 'render');
  }

  /** Number of presented frames, over all connections. */
  get presentedFrames(): number {
    return this.#presentedBefore + (this.connection.stats[FrameStat.presentedFrames] as number);
  }

  /**
   * Makes the current threads measure GPU times, once frame 2 has completed. If the code that measures cannot be
   * loaded, no times are measured.
   */
  measureGpu(): void {
    const connection = this.#followed;
    if (!connection || connection === this.#measured) return;
    this.#measured = connection;
    this.completed
      .whenReached(2)
      .then(() => connection.control.measureGpu())
      .catch(() => {});
  }

  /** Replaces the connection. @param frame the last frame that was produced for the previous connection */
  adopt(connection: RenderConnection, frame: number): void {
    this.#presentedBefore = this.presentedFrames;
    this.#measured = null;
    this.connection = connection;
    this.start();
    this.synced.signal(frame);
  }

  /** Capabilities of the device that draws. Known once the threads have started. */
  get capabilities(): RhiCapabilities {
    return this.connection.capabilities as RhiCapabilities;
  }

  /** Whether working threads are connected. */
  get isConnected(): boolean {
    return this.#followed !== null;
  }

  /** Releases the connection after a failure of its threads, and calls `onEnd`. */
  end(error: FencepostError, thread: PipelineThread): void {
    this.release();
    this.#onEnd(error, thread);
  }

  /** Stops following the connection's fences, and gives the token back. */
  release(): void {
    this.#followed = null;
    for (const fence of [this.#rendered, this.#submitted, this.#completed, this.#synced]) fence.follow(null);
    this.token.giveBack();
  }

  /** Fails all waits for frames with the error. If they have failed already, the first error stays. */
  fail(error: FencepostError): void {
    for (const fence of [this.rendered, this.submitted, this.completed, this.synced]) fence.fail(error);
  }
}
