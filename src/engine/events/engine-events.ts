import type { FencepostError } from '../../core/errors.js';
import { fireEvent, typedEventTarget } from '../../core/events/typed-event-target.js';
import type { View } from '../../game/world/view.js';
import type { PipelineThread } from '../../threads/connections/connection.js';

/** The engine's events by name, with the type of their `detail`. */
export interface EngineEventDetails {
  /** The first complete picture is on the canvas. */
  ready: { readonly frame: number };
  /** An operation failed. The engine continues if it can. `detail` is the error, with its `code`. */
  error: FencepostError;
  /**
   * An error was reported, and the option `flightRecorder` is set. `file` is a capture of the frames before the error,
   * for `replay` of `fencepost/rhi`.
   */
  flightrecording: { readonly file: ArrayBuffer; readonly error: FencepostError };
  /** The canvas has a new size, in physical pixels. */
  resize: { readonly width: number; readonly height: number };
  /**
   * The GPU device was lost; `reason` and `message` are WebGPU's. The option `deviceLost` decides how the engine
   * reacts. Its value `'ignore'` suppresses this event.
   */
  devicelost: { readonly reason: string; readonly message: string };
  /**
   * Another device has replaced the lost device, and its first frame is complete. `frame` is 0 if no frame was drawn
   * before the loss.
   */
  devicerestored: { readonly frame: number };
  /**
   * Another thread has replaced a thread that died, threw or hung, and its first frame is complete. An earlier `error`
   * event has reported the failure.
   */
  threadrestarted: {
    readonly thread: PipelineThread;
    readonly frame: number;
    readonly error: FencepostError;
  };
  /**
   * A thread of the engine was created: `'render'` or `'RHI'`. For the threads of `createEngine`, the event is fired
   * one turn of the event loop after `createEngine` has resolved. Their scripts may still be loading. Later threads
   * have answered and received the scene.
   */
  threadcreated: { readonly thread: PipelineThread };
  /**
   * A thread has ended: by `setThreading`, by `dispose`, because the engine gave up, or because another thread
   * replaces a dead thread. The event is fired once for each `threadcreated`.
   */
  threaddestroyed: { readonly thread: PipelineThread };
  /**
   * A new canvas element has replaced `engine.canvas` in the document. If `view` is set, it has replaced the canvas of
   * that view instead. The page has to move its listeners.
   */
  surfacechange: {
    readonly oldCanvas: HTMLCanvasElement;
    readonly newCanvas: HTMLCanvasElement;
    readonly view?: View;
  };
}

type Listener<K extends keyof EngineEventDetails> = (event: CustomEvent<EngineEventDetails[K]>) => void;

/** Dispatches the engine's events to the page. An error without a listener is written to the console. */
export class EngineEventTarget extends typedEventTarget<EngineEventDetails>() {
  /** Whether a listener has been called for the current error event. */
  #wasListenerCalled = false;
  /**
   * The wrapper registered for each listener. Wrappers are not deleted, because only the browser knows when `once` or a
   * signal has removed a listener.
   */
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
    this.#wasListenerCalled &&= type !== 'error';
    fireEvent(this, type, detail);
    if (type === 'error' && !this.#wasListenerCalled) console.error(detail);
  }

  #callerOf<K extends keyof EngineEventDetails>(listener: Listener<K>): Listener<K> {
    if (typeof listener !== 'function') return listener; // null or an object: the browser validates it
    let caller = this.#callers.get(listener);
    if (!caller) {
      caller = (event) => {
        this.#wasListenerCalled = true;
        listener.call(this, event);
      };
      this.#callers.set(listener, caller);
      this.#callers.set(caller, caller); // Node calls removeEventListener with the wrapper itself when a signal is aborted.
    }
    return caller;
  }
}
