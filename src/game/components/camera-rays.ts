/**
 * Converts points between the world and the canvas for a camera, for labels, clicks and dragging. Pixels are the pixels
 * of mouse events, from the canvas's top left (`offsetX`, `offsetY`). They are CSS pixels, multiplied by CSS `zoom` of
 * the canvas.
 *
 *   project   world ─► camera's space ─► −1 to 1 ─► pixels          ray   pixels ─► −1 to 1 ─► a ray in the world
 */

import { cross, dot, type Triple, tripleAt, unit } from '../transforms/triples.js';
import type { CameraComponent } from './camera-component.js';

/** The place on the canvas at which a point of the world is seen. */
export interface ProjectedPoint {
  /**
   * Pixels of mouse events from the canvas's left; outside the canvas they may be negative or exceed its
   * size.
   */
  readonly x: number;
  readonly y: number;
  /** Metres in front of the camera, along its viewing direction. */
  readonly depth: number;
}

export interface Ray {
  /** Metres, world space; a point on the camera's near plane. */
  readonly origin: [number, number, number];
  /** Unit length. */
  readonly direction: [number, number, number];
}

/**
 * Returns half the width and half the height of the view in metres. For a perspective camera, they apply at a depth of
 * 1 m; for an orthographic camera, at every depth.
 */
function halfSizes(camera: CameraComponent, [width, height]: readonly [number, number]): [number, number] {
  const aspect = camera.aspect > 0 ? camera.aspect : width / height;
  const { orthographic } = camera;
  const halfHeight = orthographic?.halfHeight ?? Math.tan(camera.fovY / 2);
  // A half width of 0 follows the aspect ratio, too.
  return [orthographic?.halfWidth || halfHeight * aspect, halfHeight];
}

/** Returns the camera's position, and the axes of its space: right, up, back. The camera's scale is ignored. */
function frameOf(camera: CameraComponent): readonly [Triple, Triple, Triple, Triple] {
  const m = camera.worldFromLocal([]);
  const back = unit(tripleAt(m, 8));
  const right = unit(cross(tripleAt(m, 4), back));
  return [tripleAt(m, 12), right, cross(back, right), back];
}

/**
 * Returns the place on the canvas at which a point of the world is seen. It is null if the point is behind a
 * perspective camera, or the size is 0.
 * @param size size of the canvas in pixels of mouse events
 */
export function projectPoint(
  camera: CameraComponent,
  point: ArrayLike<number>,
  size: readonly [number, number],
): ProjectedPoint | null {
  const [position, right, up, back] = frameOf(camera);
  const offset = position.map((value, axis) => (point[axis] as number) - value) as Triple;
  const depth = -dot(offset, back);
  const scale = camera.orthographic ? 1 : depth;
  if (scale <= 0 || !(size[0] * size[1] > 0)) return null;
  const [halfWidth, halfHeight] = halfSizes(camera, size);
  return {
    x: ((dot(offset, right) / (halfWidth * scale) + 1) / 2) * size[0],
    y: ((1 - dot(offset, up) / (halfHeight * scale)) / 2) * size[1],
    depth,
  };
}

/**
 * Returns the ray from a camera through a point of the canvas.
 * @param size size of the canvas in the unit of `x` and `y`; if it is 0, every ray runs through the middle
 */
export function rayThrough(
  camera: CameraComponent,
  x: number,
  y: number,
  size: readonly [number, number],
): Ray {
  const [position, right, up, back] = frameOf(camera);
  const hasSize = size[0] * size[1] > 0;
  const [halfWidth, halfHeight] = halfSizes(camera, hasSize ? size : [1, 1]);
  const across = hasSize ? ((x / size[0]) * 2 - 1) * halfWidth : 0;
  const along = hasSize ? (1 - (y / size[1]) * 2) * halfHeight : 0;
  const sum = (a: number, b: number, c: number): Triple =>
    [0, 1, 2].map(
      (axis) => a * (right[axis] as number) + b * (up[axis] as number) - c * (back[axis] as number),
    ) as Triple;
  const near = camera.near;
  const isPerspective = camera.orthographic === null;
  const offset = isPerspective ? sum(across * near, along * near, near) : sum(across, along, near);
  return {
    origin: position.map((value, axis) => value + (offset[axis] as number)) as Triple,
    direction: unit(isPerspective ? sum(across, along, 1) : sum(0, 0, 1)),
  };
}
