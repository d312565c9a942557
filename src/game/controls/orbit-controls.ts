import { OptionError } from '../../core/errors.js';
import { fireEvent } from '../../core/events/typed-event-target.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkBoolean, checkNumber, checkRadians } from '../../core/options/check-value.js';
import { checkMember } from '../../core/options/member.js';
import type { Actor } from '../components/actor.js';
import type { Bounds } from '../components/bounds.js';
import type { CameraComponent } from '../components/camera-component.js';
import { type ControlsEvents, ControlsEventTarget } from './controls-events.js';
import { type ControlsHost, type ControlsSource, openHost } from './controls-host.js';
import { HostInput } from './host-input.js';
import { Flight } from './orbit-flight.js';
import { frameBox } from './orbit-framing.js';
import { OrbitGestures } from './orbit-gestures.js';
import { OrbitMovement } from './orbit-movement.js';
import {
  checkAzimuthLimit,
  checkBox,
  checkPoint,
  defaultSettings,
  FLIGHT_OPTIONS,
  MOVE_OPTIONS,
  ORBIT_OPTIONS,
  type OrbitControlsOptions,
  type OrbitFlightOptions,
  type OrbitMoveOptions,
} from './orbit-options.js';
import { FLOOR_POLAR, type Pose, poseAt } from './orbit-pose.js';

const NAME = 'orbitControls';

/**
 * Turns a camera about a target by pointer, wheel, touch and keys.
 *
 *   canvas ─► HostInput ─► OrbitGestures ─► OrbitMovement ─► camera
 *   page ──────── properties, frame, flyTo ──────┘            Flight: the movement of flyTo
 *
 * Angles in radians: azimuth about +Y from +Z, polar from +Y down. Lengths in metres. The controls are disposed with
 * their view, world or engine; after that, calls and properties have no effect on the camera.
 */
export class OrbitControls extends ControlsEventTarget {
  readonly #settings = defaultSettings();
  readonly #host: ControlsHost;
  readonly #movement: OrbitMovement;
  readonly #input: HostInput;
  /** Whether `change` may have listeners. Without any, no event is created per frame. */
  #isWatched = false;

