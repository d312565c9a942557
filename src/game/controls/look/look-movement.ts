/**
 * Moves a camera by held keys, and turns it by drags. The camera itself is the only record of its pose, so the page
 * may write it at any time: the controls add to what they find.
 *
 *   keys ─► direction × speed ─ velocity follows, exp(−Δt / damping) ─► metres ──┐
 *   fingers ─► metres to go ─── 1 − exp(−Δt / damping) of them ────────► metres ─┼─► camera, within bounds
 *   drags, locked pointer ─► radians to go ─ the same share ───────────► radians ┘
 *
 * All parts have closed forms, so long and short steps lead to the same place.
 */
import { remainingShare } from '../../../proxy/motion/motion-follow.js';
import { dot, type Triple } from '../../transforms/triples.js';
import type { ControlsHost } from '../controls-host.js';
import { type ClockedMovement, MovementClock } from '../movement-clock.js';
import { plus } from '../pointer-rays.js';
import { anglesOf, axesOf, type LookAngles, rotationOf, turnLook } from './look-angles.js';
import type { LookSettings } from './look-options.js';

/** The direction that held keys choose: −1, 0 or 1 per axis, and a factor on the speed. */
interface HeldDirection {
  readonly right: number;
  readonly up: number;
  readonly forward: number;
  readonly factor: number;
}

const REST: HeldDirection = { right: 0, up: 0, forward: 0, factor: 1 };
/** A remaining turn smaller than this, in radians, is done in one step. */
const STILL_RADIANS = 1e-5;
/** A remaining distance shorter than `speed` times this is covered in one step. */
const STILL_SHARE = 1e-5;

export class LookMovement implements ClockedMovement {
  isStepped = false;
  readonly #host: ControlsHost;
  readonly #settings: LookSettings;
  readonly #onMove: () => void;
  readonly #clock: MovementClock;
  #held = REST;
  /** Metres per second in the world. */
  #velocity: Triple = [0, 0, 0];
  /** Metres to go in the world, apart from held keys. */
  #way: Triple = [0, 0, 0];
  /** Radians to go. */
  #left = 0;
  #up = 0;

  /** @param onMove called after each movement of the camera */
  constructor(host: ControlsHost, settings: LookSettings, onMove: () => void) {
    this.#host = host;
    this.#settings = settings;
    this.#onMove = onMove;
    this.#clock = new MovementClock(host.world, this);
  }

  get isMoving(): boolean {
    if (this.#host.camera.isDestroyed) return false;
    return (
      this.#hasDirection ||
      this.#left !== 0 ||
      this.#up !== 0 ||
      !isZero(this.#velocity) ||
      !isZero(this.#way)
    );
  }

  get #hasDirection(): boolean {
    const { right, up, forward } = this.#held;
    return right !== 0 || up !== 0 || forward !== 0;
  }

  /** Sets the direction of held keys; `null` without any. */
  hold(direction: HeldDirection | null): void {
    this.#held = direction ?? REST;
    this.#clock.request();
  }

  /** Turns the camera by some radians to the left and up. */
  turn(left: number, up: number): void {
    this.#left += left;
    this.#up += up;
    this.#clock.request();
  }

  /** Moves the camera by some metres in its own directions. */
  shift(right: number, up: number, forward: number): void {
    const way = this.#inWorld(this.#angles, right, up, forward);
    this.#way = plus(this.#way, way, 1);
    this.#clock.request();
  }

  /** Stops the camera where it is. */
  end(): void {
    this.#held = REST;
    this.#clock.end();
  }

  tick(seconds: number): void {
    if (seconds > 0) this.isStepped = !this.#host.world.updates.isRunning;
    this.frame(seconds);
  }

  /** Per frame. */
  frame(seconds: number): void {
    if (this.isMoving && seconds > 0) this.#advance(seconds);
    if (!this.isMoving) this.isStepped = false;
  }

  get #angles(): LookAngles {
    return anglesOf(this.#host.camera.rotation);
  }

  #advance(seconds: number): void {
    const rest = remainingShare(seconds, this.#settings.damping);
    const angles = this.#angles;
    const hasTurned = this.#turn(angles, rest);
    const hasMoved = this.#move(angles, seconds, rest);
    if (!hasTurned && !hasMoved) return;
    this.#host.engine.invalidate();
    this.#onMove();
  }

  /** @param rest share of the turn that remains afterwards */
  #turn(angles: LookAngles, rest: number): boolean {
    if (this.#left === 0 && this.#up === 0) return false;
    const isLast = Math.abs(this.#left) + Math.abs(this.#up) < STILL_RADIANS;
    const taken = isLast ? 1 : 1 - rest;
    turnLook(angles, this.#left * taken, this.#up * taken);
    this.#left *= 1 - taken;
    this.#up *= 1 - taken;
    this.#host.camera.rotation.set(...rotationOf(angles));
    return true;
  }

  /** @param rest share of a change that remains afterwards */
  #move(angles: LookAngles, seconds: number, rest: number): boolean {
    const { speed, damping, bounds } = this.#settings;
    const { position } = this.#host.camera;
    const wanted = this.#wantedVelocity(angles);
    const lag = plus(this.#velocity, wanted, -1);
    const still = speed * STILL_SHARE + 1e-9;
    const isSteady = Math.hypot(...lag) * damping < still;
    const left = isSteady ? 0 : rest;
    const isThere = Math.hypot(...this.#way) < still;
    const from: Triple = [position.x, position.y, position.z];
    let to = plus(from, wanted, seconds);
    to = plus(to, lag, damping * (1 - left));
    to = plus(to, this.#way, isThere ? 1 : 1 - rest);
    this.#velocity = plus(wanted, lag, left);
    this.#way = isThere ? [0, 0, 0] : (this.#way.map((metres) => metres * rest) as Triple);
    if (bounds) to = to.map((value, axis) => within(value, bounds.min[axis], bounds.max[axis])) as Triple;
    if (to.every((value, axis) => value === from[axis])) return false;
    position.set(...to);
    return true;
  }

  /** Metres per second that held keys choose. */
  #wantedVelocity(angles: LookAngles): Triple {
    const { right, up, forward, factor } = this.#held;
    const direction = plus(this.#inWorld(angles, right, 0, forward), [0, up, 0], 1);
    const length = Math.hypot(...direction);
    const metresPerSecond = length > 0 ? (this.#settings.speed * factor) / length : 0;
    return direction.map((value) => value * metresPerSecond) as Triple;
  }

  /** Returns metres along the camera's axes as metres of the world. A camera that can't fly stays at its height. */
  #inWorld(angles: LookAngles, right: number, up: number, forward: number): Triple {
    const axes = axesOf(this.#settings.canFly ? angles : { ...angles, pitch: 0 });
    return plus(plus(scaled(axes.right, right), axes.up, up), axes.forward, forward);
  }
}

const isZero = (vector: Triple): boolean => dot(vector, vector) === 0;
const within = (value: number, least = -Infinity, most = Infinity): number =>
  Math.min(Math.max(value, least), most);
const scaled = (vector: Triple, factor: number): Triple => vector.map((value) => value * factor) as Triple;
