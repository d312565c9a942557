/** The place, the axes and the size of a gizmo in the world. */
import type { CameraComponent } from '../../components/camera-component.js';
import type { Ray } from '../../components/camera-rays.js';
import type { SceneComponent } from '../../components/scene-component.js';
import { cross, dot, type Triple, tripleAt, unit } from '../../transforms/triples.js';
import { backOf, minus } from '../pointer-rays.js';

export interface GizmoFrame {
  readonly center: Triple;
  /** Unit vectors of the world, at right angles. */
  readonly axes: readonly [Triple, Triple, Triple];
  /** Length of an arrow in metres. */
  readonly scale: number;
  /** Unit vector of the world towards the viewer. */
  readonly view: Triple;
}

const WORLD_AXES: GizmoFrame['axes'] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/**
 * Returns the frame of a gizmo at a component; `null` if the camera can't show it.
 * @param isLocal whether the axes are those of the component
 * @param size length of an arrow as a fraction of the picture's height
 */
export function frameAt(
  component: SceneComponent,
  camera: CameraComponent | null,
  isLocal: boolean,
  size: number,
): GizmoFrame | null {
  if (!camera || camera.world !== component.world) return null;
  const matrix = component.worldFromLocal([]);
  const center = tripleAt(matrix, 12);
  const offset = minus(tripleAt(camera.worldFromLocal([]), 12), center);
  const back = backOf(camera);
  const depth = dot(offset, back);
  const { orthographic, near } = camera;
  if (!orthographic && depth <= near) return null;
  const height = 2 * (orthographic?.halfHeight ?? depth * Math.tan(camera.fovY / 2));
  const axes = isLocal ? axesOf(matrix) : WORLD_AXES;
  return { center, axes, scale: size * height, view: orthographic ? back : unit(offset) };
}

/** Returns the axes of a matrix at right angles, so that a shear does not tilt them. */
function axesOf(matrix: readonly number[]): GizmoFrame['axes'] {
  const x = unit(tripleAt(matrix, 0));
  const z = unit(cross(x, tripleAt(matrix, 4)));
  // A scale of 0 leaves no direction.
  return dot(x, x) * dot(z, z) === 0 ? WORLD_AXES : [x, cross(z, x), z];
}

/** Returns a ray in the space of the gizmo, where an arrow has the length 1. */
export function rayInFrame({ origin, direction }: Ray, { center, axes, scale }: GizmoFrame): Ray {
  const offset = minus(origin, center);
  return {
    origin: axes.map((axis) => dot(axis, offset) / scale) as Triple,
    direction: axes.map((axis) => dot(axis, direction)) as Triple,
  };
}

/** Returns the quaternion x, y, z, w that turns the axes of the world into others. */
export function quaternionOf([x, y, z]: GizmoFrame['axes']): [number, number, number, number] {
  const trace = x[0] + y[1] + z[2];
  if (trace > 0) {
    const root = 2 * Math.sqrt(trace + 1);
    return [(y[2] - z[1]) / root, (z[0] - x[2]) / root, (x[1] - y[0]) / root, root / 4];
  }
  if (x[0] > y[1] && x[0] > z[2]) {
    const root = 2 * Math.sqrt(1 + x[0] - y[1] - z[2]);
    return [root / 4, (y[0] + x[1]) / root, (z[0] + x[2]) / root, (y[2] - z[1]) / root];
  }
  if (y[1] > z[2]) {
    const root = 2 * Math.sqrt(1 + y[1] - x[0] - z[2]);
    return [(y[0] + x[1]) / root, root / 4, (z[1] + y[2]) / root, (z[0] - x[2]) / root];
  }
  const root = 2 * Math.sqrt(1 + z[2] - x[0] - y[1]);
  return [(z[0] + x[2]) / root, (z[1] + y[2]) / root, root / 4, (x[1] - y[0]) / root];
}
