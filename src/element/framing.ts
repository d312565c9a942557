import type { Bounds } from '../index.js';

/** The camera's pose that shows a whole model. Angles count as in orbit controls. */
interface Framing {
  readonly target: [number, number, number];
  /** Radians. */
  readonly azimuth: number;
  /** Radians. */
  readonly polar: number;
  /** Metres from the target. */
  readonly distance: number;
  /** Radius of the sphere around the model, in metres. */
  readonly radius: number;
}

/** Angle of the view in radians, counted as in orbit controls: from the front, a little from the right. */
const AZIMUTH = 0.45;
/** Angle of the view in radians, counted as in orbit controls: a little from above. */
const POLAR = 1.25;
/** Radius in metres of a model without extent. */
const NO_RADIUS = 0.5;
/** Factor on the distance that leaves a margin around the model. */
const MARGIN = 1.06;
/** Count of points on each rim of the cylinder around the model. All of them have to be visible. */
const RIM_PLACES = 24;

/**
 * Returns the framing of a model. The model may turn about its vertical axis, so the whole cylinder around its box is
 * visible.
 *
 * @param fovY vertical field of view, in radians
 * @param aspect width by height of the picture
 */
export function frameModel({ min, max }: Bounds, fovY: number, aspect: number): Framing {
  const halves = min.map((least, axis) => ((max[axis] as number) - least) / 2);
  const target = min.map((least, axis) => least + (halves[axis] as number)) as [number, number, number];
  const radius = Math.hypot(...halves) || NO_RADIUS;
  const [halfX = 0, halfHeight = 0, halfZ = 0] = halves;
  const rim = Math.hypot(halfX, halfZ);
  const slopeY = Math.tan(fovY / 2);
  const slopeX = slopeY * aspect;
  let distance = radius * 2;
  for (let place = 0; place < RIM_PLACES; place++) {
    const angle = (place / RIM_PLACES) * 2 * Math.PI;
    const across = Math.abs(rim * Math.sin(angle));
    const towards = rim * Math.cos(angle);
    for (const height of [-halfHeight, halfHeight]) {
      const up = Math.abs(height * Math.sin(POLAR) - towards * Math.cos(POLAR));
      const closer = height * Math.cos(POLAR) + towards * Math.sin(POLAR);
      distance = Math.max(distance, closer + Math.max(across / slopeX, up / slopeY));
    }
  }
  return { target, azimuth: AZIMUTH, polar: POLAR, distance: distance * MARGIN, radius };
}

/**
 * Returns a place around a target.
 * @param azimuth radians about +Y from +Z towards +X
 * @param polar radians from +Y downwards
 * @param distance metres
 */
export function placeAround(
  [x, y, z]: readonly [number, number, number],
  azimuth: number,
  polar: number,
  distance: number,
): [number, number, number] {
  const level = distance * Math.sin(polar);
  return [x + level * Math.sin(azimuth), y + distance * Math.cos(polar), z + level * Math.cos(azimuth)];
}
