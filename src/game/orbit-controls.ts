/**
 * Turns a camera about a target by pointer, wheel and touch. Input only moves a goal; the camera follows it,
 * faster or slower by `damping`, and nothing is written while it stands still.
 *
 *   goal { target, azimuth, polar, distance } ──exp(−Δt / damping)──► current ──► camera position and rotation
 *        ▲ input                                     ▲ each tick, or each animation frame where nothing ticks
 *
 * Angles in radians: azimuth about +Y from +Z, polar from +Y down. Lengths in metres. Input comes from
 * `orbit-gestures.ts`, of another canvas when the engine replaces its own (`surfacechange`). All ends with the engine.
 */
import { OptionError } from '../core/errors.js';
import type { Actor } from './actor.js';
import { CameraComponent } from './camera-component.js';
import type { Bounds } from './level.js';
import { checkNumber, checkOptions, checkRadians, checkVector } from './options.js';
import { OrbitGestures } from './orbit-gestures.js';
import type { TickCallback } from './tick-groups.js';
import { rotationFromAngles } from './transform-math.js';

/** What the controls need of an engine. */
export interface OrbitControlsHost {
  readonly canvas: HTMLElement;
  readonly world: { readonly disposed: AbortSignal; onTick(callback: TickCallback): () => void };
  addEventListener(type: 'surfacechange', listener: () => void): void;
  removeEventListener(type: 'surfacechange', listener: () => void): void;
  /** Asks for a frame, for engines that draw on demand. */
  invalidate(): void;
}

export interface OrbitControlsOptions {
  /** What the camera turns about. Default: the origin. */
  readonly target?: ArrayLike<number>;
  /** Metres. Default 0.01. */
  readonly minDistance?: number;
  /** Metres. Default Infinity. */
  readonly maxDistance?: number;
  /** Seconds in which about two thirds of a movement are made up; 0: at once. Default 0.06. */
  readonly damping?: number;
  /** Radians per second about +Y while nobody drags, in an engine that was started. Default 0. */
  readonly autoRotate?: number;
}

/** Keeps the camera from looking straight up or down, where left and right have no meaning. */
const POLE_MARGIN = 0.01;
/** Below this a movement is over. */
const STILL = 1e-5;
/** What the first animation frame of a movement stands for. */
const SECONDS_PER_FRAME = 1 / 60;

interface Pose {
  x: number;
  y: number;
  z: number;
  azimuth: number;
  polar: number;
  distance: number;
}

const POSE_KEYS = ['x', 'y', 'z', 'azimuth', 'polar', 'distance'] as const;

export class OrbitControls {
  minDistance: number;
  maxDistance: number;
  damping: number;
  autoRotate: number;
  isEnabled = true;
  readonly #host: OrbitControlsHost;
  readonly #camera: Actor<CameraComponent>;
  readonly #goal: Pose;
  readonly #current: Pose;
  readonly #stopTicking: () => void;
  /** Of the canvas there is now. */
  #gestures: OrbitGestures | null = null;
  /** The animation frame that was asked for; 0 for none. */
  #frame = 0;
  /** Milliseconds at which the one before it was; 0 when the movement began only now. */
  #frameTime = 0;
  /** Whether the world has ticked since then: then ticks move the camera. */
  #hasTicked = false;

