import { fireEvent } from '../../../core/events/typed-event-target.js';
import { checkOptions } from '../../../core/options/check-options.js';
import { checkBoolean } from '../../../core/options/check-value.js';
import { checkMember } from '../../../core/options/member.js';
import type { Actor } from '../../components/actor.js';
import type { Bounds } from '../../components/bounds.js';
import type { CameraComponent } from '../../components/camera-component.js';
import { type ControlsEvents, ControlsEventTarget } from '../controls-events.js';
import { type ControlsSource, openHost } from '../controls-host.js';
import { HostInput } from '../host-input.js';
import { checkBox } from '../orbit-options.js';
import { LookGestures } from './look-gestures.js';
import { LookMovement } from './look-movement.js';
import { LOOK_OPTIONS, type LookControlsOptions, lookSettings } from './look-options.js';

type Name = 'flyControls' | 'firstPersonControls';

/**
 * Turns a camera by drags and moves it by keys: `flyControls` in all directions, `firstPersonControls` at its height.
 *
 *   canvas ─► HostInput ─► LookGestures ─► LookMovement ─► camera ◄─ page
 *
 * The page may write the camera's position and rotation at any time. The controls are disposed with their view, world
 * or engine; after that, properties have no effect on the camera.
 */
export class LookControls extends ControlsEventTarget {
  readonly #name: Name;
  readonly #settings;
  readonly #gestures: LookGestures;
  readonly #input: HostInput;
  /** Whether `change` may have listeners. Without any, no event is created per frame. */
  #isWatched = false;

  /** @internal Use `flyControls()` or `firstPersonControls()`. */
  constructor(
    name: Name,
    host: ControlsSource,
    camera: Actor<CameraComponent>,
    options: LookControlsOptions,
  ) {
    super();
    checkOptions(name, options, LOOK_OPTIONS);
    this.#name = name;
    const opened = openHost(name, host, camera);
    this.#settings = lookSettings(name === 'flyControls');
    for (const key of Object.keys(LOOK_OPTIONS) as (keyof LookControlsOptions)[]) {
      if (options[key] !== undefined) Object.assign(this, { [key]: options[key] });
    }
    const movement = new LookMovement(opened, this.#settings, () => {
      if (this.#isWatched) fireEvent(this, 'change', null);
    });
    this.#gestures = new LookGestures(
      this.#settings,
      movement,
      () => fireEvent(this, 'start', null),
      () => fireEvent(this, 'end', null),
    );
    camera.root.controls = name;
    this.#input = new HostInput(opened, this.#gestures, () => {
      camera.root.controls = null;
      this.#gestures.unlock();
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
   * own `touch-action`. Writing false releases held keys and a locked pointer. A drag that has begun continues. Throws
   * OptionError `option-invalid`, like all properties that are true or false.
   */
  get isEnabled(): boolean {
    return this.#settings.isEnabled;
  }
  set isEnabled(value: boolean) {
    this.#settings.isEnabled = checkBoolean(this.#name, 'isEnabled', value);
    if (!value) this.#gestures?.unlock();
    this.#followKeys();
  }

  /** Metres per second, 0 to 1e6. The wheel changes it for `flyControls`. Throws OptionError `option-out-of-range`. */
  get speed(): number {
    return this.#settings.speed;
  }
  set speed(metresPerSecond: number) {
    this.#settings.speed = checkMember(this.#name, 'speed', metresPerSecond, LOOK_OPTIONS.speed);
  }

  /**
   * Turn in radians for a drag that is as long as the picture is high, −100 to 100. With a negative number, the scene
   * follows the pointer. Throws OptionError `option-out-of-range`.
   */
  get lookSpeed(): number {
    return this.#settings.lookSpeed;
  }
  set lookSpeed(radians: number) {
    this.#settings.lookSpeed = checkMember(this.#name, 'lookSpeed', radians, LOOK_OPTIONS.lookSpeed);
  }

