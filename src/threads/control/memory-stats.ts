/**
 * Sizes of memory by purpose (SYSTEMS M8). The render and RHI threads write their sizes into the `FrameStat` block. The
 * page adds its own sizes.
 */
import { MemoryPeak, MemoryStat, readStats } from './frame-stats.js';

/**
 * Bytes by purpose that the engine has allocated and not yet freed, counted at the allocation. Resources in a release
 * queue are included. A page cannot know how much memory the browser adds, such as for its canvas and decoded images.
 */
export interface MemoryTags {
  /** GPU: buffers of vertices and indices, shared by many meshes. */
  readonly geometry: number;
  /** GPU: buffers of transforms, materials and other data that shaders read. */
  readonly buffers: number;
  /** GPU: textures with contents that are uploaded or copied, with all levels. */
  readonly textures: number;
  /** GPU: textures that are only drawn to, with all samples. */
  readonly renderTargets: number;
  /** GPU: buffers that the CPU fills, for writes in the middle of a command list. */
  readonly uploads: number;
  /** GPU: buffers in which read-backs, captures of pictures, picks and GPU times arrive. */
  readonly staging: number;
  /** GPU: buffers through which a capture of commands reads back the contents of resources. */
  readonly captures: number;
  /** CPU: data of captures of commands, and of the flight recorder. */
  readonly recordings: number;
  /** CPU: pages of commands, from the game to the render thread and from there to the RHI. */
  readonly streams: number;
  /** CPU: records of the RHI's live resources. */
  readonly lists: number;
  /** CPU: arrays of the scene, per node, primitive, light and draw, on the page and on the render thread. */
  readonly sceneArrays: number;
  /** CPU: arrays that the render thread needs for one frame. They are as large as the largest frame so far needed. */
  readonly frameArrays: number;
  /** CPU: memory that the render thread's loops share with helper workers. */
  readonly loops: number;
  /** CPU: queues and arenas of `engine.tasks`. */
  readonly tasks: number;
  /** CPU: fences, with the logs of their queues. */
  readonly fences: number;
  /** CPU: rings of timeline events, one per thread. */
  readonly eventRings: number;
  /** CPU: the bytes that `EngineStats.retainedBytes` counts. */
  readonly retained: number;
}

/** The engine's memory: current sizes by purpose, their sums, and the peaks. */
export interface MemoryStats extends MemoryTags {
  /** Sum of the sizes on the GPU. */
  readonly gpu: number;
  /** Sum of the sizes on the CPU. */
  readonly cpu: number;
  /** Largest sum on the GPU so far, on the current device. */
  readonly gpuPeak: number;
  /** Largest sum on the CPU that a call of `stats()` has measured. */
  readonly cpuPeak: number;
  /**
   * Largest size so far by purpose. Sizes of the GPU, the render thread and the RHI are exact since the device was last
   * opened or the threads were last changed. Sizes of the page are the largest that a call of `stats()` has measured.
   */
  readonly peak: MemoryTags;
}

/** Sizes that the page itself knows. `streams`, `sceneArrays` and `loops` are only the page's part of these sizes. */
type PageMemory = Pick<
  MemoryTags,
  'streams' | 'sceneArrays' | 'loops' | 'tasks' | 'fences' | 'eventRings' | 'retained'
>;

type Sizes = { -readonly [Tag in keyof MemoryTags]: number };

/** Adds the sizes of all threads, and keeps the peaks. */
export class MemoryMeter {
  readonly #peak: Partial<Sizes> = {};
  #cpuPeak = 0;

  /** @param block the `FrameStat` block of the current threads */
  measure(block: Float64Array, page: PageMemory): MemoryStats {
    const threads = readStats(block, MemoryStat);
    const { gpu: gpuPeak, ...peaks } = readStats(block, MemoryPeak);
    const sizes: Sizes = {
      ...threads,
      ...page,
      streams: threads.streams + page.streams,
      sceneArrays: threads.sceneArrays + page.sceneArrays,
      loops: threads.loops + page.loops,
    };
    const { recordings, streams, lists, sceneArrays, frameArrays, loops } = sizes;
    const { tasks, fences, eventRings, retained } = sizes;
    const arrays = sceneArrays + frameArrays + loops;
    const cpu = recordings + streams + lists + arrays + tasks + fences + eventRings + retained;
    this.#cpuPeak = Math.max(this.#cpuPeak, cpu);
    for (const tag of Object.keys(sizes) as (keyof Sizes)[]) {
      this.#peak[tag] = Math.max(this.#peak[tag] ?? 0, sizes[tag], (peaks as Partial<Sizes>)[tag] ?? 0);
    }
    const { geometry, buffers, textures, renderTargets, uploads, staging, captures } = sizes;
    const gpu = geometry + buffers + textures + renderTargets + uploads + staging + captures;
    return { ...sizes, gpu, cpu, gpuPeak, cpuPeak: this.#cpuPeak, peak: { ...(this.#peak as Sizes) } };
  }
}
