/**
 * What lists seldom need, and the engine's own renderer never: a file of its own for the engine's worker, at hand for
 * everybody else.
 *
 *   createFence, clearTexture, renameBuffer, outputVideoFrame ─┐
 *   GPU times are asked for ───────────────────────────────────┼─► loadSeldom ─► Seldom, once per executor
 *   a render module comes, or fences of the page ──────────────┘
 */
import { TextureClears } from './clears.js';
import { FenceCommands } from './fences.js';
import { GpuTimer } from './gpu-timer.js';
import type { ExecutorParts } from './parts.js';
import { Renaming } from './renaming.js';
import { VideoFrames } from './video-frames.js';

export class Seldom {
  readonly fences: FenceCommands;
  readonly clears: TextureClears;
  readonly renaming: Renaming;
  readonly videoFrames: VideoFrames;
  readonly timer: GpuTimer;

  constructor(parts: ExecutorParts) {
    const { device, options } = parts;
    this.fences = new FenceCommands(parts);
    this.clears = new TextureClears(parts);
    this.renaming = new Renaming(parts);
    this.videoFrames = new VideoFrames(parts);
    this.timer = new GpuTimer(device, parts.resources.memory, options.maxFramesInFlight, parts.events);
  }

  /** In the task of the submission, while the surface's texture is still there. */
  frameSubmitted(): void {
    this.videoFrames.frameSubmitted();
    this.renaming.frameSubmitted();
  }

  dispose(): void {
    this.clears.dispose();
    this.renaming.dispose();
    this.timer.dispose();
  }
}
