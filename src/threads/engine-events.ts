import type { FencepostError } from '../core/errors.js';
import { fireEvent, typedEventTarget } from '../core/typed-event-target.js';

/** The engine's events by name, and what their `detail` holds. */
export interface EngineEventDetails {
  /** The first complete picture is on the canvas. */
  ready: { readonly frame: number };
  /** Something failed; the rest goes on where it can. `detail` is the error, with its `code`. */
  error: FencepostError;
  /** The canvas has a new size, in physical pixels. */
  resize: { readonly width: number; readonly height: number };
  devicelost: { readonly reason: string; readonly message: string };
  devicerestored: { readonly frame: number };
  surfacechange: { readonly oldCanvas: HTMLCanvasElement; readonly newCanvas: HTMLCanvasElement };
}

/** Passes the engine's events on to the page; an error that nobody listens for goes to the console. */
export class EngineEventTarget extends typedEventTarget<EngineEventDetails>() {
  #hasErrorListener = false;

  override addEventListener<K extends keyof EngineEventDetails>(
    type: K,
    listener: (event: CustomEvent<EngineEventDetails[K]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void {
    this.#hasErrorListener ||= type === 'error';
    super.addEventListener(type, listener, options);
  }

  protected emit<K extends keyof EngineEventDetails>(type: K, detail: EngineEventDetails[K]): void {
    if (type === 'error' && !this.#hasErrorListener) console.error(detail);
    fireEvent(this, type, detail);
  }
}
