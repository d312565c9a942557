/**
 * The parts of the backend for commands that few lists contain: fences, texture clears, buffer renames, video frames
 * and further surfaces. The class also has the timer that measures GPU times.
 */
import { ResourceKind } from '../commands/handles.js';
import { FenceCommands } from '../execute/fence-commands.js';
import { GpuTimer } from './device/gpu-timer.js';
import { Renaming } from './resources/renaming.js';
import { TextureClears } from './transfers/clears.js';
import { Surfaces } from './transfers/surfaces.js';
import { VideoFrames } from './transfers/video-frames.js';
import type { WebGpuBackend } from './webgpu-backend.js';

export class RareCommands {
  readonly fences: FenceCommands;
  readonly clears: TextureClears;
  readonly renaming: Renaming;
  readonly surfaces: Surfaces;
  readonly videoFrames: VideoFrames;
  readonly timer: GpuTimer;

  constructor(backend: WebGpuBackend) {
    this.fences = new FenceCommands(backend);
    backend.resources.addTable(ResourceKind.fence, this.fences.table);
    this.clears = new TextureClears(backend);
    this.renaming = new Renaming(backend);
    this.surfaces = new Surfaces(backend);
    this.videoFrames = new VideoFrames(backend);
    this.timer = new GpuTimer(backend);
  }

  /** Notifies the parts after a frame's submission, in the same task, while the surface's texture still exists. */
  frameSubmitted(): void {
    this.surfaces.frameSubmitted();
    this.videoFrames.frameSubmitted();
    this.renaming.frameSubmitted();
  }

  /**
   * Frees the surfaces and the GPU objects of all parts.
   * @param keepsSurfaces whether canvases keep their pictures until another owner configures them
   */
  dispose(keepsSurfaces: boolean): void {
    this.surfaces.dispose(keepsSurfaces);
    this.clears.dispose();
    this.renaming.dispose();
    this.timer.dispose();
  }
}
