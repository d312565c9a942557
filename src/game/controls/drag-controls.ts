import { OptionError } from '../../core/errors.js';
import { fireEvent } from '../../core/events/typed-event-target.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkBoolean } from '../../core/options/check-value.js';
import { checkMember } from '../../core/options/member.js';
import { Actor } from '../components/actor.js';
import type { Bounds } from '../components/bounds.js';
import type { VectorLike } from '../transforms/transform-view.js';
import { ActorDrag } from './actor-drag.js';
import { ActorControlsEventTarget } from './controls-events.js';
import { type ControlsSource, checkActor, checkWorld, type InputHost, openInput } from './controls-host.js';
import {
  checkList,
  checkPlane,
  DRAG_OPTIONS,
  type DragControlsOptions,
  dragSettings,
} from './drag-options.js';
import { HostInput } from './host-input.js';
import { checkBox } from './orbit-options.js';

const NAME = 'dragControls';

/**
 * Lets the user drag actors in a plane. A press on one of them belongs to these controls, and any other press to the
 * camera's controls on the same canvas.
 */
export class DragControls extends ActorControlsEventTarget {
  readonly #settings = dragSettings();
  readonly #actors = new Set<Actor>();
  readonly #host: InputHost;
  readonly #input: HostInput;

  /** @internal Use `dragControls()`. */
  constructor(host: ControlsSource, actors: Iterable<Actor>, options: DragControlsOptions) {
    super();
    checkOptions(NAME, options, DRAG_OPTIONS);
    const list = checkList(NAME, actors);
    this.#host = openInput(NAME, host, `a list of actors: ${NAME}(engine, [box]).`);
    this.actors = list;
    for (const key of Object.keys(DRAG_OPTIONS) as (keyof DragControlsOptions)[]) {
      if (options[key] !== undefined) Object.assign(this, { [key]: options[key] });
    }
    const drag = new ActorDrag(this.#host, this.#settings, this.#actors, (type, actor) =>
      fireEvent(this, type, { actor }),
    );
    this.#input = new HostInput(this.#host, drag, () => this.#actors.clear());
  }

  /**
   * The actors that can be dragged, with everything attached to them. Destroyed actors leave the list. Throws OptionError
   * `option-invalid` for anything but actors of the engine, and for actors in another world than the host shows.
   */
  get actors(): readonly Actor[] {
    return [...this.#actors].filter(({ isDestroyed }) => !isDestroyed);
  }
  set actors(actors: Iterable<Actor>) {
    const list = checkList(NAME, actors);
    for (const actor of list) {
      if (!(actor instanceof Actor)) {
        throw new OptionError(
          'option-invalid',
          `${NAME} takes a list of actors: ${NAME}(engine, [box, ball]).`,
        );
      }
      checkActor(NAME, actor, this.#host.engine);
      checkWorld(NAME, actor, this.#host);
    }
    this.#actors.clear();
    if (this.#input?.hasEnded) return;
    for (const actor of list) this.#actors.add(actor);
  }

  /**
   * Whether pointers drag actors. Default true. A drag that has begun continues. Throws OptionError `option-invalid`.
   */
  get isEnabled(): boolean {
    return this.#settings.isEnabled;
  }
  set isEnabled(value: boolean) {
    this.#settings.isEnabled = checkBoolean(NAME, 'isEnabled', value);
    this.#input?.follow();
  }

  /**
   * Normal, as an array, of the plane through the grabbed point in which actors move, in the world; or `'view'` for a
   * plane parallel to the picture. A change applies to the next press. Throws OptionError `option-invalid`,
   * `option-out-of-range`.
   */
  get plane(): 'view' | readonly [x: number, y: number, z: number] {
    return this.#settings.plane;
  }
  set plane(plane: 'view' | VectorLike) {
    this.#settings.plane = checkPlane(NAME, plane);
  }

  /**
   * Distance of the grid on which actors are placed, 0 (no grid) to 1e6 metres. If `plane` points along an axis, positions
   * along that axis are not snapped. Throws OptionError `option-out-of-range`.
   */
  get snap(): number {
    return this.#settings.snap;
  }
  set snap(metres: number) {
    this.#settings.snap = checkMember(NAME, 'snap', metres, DRAG_OPTIONS.snap);
  }

  /**
   * Box that the positions of actors stay in, in metres. If `plane` points along an axis, `bounds` does not limit positions
   * along that axis. Default `null`: none. Throws OptionError `option-invalid`, `option-out-of-range`.
   */
  get bounds(): Bounds | null {
    return this.#settings.bounds;
  }
  set bounds(bounds: Bounds | null) {
    const message = `bounds of ${NAME} takes a box { min: [x, y, z], max: [x, y, z] }, or null.`;
    this.#settings.bounds = bounds && checkBox('bounds', bounds, message);
  }

  /** Whether a drag by more than 5 CSS pixels is followed by a `click` of the canvas and of actors. Default false. */
  get clickAfterDrag(): boolean {
    return this.#settings.clickAfterDrag;
  }
  set clickAfterDrag(value: boolean) {
    this.#settings.clickAfterDrag = checkBoolean(NAME, 'clickAfterDrag', value);
  }

  /** Stops listening. Disposing the view, the world or the engine does the same. */
  dispose(): void {
    this.#input.dispose();
  }
}

/**
 * Lets the user drag actors in a plane by the mouse or a finger.
 * @param host an engine, a view, or the canvas of a view
 * @param actors actors with meshes, or with meshes attached to them
 * @throws OptionError `option-invalid`, `option-unknown`, `option-out-of-range`; StateError `engine-disposed`,
 * `world-destroyed`
 * @example dragControls(engine, [chair, table], { plane: [0, 1, 0], snap: 0.25 });
 */
export function dragControls(
  host: ControlsSource,
  actors: Iterable<Actor>,
  options: DragControlsOptions = {},
): DragControls {
  return new DragControls(host, actors, options);
}
