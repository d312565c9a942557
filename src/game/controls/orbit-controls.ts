import { OptionError } from '../../core/errors.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkBoolean, checkNumber, checkRadians } from '../../core/options/check-value.js';
import { checkMember } from '../../core/options/member.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { MotionKind, MotionTarget } from '../../proxy/motion/motion.js';
import type { Actor } from '../components/actor.js';
import type { Bounds } from '../components/bounds.js';
import { CameraComponent } from '../components/camera-component.js';
import { type MotionSource, type MotionUpdates, motionsOf } from '../motion/motion-updates.js';
import { OrbitGestures } from './orbit-gestures.js';
import {
  checkTarget,
  ORBIT_OPTIONS,
  type OrbitControlsHost,
  type OrbitControlsOptions,
} from './orbit-options.js';
import { followGoal, followParameters, isSamePose, type Pose, panGoal, placeCamera } from './orbit-pose.js';

/** Least polar angle to either pole in radians, because left and right have no meaning at a pole. */
const POLE_MARGIN = 0.01;
/** Assumed duration of the first animation frame of a movement, in seconds. */
const SECONDS_PER_FRAME = 1 / 60;

/**
 * Turns a camera about a target by pointer, wheel and touch. Input only moves a goal. The camera follows the
 * goal with a delay set by `damping`. Nothing is written while the camera stands still.
 *
 *   goal { target, azimuth, polar, distance } ──exp(−Δt / damping)──► current ──► camera position and rotation
 *        ▲ input                                     ▲ each tick, or each animation frame where nothing ticks
 *        └─ followGoal, at once ─► render thread: finishes the movement by itself while the page is busy
 *
 * Angles in radians: azimuth about +Y from +Z, polar from +Y down. Lengths in metres. Input comes from
 * `OrbitGestures`, which are recreated when the engine replaces its canvas (`surfacechange`). The controls are
 * disposed with the engine.
 */
export class OrbitControls implements MotionSource {
  #isEnabled = true;
  #minDistance = 0.01;
  #maxDistance = Infinity;
  #damping = 0.06;
  #autoRotate = 0;
  readonly #host: OrbitControlsHost;
  readonly #camera: Actor<CameraComponent>;
  /** The camera's world. */
  readonly #world: OrbitControlsHost['world'];
  readonly #goal: Pose;
  readonly #current: Pose;
  readonly #stopTicking: () => void;
  /** Gestures on the current canvas. */
  #gestures: OrbitGestures | null = null;
  /** Id of the requested animation frame; 0 for none. */
  #frame = 0;
  /** Time of the previous animation frame in milliseconds; 0 if the movement has only just begun. */
  #frameTime = 0;
  /** Whether the world has ticked since the last animation frame. If so, ticks move the camera. */
  #hasTicked = false;
  /** Scene time of the last tick. */
  #tickSeconds: number;
  /** Scene time up to which the camera has followed the goal. */
  #followedSeconds: number;
  /** Whether a movement was declared to the render thread. */
  #isDeclared = false;

