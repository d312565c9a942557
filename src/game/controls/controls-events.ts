import type { TypedEventTarget } from '../../core/events/typed-event-target.js';
import type { Actor } from '../components/actor.js';

/** The events of a camera's controls. Their `detail` is `null`. */
export interface ControlsEvents {
  /**
   * Fired when the first pointer is pressed, and at each turn of the wheel and each key that moves the camera. For
   * `flyControls` and `firstPersonControls`, only the first held key fires it, and a lock of the pointer.
   */
  start: null;
  /** Fired when the position or rotation of the camera, or the height of an orthographic picture, has changed. */
  change: null;
  /**
   * Fired when the last pointer is released, and after each turn of the wheel and each key. The camera may still move.
   * For `flyControls` and `firstPersonControls`, fired once no pointer, key or lock is held.
   */
  end: null;
}

/** The moved actor. */
interface ActorDetail {
  readonly actor: Actor;
}

/** The events of controls that move actors. Their `detail` names the actor. */
interface ActorControlsEvents {
  /** Fired when the user grabs an actor. */
  start: ActorDetail;
  /** Fired when a movement of the pointer has changed the actor. */
  change: ActorDetail;
  /** Fired when the user lets go of the actor. */
  end: ActorDetail;
}

type EventTargetClass<Events> = new () => TypedEventTarget<Events> & Pick<EventTarget, 'dispatchEvent'>;

// Base classes of controls. A call of `typedEventTarget` would keep them in bundles that do not use controls.
export const ControlsEventTarget = EventTarget as EventTargetClass<ControlsEvents>;
export const ActorControlsEventTarget = EventTarget as EventTargetClass<ActorControlsEvents>;
