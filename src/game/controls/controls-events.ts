import type { TypedEventTarget } from '../../core/events/typed-event-target.js';

/** The events of controls. Their `detail` is `null`. */
export interface ControlsEvents {
  /** Fired when the first pointer is pressed, and at each turn of the wheel and each key that moves the camera. */
  start: null;
  /** Fired when the position or rotation of the camera, or the height of an orthographic picture, has changed. */
  change: null;
  /** Fired when the last pointer is released, and after each turn of the wheel and each key. The camera may still move. */
  end: null;
}

/** The base class of controls. A call of `typedEventTarget` would keep it in bundles that do not use controls. */
export const ControlsEventTarget = EventTarget as new () => TypedEventTarget<ControlsEvents> &
  Pick<EventTarget, 'dispatchEvent'>;
