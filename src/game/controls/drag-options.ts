/** Options of drag controls, and the settings that the properties of the controls change. */
import { OptionError } from '../../core/errors.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, numberFrom, property } from '../../core/options/members.js';
import type { Bounds } from '../components/bounds.js';
import type { VectorLike } from '../transforms/transform-view.js';
import { type Triple, unit } from '../transforms/triples.js';

export const DRAG_OPTIONS = {
  /**
   * Normal, as an array, of the plane through the grabbed point in which actors move, in the world; or `'view'` for a
   * plane parallel to the picture. Default `'view'`.
   */
  plane: property(anything<'view' | VectorLike>()),
  /**
   * Distance of the grid on which actors are placed, in metres; 0 for none. If `plane` points along an axis, positions
   * along that axis are not snapped. Default 0.
   */
  snap: property(numberFrom(0, 1e6)),
  /**
   * Box that the positions of actors stay in, in metres. If `plane` points along an axis, `bounds` does not limit positions
   * along that axis. Default `null`: none.
   */
  bounds: property(anything<Bounds | null>()),
  /** Whether a drag by more than 5 CSS pixels is followed by a `click` of the canvas and of actors. Default false. */
  clickAfterDrag: property(boolean()),
};

export type DragControlsOptions = Shaped<typeof DRAG_OPTIONS>;

/** The current values of the controls' properties. */
export interface DragSettings {
  isEnabled: boolean;
  plane: 'view' | Triple;
  snap: number;
  bounds: Bounds | null;
  clickAfterDrag: boolean;
}

export const dragSettings = (): DragSettings => ({
  isEnabled: true,
  plane: 'view',
  snap: 0,
  bounds: null,
  clickAfterDrag: false,
});

/** Returns a plane with a normal of length 1. @throws OptionError `option-invalid`, `option-out-of-range` */
export function checkPlane(what: string, plane: 'view' | VectorLike): 'view' | Triple {
  if (plane === 'view') return plane;
  const normal = checkVector(what, 'plane', plane as VectorLike, 3, "'view' or ");
  checkNumber(what, 'the length of plane', Math.hypot(...normal), 1e-9, 1e30);
  return unit(normal);
}

/** Returns the actors of a list. @throws OptionError `option-invalid` */
export function checkList<Item>(what: string, list: Iterable<Item>): Item[] {
  if (typeof list === 'object' && list !== null && Symbol.iterator in list) return [...list];
  throw new OptionError('option-invalid', `${what} takes a list of actors: ${what}(engine, [box, ball]).`);
}

/** A normal with at least this component along an axis counts as parallel to the axis. */
const ALONG = 1 - 1e-9;

/**
 * Returns a position on the grid and within the box. If `plane` points along an axis, positions along that axis are
 * neither snapped nor limited.
 */
export function placed(position: Triple, normal: Triple, { snap, bounds }: DragSettings): Triple {
  return position.map((value, axis) => {
    if (Math.abs(normal[axis] as number) >= ALONG) return value;
    const onGrid = snap > 0 ? Math.round(value / snap) * snap : value;
    return bounds
      ? Math.min(Math.max(onGrid, bounds.min[axis] as number), bounds.max[axis] as number)
      : onGrid;
  }) as Triple;
}
