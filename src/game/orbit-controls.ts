/**
 * Turns a camera about a target by pointer, wheel and touch. Input only moves a goal; each tick the camera
 * follows it, faster or slower by `damping`, and nothing is written while it stands still.
 *
 *   drag ─► rotate      right or shift drag ─► pan      wheel ─► distance      two fingers ─► pan and distance
 *
 *   goal { target, azimuth, polar, distance } ──exp(−Δt / damping)──► current ──► camera position and rotation
 *
 * Angles in radians: azimuth about +Y from +Z, polar from +Y down. Lengths in metres. Listens on the engine's
 * canvas, and moves along when the engine replaces it (`surfacechange`).
 */
import type { Actor } from './actor.js';
import type { CameraComponent } from './camera-component.js';
import type { Bounds } from './level.js';
import { checkNumber, checkOptions, checkVector } from './options.js';
import type { TickCallback } from './tick-groups.js';
import { rotationFromAngles } from './transform-math.js';

/** What the controls need of an engine. */
export interface OrbitControlsHost {
  readonly canvas: HTMLElement;
  readonly world: { onTick(callback: TickCallback): () => void };
  addEventListener(type: 'surfacechange', listener: () => void): void;
  removeEventListener(type: 'surfacechange', listener: () => void): void;
  /** Asks for a frame when the engine draws on demand. */
  invalidate?(): void;
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
  /** Radians per second about +Y while nobody drags. Default 0. */
  readonly autoRotate?: number;
}

