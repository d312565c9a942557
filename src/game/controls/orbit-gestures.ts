/**
 * Translates gestures into movements of an orbiting camera. Movements are fractions of the height of the canvas or of
 * its part, right and down. Places count from the middle in the same unit.
 *
 *   drag, arrows ─► rotate      right or shift drag, shift and arrows ─► pan      wheel, plus, minus ─► zoom
 *   two fingers ─► pan and zoom
 */
import type { GestureTarget, PointerDrag } from './canvas-gestures.js';
import type { CanvasPart } from './canvas-part.js';
import { InputRank } from './controlled-canvas.js';
import type { OrbitSettings } from './orbit-options.js';

/** The movement of the camera. */
interface OrbitTarget {
  /** Called when a pointer is pressed, the wheel is turned or a key is pressed. */
  begin(): void;
  /** Called after the last pointer was released, and after each turn of the wheel and each key. */
  finish(): void;
  rotate(right: number, down: number): void;
  pan(right: number, down: number): void;
  /** @param factor factor on the distance: above 1 moves the camera away @param right place of the pointer */
  zoom(factor: number, right: number, down: number): void;
}

/** The distance is multiplied by e^(WHEEL_RATE × pixels of wheel movement). */
const WHEEL_RATE = 0.001;
/** Turn per press of an arrow key, as a fraction of a full turn. */
const KEY_TURN = 1 / 60;
/** Movement of the target per press of an arrow key with shift, as a fraction of the height. */
const KEY_PAN = 1 / 20;
/** Factor on the distance per press of plus. */
const KEY_ZOOM = 0.9;

const ARROWS = /* @__PURE__ */ new Map<string, readonly [right: number, down: number]>([
  ['ArrowLeft', [-1, 0]],
  ['ArrowRight', [1, 0]],
  ['ArrowUp', [0, -1]],
  ['ArrowDown', [0, 1]],
]);

export class OrbitGestures implements GestureTarget {
  readonly rank = InputRank.camera;
  readonly #settings: OrbitSettings;
  readonly #target: OrbitTarget;

  constructor(settings: OrbitSettings, target: OrbitTarget) {
    this.#settings = settings;
    this.#target = target;
  }

  get isEnabled(): boolean {
    return this.#settings.isEnabled;
  }

  get clickAfterDrag(): boolean {
    return this.#settings.clickAfterDrag;
  }

  get usesKeys(): boolean {
    return this.#settings.keys;
  }

  get usesMenuButton(): boolean {
    return this.#settings.enablePan;
  }

  begin(): void {
    this.#target.begin();
  }

  finish(): void {
    this.#target.finish();
  }

  drag({ event, part, right, down, fingers, spread, x, y }: PointerDrag): void {
    const { enablePan, enableZoom } = this.#settings;
    if (fingers > 1) {
      if (enablePan) this.#target.pan(right / fingers, down / fingers);
      if (enableZoom && spread !== 1) this.#zoomAt(1 / spread, x, y, part);
    } else if (event.shiftKey || event.buttons & 2) {
      if (enablePan) this.#target.pan(right, down);
    } else this.#target.rotate(right, down);
  }

  turnWheel(pixels: number, { clientX, clientY }: WheelEvent, part: CanvasPart): boolean {
    if (!this.#settings.enableZoom) return false;
    this.#target.begin();
    this.#zoomAt(Math.exp(pixels * WHEEL_RATE), clientX, clientY, part);
    this.#target.finish();
    return true;
  }

  pressKey(event: KeyboardEvent): boolean {
    const move = this.#moveOfKey(event);
    if (!move) return false;
    this.#target.begin();
    move();
    this.#target.finish();
    return true;
  }

  /** @param x pixels of the window @param y pixels of the window */
  #zoomAt(factor: number, x: number, y: number, part: CanvasPart): void {
    const [right, down] = this.#settings.zoomToPointer ? part.fromMiddle(x, y) : [0, 0];
    this.#target.zoom(factor, right, down);
  }

  #moveOfKey({ key, shiftKey }: KeyboardEvent): (() => void) | null {
    const { enablePan, enableZoom } = this.#settings;
    const isPlus = key === '+' || key === '=';
    if (isPlus || key === '-' || key === '_') {
      return enableZoom ? () => this.#target.zoom(isPlus ? KEY_ZOOM : 1 / KEY_ZOOM, 0, 0) : null;
    }
    const arrow = ARROWS.get(key);
    if (!arrow) return null;
    const [right, down] = arrow;
    // An arrow moves the camera, and a drag moves the scene, so the signs differ.
    if (!shiftKey) return () => this.#target.rotate(-right * KEY_TURN, -down * KEY_TURN);
    return enablePan ? () => this.#target.pan(-right * KEY_PAN, -down * KEY_PAN) : null;
  }
}
