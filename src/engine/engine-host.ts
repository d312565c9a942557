import type { Connect, ConnectionEvents } from '../threads/connections/connection.js';
import type { RecordFlight } from './captures/flight-recording.js';
import type { FrameSource } from './frames/frame-scheduler.js';
import type { ThreadingMode } from './options/engine-options.js';
import type { Look } from './options/look.js';
import type { EngineSurface, SurfaceClass } from './surfaces/surface.js';

/** The parts that `createEngine` assembles for an engine. */
export interface EngineHost {
  /** Returns the function that starts the threads of a mode. Default: `connectBy`. */
  readonly connectTo?: ((mode: ThreadingMode) => Promise<Connect>) | undefined;
  readonly surface: EngineSurface;
  readonly Surface: SurfaceClass;
  /** Source of animation frames. Default: the page's animation frames. */
  readonly frames?: FrameSource | undefined;
  readonly look: Look;
  /** The flight recorder of the current threads; replaced when other threads take over. */
  recordFlight: RecordFlight | null;
  /** WebGPU names of the features that the first device has, or will have once it is created. */
  readonly features: readonly string[];
  /** Throws in development if a call of the game's API comes from another thread. */
  readonly checkThread?: ((call: string) => void) | undefined;
  /**
   * Listeners of the threads and the surface. The engine's constructor replaces all of them except `onTrace`.
   */
  readonly events: EngineListeners;
}

export interface EngineListeners extends ConnectionEvents {
  onResize(width: number, height: number): void;
}
