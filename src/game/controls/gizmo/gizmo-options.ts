/** Options of the transform gizmo, and the settings that its properties change. */
import { checkOptions } from '../../../core/options/check-options.js';
import type { Shaped } from '../../../core/options/member.js';
import { anything, numberFrom, oneOf, optional, property } from '../../../core/options/members.js';
import type { GizmoMode } from './gizmo-handles.js';

const SNAP_OPTIONS = {
  /** Steps of movements in metres; 0 for none. Default 0. */
  translate: optional(numberFrom(0, 1e6)),
  /** Steps of turns in radians; 0 for none. Default 0. */
  rotate: optional(numberFrom(0, 2 * Math.PI)),
  /** Steps of factors on the scale; 0 for none. Default 0. */
  scale: optional(numberFrom(0, 1e3)),
};

export type GizmoSnap = Shaped<typeof SNAP_OPTIONS>;

export const GIZMO_OPTIONS = {
  /** The shown handles. Default `'translate'`. */
  mode: property(oneOf('translate|rotate|scale')),
  /** Axes of the handles: those of the world, or of the actor. A scale always uses the actor's. Default `'world'`. */
  space: property(oneOf('world|local')),
  /** Steps of changes. Default: none. */
  snap: property(anything<GizmoSnap>()),
  /** Length of an arrow as a fraction of the picture's height, 0.01 to 1. Default 0.15. */
  size: property(numberFrom(0.01, 1)),
};

export type TransformGizmoOptions = Shaped<typeof GIZMO_OPTIONS>;

/** The current values of the gizmo's properties. */
export interface GizmoSettings {
  isEnabled: boolean;
  mode: GizmoMode;
  space: 'world' | 'local';
  snap: Readonly<Required<GizmoSnap>>;
  size: number;
}

export const gizmoSettings = (): GizmoSettings => ({
  isEnabled: true,
  mode: 'translate',
  space: 'world',
  snap: checkSnap({}),
  size: 0.15,
});

/** Returns all steps, frozen. @throws OptionError `option-invalid`, `option-unknown`, `option-out-of-range` */
export function checkSnap(snap: GizmoSnap): Readonly<Required<GizmoSnap>> {
  checkOptions('snap', snap, SNAP_OPTIONS);
  const { translate = 0, rotate = 0, scale = 0 } = snap;
  return Object.freeze({ translate, rotate, scale });
}
