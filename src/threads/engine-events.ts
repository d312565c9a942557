import type { FencepostError } from '../core/errors.js';

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

export type EngineEventMap = { [Name in keyof EngineEventDetails]: CustomEvent<EngineEventDetails[Name]> };

/** An EventTarget that knows the engine's events. */
export class EngineEventTarget extends EventTarget {
  private readonly listened = new Set<string>();

  override addEventListener<Name extends keyof EngineEventMap>(
    type: Name,
    listener: ((event: EngineEventMap[Name]) => void) | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void {
    this.listened.add(type);
    super.addEventListener(type, listener, options);
  }

  /** Dispatches an event; an error that nobody listens for goes to the console instead of being lost. */
  protected emit<Name extends keyof EngineEventDetails>(type: Name, detail: EngineEventDetails[Name]): void {
    if (type === 'error' && !this.listened.has(type)) console.error(detail);
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