  /** @internal Use `orbitControls()`. */
  constructor(host: OrbitControlsHost, camera: Actor<CameraComponent>, options: OrbitControlsOptions) {
    checkOptions('orbitControls', options, ORBIT_OPTIONS);
    if (!host?.canvas || !(camera?.root instanceof CameraComponent)) {
      const message = 'orbitControls takes an engine and a camera: orbitControls(engine, world.addCamera()).';
      throw new OptionError('option-invalid', message);
    }
    host.world.disposed.throwIfAborted();
    const { updates, isDestroyed } = camera.root;
    if (isDestroyed || (updates && updates.resources !== host.world.updates.resources)) {
      throw new OptionError(
        'option-invalid',
        `orbitControls was given "${camera.name}", which is ${isDestroyed ? 'destroyed' : 'of another engine'}.`,
      );
    }
    const { target = [0, 0, 0], minDistance, maxDistance, damping, autoRotate } = options;
    if (minDistance !== undefined) this.minDistance = minDistance;
    if (maxDistance !== undefined) this.maxDistance = maxDistance;
    if (damping !== undefined) this.damping = damping;
    if (autoRotate !== undefined) this.autoRotate = autoRotate;
    this.#host = host;
    this.#camera = camera;
    const world = camera.root.world ?? host.world;
    this.#world = world;
    const [x, y, z] = checkTarget(target);
    const offsetX = camera.position.x - x;
    const offsetY = camera.position.y - y;
    const offsetZ = camera.position.z - z;
    const distance = Math.hypot(offsetX, offsetY, offsetZ) || 1;
    const azimuth = Math.atan2(offsetX, offsetZ);
    this.#goal = { x, y, z, azimuth, polar: Math.acos(offsetY / distance), distance };
    this.#limit();
    this.#current = { ...this.#goal };
    this.#tickSeconds = this.#followedSeconds = world.updates.timeSeconds;
    this.#stopTicking = world.onTick((deltaSeconds) => this.#tick(deltaSeconds));
    host.addEventListener('surfacechange', this.#listen);
    world.disposed.addEventListener('abort', this.#end);
    this.#listen();
    this.#place();
  }

  /**
   * Whether pointers, the wheel and touch turn the camera. Default true. While it is false, the canvas keeps
   * the page's own `touch-action`. Throws OptionError `option-invalid`.
   */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }
  set isEnabled(value: boolean) {
    this.#isEnabled = checkBoolean('orbitControls', 'isEnabled', value);
    this.#gestures?.followEnabled();
  }

  /**
   * The point that the camera turns about, in metres. Writing it moves the camera at once, as with
   * `distance`, `azimuth` and `polar`.
   */
  get target(): [number, number, number] {
    return [this.#goal.x, this.#goal.y, this.#goal.z];
  }
  set target(target: VectorLike) {
    const [x, y, z] = checkTarget(target);
    this.#jump({ x, y, z });
  }

  /** Metres from the target, from `minDistance` to `maxDistance`. */
  get distance(): number {
    return this.#goal.distance;
  }
  set distance(distance: number) {
    this.#jump({ distance: checkNumber('orbitControls', 'distance', distance, 0, 1e30) });
  }

  /** Radians about +Y, from +Z towards +X. */
  get azimuth(): number {
    return this.#goal.azimuth;
  }
  set azimuth(azimuth: number) {
    this.#jump({ azimuth: checkNumber('orbitControls', 'azimuth', azimuth, -1e6, 1e6) });
  }

  /** Radians from +Y down. The value stays a little above 0 and below π. */
  get polar(): number {
    return this.#goal.polar;
  }
  set polar(polar: number) {
    this.#jump({ polar: checkRadians('orbitControls', 'polar', polar, 0, Math.PI) });
  }

  /**
   * Metres, > 0 and at most `maxDistance`; takes effect with the next movement. Throws OptionError
   * `option-out-of-range`.
   */
  get minDistance(): number {
    return this.#minDistance;
  }
  set minDistance(metres: number) {
    this.#minDistance = checkNumber('orbitControls', 'minDistance', metres, 1e-9, this.#maxDistance);
  }

  /**
   * Metres, at least `minDistance`; takes effect with the next movement. Throws OptionError
   * `option-out-of-range`.
   */
  get maxDistance(): number {
    return this.#maxDistance;
  }
  set maxDistance(metres: number) {
    this.#maxDistance = checkNumber('orbitControls', 'maxDistance', metres, this.#minDistance);
  }

  /**
   * Seconds in which the camera covers about two thirds of a movement, 0 (at once) to 10. Throws OptionError
   * `option-out-of-range`.
   */
  get damping(): number {
    return this.#damping;
  }
  set damping(seconds: number) {
    this.#damping = checkMember('orbitControls', 'damping', seconds, ORBIT_OPTIONS.damping);
  }

  /**
   * Radians per second about +Y while no pointer is pressed, −100 to 100. Throws OptionError
   * `option-out-of-range`.
   */
  get autoRotate(): number {
    return this.#autoRotate;
  }
  set autoRotate(radiansPerSecond: number) {
    this.#autoRotate = checkMember('orbitControls', 'autoRotate', radiansPerSecond, ORBIT_OPTIONS.autoRotate);
  }

  /**
   * Moves the camera at once so that a box fills the picture in height or in width. The camera then turns
   * about the box's middle. A box without extent counts as one with a radius of one metre.
   * @throws OptionError `option-invalid`; `option-out-of-range` for a box that is not finite, or whose `min`
   * exceeds `max`, as in an empty one
   */
  frame(bounds: Bounds): void {
    const { min, max } = bounds ?? {};
    if (min?.length !== 3 || max?.length !== 3) {
      throw new OptionError(
        'option-invalid',
        'frame takes a box: controls.frame(actor.bounds), or level.bounds.',
      );
    }
    for (const axis of [0, 1, 2] as const) {
      const [least, most] = [min[axis], max[axis]];
      checkNumber('frame', `min[${axis}]`, least, -1e30, 1e30);
      checkNumber('frame', `max[${axis}]`, most, least, 1e30);
    }
    const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2 || 1;
    const { root } = this.#camera;
    const [width, height] = this.#world.viewSize;
    // On a canvas that is narrower than high, the box has to fit its width.
    const narrowness = Math.min(root.aspect > 0 ? root.aspect : width / height || 1, 1);
    if (root.orthographic) root.orthographic = { halfHeight: (radius * 1.1) / narrowness };
    this.#jump({
      x: (min[0] + max[0]) / 2,
      y: (min[1] + max[1]) / 2,
      z: (min[2] + max[2]) / 2,
      distance: (radius / Math.sin(Math.atan(Math.tan(root.fovY / 2) * narrowness))) * 1.1,
    });
  }

