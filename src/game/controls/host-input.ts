/**
 * The input of a host, for as long as controls live. The gestures are recreated when the engine replaces its canvas
 * (`surfacechange`). The input ends with its view, world or engine.
 */
import { CanvasGestures, type GestureTarget } from './canvas-gestures.js';
import { canvasOf, type InputHost } from './controls-host.js';

export class HostInput {
  readonly #host: InputHost;
  readonly #target: GestureTarget;
  /** Called once, when the input ends. */
  readonly #onEnd: () => void;
  /** Gestures on the current canvas. */
  #gestures: CanvasGestures | null = null;
  #hasEnded = false;

  constructor(host: InputHost, target: GestureTarget, onEnd: () => void) {
    this.#host = host;
    this.#target = target;
    this.#onEnd = onEnd;
    const { engine, world, view } = host;
    engine.addEventListener('surfacechange', this.#listen);
    world.disposed.addEventListener('abort', this.dispose);
    view?.onDispose.add(this.dispose);
    this.#listen();
  }

  /** Whether a pointer of the controls is pressed. */
  get isPressed(): boolean {
    return this.#gestures?.isPressed ?? false;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Applies changes of the target's `isEnabled` and `usesKeys` to the canvas. */
  follow(): void {
    this.#gestures?.canvas.follow();
  }

  /** Stops listening. Further calls have no effect. */
  readonly dispose = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { engine, world, view } = this.#host;
    engine.removeEventListener('surfacechange', this.#listen);
    world.disposed.removeEventListener('abort', this.dispose);
    view?.onDispose.delete(this.dispose);
    this.#gestures?.dispose();
    this.#onEnd();
  };

  /** Listens to the current canvas. Changes of other canvases also call this. */
  readonly #listen = (): void => {
    const { engine, view } = this.#host;
    const element = canvasOf(engine, view);
    const before = this.#gestures;
    if (!element || element === before?.part.element) return;
    this.#gestures = new CanvasGestures(element, view, this.#target, before);
  };
}
