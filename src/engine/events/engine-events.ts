import type { FencepostError } from '../../core/errors.js';
import { fireEvent, typedEventTarget } from '../../core/events/typed-event-target.js';
import type { View } from '../../game/world/view.js';
import type { PipelineThread } from '../../threads/connections/connection.js';

/** The engine's events by name, and what their `detail` holds. */
export interface EngineEventDetails {
  /** The first complete picture is on the canvas. */
  ready: { readonly frame: number };
  /** Something failed; the rest goes on where it can. `detail` is the error, with its `code`. */
  error: FencepostError;
  /** What led to an error, where the option `flightRecorder` asks for it: a capture file, see `replay` of `fencepost/rhi`. */
  flightrecording: { readonly file: ArrayBuffer; readonly error: FencepostError };
  /** The canvas has a new size, in physical pixels. */
  resize: { readonly width: number; readonly height: number };
  /**
   * The GPU device is gone; `reason` and `message` are WebGPU's. What follows is up to the option `deviceLost`, whose
   * value `'ignore'` keeps this event away.
   */
  devicelost: { readonly reason: string; readonly message: string };
  /** There is another device, and the first frame on it is complete; 0 where none had been drawn before the loss. */
  devicerestored: { readonly frame: number };
  /** A thread that had died, thrown or hung (`error` said so) was replaced; its first frame is complete. */
  threadrestarted: {
    readonly thread: PipelineThread;
    readonly frame: number;
    readonly error: FencepostError;
  };
  /**
   * A thread of the engine has started: `'render'` or `'RHI'`. It has answered, and has been sent the scene. Threads that
   * `createEngine` starts are told of in the turn of the event loop after it has resolved.
   */
  threadcreated: { readonly thread: PipelineThread };
  /**
   * A thread that `threadcreated` told of is there no more: by `setThreading`, by `dispose`, by giving up, or because another
   * takes a dead one's place. Comes once for each `threadcreated`.
   */
  threaddestroyed: { readonly thread: PipelineThread };
  /**
   * `engine.canvas` is another one: in the document, in the old one's place. Listeners have to be moved. With a `view`: that
   * of a view is.
   */
  surfacechange: {
    readonly oldCanvas: HTMLCanvasElement;
    readonly newCanvas: HTMLCanvasElement;
    readonly view?: View;
  };
}

type Listener<K extends keyof EngineEventDetails> = (event: CustomEvent<EngineEventDetails[K]>) => void;

/** Passes the engine's events on to the page; an error that no listener was called with goes to the console. */
export class EngineEventTarget extends typedEventTarget<EngineEventDetails>() {
  /** Whether a listener was called since the last error was fired. */
  #isHeard = false;
  /** What is registered for a listener: the browser alone knows when `once` or a signal has removed it. */
  readonly #callers = new WeakMap<object, (event: CustomEvent) => void>();

  override addEventListener<K extends keyof EngineEventDetails>(
    type: K,
    listener: Listener<K>,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, this.#callerOf(listener), options);
  }

  override removeEventListener<K extends keyof EngineEventDetails>(
    type: K,
    listener: Listener<K>,
    options?: boolean | EventListenerOptions,
  ): void {
    super.removeEventListener(type, this.#callerOf(listener), options);
  }

  protected emit<K extends keyof EngineEventDetails>(type: K, detail: EngineEventDetails[K]): void {
    this.#isHeard &&= type !== 'error';
    fireEvent(this, type, detail);
    if (type === 'error' && !this.#isHeard) console.error(detail);
  }

  #callerOf<K extends keyof EngineEventDetails>(listener: Listener<K>): Listener<K> {
    if (typeof listener !== 'function') return listener; // null, or an object: the browser's to judge
    let caller = this.#callers.get(listener);
    if (!caller) {
      caller = (event) => {
        this.#isHeard = true;
        listener.call(this, event);
      };
      this.#callers.set(listener, caller);
      this.#callers.set(caller, caller); // Node removes what an aborted signal ends through this class.
    }
    return caller;
  }
}
