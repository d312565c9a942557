import type { Connect, ConnectionEvents } from '../threads/connections/connection.js';
import type { RecordFlight } from './captures/flight-recording.js';
import type { FrameSource } from './frames/frame-scheduler.js';
import type { ThreadingMode } from './options/engine-options.js';
import type { Look } from './options/look.js';
import type { EngineSurface, SurfaceClass } from './surfaces/surface.js';

/** Everything that `createEngine` puts together for an engine. */
export interface EngineHost {
  /** How threads of a mode are started; as without options unless given. */
  readonly connectTo?: ((mode: ThreadingMode) => Promise<Connect>) | undefined;
  readonly surface: EngineSurface;
  readonly Surface: SurfaceClass;
  /** The page's own unless given. */
  readonly frames?: FrameSource | undefined;
  readonly look: Look;
  /** Another one when other threads take over. */
  recordFlight: RecordFlight | null;
  /** Features that the first device has, or will have, by WebGPU's names. */
  readonly features: readonly string[];
  /** In development: throws where a call of the game's comes on another thread. */
  readonly checkThread?: ((call: string) => void) | undefined;
  /** The engine listens from its construction on. */
  readonly events: EngineListeners;
}

export interface EngineListeners extends ConnectionEvents {
  onResize(width: number, height: number): void;
}
