/**
 * Translates pointer, wheel and key events over a canvas into gestures of the orbit controls. Each canvas has an
 * instance of its own. Movements are fractions of the height of the canvas or of its part, right and down. Places
 * count from the middle in the same unit.
 *
 *   drag, arrows ─► rotate      right or shift drag, shift and arrows ─► pan      wheel, plus, minus ─► zoom
 *   two fingers ─► pan and zoom
 */
import { cssZoomOf } from '../../core/browser/css-zoom.js';
import type { ViewRect } from '../world/view.js';
import { type CanvasUser, ControlledCanvas } from './controlled-canvas.js';
import type { OrbitSettings } from './orbit-options.js';

/** Receives the gestures. */
interface GestureTarget {
  readonly settings: OrbitSettings;
  /** The part of the canvas that belongs to the controls. */
  readonly area: ViewRect;
  /** Position in the drawing order of the canvas. */
  readonly order: number;
  /** Whether the part is drawn. */
  readonly isDrawn: boolean;
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
const PIXELS_PER_LINE = 16;
/** A pointer that moves farther than this before its release drags, in CSS pixels. */
const DRAG_PIXELS = 5;
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

interface Pointer {
  /** Last position in pixels of the window. */
  x: number;
  y: number;
}

export class OrbitGestures implements CanvasUser {
  readonly canvas: ControlledCanvas;
  readonly #target: GestureTarget;
  readonly #listening = new AbortController();
  /** Pressed pointers by id. */
  readonly #pointers = new Map<number, Pointer>();
  /** Where the first pointer was pressed. */
  readonly #pressedAt: Pointer = { x: 0, y: 0 };
  /** Whether a pointer has moved farther than a click, since the first pointer was pressed. */
  #isDrag = false;

