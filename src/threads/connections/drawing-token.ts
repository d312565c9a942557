import { StateError } from '../../core/errors.js';
import type { ThreadingMode } from '../../engine/options/engine-options.js';
import type { PipelineThread, RenderConnection } from './connection.js';

/** The thread that may draw. */
export type DrawingThread = 'main' | PipelineThread;

/** The thread that owns the device and the surface, by mode. */
const OWNERS: Readonly<Record<ThreadingMode, DrawingThread>> = {
  single: 'main',
  render: 'render',
  'render+rhi': 'RHI',
};

/**
 * The right to draw. Device and surface pass from thread to thread as one token, which one connection holds
 * at a time (SYSTEMS R17). The token passes to another connection between two frames, while no frame is produced.
 *
 *   frames    … 6 │ 7 │     paused     │ 8 │ 9 …
 *   token     render ─┤ no thread      ├─ RHI           `engine.drawingThread`
 *                     └ drained: frame 7 is complete
 */
export class DrawingToken {
  #connection: RenderConnection | null = null;
  #thread: DrawingThread | null = null;

  /** The thread that draws; null if no thread draws. */
  get thread(): DrawingThread | null {
    return this.#thread;
  }

  /** Takes the token. @throws StateError `drawing-token-held`: two threads must never draw to one surface */
  take(connection: RenderConnection, mode: ThreadingMode): void {
    if (this.#connection !== null && this.#connection !== connection) {
      throw new StateError(
        'drawing-token-held',
        `The thread "${OWNERS[mode]}" would draw while the thread "${this.#thread}" still does. Please report this as a bug.`,
      );
    }
    this.#connection = connection;
    this.#thread = OWNERS[mode];
  }

  /** Gives the token back, so that no thread draws from now on. */
  giveBack(): void {
    this.#connection = this.#thread = null;
  }
}
