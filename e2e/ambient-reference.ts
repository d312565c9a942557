/** Ambient occlusion by rays: the reference for the effect of the same name. */

type Point = readonly [x: number, y: number, z: number];

/** A box along the axes. */
export interface Block {
  readonly from: Point;
  readonly to: Point;
}

/** Rays per point: cosine-weighted directions on a regular grid. */
const RAYS = 128;
/** Share of the radius at which occluders begin to fade out, as in shaders/ambient-occlusion.wgsl. */
const FULL_SHARE = 0.4;

/** Returns the share of ambient light that reaches a point of a floor. A block hides the rest of the light. */
export function arrivingShare(point: Point, block: Block, radius: number): number {
  let lost = 0;
  for (let row = 0; row < RAYS; row++) {
    for (let column = 0; column < RAYS; column++) {
      const sine = Math.sqrt((row + 0.5) / RAYS);
      const angle = ((column + 0.5) / RAYS) * 2 * Math.PI;
      const direction: Point = [sine * Math.cos(angle), Math.sqrt(1 - sine * sine), sine * Math.sin(angle)];
      const distance = distanceTo(block, point, direction);
      lost += Math.min(1, Math.max(0, (1 - distance / radius) / (1 - FULL_SHARE)));
    }
  }
  return 1 - lost / (RAYS * RAYS);
}

/** Returns the distance along a ray at which it meets the block, or infinity if it misses the block. */
function distanceTo({ from, to }: Block, point: Point, direction: Point): number {
  let near = 0;
  let far = Number.POSITIVE_INFINITY;
  for (let axis = 0; axis < 3; axis++) {
    const speed = direction[axis] as number;
    const toLow = ((from[axis] as number) - (point[axis] as number)) / speed;
    const toHigh = ((to[axis] as number) - (point[axis] as number)) / speed;
    near = Math.max(near, Math.min(toLow, toHigh));
    far = Math.min(far, Math.max(toLow, toHigh));
  }
  return near <= far ? near : Number.POSITIVE_INFINITY;
}

/** Returns the share of light that is seen, with the light that occluders scatter (Jimenez et al. 2016). */
export function seenShare(share: number, albedo: number): number {
  const cubic = 2.0404 * albedo - 0.3324;
  const square = -4.7951 * albedo + 0.6417;
  const linear = 2.7552 * albedo + 0.6903;
  return Math.max(share, ((share * cubic + square) * share + linear) * share);
}
