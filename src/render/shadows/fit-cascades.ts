import { Projection } from '../../proxy/commands.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { View } from '../views/view.js';
import type { VisibleRange } from './visible-range.js';

/**
 * The part of a view that a cascade shades, as a sphere. When the camera turns, the sphere moves but keeps
 * its size.
 */
export interface CascadeSphere {
  /** Metres from the render origin. */
  readonly center: Float64Array;
  /** Metres; 0: the cascade shades nothing. */
  radius: number;
}

/**
 * Weight of logarithmic spacing in the depths at which cascades meet. Even spacing has the rest of the
 * weight.
 */
const LOGARITHMIC = 0.7;
/**
 * Number of steps per power of 2 to which depths are rounded. Rounding keeps spheres the same while
 * primitives move a little.
 */
const STEPS_PER_OCTAVE = 4;

/**
 * Divides the visible depth range among the cascades, nearest first.
 *
 *   camera ◄──near─┤ 0 ├─┤   1   ├─┤       2        ├─far
 *
 *   near, far: depths of the visible receivers, limited by the view and `distance`
 *
 * If all visible receivers lie in a smaller sphere than a cascade's part of the view, the cascade takes that
 * sphere. The cascades behind it stay empty.
 *
 * @param aspect width divided by height of the area that the view is drawn into; applies unless the camera has its own
 * @param count number of spheres to write
 */
export function fitCascades(
  view: View,
  parameters: ViewParameters,
  aspect: number,
  range: VisibleRange,
  distance: number,
  count: number,
  spheres: readonly CascadeSphere[],
): void {
  const first = Math.max(range.near, parameters.near);
  const last = Math.min(range.far, parameters.far, distance);
  if (!(last > first)) {
    for (let index = 0; index < count; index++) (spheres[index] as CascadeSphere).radius = 0;
    return;
  }
  const near = Math.max(roundDepth(first, Math.floor), parameters.near);
  const far = Math.min(roundDepth(last, Math.ceil), distance);
  let isAllShaded = false;
  const boundsRadius = roundDepth(range.radius, Math.ceil);
  for (let index = 0; index < count; index++) {
    const sphere = spheres[index] as CascadeSphere;
    placeSphere(
      sphere,
      view,
      parameters,
      aspect,
      splitDepth(near, far, index / count),
      splitDepth(near, far, (index + 1) / count),
    );
    if (isAllShaded) sphere.radius = 0;
    else if (boundsRadius < sphere.radius) {
      sphere.radius = boundsRadius;
      sphere.center.set(range.center);
      isAllShaded = true;
    }
  }
}

function splitDepth(near: number, far: number, share: number): number {
  const even = near + (far - near) * share;
  // Logarithmic spacing needs a positive depth, and a view may begin at 0 or behind the camera.
  if (near <= 0) return even;
  return LOGARITHMIC * near * (far / near) ** share + (1 - LOGARITHMIC) * even;
}

/** Computes the smallest sphere around the view between two depths. */
function placeSphere(
  sphere: CascadeSphere,
  { position, forward }: View,
  { projection, extentX, extentY, aspect: ownAspect }: ViewParameters,
  surfaceAspect: number,
  near: number,
  far: number,
): void {
  const aspect = ownAspect > 0 ? ownAspect : surfaceAspect;
  let depth: number;
  if (projection === Projection.perspective) {
    const tangent = Math.tan(extentY / 2);
    const squared = tangent * tangent * (1 + aspect * aspect);
    depth = Math.min(far, ((near + far) * (1 + squared)) / 2);
    sphere.radius = Math.hypot(far - depth, far * Math.sqrt(squared));
  } else {
    depth = (near + far) / 2;
    sphere.radius = Math.hypot((far - near) / 2, extentY, extentX > 0 ? extentX : extentY * aspect);
  }
  for (let axis = 0; axis < 3; axis++) {
    sphere.center[axis] = (position[axis] as number) + depth * (forward[axis] as number);
  }
}

function roundDepth(depth: number, round: (value: number) => number): number {
  if (depth <= 0) return depth;
  return 2 ** (round(Math.log2(depth) * STEPS_PER_OCTAVE) / STEPS_PER_OCTAVE);
}
