import { type FencepostError, RhiError } from '../../core/errors.js';
import type { Clock } from '../../sync/deadline.js';
import { measureProcessorShare } from '../../sync/watch/processor-share.js';
import { Watchdog } from '../../sync/watch/watchdog.js';

/** Interval of the watch, in milliseconds. */
const TICK = 1000;

interface GpuWatchOptions {
  /** The engine's fences: numbers of the last frames that were submitted, and that the GPU has completed. */
  readonly pipeline: {
    readonly isConnected: boolean;
    readonly submitted: { readonly value: number };
    readonly completed: { readonly value: number };
  };
  /** Seconds without a completed frame after which the GPU is reported. */
  readonly seconds: number;
  readonly onSilent: (error: FencepostError) => void;
  readonly isVisible: () => boolean;
  readonly clock?: Clock;
  readonly processorShare?: () => number;
}

/**
 * Reports a GPU that completes no frame although frames were submitted (SYSTEMS R9): a shader may loop for ever. Most
 * systems then reset the GPU, and the device is lost. A software adapter may run such a shader for
 * ever. Threads are not blocked while they wait for the GPU, so the health check of workers does not detect this. Time
 * counts only while the page is visible.
 *
 *   submitted   … 7 │ 8 │ 9
 *   completed   … 7 │ ── 30 s ──► `error` event: `gpu-silent`, not again before the GPU completes a frame
 *
 * @returns a function that ends the watch
 */
export function watchGpu(options: GpuWatchOptions): () => void {
  const { pipeline, seconds, onSilent, isVisible, processorShare = measureProcessorShare } = options;
  let last = pipeline.completed.value;
  const watchdog = new Watchdog({
    tickMilliseconds: TICK,
    reportMilliseconds: seconds * 1000,
    hangMilliseconds: Infinity,
    processorShare,
    ...(options.clock && { clock: options.clock }),
    isExpected: () => {
      const { isConnected, submitted, completed } = pipeline;
      const hasProgress = completed.value !== last;
      last = completed.value;
      return !hasProgress && isConnected && submitted.value > last && isVisible();
    },
    onSilent: ({ elapsed }) => onSilent(silentGpu(last + 1, elapsed)),
    onHang: () => {},
  });
  return () => watchdog.stop();
}

function silentGpu(frame: number, milliseconds: number): RhiError {
  return new RhiError(
    'gpu-silent',
    `The GPU has not completed frame ${frame} for ${Math.round(milliseconds / 1000)} s. A loop in a shader may never end, or the frame may be too much for this GPU. Look at the shaders that changed last. The engine waits, and opens another device if this one is lost.`,
    { details: { frame: String(frame) } },
  );
}