  /**
   * Seconds in which the camera covers about two thirds of a change of direction or speed, 0 (at once) to 10. Throws
   * OptionError `option-out-of-range`.
   */
  get damping(): number {
    return this.#settings.damping;
  }
  set damping(seconds: number) {
    this.#settings.damping = checkMember(this.#name, 'damping', seconds, LOOK_OPTIONS.damping);
  }

  /**
   * Box that the camera stays in, in metres. Default `null`: none. A change takes effect with the next movement. Throws
   * OptionError `option-invalid`, `option-out-of-range`.
   */
  get bounds(): Bounds | null {
    return this.#settings.bounds;
  }
  set bounds(bounds: Bounds | null) {
    const message = `bounds of ${this.#name} takes a box { min: [x, y, z], max: [x, y, z] }, or null.`;
    this.#settings.bounds = bounds && checkBox('bounds', bounds, message);
  }

  /**
   * Whether keys move the camera while the canvas has the focus. Default true. While it is true, a canvas without a
   * `tabindex` gets one, so that it can be focused by a click or the tab key.
   */
  get keys(): boolean {
    return this.#settings.keys;
  }
  set keys(value: boolean) {
    this.#settings.keys = checkBoolean(this.#name, 'keys', value);
    this.#followKeys();
  }

  /** Whether a click locks the mouse pointer, so that its movements turn the camera. Default false. */
  get pointerLock(): boolean {
    return this.#settings.pointerLock;
  }
  set pointerLock(value: boolean) {
    this.#settings.pointerLock = checkBoolean(this.#name, 'pointerLock', value);
    if (!value) this.#gestures?.unlock();
  }

  /** Whether a drag by more than 5 CSS pixels is followed by a `click` of the canvas and of actors. Default false. */
  get clickAfterDrag(): boolean {
    return this.#settings.clickAfterDrag;
  }
  set clickAfterDrag(value: boolean) {
    this.#settings.clickAfterDrag = checkBoolean(this.#name, 'clickAfterDrag', value);
  }

  /** Whether the mouse pointer is locked to the canvas. */
  get isLocked(): boolean {
    return this.#gestures.isLocked;
  }

  /** Stops listening; the camera stays where it is. Disposing the view, the world or the engine does the same. */
  dispose(): void {
    this.#input.dispose();
  }

  /** Applies `isEnabled` and `keys`. Before the input exists, there is nothing to apply. */
  #followKeys(): void {
    if (!this.isEnabled || !this.keys) this.#gestures?.releaseKeys();
    this.#input?.follow();
  }
}

/**
 * Lets the user fly a camera in all directions. Drags turn it. W, A, S, D or the arrow keys move it, E and Q lift and
 * lower it. The wheel changes the speed. The camera should not be attached to anything.
 * @param host an engine, a view, or the canvas of a view
 * @throws OptionError `option-invalid`, `option-unknown`, `option-out-of-range`; SceneError `camera-controlled` if the
 * camera has a motion or other controls; StateError `engine-disposed`, `world-destroyed`
 * @example const controls = flyControls(engine, world.addCamera({ position: [0, 10, 30] }), { speed: 20 });
 */
export function flyControls(
  host: ControlsSource,
  camera: Actor<CameraComponent>,
  options: LookControlsOptions = {},
): LookControls {
  return new LookControls('flyControls', host, camera, options);
}

/**
 * Lets the user walk with a camera that keeps its height. Drags turn it, or the mouse alone with `pointerLock`. W, A, S,
 * D or the arrow keys move it. The camera should not be attached to anything.
 * @param host an engine, a view, or the canvas of a view
 * @throws OptionError `option-invalid`, `option-unknown`, `option-out-of-range`; SceneError `camera-controlled` if the
 * camera has a motion or other controls; StateError `engine-disposed`, `world-destroyed`
 * @example firstPersonControls(engine, world.addCamera({ position: [0, 1.7, 5] }), { pointerLock: true });
 */
export function firstPersonControls(
  host: ControlsSource,
  camera: Actor<CameraComponent>,
  options: LookControlsOptions = {},
): LookControls {
  return new LookControls('firstPersonControls', host, camera, options);
}
