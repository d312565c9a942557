/**
 * The handles of a gizmo, and which of them a ray meets. Unit of length: one arrow.
 *
 *   translate: arrows, squares between two axes      rotate: rings      scale: arrows, a box in the middle
 */
import type { Ray } from '../../components/camera-rays.js';
import { cross, dot, type Triple } from '../../transforms/triples.js';
import { minus, nearestOnLine, plus } from '../pointer-rays.js';

export type GizmoMode = 'translate' | 'rotate' | 'scale';
type Axis = 0 | 1 | 2;

export interface Handle {
  readonly kind: 'arrow' | 'square' | 'ring' | 'middle';
  /** Axis of an arrow; axis at right angles to a square or a ring. */
  readonly axis: Axis;
}

const AXES = [0, 1, 2] as const;
const of = (kind: Handle['kind']): Handle[] => AXES.map((axis) => ({ kind, axis }));

/** Returns the handles of a mode. */
export const handlesOf = (mode: GizmoMode): readonly Handle[] =>
  ({
    translate: () => [...of('arrow'), ...of('square')],
    rotate: () => of('ring'),
    scale: () => [...of('arrow'), { kind: 'middle', axis: 0 } as const],
  })[mode]();

/** An arrow begins at this distance from the middle. */
export const ARROW_START = 0.15;
/** Places of the sides of a square. */
export const SQUARE = { from: 0.3, to: 0.55 } as const;
export const RING_RADIUS = 0.9;
/** Half the side of the box in the middle. */
export const MIDDLE_HALF = 0.1;

/** Distance from a handle at which a pointer still grabs it. */
const REACH = 0.08;
/** Reach of a finger, larger because a finger hides the handle. */
const FINGER_REACH = 0.16;
const CHORDS = 64;
/** An arrow whose axis has this share along the view looks like a point. */
const END_ON = 0.985;
/** A square whose normal has less than this share along the view looks like a line. */
const EDGE_ON = 0.15;

export const unitAxis = (axis: Axis): Triple => [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0];

/** The two other axes. */
export const othersOf = (axis: Axis): readonly [Axis, Axis] =>
  [((axis + 1) % 3) as Axis, ((axis + 2) % 3) as Axis] as const;

/** Returns whether a handle can be used from a direction. @param view unit vector of the gizmo towards the viewer */
export function isUsable({ kind, axis }: Handle, view: Triple): boolean {
  const along = Math.abs(view[axis]);
  if (kind === 'arrow') return along < END_ON;
  return kind !== 'square' || along > EDGE_ON;
}

/** Returns the usable handle that is nearest to a ray; `null` if none is in reach. */
export function handleAt(
  ray: Ray,
  handles: readonly Handle[],
  view: Triple,
  isFinger: boolean,
): Handle | null {
  const reach = isFinger ? FINGER_REACH : REACH;
  let nearest: Handle | null = null;
  let least = reach;
  for (const handle of handles) {
    const distance = isUsable(handle, view) ? distanceOf(handle, ray) : Infinity;
    if (distance > least || (nearest && distance === least)) continue;
    nearest = handle;
    least = distance;
  }
  return nearest;
}

/** Returns the distance between a handle and a ray; 0 if the ray runs through its area. */
function distanceOf({ kind, axis }: Handle, ray: Ray): number {
  const along = unitAxis(axis);
  if (kind === 'arrow') {
    return distanceToSegment(ray, plus([0, 0, 0], along, ARROW_START), along);
  }
  if (kind === 'middle') return Math.max(distanceToPoint(ray, [0, 0, 0]) - MIDDLE_HALF, 0);
  return kind === 'ring' ? distanceToRing(ray, axis) : distanceToSquare(ray, axis);
}

function distanceToPoint({ origin, direction }: Ray, point: Triple): number {
  const offset = minus(point, origin);
  // A handle behind the camera is out of reach.
  if (dot(offset, direction) < 0) return Infinity;
  return Math.hypot(...cross(offset, direction));
}

function distanceToSegment(ray: Ray, from: Triple, to: Triple): number {
  const offset = minus(to, from);
  const length = Math.hypot(...offset);
  const axis = plus([0, 0, 0], offset, 1 / length);
  const along = nearestOnLine(ray, from, axis) ?? 0;
  return distanceToPoint(ray, plus(from, axis, Math.min(Math.max(along, 0), length)));
}

/** The ring is a polygon of many chords, which also works for a ring that is seen edge-on. */
function distanceToRing(ray: Ray, axis: Axis): number {
  const [u, v] = othersOf(axis);
  const corner = (index: number): Triple => {
    const angle = (index / CHORDS) * 2 * Math.PI;
    return plus(
      plus([0, 0, 0], unitAxis(u), RING_RADIUS * Math.cos(angle)),
      unitAxis(v),
      RING_RADIUS * Math.sin(angle),
    );
  };
  let least = Infinity;
  for (let index = 0; index < CHORDS; index++) {
    least = Math.min(least, distanceToSegment(ray, corner(index), corner(index + 1)));
  }
  return least;
}

function distanceToSquare({ origin, direction }: Ray, axis: Axis): number {
  const distance = -origin[axis] / direction[axis];
  if (!(distance > 0)) return Infinity;
  const point = plus(origin, direction, distance);
  const outside = othersOf(axis).map((other) =>
    Math.max(SQUARE.from - point[other], point[other] - SQUARE.to, 0),
  );
  return Math.hypot(...outside);
}
