/**
 * Translates pointer and wheel events over a canvas into gestures of the orbit controls. Each canvas has an
 * instance of its own. Movements are fractions of the canvas's height, right and down.
 *
 *   drag ─► rotate      right or shift drag ─► pan      wheel ─► zoom      two fingers ─► pan and zoom
 */
import { cssZoomOf } from '../../core/browser/css-zoom.js';

/** Receives the gestures. */
interface GestureTarget {
  /** Whether new gestures and the wheel are handled at all. */
  isEnabled(): boolean;
  rotate(right: number, down: number): void;
  pan(right: number, down: number): void;
  /** @param factor for the distance: above 1 moves away */
  zoom(factor: number): void;
}

/** The distance is multiplied by e^(WHEEL_RATE × pixels of wheel movement). */
const WHEEL_RATE = 0.001;
const PIXELS_PER_LINE = 16;

export class OrbitGestures {
  readonly #canvas: HTMLElement;
  readonly #target: GestureTarget;
  readonly #listening = new AbortController();
  /** The page's own `touch-action`, while the controls override it; `null` otherwise. */
  #pageTouchAction: string | null = null;
  /** Last position of each pressed pointer, in pixels of the window. */
  readonly #pointers = new Map<number, { x: number; y: number }>();

  constructor(canvas: HTMLElement, target: GestureTarget) {
    this.#canvas = canvas;
    this.#target = target;
    this.followEnabled();
    const { signal } = this.#listening;
    canvas.addEventListener('pointerdown', (event) => this.#press(event), { signal });
    canvas.addEventListener('pointermove', (event) => this.#move(event), { signal });
    for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(type, (event) => this.#pointers.delete(event.pointerId), { signal });
    }
    canvas.addEventListener('wheel', (event) => this.#turnWheel(event), { signal, passive: false });
    canvas.addEventListener(
      'contextmenu',
      (event) => {
        if (target.isEnabled()) event.preventDefault();
      },
      { signal },
    );
  }

  /** Whether a pointer is pressed. */
  get isPressed(): boolean {
    return this.#pointers.size > 0;
  }

  /**
   * Applies a change of `isEnabled`. While it is false, touches on the canvas scroll and zoom the page.
   */
  followEnabled(): void {
    this.#claimTouches(this.#target.isEnabled());
  }

  /** Stops listening. */
  dispose(): void {
    this.#listening.abort();
    this.#claimTouches(false);
  }

  #claimTouches(isClaimed: boolean): void {
    const { style } = this.#canvas;
    if (isClaimed === (this.#pageTouchAction !== null)) return;
    if (this.#pageTouchAction !== null) style.touchAction = this.#pageTouchAction;
    this.#pageTouchAction = isClaimed ? style.touchAction : null;
    if (isClaimed) style.touchAction = 'none';
  }

  #press(event: PointerEvent): void {
    if (!this.#target.isEnabled()) return;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    try {
      this.#canvas.setPointerCapture(event.pointerId);
    } catch {
      // An event created by a script has no active pointer to capture. The controls still follow its events
      // on the canvas.
    }
  }

  #move(event: PointerEvent): void {
    const last = this.#pointers.get(event.pointerId);
    if (!last) return;
    const height = this.#canvas.clientHeight * cssZoomOf(this.#canvas) || 1;
    const right = (event.clientX - last.x) / height;
    const down = (event.clientY - last.y) / height;
    const spreadBefore = this.#spread();
    last.x = event.clientX;
    last.y = event.clientY;
    const fingers = this.#pointers.size;
    if (fingers > 1) {
      this.#target.pan(right / fingers, down / fingers);
      const spread = this.#spread();
      if (spread > 0 && spreadBefore > 0) this.#target.zoom(spreadBefore / spread);
    } else if (event.shiftKey || event.buttons & 2) this.#target.pan(right, down);
    else this.#target.rotate(right, down);
  }

  /** Returns the distance between the first two fingers, in pixels of the window. */
  #spread(): number {
    const [a, b] = [...this.#pointers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  #turnWheel(event: WheelEvent): void {
    if (!this.#target.isEnabled()) return;
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode ? PIXELS_PER_LINE : 1);
    this.#target.zoom(Math.exp(pixels * WHEEL_RATE));
  }
}