  /** Stops listening; the camera stays where it is. Disposing the engine does the same. */
  dispose(): void {
    this.#end();
  }

  readonly #end = (): void => {
    this.#stopTicking();
    this.#host.removeEventListener('surfacechange', this.#listen);
    this.#world.disposed.removeEventListener('abort', this.#end);
    this.#gestures?.dispose();
    globalThis.cancelAnimationFrame?.(this.#frame);
    this.#frame = 0;
    const { root } = this.#camera;
    if (this.#isDeclared && root.updates) root.updates.motions?.end(this, MotionTarget.node, root.node);
  };

  /** @internal Writes the current pose and the goal of the camera. */
  declare(motions: MotionUpdates): void {
    const { root } = this.#camera;
    // A camera with a motion of its own is left to that motion.
    if (root.updates !== this.#world.updates || !root.isNodeSent || root.mover) return;
    this.#isDeclared = true;
    motions.write(
      MotionTarget.node,
      root.node,
      MotionKind.follow,
      motions.frameSeconds,
      followParameters(this.#current, this.#goal, this.damping, this.#rate),
      RenderOpcode.followGoal,
    );
  }

  readonly #listen = (): void => {
    this.#gestures?.dispose();
    this.#gestures = new OrbitGestures(this.#host.canvas, {
      isEnabled: () => this.isEnabled,
      rotate: (right, down) => this.#rotate(right, down),
      pan: (right, down) => this.#pan(right, down),
      zoom: (factor) => this.#zoom(factor),
    });
  };

