/** Rays through the pointer, and where they meet planes and lines. Points and vectors of the world, in metres. */
import type { CameraComponent } from '../components/camera-component.js';
import type { Ray } from '../components/camera-rays.js';
import { cross, dot, type Triple, tripleAt, unit } from '../transforms/triples.js';
import type { InputHost } from './controls-host.js';

/** A ray that meets a plane farther away than this many times the distance of the press counts as parallel. */
const FARTHEST = 1000;
const PARALLEL = 1e-6;

/** Returns the camera whose picture the host shows: that of the view, or the world's active camera. */
export const cameraOf = ({ engine, view }: InputHost): CameraComponent | null =>
  view ? view.cameraComponent : engine.world.updates.camera;

/** Returns the layers that a camera shows in the host's picture, one bit each. */
export const layersOf = ({ view }: InputHost, { layers }: CameraComponent): number =>
  ((view?.layers ?? layers) & layers) >>> 0;

/** Returns the unit vector from a camera's picture towards the viewer. */
export const backOf = (camera: CameraComponent): Triple => unit(tripleAt(camera.worldFromLocal([]), 8));

export const plus = (a: Triple, b: Triple, factor = 1): Triple => [
  a[0] + b[0] * factor,
  a[1] + b[1] * factor,
  a[2] + b[2] * factor,
];
export const minus = (a: Triple, b: Triple): Triple => plus(a, b, -1);

/**
 * Returns the point where a ray meets the plane through `point`; `null` if it misses the plane or meets it near the
 * horizon.
 * @param normal unit vector
 */
export function pointOnPlane({ origin, direction }: Ray, point: Triple, normal: Triple): Triple | null {
  const slope = dot(direction, normal);
  const offset = minus(point, origin);
  const distance = dot(offset, normal) / slope;
  const isMet = Math.abs(slope) > PARALLEL && distance > 0 && distance < Math.hypot(...offset) * FARTHEST;
  return isMet ? plus(origin, direction, distance) : null;
}

/**
 * Returns the signed distance from `point` along a line to the point nearest to a ray, in metres; `null` if both are
 * parallel.
 * @param axis unit vector along the line
 */
export function nearestOnLine({ origin, direction }: Ray, point: Triple, axis: Triple): number | null {
  const normal = cross(axis, direction);
  const squared = dot(normal, normal);
  if (squared < PARALLEL) return null;
  return dot(cross(minus(origin, point), direction), normal) / squared;
}
