/**
 * Translates pointer, wheel and key events of one canvas into gestures of controls. All controls use it; each of them
 * says as a `GestureTarget` what a gesture does. Each canvas has an instance of its own.
 *
 *   ControlledCanvas ─ events of the part ─► CanvasGestures ─ drags, turns, keys ─► OrbitGestures, LookGestures, …
 */
import type { View } from '../world/view.js';
import { CanvasPart } from './canvas-part.js';
import { ControlledCanvas, type InputReceiver } from './controlled-canvas.js';
import { orderOf } from './controls-host.js';

/** A movement of one pressed pointer. */
export interface PointerDrag {
  readonly event: PointerEvent;
  readonly part: CanvasPart;
  /** Movement since the last event, in heights of the part. */
  readonly right: number;
  readonly down: number;
  /** Number of pressed pointers. */
  readonly fingers: number;
  /** Distance of the first two fingers, divided by their distance before the movement; 1 without two fingers. */
  readonly spread: number;
  /** Point between the first two fingers, or of the only pointer, in pixels of the window. */
  readonly x: number;
  readonly y: number;
}

/** Receives the gestures of controls. */
export interface GestureTarget {
  /** One of `InputRank`. */
  readonly rank: number;
  readonly isEnabled: boolean;
  /** Whether a drag by more than 5 CSS pixels is followed by a `click`. */
  readonly clickAfterDrag: boolean;
  /** Whether the click after every press is suppressed. Missing: false. */
  readonly withholdsClicks?: boolean;
  /** Whether the controls use keys. */
  readonly usesKeys: boolean;
  /** Whether the controls use the right button, so that the context menu of the browser stays closed. */
  readonly usesMenuButton: boolean;
  /** Returns whether the controls want this press, while no pointer is pressed. Missing: every press. */
  takesPress?(event: PointerEvent, part: CanvasPart): boolean;
  /** Called when the first pointer is pressed. */
  begin(): void;
  /** Called after the last pointer was released. */
  finish(): void;
  drag(drag: PointerDrag): void;
  /** Called when a pointer that is not pressed moves; without an event when it leaves. */
  hover?(event: PointerEvent | null, part: CanvasPart): void;
  /** @param pixels downward movement of the wheel @returns whether the controls have used the turn */
  turnWheel?(pixels: number, event: WheelEvent, part: CanvasPart): boolean;
  /** @returns whether the controls have used the key */
  pressKey?(event: KeyboardEvent): boolean;
  releaseKey?(event: KeyboardEvent): void;
  releaseKeys?(): void;
  click?(event: MouseEvent, part: CanvasPart): void;
}

const PIXELS_PER_LINE = 16;
/** A pointer that moves farther than this before its release drags, in CSS pixels. */
const DRAG_PIXELS = 5;

interface Pointer {
  /** Last position in pixels of the window. */
  x: number;
  y: number;
}

export class CanvasGestures implements InputReceiver {
  readonly canvas: ControlledCanvas;
  readonly part: CanvasPart;
  readonly #view: View | null;
  readonly #target: GestureTarget;
  /** Pressed pointers by id. */
  readonly #pointers = new Map<number, Pointer>();
  /** Where the first pointer was pressed. */
  readonly #pressedAt: Pointer = { x: 0, y: 0 };
  /** Whether the next click is withheld: a pointer moved more than `DRAG_PIXELS`, or the controls withhold all clicks. */
  #isDrag = false;

  /** @param before gestures on the canvas that this canvas has replaced */
  constructor(element: HTMLElement, view: View | null, target: GestureTarget, before: CanvasGestures | null) {
    this.canvas = ControlledCanvas.of(element, before?.canvas ?? null);
    before?.dispose();
    this.part = new CanvasPart(element, view);
    this.#view = view;
    this.#target = target;
    this.canvas.add(this);
  }

  get order(): number {
    return orderOf(this.#view);
  }

  get rank(): number {
    return this.#target.rank;
  }

  get claimsTouches(): boolean {
    return this.#target.isEnabled;
  }

  get claimsKeys(): boolean {
    return this.#target.isEnabled && this.#target.usesKeys;
  }

  get withholdsMenu(): boolean {
    return this.#target.isEnabled && this.#target.usesMenuButton;
  }

  get isPressed(): boolean {
    return this.#pointers.size > 0;
  }

  covers(x: number, y: number): boolean {
    return this.part.covers(x, y);
  }

  /** Stops listening. */
  dispose(): void {
    this.canvas.remove(this);
    this.#target.hover?.(null, this.part);
    this.#target.releaseKeys?.();
    for (const id of [...this.#pointers.keys()]) this.release(id);
  }

  takesPress(event: PointerEvent): boolean {
    return this.#target.isEnabled && (this.#target.takesPress?.(event, this.part) ?? true);
  }

  press({ pointerId, clientX: x, clientY: y }: PointerEvent): void {
    const isFirst = !this.isPressed;
    this.#pointers.set(pointerId, { x, y });
    if (!isFirst) return;
    Object.assign(this.#pressedAt, { x, y });
    this.#isDrag = this.#target.withholdsClicks ?? false;
    this.#target.begin();
  }

  release(pointerId: number): void {
    if (this.#pointers.delete(pointerId) && !this.isPressed) this.#target.finish();
  }

  move(event: PointerEvent): void {
    const last = this.#pointers.get(event.pointerId);
    if (!last) return;
    const { clientX, clientY } = event;
    // Browsers also report changes of pressure or buttons as moves.
    if (clientX === last.x && clientY === last.y) return;
    const { height } = this.part;
    const right = (clientX - last.x) / height;
    const down = (clientY - last.y) / height;
    const before = this.#fingerDistance();
    last.x = clientX;
    last.y = clientY;
    const start = this.#pressedAt;
    if (Math.hypot(clientX - start.x, clientY - start.y) > DRAG_PIXELS) this.#isDrag = true;
    const after = this.#fingerDistance();
    const spread = before > 0 && after > 0 ? after / before : 1;
    const [first, second = first] = [...this.#pointers.values()];
    const x = ((first?.x ?? 0) + (second?.x ?? 0)) / 2;
    const y = ((first?.y ?? 0) + (second?.y ?? 0)) / 2;
    this.#target.drag({ event, part: this.part, right, down, fingers: this.#pointers.size, spread, x, y });
  }

  /** Returns the distance between the first two fingers, in pixels of the window. */
  #fingerDistance(): number {
    const [a, b] = [...this.#pointers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  hover(event: PointerEvent | null): void {
    this.#target.hover?.(this.#target.isEnabled ? event : null, this.part);
  }

  turnWheel(event: WheelEvent): boolean {
    if (!this.#target.isEnabled) return false;
    const pixels = event.deltaY * (event.deltaMode ? PIXELS_PER_LINE : 1);
    return this.#target.turnWheel?.(pixels, event, this.part) ?? false;
  }

  pressKey(event: KeyboardEvent): boolean {
    return this.#target.pressKey?.(event) ?? false;
  }

  releaseKey(event: KeyboardEvent): void {
    this.#target.releaseKey?.(event);
  }

  releaseKeys(): void {
    this.#target.releaseKeys?.();
  }

  /** A click that a script or the keyboard creates has no count in `detail`, and is not the end of a drag. */
  withholdsClick({ detail }: MouseEvent): boolean {
    if (!this.#isDrag || detail === 0) return false;
    this.#isDrag = false;
    return this.#target.isEnabled && !this.#target.clickAfterDrag;
  }

  click(event: MouseEvent): void {
    if (this.#target.isEnabled) this.#target.click?.(event, this.part);
  }
}
