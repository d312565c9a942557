import type { EventRing } from '../../core/events/event-ring.js';
import type { StreamReader, StreamWriter } from '../../core/streams/stream.js';
import { Renderer } from '../../render/renderer.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import type { WaitableFence } from '../../sync/waitable.js';
import type { ThreadOptions } from '../control/thread-options.js';
import { RenderThread } from './render-thread.js';

interface RenderSideOptions {
  readonly reader: StreamReader;
  readonly rhiWriter: StreamWriter;
  readonly capabilities: RhiCapabilities;
  readonly options: ThreadOptions;
  /** Counts the frames' lists that the GPU has completed. */
  readonly completed: WaitableFence;
  readonly stats: Float64Array;
  /** Of the thread it runs on. */
  readonly events: EventRing;
  readonly onError: (error: unknown) => void;
  readonly onFrame: () => void;
}

/**
 * The render end of the pipeline: renderer, immediate context and the loop that drives them, put together on
 * whichever thread renders.
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
   * Hands deletes that would wait for further frames to the RHI now.
   * @returns bytes of RHI commands so far: once those are executed, so are the deletes
   */
  recordDeletes(): number;
  /** Ends it as it is: its resources go with the executor's. */
  stop(): void;
  shutDown(): void;
}

export function startRenderSide(given: RenderSideOptions): RenderSide {
  const { reader, rhiWriter, capabilities, options, events } = given;
  const { sampleCount, toneCurve, displayCode, maxFramesInFlight } = options;
  const rhi = new ImmediateContext(rhiWriter, { maxFramesInFlight });
  const renderer = new Renderer(rhi, capabilities, { sampleCount, toneCurve, displayCode, events });
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
    /** Destroys every resource of the renderer, in the stream, and closes that, so that what is left is a leak (SYSTEMS L9). */
    shutDown: () => {
      thread.stop();
      renderer.dispose();
      rhiWriter.close();
    },
  };
}