/** Keeps the camera from looking straight up or down, where left and right have no meaning. */
const POLE_MARGIN = 0.01;
/** Factor on the distance per pixel of wheel movement, as an exponent. */
const WHEEL_RATE = 0.001;
const PIXELS_PER_LINE = 16;
/** Below this a movement is over. */
const STILL = 1e-5;

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
  /** Where each pressed pointer was last, in CSS pixels. */
  readonly #pointers = new Map<number, { x: number; y: number }>();
  readonly #stopTicking: () => void;
  #listening: AbortController | null = null;

  /** @internal Use `orbitControls()`. */
  constructor(host: OrbitControlsHost, camera: Actor<CameraComponent>, options: OrbitControlsOptions) {
    checkOptions('orbitControls', options, 'target minDistance maxDistance damping autoRotate');
    const { target = [0, 0, 0], minDistance = 0.01, maxDistance = Infinity } = options;
    this.minDistance = checkNumber('orbitControls', 'minDistance', minDistance, 1e-9);
    this.maxDistance = checkNumber('orbitControls', 'maxDistance', maxDistance, minDistance);
    this.damping = checkNumber('orbitControls', 'damping', options.damping ?? 0.06, 0, 10);
    this.autoRotate = checkNumber('orbitControls', 'autoRotate', options.autoRotate ?? 0, -100, 100);
    this.#host = host;
    this.#camera = camera;
    const [x, y, z] = checkVector('orbitControls', 'target', target, 3) as unknown as [
      number,
      number,
      number,
    ];
    const offsetX = camera.position.x - x;
    const offsetY = camera.position.y - y;
    const offsetZ = camera.position.z - z;
    const distance = Math.hypot(offsetX, offsetY, offsetZ) || 1;
    const azimuth = Math.atan2(offsetX, offsetZ);
    this.#goal = { x, y, z, azimuth, polar: Math.acos(offsetY / distance), distance };
    this.#limit();
    this.#current = { ...this.#goal };
    this.#stopTicking = host.world.onTick((deltaSeconds) => this.#follow(deltaSeconds));
    host.addEventListener('surfacechange', this.#listen);
    this.#listen();
    this.#place();
  }

  /** What the camera turns about, metres. */
  get target(): [number, number, number] {
    return [this.#goal.x, this.#goal.y, this.#goal.z];
  }
  set target(target: ArrayLike<number>) {
    const [x, y, z] = checkVector('orbitControls', 'target', target, 3) as unknown as [
      number,
      number,
      number,
    ];
    Object.assign(this.#goal, { x, y, z });
    this.#host.invalidate?.();
  }

  /** Metres from the target. */
  get distance(): number {
    return this.#goal.distance;
  }
  set distance(distance: number) {
    this.#goal.distance = distance;
    this.#changed();
  }

  /** Moves so far away that a box fills the height of the picture, and turns about its middle; at once. */
  frame({ min, max }: Bounds): void {
    const goal = this.#goal;
    goal.x = (min[0] + max[0]) / 2;
    goal.y = (min[1] + max[1]) / 2;
    goal.z = (min[2] + max[2]) / 2;
    const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2 || 1;
    const { root } = this.#camera;
    goal.distance = (radius / Math.sin(root.fovY / 2)) * 1.1;
    if (root.orthographic) root.orthographic = { halfHeight: radius * 1.1 };
    this.#changed();
    Object.assign(this.#current, goal);
    this.#place();
  }

  /** Stops listening; the camera stays where it is. */
  dispose(): void {
    this.#stopTicking();
    this.#host.removeEventListener('surfacechange', this.#listen);
    this.#listening?.abort();
    this.#pointers.clear();
  }

  readonly #listen = (): void => {
    this.#listening?.abort();
    this.#pointers.clear();
    const listening = new AbortController();
    this.#listening = listening;
    const { canvas } = this.#host;
    const { signal } = listening;
    const touchAction = canvas.style.touchAction;
    canvas.style.touchAction = 'none';
    signal.addEventListener('abort', () => {
      canvas.style.touchAction = touchAction;
    });
    canvas.addEventListener(
      'pointerdown',
      (event) => {
        if (!this.isEnabled) return;
        this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        canvas.setPointerCapture(event.pointerId);
      },
      { signal },
    );
    canvas.addEventListener('pointermove', (event) => this.#move(event, canvas.clientHeight || 1), {
      signal,
    });
    for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(type, (event) => this.#pointers.delete(event.pointerId), { signal });
    }
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!this.isEnabled) return;
        event.preventDefault();
        this.#zoom(Math.exp(event.deltaY * (event.deltaMode ? PIXELS_PER_LINE : 1) * WHEEL_RATE));
      },
      { signal, passive: false },
    );
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
  };

  #move(event: PointerEvent, height: number): void {
    const last = this.#pointers.get(event.pointerId);
    if (!last) return;
    const right = event.clientX - last.x;
    const down = event.clientY - last.y;
    const spreadBefore = this.#spread();
    last.x = event.clientX;
    last.y = event.clientY;
    const fingers = this.#pointers.size;
    if (fingers > 1) {
      this.#pan(right / fingers, down / fingers, height);
      const spread = this.#spread();
      if (spread > 0 && spreadBefore > 0) this.#zoom(spreadBefore / spread);
    } else if (event.shiftKey || event.buttons & 2) this.#pan(right, down, height);
    else {
      this.#goal.azimuth -= (2 * Math.PI * right) / height;
      this.#goal.polar -= (2 * Math.PI * down) / height;
      this.#changed();
    }
  }

  /** Between the first two fingers, CSS pixels. */
  #spread(): number {
    const [a, b] = [...this.#pointers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  /** What is under the pointer at the target's distance stays under it. */
  #pan(right: number, down: number, height: number): void {
    const goal = this.#goal;
    const { root } = this.#camera;
    const halfHeight = root.orthographic?.halfHeight ?? goal.distance * Math.tan(root.fovY / 2);
    const perPixel = (2 * halfHeight) / height;
    const sin = Math.sin(goal.azimuth);
    const cos = Math.cos(goal.azimuth);
    const alongRight = -right * perPixel;
    const alongUp = down * perPixel;
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

  #changed(): void {
    this.#limit();
    this.#host.invalidate?.();
  }

  #limit(): void {
    const goal = this.#goal;
    goal.polar = Math.min(Math.max(goal.polar, POLE_MARGIN), Math.PI - POLE_MARGIN);
    goal.distance = Math.min(Math.max(goal.distance, this.minDistance), this.maxDistance);
  }

  /** Per frame. */
  #follow(deltaSeconds: number): void {
    if (this.#camera.isDestroyed) return;
    const goal = this.#goal;
    const current = this.#current;
    if (this.autoRotate && !this.#pointers.size) goal.azimuth += this.autoRotate * deltaSeconds;
    const part = this.damping > 0 ? 1 - Math.exp(-deltaSeconds / this.damping) : 1;
    let hasMoved = false;
    for (const key of POSE_KEYS) {
      const rest = goal[key] - current[key];
      if (rest === 0) continue;
      hasMoved = true;
      current[key] = Math.abs(rest) < STILL * goal.distance ? goal[key] : current[key] + rest * part;
    }
    if (!hasMoved) return;
    this.#place();
    this.#host.invalidate?.();
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
