/** Options of fly and first-person controls, and the settings that the properties of the controls change. */
import type { Shaped } from '../../../core/options/member.js';
import { anything, boolean, numberFrom, property } from '../../../core/options/members.js';
import type { Bounds } from '../../components/bounds.js';

export const LOOK_OPTIONS = {
  /** Metres per second, 0 to 1e6. Default: 5 for `flyControls`, 3 for `firstPersonControls`. */
  speed: property(numberFrom(0, 1e6)),
  /**
   * Turn in radians for a drag that is as long as the picture is high, −100 to 100. With a negative number, the scene
   * follows the pointer. Default 2.
   */
  lookSpeed: property(numberFrom(-100, 100)),
  /** Seconds in which the camera covers about two thirds of a change. With 0 it changes at once. Default 0.06. */
  damping: property(numberFrom(0, 10)),
  /** Box that the camera stays in, in metres. Default `null`: none. */
  bounds: property(anything<Bounds | null>()),
  /** Whether keys move the camera while the canvas has the focus. The canvas can then be focused. Default true. */
  keys: property(boolean()),
  /** Whether a click locks the mouse pointer, so that its movements turn the camera without a button. Default false. */
  pointerLock: property(boolean()),
  /** Whether a drag by more than 5 CSS pixels is followed by a `click` of the canvas and of actors. Default false. */
  clickAfterDrag: property(boolean()),
};

export type LookControlsOptions = Shaped<typeof LOOK_OPTIONS>;

/** The current values of the controls' properties. */
export interface LookSettings {
  /** Whether the camera moves in all directions, instead of in the horizontal plane. */
  readonly canFly: boolean;
  isEnabled: boolean;
  speed: number;
  lookSpeed: number;
  damping: number;
  bounds: Bounds | null;
  keys: boolean;
  pointerLock: boolean;
  clickAfterDrag: boolean;
}

export const lookSettings = (canFly: boolean): LookSettings => ({
  canFly,
  isEnabled: true,
  speed: canFly ? 5 : 3,
  lookSpeed: 2,
  damping: 0.06,
  bounds: null,
  keys: true,
  pointerLock: false,
  clickAfterDrag: false,
});
