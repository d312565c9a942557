import { RenderOpcode } from '../../proxy/commands.js';
import { MotionKind, MotionTarget } from '../../proxy/motion/motion.js';
import { type MotionSource, type MotionUpdates, motionsOf } from '../motion/motion-updates.js';
import type { ControlsHost } from './controls-host.js';
import { type ClockedMovement, MovementClock } from './movement-clock.js';
import type { Flight } from './orbit-flight.js';
import type { OrbitSettings } from './orbit-options.js';
import {
  followGoal,
  followParameters,
  isSamePose,
  limitPose,
  type Pose,
  panGoal,
  placeCamera,
  turnedInto,
} from './orbit-pose.js';

/**
 * Lets a camera follow its goal with a delay, set by `damping`. Input only moves the goal. Nothing is written while
 * the camera stands still.
 *
 *   goal { target, azimuth, polar, distance } ──exp(−Δt / damping)──► current ──► camera position and rotation
 *        ▲ input, or a flight, which has no delay            ▲ each tick, or each animation frame if nothing ticks
 *        └─ followGoal, at once ─► render thread: finishes the movement by itself while the page is busy
 *
 * Angles in radians: azimuth about +Y from +Z, polar from +Y down. Lengths in metres.
 */
export class OrbitMovement implements MotionSource, ClockedMovement {
  readonly goal: Pose;
  readonly #current: Pose;
  /** The pose of the last `onMove`. */
  readonly #placed: Pose;
  readonly #host: ControlsHost;
  readonly #settings: OrbitSettings;
  /** Returns whether a pointer is pressed. */
  readonly #isPressed: () => boolean;
  /** Called after each movement of the camera, and each change of its orthographic lens. */
  readonly #onMove: () => void;
  readonly #clock: MovementClock;
  #flight: Flight | null = null;
  #hasEnded = false;
  /** Whether the height of an orthographic picture has changed since the last `onMove`. */
  #hasZoomed = false;
  /** Scene time of the last tick. */
  #tickSeconds: number;
  /** Scene time up to which the camera has followed the goal. */
  #followedSeconds: number;
  /** Whether a movement was declared to the render thread. */
  #isDeclared = false;

  constructor(
    host: ControlsHost,
    settings: OrbitSettings,
    pose: Pose,
    isPressed: () => boolean,
    onMove: () => void,
  ) {
    const { world } = host;
    this.#host = host;
    this.#settings = settings;
    this.#isPressed = isPressed;
    this.#onMove = onMove;
    this.goal = pose;
    this.#aim();
    this.#current = { ...pose };
    this.#placed = { ...pose };
    this.#tickSeconds = this.#followedSeconds = world.updates.timeSeconds;
    this.#clock = new MovementClock(world, this);
    this.#place();
  }

  /** Whether the controls were disposed of. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Turns the goal, by one full turn per height of the picture. */
  rotate(right: number, down: number): void {
    this.#take();
    this.goal.azimuth -= 2 * Math.PI * right;
    this.goal.polar -= 2 * Math.PI * down;
    this.#changed();
  }

  /** Moves the goal so that a point at the target's distance stays under the pointer. */
  pan(right: number, down: number): void {
    this.#take();
    const height = this.#height;
    panGoal(this.goal, -right * height, down * height);
    this.#changed();
  }

  /**
   * Changes the distance, or the lens of an orthographic camera. A point at the target's distance stays in its place.
   * @param right place of the point from the picture's middle, in heights of the picture
   */
  zoom(factor: number, right: number, down: number): void {
    this.#take();
    const { root } = this.#host.camera;
    const before = this.#height;
    if (root.orthographic) this.#setHalfHeight(root.orthographic.halfHeight * factor);
    else this.goal.distance *= factor;
    limitPose(this.goal, this.#settings);
    // The picture's height at the target has changed by less than the factor if the distance was limited.
    const shrinking = before - this.#height;
    if (right !== 0 || down !== 0) panGoal(this.goal, right * shrinking, -down * shrinking);
    this.#changed();
  }

  /** Height of the picture at the goal's distance, in metres. */
  get #height(): number {
    const { root } = this.#host.camera;
    return 2 * (root.orthographic?.halfHeight ?? this.goal.distance * Math.tan(root.fovY / 2));
  }

