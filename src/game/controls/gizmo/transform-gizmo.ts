import { OptionError } from '../../../core/errors.js';
import { fireEvent } from '../../../core/events/typed-event-target.js';
import { checkOptions } from '../../../core/options/check-options.js';
import { checkBoolean } from '../../../core/options/check-value.js';
import { checkMember } from '../../../core/options/member.js';
import { Actor } from '../../components/actor.js';
import { ActorControlsEventTarget } from '../controls-events.js';
import { type ControlsSource, checkActor, checkWorld, type InputHost, openInput } from '../controls-host.js';
import { HostInput } from '../host-input.js';
import { GizmoGestures } from './gizmo-gestures.js';
import type { GizmoMode } from './gizmo-handles.js';
import {
  checkSnap,
  GIZMO_OPTIONS,
  type GizmoSnap,
  gizmoSettings,
  type TransformGizmoOptions,
} from './gizmo-options.js';

const NAME = 'transformGizmo';
const EXAMPLE = `an actor: ${NAME}(engine, box, { mode: 'rotate' }).`;

/**
 * Handles on an actor, which the user drags to move, turn or scale it. A press on a handle belongs to the gizmo, and any
 * other press to other controls of the same canvas. The handles have the same size at every distance.
 */
export class TransformGizmo extends ActorControlsEventTarget {
  readonly #settings = gizmoSettings();
  readonly #host: InputHost;
  readonly #gestures: GizmoGestures;
  readonly #input: HostInput;

  /** @internal Use `transformGizmo()`. */
  constructor(host: ControlsSource, actor: Actor | null, options: TransformGizmoOptions) {
    super();
    checkOptions(NAME, options, GIZMO_OPTIONS);
    this.#host = openInput(NAME, host, EXAMPLE);
    this.#checkActor(actor);
    for (const key of Object.keys(GIZMO_OPTIONS) as (keyof TransformGizmoOptions)[]) {
      if (options[key] !== undefined) Object.assign(this, { [key]: options[key] });
    }
    this.#gestures = new GizmoGestures(this.#host, this.#settings, (type, moved) =>
      fireEvent(this, type, { actor: moved }),
    );
    this.#input = new HostInput(this.#host, this.#gestures, () => this.#gestures.show(null));
    this.#gestures.show(actor);
  }

  /**
   * The actor that the handles change; `null` shows no handles. It becomes `null` when the actor is destroyed. Throws
   * OptionError `option-invalid` for anything but an actor in the world that the host shows.
   */
  get actor(): Actor | null {
    return this.#gestures.actor;
  }
  set actor(actor: Actor | null) {
    this.#checkActor(actor);
    if (!this.#input.hasEnded) this.#gestures.show(actor);
  }

  /** The shown handles: `'translate'`, `'rotate'` or `'scale'`. Throws OptionError `option-invalid`. */
  get mode(): GizmoMode {
    return this.#settings.mode;
  }
  set mode(mode: GizmoMode) {
    this.#settings.mode = checkMember(NAME, 'mode', mode, GIZMO_OPTIONS.mode);
    // Before the gestures exist, nothing is shown.
    if (this.#gestures && !this.#input.hasEnded) this.#gestures.show(this.actor);
  }

  /**
   * Axes of the handles: `'world'`, or `'local'` for those of the actor. A scale always uses the actor's. Throws
   * OptionError `option-invalid`.
   */
  get space(): 'world' | 'local' {
    return this.#settings.space;
  }
  set space(space: 'world' | 'local') {
    this.#settings.space = checkMember(NAME, 'space', space, GIZMO_OPTIONS.space);
    this.#gestures?.redraw();
  }

  /**
   * Steps of a drag: `translate` in metres, `rotate` in radians, `scale` as factors; 0 or missing for none. Reads as a
   * frozen object, so assign another to change a step. Throws
   * OptionError `option-invalid`, `option-unknown`, `option-out-of-range`.
   */
  get snap(): Readonly<Required<GizmoSnap>> {
    return this.#settings.snap;
  }
  set snap(snap: GizmoSnap) {
    this.#settings.snap = checkSnap(snap);
  }

  /** Length of an arrow as a fraction of the picture's height, 0.01 to 1. Throws OptionError `option-out-of-range`. */
  get size(): number {
    return this.#settings.size;
  }
  set size(fraction: number) {
    this.#settings.size = checkMember(NAME, 'size', fraction, GIZMO_OPTIONS.size);
    this.#gestures?.redraw();
  }

  /**
   * Whether the handles are shown and can be dragged. Default true. A drag that has begun continues. Throws OptionError
   * `option-invalid`.
   */
  get isEnabled(): boolean {
    return this.#settings.isEnabled;
  }
  set isEnabled(value: boolean) {
    this.#settings.isEnabled = checkBoolean(NAME, 'isEnabled', value);
    this.#input.follow();
    this.#gestures?.redraw();
  }

  /** Removes the handles and stops listening. Disposing the view, the world or the engine does the same. */
  dispose(): void {
    this.#input.dispose();
  }

  #checkActor(actor: Actor | null): void {
    if (actor === null) return;
    if (!(actor instanceof Actor)) {
      throw new OptionError(
        'option-invalid',
        `${NAME} takes an engine, or a view or its canvas, and ${EXAMPLE}`,
      );
    }
    checkActor(NAME, actor, this.#host.engine);
    checkWorld(NAME, actor, this.#host);
    if (actor.world) return;
    throw new OptionError(
      'option-invalid',
      `${NAME} was given "${actor.name}", which is in no world. Spawn it first.`,
    );
  }
}

/**
 * Shows handles on an actor, which the user drags to move, turn or scale it.
 * @param host an engine, a view, or the canvas of a view
 * @param actor an actor of the host's world; `null` for none at first
 * @throws OptionError `option-invalid`, `option-unknown`, `option-out-of-range`; StateError `engine-disposed`,
 * `world-destroyed`
 * @example const gizmo = transformGizmo(engine, chair, { mode: 'rotate', snap: { rotate: Math.PI / 12 } });
 */
export function transformGizmo(
  host: ControlsSource,
  actor: Actor | null,
  options: TransformGizmoOptions = {},
): TransformGizmo {
  return new TransformGizmo(host, actor, options);
}