  /** @internal Use `orbitControls()`. */
  constructor(host: OrbitControlsHost, camera: Actor<CameraComponent>, options: OrbitControlsOptions) {
    checkOptions('orbitControls', options, 'target minDistance maxDistance damping autoRotate');
    if (!host?.canvas || !(camera?.root instanceof CameraComponent)) {
      throw new OptionError(
        'option-invalid',
        'orbitControls takes an engine and a camera: orbitControls(engine, world.addCamera()).',
      );
    }
    const { target = [0, 0, 0], minDistance = 0.01, maxDistance = Infinity } = options;
    this.minDistance = checkNumber('orbitControls', 'minDistance', minDistance, 1e-9);
    this.maxDistance = checkNumber('orbitControls', 'maxDistance', maxDistance, minDistance);
    this.damping = checkNumber('orbitControls', 'damping', options.damping ?? 0.06, 0, 10);
    this.autoRotate = checkNumber('orbitControls', 'autoRotate', options.autoRotate ?? 0, -100, 100);
    this.#host = host;
    this.#camera = camera;
    const [x, y, z] = checkTarget(target);
    const offsetX = camera.position.x - x;
    const offsetY = camera.position.y - y;
    const offsetZ = camera.position.z - z;
    const distance = Math.hypot(offsetX, offsetY, offsetZ) || 1;
    const azimuth = Math.atan2(offsetX, offsetZ);
    this.#goal = { x, y, z, azimuth, polar: Math.acos(offsetY / distance), distance };
    this.#limit();
    this.#current = { ...this.#goal };
    this.#stopTicking = host.world.onTick((deltaSeconds) => this.#tick(deltaSeconds));
    host.addEventListener('surfacechange', this.#listen);
    host.world.disposed.addEventListener('abort', this.#end);
    this.#listen();
    this.#place();
  }

  /** What the camera turns about, metres. Written, the camera is there at once, as with the three below. */
  get target(): [number, number, number] {
    return [this.#goal.x, this.#goal.y, this.#goal.z];
  }
  set target(target: ArrayLike<number>) {
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

  /** Radians from +Y down, a little more than 0 and less than π. */
  get polar(): number {
    return this.#goal.polar;
  }
  set polar(polar: number) {
    this.#jump({ polar: checkRadians('orbitControls', 'polar', polar, 0, Math.PI) });
  }

  /** Moves so far away that a box fills the height of the picture, and turns about its middle; at once. */
  frame({ min, max }: Bounds): void {
    const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2 || 1;
    const { root } = this.#camera;
    if (root.orthographic) root.orthographic = { halfHeight: radius * 1.1 };
    this.#jump({
      x: (min[0] + max[0]) / 2,
      y: (min[1] + max[1]) / 2,
      z: (min[2] + max[2]) / 2,
      distance: (radius / Math.sin(root.fovY / 2)) * 1.1,
    });
  }

  /** Stops listening; the camera stays where it is. Disposing the engine does the same. */
  dispose(): void {
    this.#end();
  }

  readonly #end = (): void => {
    this.#stopTicking();
    this.#host.removeEventListener('surfacechange', this.#listen);
    this.#host.world.disposed.removeEventListener('abort', this.#end);
    this.#gestures?.dispose();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  };

  readonly #listen = (): void => {
    this.#gestures?.dispose();
    this.#gestures = new OrbitGestures(this.#host.canvas, {
      isEnabled: () => this.isEnabled,
      rotate: (right, down) => this.#rotate(right, down),
      pan: (right, down) => this.#pan(right, down),
      zoom: (factor) => this.#zoom(factor),
    });
  };

  /** A whole turn per height of the canvas. */
  #rotate(right: number, down: number): void {
    this.#goal.azimuth -= 2 * Math.PI * right;
    this.#goal.polar -= 2 * Math.PI * down;
    this.#changed();
  }

  /** What is under the pointer at the target's distance stays under it. */
  #pan(right: number, down: number): void {
    const goal = this.#goal;
    const { root } = this.#camera;
    const height = 2 * (root.orthographic?.halfHeight ?? goal.distance * Math.tan(root.fovY / 2));
    const sin = Math.sin(goal.azimuth);
    const cos = Math.cos(goal.azimuth);
    const alongRight = -right * height;
    const alongUp = down * height;
    // Right is (cos, 0, −sin); up leans back by the polar angle.
    goal.x += alongRight * cos - alongUp * Math.cos(goal.polar) * sin;
    goal.y += alongUp * Math.sin(goal.polar);
    goal.z += -alongRight * sin - alongUp * Math.cos(goal.polar) * cos;
    this.#changed();
  }

  #zoom(factor: number): void {
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

  /** After input: the camera follows with the next ticks or animation frames. */
  #changed(): void {
    this.#limit();
    this.#requestFrame();
    this.#host.invalidate();
  }

  /** Without damping: what page code writes holds in the next frame. */
  #jump(pose: Partial<Pose>): void {
    Object.assign(this.#goal, pose);
    this.#limit();
    Object.assign(this.#current, this.#goal);
    this.#place();
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
    if (this.autoRotate && !this.#gestures?.isPressed) this.#goal.azimuth += this.autoRotate * deltaSeconds;
    this.#follow(deltaSeconds);
  }

  #requestFrame(): void {
    if (!this.#frame) this.#frame = requestAnimationFrame(this.#onFrame);
  }

  /** Per frame, while the camera moves: an engine that draws on demand does not tick. */
  readonly #onFrame = (milliseconds: number): void => {
    this.#frame = 0;
    const deltaSeconds = this.#frameTime ? (milliseconds - this.#frameTime) / 1000 : SECONDS_PER_FRAME;
    const isMoving = this.#hasTicked ? !this.#isStill : this.#follow(deltaSeconds);
    this.#hasTicked = false;
    this.#frameTime = isMoving ? milliseconds : 0;
    if (isMoving) this.#requestFrame();
  };

  get #isStill(): boolean {
    return POSE_KEYS.every((key) => this.#goal[key] === this.#current[key]);
  }

  /** Returns whether the camera was moved, and asks for a frame then. */
  #follow(deltaSeconds: number): boolean {
    if (this.#camera.isDestroyed) return false;
    const goal = this.#goal;
    const current = this.#current;
    const part = this.damping > 0 ? 1 - Math.exp(-deltaSeconds / this.damping) : 1;
    let hasMoved = false;
    for (const key of POSE_KEYS) {
      const rest = goal[key] - current[key];
      if (rest === 0) continue;
      hasMoved = true;
      current[key] = Math.abs(rest) < STILL * goal.distance ? goal[key] : current[key] + rest * part;
    }
    if (!hasMoved) return false;
    this.#place();
    this.#host.invalidate();
    return true;
  }

  /** Yaw by the azimuth, then pitch: the camera's −Z points at the target. */
  #place(): void {
    const { x, y, z, azimuth, polar, distance } = this.#current;
    const flat = Math.sin(polar) * distance;
    const { position, rotation } = this.#camera;
    position.set(x + flat * Math.sin(azimuth), y + Math.cos(polar) * distance, z + flat * Math.cos(azimuth));
    rotation.set(...rotationFromAngles(azimuth, polar - Math.PI / 2));
  }
}

function checkTarget(target: ArrayLike<number>): [number, number, number] {
  const [x, y, z] = checkVector('orbitControls', 'target', target, 3);
  checkNumber('orbitControls', 'the length of target', Math.hypot(x, y, z), 0, 1e30);
  return [x, y, z];
}

/**
 * Lets the user turn, pan and zoom a camera. It should not be attached to anything.
 * @example const controls = orbitControls(engine, world.addCamera({ position: [0, 1, 3] }));
 */
export function orbitControls(
  engine: OrbitControlsHost,
  camera: Actor<CameraComponent>,
  options: OrbitControlsOptions = {},
): OrbitControls {
  return new OrbitControls(engine, camera, options);
}
