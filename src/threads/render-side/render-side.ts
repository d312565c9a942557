import type { EventRing } from '../../core/events/event-ring.js';
import type { StreamReader, StreamWriter } from '../../core/streams/stream.js';
import { sampleCountOf } from '../../proxy/look.js';
import { Renderer } from '../../render/renderer.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { Leak } from '../../rhi/execute/executor.js';
import { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import type { WaitableFence } from '../../sync/waitable.js';
import type { ThreadOptions } from '../control/thread-options.js';
import type { LoadedFiles } from '../library-files/library-files.js';
import { RenderThread } from './render-thread.js';

interface RenderSideOptions {
  readonly reader: StreamReader;
  readonly rhiWriter: StreamWriter;
  /**
   * Wraps the context, so that its commands execute at once (SYSTEMS H3). Default: the context is not
   * wrapped.
   */
  readonly bypass?: (context: ImmediateContext) => ImmediateContext;
  readonly capabilities: RhiCapabilities;
  readonly options: ThreadOptions;
  /** Counts the lists that the GPU has completed. */
  readonly completed: WaitableFence;
  readonly stats: Float64Array;
  /** Event ring of the render thread. */
  readonly events: EventRing;
  readonly onError: (error: unknown) => void;
  readonly onFrame: () => void;
  /** Makes the frame graph check every pass; `null`: the engine's passes are trusted. */
  readonly checkGraph: LoadedFiles['tools']['checkGraph'] | null;
}

/**
 * The render end of the pipeline: the renderer, the immediate context and the loop that drives them. It runs
 * on the render thread, or in `single` mode on the main thread.
 */
export interface RenderSide {
  /** The last frame that was recorded. */
  readonly rendered: PrivateFence;
  readonly reader: StreamReader;
  readonly rhi: ImmediateContext;
  readonly renderer: Renderer;
  readonly thread: RenderThread;
  readonly surfaceFormat: string;
  /**
   * Records deletes that would otherwise wait for later frames, and sends them to the RHI.
   * @returns number of bytes of RHI commands so far, up to the last delete
   */
  recordDeletes(): number;
  /** Ends the render side without cleaning up: its resources end with the executor. */
  stop(): void;
  /** Destroys the renderer's resources. @returns the resources that remain, which are leaks */
  shutDown(): Leak[];
}

export function startRenderSide(given: RenderSideOptions): RenderSide {
  const { reader, rhiWriter, capabilities, options, events, bypass } = given;
  const { antialias, toneMapping, hdr, maxFramesInFlight } = options;
  const recorder = new ImmediateContext(rhiWriter, { maxFramesInFlight });
  const rhi = bypass?.(recorder) ?? recorder;
  const sampleCount = sampleCountOf(antialias);
  const renderer = new Renderer(rhi, capabilities, { sampleCount, toneMapping, hdr, events });
  given.checkGraph?.(renderer.graph, rhi);
  renderer.warmUp();
  const rendered = new PrivateFence('rendered');
  const thread = new RenderThread({ ...given, maxFramesInFlight, rhi, renderer, rendered });
  thread.pump();
  return {
    rendered,
    reader,
    rhi,
    renderer,
    thread,
    surfaceFormat: capabilities.surfaceFormat,
    recordDeletes: () => {
      const before = rhiWriter.bytesWritten;
      renderer.recordDeletes();
      if (rhiWriter.bytesWritten > before) rhi.publish();
      return rhiWriter.bytesWritten;
    },
    stop: () => thread.stop(),
    /**
     * Records the destruction of all resources of the renderer and closes the stream, so every resource that
     * is left is a leak (SYSTEMS L9).
     */
    shutDown: () => {
      thread.stop();
      renderer.dispose();
      const leaks = rhi.handles.leaks();
      rhiWriter.close();
      return leaks;
    },
  };
}
