/**
 * Translates gestures into movements of a flying or walking camera.
 *
 *   drag, locked pointer ─► turn      held keys ─► hold      two fingers ─► shift      wheel ─► speed of a flying camera
 */
import type { GestureTarget, PointerDrag } from '../canvas-gestures.js';
import type { CanvasPart } from '../canvas-part.js';
import { InputRank } from '../controlled-canvas.js';
import type { LookMovement } from './look-movement.js';
import type { LookSettings } from './look-options.js';
import { PointerLock } from './pointer-lock.js';

/** Axes and signs of keys by `event.code`, which names the place of a key, whatever the user's layout. */
const KEYS = /* @__PURE__ */ new Map<string, readonly [axis: 'right' | 'up' | 'forward', sign: 1 | -1]>([
  ['KeyW', ['forward', 1]],
  ['ArrowUp', ['forward', 1]],
  ['KeyS', ['forward', -1]],
  ['ArrowDown', ['forward', -1]],
  ['KeyD', ['right', 1]],
  ['ArrowRight', ['right', 1]],
  ['KeyA', ['right', -1]],
  ['ArrowLeft', ['right', -1]],
  ['KeyE', ['up', 1]],
  ['KeyQ', ['up', -1]],
]);
/** Factor on the speed while shift is held. */
const FAST = 3;
/** The speed is multiplied by e^(−WHEEL_RATE × pixels of wheel movement). */
const WHEEL_RATE = 0.001;
const LEAST_SPEED = 1e-3;
const GREATEST_SPEED = 1e6;

/** A reason why the user's gesture has not ended. */
type Hold = 'pointer' | 'keys' | 'lock' | 'wheel';

export class LookGestures implements GestureTarget {
  readonly rank = InputRank.camera;
  readonly usesMenuButton = false;
  readonly #settings: LookSettings;
  readonly #movement: LookMovement;
  readonly #onStart: () => void;
  readonly #onEnd: () => void;
  readonly #lock = new PointerLock(() => this.#set('lock', this.#lock.isLocked));
  /** Codes of held keys. */
  readonly #held = new Set<string>();
  #isFast = false;
  readonly #holds = new Set<Hold>();

  /** @param onStart called when a gesture begins @param onEnd called when the last gesture has ended */
  constructor(settings: LookSettings, movement: LookMovement, onStart: () => void, onEnd: () => void) {
    this.#settings = settings;
    this.#movement = movement;
    this.#onStart = onStart;
    this.#onEnd = onEnd;
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

  get isLocked(): boolean {
    return this.#lock.isLocked;
  }

  /** Presses in a locked canvas belong to the page. */
  takesPress({ button }: PointerEvent): boolean {
    return button === 0 && !this.isLocked;
  }

  begin(): void {
    this.#set('pointer', true);
  }

  finish(): void {
    this.#set('pointer', false);
  }

  drag({ right, down, fingers, spread }: PointerDrag): void {
    if (fingers < 2) {
      this.#turn(right, down);
      return;
    }
    const { speed, canFly } = this.#settings;
    const [x, y, z] = [-right / fingers, down / fingers, Math.log(spread)];
    // A walking camera can't rise, so its fingers pull the ground.
    if (canFly) this.#movement.shift(x * speed, y * speed, z * speed);
    else this.#movement.shift(x * speed, 0, (y + z) * speed);
  }

  /** Per movement of a locked pointer, which is never pressed. */
  hover(event: PointerEvent | null, part: CanvasPart): void {
    if (!event || !this.isLocked) return;
    const { height } = part;
    this.#turn(event.movementX / height, event.movementY / height);
  }

  turnWheel(pixels: number): boolean {
    const settings = this.#settings;
    if (!settings.canFly) return false;
    this.#set('wheel', true);
    const speed = settings.speed * Math.exp(-pixels * WHEEL_RATE);
    settings.speed = Math.min(Math.max(speed, Math.min(LEAST_SPEED, settings.speed)), GREATEST_SPEED);
    this.#set('wheel', false);
    return true;
  }

  pressKey({ code, shiftKey }: KeyboardEvent): boolean {
    this.#isFast = shiftKey;
    const isUsed = this.#settings.canFly ? KEYS.has(code) : KEYS.has(code) && KEYS.get(code)?.[0] !== 'up';
    if (isUsed) this.#held.add(code);
    this.#hold();
    return isUsed;
  }

  releaseKey({ code, key, shiftKey }: KeyboardEvent): void {
    this.#isFast = shiftKey;
    // macOS reports no release of keys while the command key is held.
    if (key === 'Meta') this.#held.clear();
    this.#held.delete(code);
    this.#hold();
  }

  releaseKeys(): void {
    this.#held.clear();
    this.#isFast = false;
    this.#hold();
  }

  /** A finger has no pointer to lock, and a click of a script is no permission. */
  click(event: MouseEvent, { element }: CanvasPart): void {
    const isTouch = 'pointerType' in event && event.pointerType === 'touch';
    if (this.#settings.pointerLock && event.detail > 0 && !isTouch) this.#lock.request(element);
  }

  /** Ends the pointer lock. */
  unlock(): void {
    this.#lock.release();
  }

  #turn(right: number, down: number): void {
    const { lookSpeed } = this.#settings;
    this.#movement.turn(-right * lookSpeed, -down * lookSpeed);
  }

  #hold(): void {
    const direction = { right: 0, up: 0, forward: 0, factor: this.#isFast ? FAST : 1 };
    const pressed = { ...direction };
    for (const code of this.#held) {
      const [axis, sign] = KEYS.get(code) ?? (['up', 1] as const);
      pressed[axis] += sign;
    }
    // W and the up arrow together are as fast as one of them.
    for (const axis of ['right', 'up', 'forward'] as const) direction[axis] = Math.sign(pressed[axis]);
    this.#movement.hold(this.#held.size > 0 ? direction : null);
    this.#set('keys', this.#held.size > 0);
  }

  #set(hold: Hold, isHeld: boolean): void {
    const before = this.#holds.size;
    if (isHeld) this.#holds.add(hold);
    else this.#holds.delete(hold);
    if (before === 0 && isHeld) this.#onStart();
    if (before > 0 && this.#holds.size === 0) this.#onEnd();
  }
}