  #setHalfHeight(metres: number): void {
    const { root } = this.#host.camera;
    const { halfHeight = metres, halfWidth = 0 } = root.orthographic ?? {};
    if (halfHeight !== metres) this.#hasZoomed = true;
    root.orthographic = {
      halfHeight: metres,
      ...(halfWidth ? { halfWidth: (halfWidth * metres) / halfHeight } : {}),
    };
  }

  /** Moves the camera without damping: values written by the page take effect in the next frame. */
  jump(pose: Partial<Pose>, halfHeight: number | null = null): void {
    if (this.#hasEnded) return;
    this.#interrupt();
    Object.assign(this.goal, pose);
    if (halfHeight !== null) this.#setHalfHeight(halfHeight);
    this.#aim();
    Object.assign(this.#current, this.goal);
    this.#place();
    this.#declareAgain();
    this.#host.engine.invalidate();
  }

  /** Returns a goal within the limits, which the camera reaches by the shortest turn. */
  aimed(pose: Partial<Pose>): Pose {
    const goal = { ...this.goal, ...pose };
    goal.azimuth = turnedInto(goal.azimuth, this.#current.azimuth, this.#settings);
    limitPose(goal, this.#settings);
    return goal;
  }

  /** The current pose of the camera, after the time that has passed since the last frame. */
  pose(): Pose {
    this.#catchUp();
    return this.#current;
  }

  /** Starts a flight from the current pose, and interrupts the previous flight. Resolves with whether the camera arrives. */
  fly(flight: Flight): Promise<boolean> {
    this.#interrupt();
    if (this.#hasEnded || this.#host.camera.isDestroyed) flight.end(false);
    else {
      this.#flight = flight;
      this.#advance(0, 0);
      if (this.#flight) this.#clock.request();
    }
    return flight.ended;
  }

  /** Stops all movement; the camera stays where it is. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#interrupt();
    this.#clock.end();
    const { root } = this.#host.camera;
    if (this.#isDeclared && root.updates) root.updates.motions?.end(this, MotionTarget.node, root.node);
  }

  /** @internal Writes the current pose and the goal of the camera. */
  declare(motions: MotionUpdates): void {
    const { root } = this.#host.camera;
    if (root.updates !== this.#host.world.updates || !root.isNodeSent) return;
    this.#isDeclared = true;
    const { minAzimuth, maxAzimuth, damping } = this.#settings;
    // The render thread does not know the limits, so the game's ticks turn the camera towards a limit.
    const rate = this.#rate;
    const isFree = rate > 0 ? maxAzimuth === Infinity : minAzimuth === -Infinity;
    motions.write(
      MotionTarget.node,
      root.node,
      MotionKind.follow,
      motions.frameSeconds,
      followParameters(this.#current, this.goal, damping, isFree ? rate : 0),
      RenderOpcode.followGoal,
    );
  }

  /** Turns the goal into the limits of the azimuth, and limits it. */
  #aim(): void {
    const { goal } = this;
    if (goal.azimuth < this.#settings.minAzimuth || goal.azimuth > this.#settings.maxAzimuth) {
      goal.azimuth = turnedInto(goal.azimuth, goal.azimuth, this.#settings);
    }
    limitPose(goal, this.#settings);
  }

  /** Before input: ends a flight, and follows the old goal up to the current time. */
  #take(): void {
    this.#interrupt();
    this.#catchUp();
  }

  #interrupt(): void {
    this.#flight?.end(false);
    this.#flight = null;
  }

  #catchUp(): void {
    const { updates } = this.#host.world;
    if (!updates.isRunning || !this.#host.camera.root.updates) return;
    const { timeSeconds } = motionsOf(updates);
    const seconds = timeSeconds - this.#followedSeconds;
    followGoal(this.#current, this.goal, seconds, this.#settings.damping, this.#rate);
    this.#followedSeconds = timeSeconds;
  }

  /**
   * After input: lets the camera follow the goal in the next ticks or animation frames. If these are late, the
   * render thread moves the camera.
   */
  #changed(): void {
    limitPose(this.goal, this.#settings);
    const { updates } = this.#host.world;
    if (updates.isRunning) motionsOf(updates).sendNow(this);
    this.#clock.request();
    this.#host.engine.invalidate();
  }

  /** Whether the camera has not yet arrived. */
  get isMoving(): boolean {
    return !this.#host.camera.isDestroyed && (this.#flight !== null || !isSamePose(this.goal, this.#current));
  }

  get isStepped(): boolean {
    return this.#flight?.isStepped ?? false;
  }

  /** Per frame, while the world does not tick. */
  frame(seconds: number): void {
    this.#advance(seconds, 0);
  }

  /** Per frame, while the world ticks. */
  tick(deltaSeconds: number): void {
    const { timeSeconds, isRunning } = this.#host.world.updates;
    // Measured in scene time, as on the render thread. After a long pause this is more than the tick's
    // seconds.
    const seconds = timeSeconds === this.#tickSeconds ? deltaSeconds : timeSeconds - this.#followedSeconds;
    this.#tickSeconds = this.#followedSeconds = timeSeconds;
    if (this.#flight && deltaSeconds > 0) this.#flight.isStepped = !isRunning;
    this.#advance(seconds, this.#rate);
  }

  /** Radians per second by which the goal currently turns. */
  get #rate(): number {
    const { autoRotate, minAzimuth, maxAzimuth } = this.#settings;
    const { azimuth } = this.goal;
    if (this.#flight || this.#isPressed()) return 0;
    return (autoRotate > 0 ? azimuth >= maxAzimuth : azimuth <= minAzimuth) ? 0 : autoRotate;
  }

  #advance(seconds: number, rate: number): void {
    if (this.#host.camera.isDestroyed) this.#interrupt();
    else if (this.#flight) this.#fly(this.#flight, seconds);
    else this.#follow(seconds, rate);
  }

  #fly(flight: Flight, seconds: number): void {
    const hasArrived = flight.advance(seconds, this.goal);
    Object.assign(this.#current, this.goal);
    if (flight.halfHeight !== null) this.#setHalfHeight(flight.halfHeight);
    if (hasArrived) this.#flight = null;
    this.#place();
    this.#declareAgain();
    this.#host.engine.invalidate();
    if (hasArrived) flight.end(true);
  }

  /** Moves the camera towards the goal, and requests a frame if it moved. */
  #follow(seconds: number, rate: number): void {
    const hasMoved = followGoal(this.#current, this.goal, seconds, this.#settings.damping, rate);
    if (rate !== 0) limitPose(this.goal, this.#settings);
    if (!hasMoved) {
      this.#announce();
      return;
    }
    this.#place();
    const { updates } = this.#host.world;
    if (updates.isRunning) motionsOf(updates).add(this);
    else this.#declareAgain();
    this.#host.engine.invalidate();
  }

  /** Replaces a goal that was declared before, which would move the camera back. */
  #declareAgain(): void {
    if (this.#isDeclared) motionsOf(this.#host.world.updates).add(this);
  }

  #place(): void {
    placeCamera(this.#host.camera, this.#current);
    this.#announce();
  }

  /** Calls `onMove` if the picture has changed since the last call. */
  #announce(): void {
    if (isSamePose(this.#placed, this.#current) && !this.#hasZoomed) return;
    this.#hasZoomed = false;
    Object.assign(this.#placed, this.#current);
    this.#onMove();
  }
}