  /** Turns the goal, by one full turn per height of the canvas. */
  #rotate(right: number, down: number): void {
    this.#catchUp();
    this.#goal.azimuth -= 2 * Math.PI * right;
    this.#goal.polar -= 2 * Math.PI * down;
    this.#changed();
  }

  /** Moves the goal so that a point at the target's distance stays under the pointer. */
  #pan(right: number, down: number): void {
    this.#catchUp();
    const goal = this.#goal;
    const { root } = this.#camera;
    const height = 2 * (root.orthographic?.halfHeight ?? goal.distance * Math.tan(root.fovY / 2));
    panGoal(goal, -right * height, down * height);
    this.#changed();
  }

  #zoom(factor: number): void {
    this.#catchUp();
    const { root } = this.#camera;
    const { orthographic } = root;
    if (orthographic) {
      const { halfHeight, halfWidth } = orthographic;
      root.orthographic = {
        halfHeight: halfHeight * factor,
        ...(halfWidth ? { halfWidth: halfWidth * factor } : {}),
      };
    } else this.#goal.distance *= factor;
    this.#changed();
  }

  /** Before input: follows the old goal up to the current time. */
  #catchUp(): void {
    const { updates } = this.#world;
    if (!updates.isRunning || !this.#camera.root.updates) return;
    const { timeSeconds } = motionsOf(updates);
    followGoal(this.#current, this.#goal, timeSeconds - this.#followedSeconds, this.damping, this.#rate);
    this.#followedSeconds = timeSeconds;
  }

  /**
   * After input: lets the camera follow the goal in the next ticks or animation frames. If these are late, the
   * render thread moves the camera.
   */
  #changed(): void {
    this.#limit();
    if (this.#world.updates.isRunning) motionsOf(this.#world.updates).sendNow(this);
    this.#requestFrame();
    this.#host.invalidate();
  }

  /** Moves the camera without damping: values written by the page take effect in the next frame. */
  #jump(pose: Partial<Pose>): void {
    Object.assign(this.#goal, pose);
    this.#limit();
    Object.assign(this.#current, this.#goal);
    this.#place();
    if (this.#isDeclared) motionsOf(this.#world.updates).add(this);
    this.#host.invalidate();
  }

  #limit(): void {
    const goal = this.#goal;
    goal.polar = Math.min(Math.max(goal.polar, POLE_MARGIN), Math.PI - POLE_MARGIN);
    goal.distance = Math.min(Math.max(goal.distance, this.minDistance), this.maxDistance);
  }

  /** Per frame, while the world ticks. */
  #tick(deltaSeconds: number): void {
    this.#hasTicked = true;
    const { timeSeconds } = this.#world.updates;
    // Measured in scene time, as on the render thread. After a long pause this is more than the tick's
    // seconds.
    const seconds = timeSeconds === this.#tickSeconds ? deltaSeconds : timeSeconds - this.#followedSeconds;
    this.#tickSeconds = this.#followedSeconds = timeSeconds;
    this.#follow(seconds, this.#rate);
  }

  /** Radians per second by which the goal currently turns. */
  get #rate(): number {
    return this.#gestures?.isPressed ? 0 : this.autoRotate;
  }

  #requestFrame(): void {
    if (!this.#frame) this.#frame = globalThis.requestAnimationFrame?.(this.#onFrame) ?? 0;
  }

  /** Per frame, while the camera moves. An engine that draws on demand does not tick. */
  readonly #onFrame = (milliseconds: number): void => {
    this.#frame = 0;
    const deltaSeconds = this.#frameTime ? (milliseconds - this.#frameTime) / 1000 : SECONDS_PER_FRAME;
    if (!this.#hasTicked) this.#follow(deltaSeconds, 0);
    this.#hasTicked = false;
    // Two animation frames may have the same time, so a camera that did not move has not always arrived.
    const isMoving = !this.#camera.isDestroyed && !isSamePose(this.#goal, this.#current);
    this.#frameTime = isMoving ? milliseconds : 0;
    if (isMoving) this.#requestFrame();
  };

  /** Moves the camera towards the goal, and requests a frame if it moved. */
  #follow(seconds: number, rate: number): void {
    if (this.#camera.isDestroyed) return;
    if (!followGoal(this.#current, this.#goal, seconds, this.damping, rate)) return;
    this.#place();
    const { updates } = this.#world;
    // Replaces a goal that was declared before the engine stopped, which would move the camera back.
    if (updates.isRunning || this.#isDeclared) motionsOf(updates).add(this);
    this.#host.invalidate();
  }

  #place(): void {
    placeCamera(this.#camera, this.#current);
  }
}

/**
 * Lets the user turn, pan and zoom a camera. The camera should not be attached to anything.
 * @example const controls = orbitControls(engine, world.addCamera({ position: [0, 1, 3] }));
 */
export function orbitControls(
  engine: OrbitControlsHost,
  camera: Actor<CameraComponent>,
  options: OrbitControlsOptions = {},
): OrbitControls {
  return new OrbitControls(engine, camera, options);
}