  /** @param before gestures on the canvas that this canvas has replaced */
  constructor(element: HTMLElement, target: GestureTarget, before: OrbitGestures | null) {
    this.canvas = ControlledCanvas.of(element, before?.canvas ?? null);
    before?.dispose();
    this.#target = target;
    this.canvas.add(this);
    const { signal } = this.#listening;
    element.addEventListener('pointerdown', (event) => this.#press(event), { signal });
    element.addEventListener('pointermove', (event) => this.#move(event), { signal });
    for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      element.addEventListener(type, (event) => this.#release(event.pointerId), { signal });
    }
    element.addEventListener('wheel', (event) => this.#turnWheel(event), { signal, passive: false });
    element.addEventListener('keydown', (event) => this.#pressKey(event), { signal });
    // The capture phase comes before the listeners of the page and of actors.
    element.addEventListener('click', (event) => this.#filterClick(event), { signal, capture: true });
    element.addEventListener(
      'contextmenu',
      (event) => {
        const { isEnabled, enablePan } = target.settings;
        if (isEnabled && enablePan && this.#isHere(event)) event.preventDefault();
      },
      { signal },
    );
  }

  get order(): number {
    return this.#target.order;
  }

  get claimsTouches(): boolean {
    return this.#target.settings.isEnabled;
  }

  get claimsKeys(): boolean {
    const { isEnabled, keys } = this.#target.settings;
    return isEnabled && keys;
  }

  /** Whether a pointer is pressed. */
  get isPressed(): boolean {
    return this.#pointers.size > 0;
  }

  covers(x: number, y: number): boolean {
    const { area, isDrawn } = this.#target;
    if (!isDrawn) return false;
    if (area.width === 1 && area.height === 1) return true;
    const { left, top, width, height } = this.canvas.element.getBoundingClientRect();
    const right = (x - left) / width - area.x;
    const down = (y - top) / height - area.y;
    return right >= 0 && right < area.width && down >= 0 && down < area.height;
  }

  /** Stops listening. */
  dispose(): void {
    this.#listening.abort();
    this.canvas.remove(this);
    for (const id of [...this.#pointers.keys()]) this.#release(id);
  }

  #isHere({ clientX, clientY }: MouseEvent): boolean {
    return this.canvas.isFor(this, clientX, clientY);
  }

  #press(event: PointerEvent): void {
    if (!this.#target.settings.isEnabled || !this.#isHere(event)) return;
    const { pointerId, clientX: x, clientY: y } = event;
    this.canvas.press(this);
    if (!this.isPressed) {
      Object.assign(this.#pressedAt, { x, y });
      this.#isDrag = false;
      this.#target.begin();
    }
    this.#pointers.set(pointerId, { x, y });
    try {
      this.canvas.element.setPointerCapture(pointerId);
    } catch {
      // An event created by a script has no active pointer to capture. The controls still follow its events
      // on the canvas.
    }
  }

  #release(pointerId: number): void {
    if (this.#pointers.delete(pointerId) && !this.isPressed) this.#target.finish();
  }

  #move(event: PointerEvent): void {
    const last = this.#pointers.get(event.pointerId);
    if (!last) return;
    const { clientX, clientY } = event;
    // Browsers also report changes of pressure or buttons as moves.
    if (clientX === last.x && clientY === last.y) return;
    const height = this.#height;
    const right = (clientX - last.x) / height;
    const down = (clientY - last.y) / height;
    const spreadBefore = this.#spread();
    last.x = clientX;
    last.y = clientY;
    const start = this.#pressedAt;
    if (Math.hypot(clientX - start.x, clientY - start.y) > DRAG_PIXELS) this.#isDrag = true;
    const { enablePan, enableZoom } = this.#target.settings;
    const fingers = this.#pointers.size;
    if (fingers > 1) {
      if (enablePan) this.#target.pan(right / fingers, down / fingers);
      const spread = this.#spread();
      if (enableZoom && spread > 0 && spreadBefore > 0) this.#zoomAtFingers(spreadBefore / spread);
    } else if (event.shiftKey || event.buttons & 2) {
      if (enablePan) this.#target.pan(right, down);
    } else this.#target.rotate(right, down);
  }

  /** Height of the controls' part of the canvas, in pixels of the window. */
  get #height(): number {
    const { element } = this.canvas;
    return element.clientHeight * cssZoomOf(element) * this.#target.area.height || 1;
  }

  /** Returns the distance between the first two fingers, in pixels of the window. */
  #spread(): number {
    const [a, b] = [...this.#pointers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  #zoomAtFingers(factor: number): void {
    const [a, b] = [...this.#pointers.values()];
    if (a && b) this.#zoomAt(factor, (a.x + b.x) / 2, (a.y + b.y) / 2);
  }

  /** @param x pixels of the window @param y pixels of the window */
  #zoomAt(factor: number, x: number, y: number): void {
    const { area, settings } = this.#target;
    if (!settings.zoomToPointer) {
      this.#target.zoom(factor, 0, 0);
      return;
    }
    const { left, top, width, height } = this.canvas.element.getBoundingClientRect();
    const middleX = left + (area.x + area.width / 2) * width;
    const middleY = top + (area.y + area.height / 2) * height;
    this.#target.zoom(factor, (x - middleX) / this.#height, (y - middleY) / this.#height);
  }

  #turnWheel(event: WheelEvent): void {
    const { isEnabled, enableZoom } = this.#target.settings;
    if (!isEnabled || !enableZoom || !this.#isHere(event)) return;
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode ? PIXELS_PER_LINE : 1);
    this.#target.begin();
    this.#zoomAt(Math.exp(pixels * WHEEL_RATE), event.clientX, event.clientY);
    this.#target.finish();
  }

  /** Per key and repetition, while the canvas has the focus. Combinations with other keys belong to the browser. */
  #pressKey(event: KeyboardEvent): void {
    if (!this.claimsKeys || event.ctrlKey || event.altKey || event.metaKey || !this.canvas.hasKeys(this))
      return;
    const move = this.#moveOfKey(event);
    if (!move) return;
    event.preventDefault();
    this.#target.begin();
    move();
    this.#target.finish();
  }

  #moveOfKey({ key, shiftKey }: KeyboardEvent): (() => void) | null {
    const { enablePan, enableZoom } = this.#target.settings;
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

  /** A click that a script or the keyboard creates has no count in `detail`, and is not the end of a drag. */
  #filterClick(event: MouseEvent): void {
    if (!this.#isDrag || event.detail === 0) return;
    this.#isDrag = false;
    const { isEnabled, clickAfterDrag } = this.#target.settings;
    if (!isEnabled || clickAfterDrag) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  }
}
