/**
 * Per-frame figures cross threads as one fixed block of numbers, never as objects: in shared memory when the
 * page is isolated (nothing is allocated), else as a copy posted once per frame. Each thread writes only its
 * own part, so a torn read shows two neighbouring frames at worst.
 *
 *   index   0 …………………… 7   8 ………………………… 23
 *   writer  render thread   RHI thread
 *
 * Times are in milliseconds, sizes in bytes; NaN means the device can't give the figure.
 */
export const FrameStat = {
  renderThreadMs: 0,
  renderWaitMs: 1,
  primitives: 2,
  visible: 3,
  renderCommandBytes: 4,
  rhiCommandBytes: 5,

  rhiThreadMs: 8,
  gpuMs: 9,
  drawCalls: 10,
  instances: 11,
  skippedDraws: 12,
  uploadBytes: 13,
  liveResources: 14,
  pendingReleases: 15,
  presentedFrames: 16,
} as const;

export const FRAME_STAT_COUNT = 24;
/** The first index that the RHI thread writes. */
export const RHI_STATS_BEGIN = 8;

/** The engine's figures for the last finished frame. `null`: the device can't give it. */
export interface EngineStats {
  /** Number of the last frame the game produced; the first is 1. */
  readonly frame: number;
  /** Main-thread time of tick, end-of-frame update and publishing, in milliseconds. */
  readonly gameThreadMs: number;
  /** Render-thread time to execute the frame's commands and record its RHI list, in milliseconds. */
  readonly renderThreadMs: number;
  /** Time to translate and submit the frame's RHI list, in milliseconds. */
  readonly rhiThreadMs: number;
  /** GPU time of a frame's passes, some frames ago, in milliseconds; measured once figures or a trace were asked for. */
  readonly gpuMs: number | null;
  /** Time the game waited for the render thread before this frame, in milliseconds. */
  readonly gameWaitMs: number;
  /** Time the render thread waited for the RHI or the GPU before this frame, in milliseconds. */
  readonly renderWaitMs: number;
  readonly drawCalls: number;
  readonly instances: number;
  /** Primitives in the scene. */
  readonly primitives: number;
  /** Primitives that passed culling. */
  readonly visible: number;
  /** Draws left out because a resource or pipeline was not ready or had failed. */
  readonly skippedDraws: number;
  readonly uploadBytes: number;
  readonly renderCommandBytes: number;
  readonly rhiCommandBytes: number;
  readonly liveResources: number;
  readonly pendingReleases: number;
  readonly framesInFlight: number;
  /** Bytes the page keeps so that the scene can be sent again after a failure: vertices, images' files, pixels. */
  readonly retainedBytes: number;
  /** Running total of frames submitted to the canvas and completed, at most one per animation-frame interval. */
  readonly presentedFrames: number;
}

/** What the threads behind the game have written into the block, by name. */
export function readFrameStats(block: Float64Array): Omit<EngineStats, keyof GameStats> {
  const figures: Record<string, number | null> = {};
  for (const name in FrameStat) {
    const figure = block[FrameStat[name as keyof typeof FrameStat]] as number;
    figures[name] = Number.isNaN(figure) ? null : figure;
  }
  return figures as Record<keyof typeof FrameStat, number>;
}

/** What the game thread adds. */
type GameStats = Pick<
  EngineStats,
  'frame' | 'gameThreadMs' | 'gameWaitMs' | 'framesInFlight' | 'retainedBytes'
>;
