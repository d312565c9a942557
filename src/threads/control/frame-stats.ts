import type { View } from '../../game/world/view.js';
import type { MemoryStats } from './memory-stats.js';

/**
 * Figures per frame cross threads as one fixed block of numbers, never as objects. If threads can share
 * memory, the block is in shared memory and nothing is allocated. Otherwise a copy is posted once per frame. Each
 * thread writes only its own part, so a torn read mixes two neighbouring frames at worst.
 *
 *   index   0 …………………… 15   16 ………………………… 47
 *   writer  render thread   RHI thread
 *
 * Times are in milliseconds, sizes in bytes. NaN means that the figure has not been measured.
 */
export const FrameStat = {
  renderThreadMs: 0,
  renderWaitMs: 1,
  primitives: 2,
  visible: 3,
  renderCommandBytes: 4,
  rhiCommandBytes: 5,

  rhiThreadMs: 16,
  gpuMs: 17,
  drawCalls: 18,
  instances: 19,
  skippedDraws: 20,
  uploadBytes: 21,
  liveResources: 22,
  pendingReleases: 23,
  presentedFrames: 24,
  gpuAnswerMs: 25,
} as const;

/** Indices of current sizes of memory, in the same block. */
export const MemoryStat = {
  streams: 6,
  sceneArrays: 7,
  frameArrays: 10,
  loops: 11,

  geometry: 26,
  buffers: 27,
  textures: 28,
  renderTargets: 29,
  uploads: 30,
  staging: 31,
  captures: 32,
  lists: 33,
  recordings: 43,
} as const;

/** Indices of the largest sizes of memory so far, in the same block. */
export const MemoryPeak = {
  streams: 8,
  sceneArrays: 9,
  frameArrays: 12,
  loops: 13,

  geometry: 34,
  buffers: 35,
  textures: 36,
  renderTargets: 37,
  uploads: 38,
  staging: 39,
  captures: 40,
  lists: 41,
  gpu: 42,
  recordings: 44,
} as const;

export const FRAME_STAT_COUNT = 48;
/** The first index that the RHI thread writes. */
export const RHI_STATS_BEGIN = 16;

/** Writes a size of memory, and its peak. Called per frame. */
export function noteBytes(stats: Float64Array, tag: keyof typeof MemoryStat, bytes: number): void {
  stats[MemoryStat[tag]] = bytes;
  stats[MemoryPeak[tag]] = Math.max(stats[MemoryPeak[tag]] as number, bytes);
}

/**
 * The engine's figures for the last finished frame. `null` means that the figure has not been measured.
 */
export interface EngineStats {
  /** Number of the last frame that the game has produced; the first is 1. */
  readonly frame: number;
  /** Main-thread time of tick, end-of-frame update and publishing, in milliseconds. */
  readonly gameThreadMs: number;
  /** Render-thread time to execute the frame's commands and record its RHI list, in milliseconds. */
  readonly renderThreadMs: number;
  /** Time to translate and submit the frame's RHI list, in milliseconds. */
  readonly rhiThreadMs: number;
  /**
   * GPU time of all passes of an earlier frame, in milliseconds. The times arrive some frames late. They are measured
   * once figures or a trace were requested.
   */
  readonly gpuMs: number | null;
  /**
   * Time until the browser reports that the GPU has no work left, in milliseconds. It is measured once when the
   * device is opened. Firefox, for example, checks only every 100 ms. If the time is 40 ms or more, the engine makes
   * the browser check every 4 ms while a wait for the GPU is pending.
   */
  readonly gpuAnswerMs: number | null;
  /** Time for which the game waited for the render thread before this frame, in milliseconds. */
  readonly gameWaitMs: number;
  /** Time for which the render thread waited for the RHI or the GPU before this frame, in milliseconds. */
  readonly renderWaitMs: number;
  readonly drawCalls: number;
  readonly instances: number;
  /** Primitives in the scene. */
  readonly primitives: number;
  /** Primitives that passed culling. */
  readonly visible: number;
  /** Draws that were skipped because a resource or pipeline was not ready or had failed. */
  readonly skippedDraws: number;
  readonly uploadBytes: number;
  readonly renderCommandBytes: number;
  readonly rhiCommandBytes: number;
  readonly liveResources: number;
  readonly pendingReleases: number;
  readonly framesInFlight: number;
  /**
   * Bytes that the page keeps so that the scene can be sent again after a failure: vertices, image files, pixels.
   */
  readonly retainedBytes: number;
  /** Factor on the width and the height in which the scene of the last sent frame is drawn. */
  readonly resolutionScale: number;
  /** Bytes of memory, by purpose: current and peak. */
  readonly memory: MemoryStats;
  /**
   * Counts per view; empty until `addView` was called. The active camera's view is first, then the views of `addView`
   * in order. Only meshes are counted, not shadows, picks or passes of render modules.
   */
  readonly views: readonly ViewStats[];
  /**
   * Total number of presented frames: submitted to the canvas, and completed on the GPU. At most one frame counts per
   * animation-frame interval.
   */
  readonly presentedFrames: number;
}

/** Counts of a view in the last list that the render thread has recorded. */
export interface ViewStats {
  /** The view; null for the view of the active camera. */
  readonly view: View | null;
  /** False if the view is off, hidden, without a camera, or covered by other views. All counts are 0 then. */
  readonly isDrawn: boolean;
  /** Primitives that passed the culling of the view. */
  readonly visible: number;
  readonly drawCalls: number;
  readonly instances: number;
}

/** Returns a block without measurements. @param memory holds `FRAME_STAT_COUNT` numbers */
export function emptyStats(memory: ArrayBufferLike = new ArrayBuffer(FRAME_STAT_COUNT * 8)): Float64Array {
  const stats = new Float64Array(memory);
  stats[FrameStat.gpuMs] = stats[FrameStat.gpuAnswerMs] = Number.NaN;
  return stats;
}

/**
 * Returns the numbers that the render and RHI threads have written into the block, by name of `FrameStat`, `MemoryStat`
 * or `MemoryPeak`. NaN becomes `null`.
 */
export function readStats<T extends Readonly<Record<string, number>>>(
  block: Float64Array,
  places: T,
): Record<keyof T, number> {
  const figures: Record<string, number | null> = {};
  for (const name in places) {
    const figure = block[places[name] as number] as number;
    figures[name] = Number.isNaN(figure) ? null : figure;
  }
  return figures as Record<keyof T, number>;
}