  /** @internal Use `orbitControls()`. */
  constructor(host: ControlsSource, camera: Actor<CameraComponent>, options: OrbitControlsOptions) {
    super();
    checkOptions(NAME, options, ORBIT_OPTIONS);
    this.#host = openHost(NAME, host, camera);
    const { target = [0, 0, 0] } = options;
    const { x, y, z } = camera.position;
    const pose = poseAt([x, y, z], checkPoint(NAME, 'target', target));
    // In the order of the table: a least value is checked before its greatest value.
    for (const name of Object.keys(ORBIT_OPTIONS) as (keyof OrbitControlsOptions)[]) {
      const value = options[name];
      if (value !== undefined && name !== 'target') Object.assign(this, { [name]: value });
    }
    const settings = this.#settings;
    if (options.maxPolar === undefined) {
      settings.maxPolar = Math.max(FLOOR_POLAR, pose.polar, settings.minPolar);
    }
    // Until the input exists, nothing is pressed.
    const isPressed = (): boolean => this.#input?.isPressed ?? false;
    const movement = new OrbitMovement(this.#host, settings, pose, isPressed, () => {
      if (this.#isWatched) fireEvent(this, 'change', null);
    });
    this.#movement = movement;
    camera.root.controls = NAME;
    const gestures = new OrbitGestures(settings, {
      begin: () => fireEvent(this, 'start', null),
      finish: () => fireEvent(this, 'end', null),
      rotate: (right, down) => movement.rotate(right, down),
      pan: (right, down) => movement.pan(right, down),
      zoom: (factor, right, down) => movement.zoom(factor, right, down),
    });
    this.#input = new HostInput(this.#host, gestures, () => {
      camera.root.controls = null;
      movement.end();
    });
  }

  /** Calls the listener at each `start`, `change` or `end`. */
  override addEventListener<K extends keyof ControlsEvents>(
    type: K,
    listener: (event: CustomEvent<ControlsEvents[K]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void {
    if (type === 'change') this.#isWatched = true;
    super.addEventListener(type, listener, options);
  }

  /**
   * Whether pointers, the wheel and keys move the camera. Default true. While it is false, the canvas keeps the page's
   * own `touch-action`, so touches scroll the page. A drag that has begun continues. Throws OptionError
   * `option-invalid`, like all properties that are true or false.
   */
  get isEnabled(): boolean {
    return this.#settings.isEnabled;
  }
  set isEnabled(value: boolean) {
    this.#settings.isEnabled = checkBoolean(NAME, 'isEnabled', value);
    this.#input?.follow();
  }

  /** Whether the user can move the target. Default true. */
  get enablePan(): boolean {
    return this.#settings.enablePan;
  }
  set enablePan(value: boolean) {
    this.#settings.enablePan = checkBoolean(NAME, 'enablePan', value);
  }

  /** Whether the user can change the distance. Default true. While it is false, the wheel scrolls the page. */
  get enableZoom(): boolean {
    return this.#settings.enableZoom;
  }
  set enableZoom(value: boolean) {
    this.#settings.enableZoom = checkBoolean(NAME, 'enableZoom', value);
  }

  /** Whether zooming keeps the point under the pointer in its place, instead of the target. Default false. */
  get zoomToPointer(): boolean {
    return this.#settings.zoomToPointer;
  }
  set zoomToPointer(value: boolean) {
    this.#settings.zoomToPointer = checkBoolean(NAME, 'zoomToPointer', value);
  }

  /**
   * Whether keys move the camera while the canvas has the focus. Default false. While it is true, a canvas without a
   * `tabindex` gets one, so that it can be focused by a click or the tab key.
   */
  get keys(): boolean {
    return this.#settings.keys;
  }
  set keys(value: boolean) {
    this.#settings.keys = checkBoolean(NAME, 'keys', value);
    this.#input?.follow();
  }

  /** Whether a drag by more than 5 CSS pixels is followed by a `click` of the canvas and of actors. Default false. */
  get clickAfterDrag(): boolean {
    return this.#settings.clickAfterDrag;
  }
  set clickAfterDrag(value: boolean) {
    this.#settings.clickAfterDrag = checkBoolean(NAME, 'clickAfterDrag', value);
  }

  /**
   * The point that the camera turns about, in metres. Writing it moves the camera at once, as with
   * `distance`, `azimuth` and `polar`. All of them stay within the limits.
   */
  get target(): [number, number, number] {
    const { x, y, z } = this.#movement.goal;
    return [x, y, z];
  }
  set target(target: VectorLike) {
    const [x, y, z] = checkPoint(NAME, 'target', target);
    this.#movement.jump({ x, y, z });
  }

  /** Metres from the target, from `minDistance` to `maxDistance`. */
  get distance(): number {
    return this.#movement.goal.distance;
  }
  set distance(distance: number) {
    this.#movement.jump({ distance: checkNumber(NAME, 'distance', distance, 0, 1e30) });
  }

  /** Angle about +Y in radians, from +Z towards +X, from `minAzimuth` to `maxAzimuth`. */
  get azimuth(): number {
    return this.#movement.goal.azimuth;
  }
  set azimuth(azimuth: number) {
    this.#movement.jump({ azimuth: checkNumber(NAME, 'azimuth', azimuth, -1e6, 1e6) });
  }

  /**
   * Angle from +Y downwards in radians, from `minPolar` to `maxPolar`. The value stays a little above 0 and below π.
   */
  get polar(): number {
    return this.#movement.goal.polar;
  }
  set polar(polar: number) {
    this.#movement.jump({ polar: checkRadians(NAME, 'polar', polar, 0, Math.PI) });
  }

  /**
   * Least distance in metres: more than 0 and at most `maxDistance`. A change takes effect with the next movement, like
   * that of all limits. Throws OptionError `option-out-of-range`.
   */
  get minDistance(): number {
    return this.#settings.minDistance;
  }
  set minDistance(metres: number) {
    const { maxDistance } = this.#settings;
    this.#settings.minDistance = checkNumber(NAME, 'minDistance', metres, 1e-9, maxDistance);
  }

  /** Greatest distance in metres, at least `minDistance`. Throws OptionError `option-out-of-range`. */
  get maxDistance(): number {
    return this.#settings.maxDistance;
  }
  set maxDistance(metres: number) {
    this.#settings.maxDistance = checkNumber(NAME, 'maxDistance', metres, this.#settings.minDistance);
  }

  /** Least angle from +Y in radians, 0 to `maxPolar`. Default 0. Throws OptionError `option-out-of-range`. */
  get minPolar(): number {
    return this.#settings.minPolar;
  }
  set minPolar(radians: number) {
    this.#settings.minPolar = checkRadians(NAME, 'minPolar', radians, 0, this.#settings.maxPolar);
  }

  /**
   * Greatest angle from +Y in radians, `minPolar` to π. Default: slightly less than π/2, or the camera's first angle if
   * that is greater. Throws OptionError `option-out-of-range`.
   */
  get maxPolar(): number {
    return this.#settings.maxPolar;
  }
  set maxPolar(radians: number) {
    this.#settings.maxPolar = checkRadians(NAME, 'maxPolar', radians, this.#settings.minPolar, Math.PI);
  }

  /**
   * Least angle about +Y in radians: −Infinity, or −4π to `maxAzimuth`. Default −Infinity. Throws OptionError
   * `option-out-of-range`.
   */
  get minAzimuth(): number {
    return this.#settings.minAzimuth;
  }
  set minAzimuth(radians: number) {
    const { maxAzimuth } = this.#settings;
    this.#settings.minAzimuth = checkAzimuthLimit('minAzimuth', radians, -Infinity, maxAzimuth);
  }

  /**
   * Greatest angle about +Y in radians: Infinity, or `minAzimuth` to 4π. Default Infinity. Throws OptionError
   * `option-out-of-range`.
   */
  get maxAzimuth(): number {
    return this.#settings.maxAzimuth;
  }
  set maxAzimuth(radians: number) {
    const { minAzimuth } = this.#settings;
    this.#settings.maxAzimuth = checkAzimuthLimit('maxAzimuth', radians, minAzimuth, Infinity);
  }

  /**
   * Box that the target stays in, such as `level.bounds`. Default `null`: none. Throws OptionError `option-invalid`,
   * `option-out-of-range`.
   */
  get targetBounds(): Bounds | null {
    return this.#settings.targetBounds;
  }
  set targetBounds(bounds: Bounds | null) {
    const message = 'targetBounds of orbitControls takes a box { min: [x, y, z], max: [x, y, z] }, or null.';
    this.#settings.targetBounds = bounds && checkBox('targetBounds', bounds, message);
  }

  /**
   * Seconds in which the camera covers about two thirds of a movement, 0 (at once) to 10. Throws OptionError
   * `option-out-of-range`.
   */
  get damping(): number {
    return this.#settings.damping;
  }
  set damping(seconds: number) {
    this.#settings.damping = checkMember(NAME, 'damping', seconds, ORBIT_OPTIONS.damping);
  }

  /**
   * Rate at which the camera turns about +Y, −100 to 100 radians per second. It rests while a pointer is pressed, during
   * flights, and at a limit of the azimuth. Throws OptionError `option-out-of-range`.
   */
  get autoRotate(): number {
    return this.#settings.autoRotate;
  }
  set autoRotate(radiansPerSecond: number) {
    this.#settings.autoRotate = checkMember(NAME, 'autoRotate', radiansPerSecond, ORBIT_OPTIONS.autoRotate);
  }

  /** Moves the camera at once so that the picture shows a whole box. */
  frame(bounds: Bounds): void;
  /**
   * Moves the camera so that the picture shows a whole box with some space around it, as far as the limits allow. The
   * camera then turns about the box's middle. A box without extent counts as a box with a radius of one metre.
   * @param options `seconds`, default 0: at once; `easing`, as in `flyTo`
   * @returns whether the camera has arrived, as in `flyTo`
   * @throws OptionError `option-invalid`, `option-unknown`; `option-out-of-range` for a box that is not finite, or whose
   * `min` exceeds `max`, as in an empty box
   */
  frame(bounds: Bounds, options: OrbitMoveOptions): Promise<boolean>;
  frame(bounds: Bounds, options?: OrbitMoveOptions): Promise<boolean> | undefined {
    const { pose, halfHeight } = frameBox(this.#host, bounds);
    checkOptions('frame', options ?? {}, MOVE_OPTIONS);
    if (options) return this.#fly(pose, halfHeight, { seconds: 0, ...options });
    this.#movement.jump(pose, halfHeight);
    return undefined;
  }

  /**
   * Moves the camera to another position or target, or both. Limits apply. The user's next movement,
   * another flight, `frame`, `dispose`, and writing `target`, `distance`, `azimuth` or `polar` interrupt the flight. The
   * camera then stays where it is.
   * @param options `position` and `target` in metres; `seconds`, 0 to 3600, default 1; `easing`, default
   * `'ease-in-out'`: `'linear'`, `'ease-in'`, `'ease-out'`, or a function of the elapsed share from 0 to 1
   * @returns true once the camera has arrived, false if the flight was interrupted
   * @throws OptionError `option-invalid`, `option-unknown`, `option-out-of-range`
   * @example await controls.flyTo({ position: [2, 1, 2], target: [0, 0.5, 0], seconds: 2 });
   */
  flyTo(options: OrbitFlightOptions): Promise<boolean> {
    checkOptions('flyTo', options, FLIGHT_OPTIONS);
    const { position, target } = options;
    if (!position && !target) {
      throw new OptionError('option-invalid', 'flyTo needs a position or a target, or both.');
    }
    const point = target ? checkPoint('flyTo', 'target', target) : this.target;
    const [x, y, z] = point;
    const pose = position ? poseAt(checkPoint('flyTo', 'position', position), point) : { x, y, z };
    return this.#fly(pose, null, options);
  }

  /** Stops listening; the camera stays where it is. Disposing the view, the world or the engine does the same. */
  dispose(): void {
    this.#input.dispose();
  }

  #fly(
    pose: Partial<Pose>,
    halfHeight: number | null,
    { seconds = 1, easing = 'ease-in-out' }: OrbitMoveOptions,
  ): Promise<boolean> {
    const movement = this.#movement;
    const { orthographic } = this.#host.camera.root;
    const lens =
      orthographic && halfHeight !== null ? { from: orthographic.halfHeight, to: halfHeight } : null;
    return movement.fly(new Flight(movement.pose(), movement.aimed(pose), lens, seconds, easing));
  }
}

/**
 * Lets the user turn, pan and zoom a camera. The camera should not be attached to anything.
 * @param host an engine, a view, or the canvas of a view
 * @throws OptionError `option-invalid`, `option-unknown`, `option-out-of-range`; SceneError `camera-controlled` if the
 * camera has a motion or other controls; StateError `engine-disposed`, `world-destroyed`
 * @example const controls = orbitControls(engine, world.addCamera({ position: [0, 1, 3] }));
 */
export function orbitControls(
  host: ControlsSource,
  camera: Actor<CameraComponent>,
  options: OrbitControlsOptions = {},
): OrbitControls {
  return new OrbitControls(host, camera, options);
}
