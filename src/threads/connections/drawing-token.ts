import { StateError } from '../../core/errors.js';
import type { ThreadingMode } from '../../engine/options/engine-options.js';
import type { PipelineThread, RenderConnection } from './connection.js';

/** The thread that has the right to draw. */
export type DrawingThread = 'main' | PipelineThread;

/** The thread that has the device and the surface, by mode. */
const OWNERS: Readonly<Record<ThreadingMode, DrawingThread>> = {
  single: 'main',
  render: 'render',
  'render+rhi': 'RHI',
};

/**
 * The right to draw: device and surface pass from thread to thread as one token, which one connection holds at a time
 * (SYSTEMS R17). It changes hands between two frames, while none is produced.
 *
 *   frames    … 6 │ 7 │      held      │ 8 │ 9 …
 *   token     render ─┤ nobody         ├─ RHI           `engine.drawingThread`
 *                     └ drained: frame 7 is complete
 */
export class DrawingToken {
  #connection: RenderConnection | null = null;
  #thread: DrawingThread | null = null;

  /** The thread that draws; null while none does. */
  get thread(): DrawingThread | null {
    return this.#thread;
  }

  /** @throws StateError `drawing-token-held`: two threads must never draw to one surface */
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

  /** Ends drawing: no thread draws from now on. */
  giveBack(): void {
    this.#connection = this.#thread = null;
  }
}
