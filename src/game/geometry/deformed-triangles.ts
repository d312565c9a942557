import { VertexFormat, vertexAttributeOffset } from '../../proxy/geometry/vertex-format.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';
import { type TriangleSource, trianglesOf } from './triangles.js';

const ROWS = 12;
const JOINTS_PER_VERTEX = 4;

interface DeformedTriangles {
  readonly source: TriangleSource;
  readonly isMirrored: boolean;
}

/** Returns the triangles of a mesh after morphing and skinning, in world space; null if the mesh has none. */
export function deformedTriangles(component: PrimitiveComponent): DeformedTriangles | null {
  const { geometry, skin, morph } = component;
  const rest = trianglesOf(geometry);
  if (!rest) return null;
  const { corners, stride } = rest;
  // World positions need 64 bits.
  const floats = new Float64Array(rest.floats);
  const count = floats.length / stride;
  if (morph && geometry.morph) {
    const { deltas, size } = geometry.morph;
    const moves = new Float32Array(deltas);
    morph.shown.forEach((weight, target) => {
      if (weight === 0) return;
      for (let vertex = 0; vertex < count; vertex++) {
        for (let axis = 0; axis < 3; axis++) {
          const delta = moves[(target * count + vertex) * size + axis] as number;
          floats[vertex * stride + axis] = (floats[vertex * stride + axis] as number) + weight * delta;
        }
      }
    });
  }
  const isSkinned = skin !== null && (geometry.vertexFormat & VertexFormat.joints) !== 0;
  const rows = isSkinned ? skin.palette() : rowsOf(component);
  const jointsAt = vertexAttributeOffset(geometry.vertexFormat, VertexFormat.joints);
  const halves = new Uint16Array(geometry.data);
  const weights = new Float32Array(geometry.data);
  for (let vertex = 0; vertex < count; vertex++) {
    const at = vertex * stride;
    const [x, y, z] = [floats[at] as number, floats[at + 1] as number, floats[at + 2] as number];
    const joints = at * 2 + jointsAt / 2;
    for (let row = 0; row < 3; row++) {
      let sum = 0;
      for (let influence = 0; influence < (isSkinned ? JOINTS_PER_VERTEX : 1); influence++) {
        const from = (isSkinned ? (halves[joints + influence] as number) : 0) * ROWS + row * 4;
        const weight = isSkinned ? (weights[at + jointsAt / 4 + 2 + influence] as number) : 1;
        const place =
          (rows[from] as number) * x + (rows[from + 1] as number) * y + (rows[from + 2] as number) * z;
        sum += weight * (place + (rows[from + 3] as number));
      }
      floats[at + row] = sum;
    }
  }
  return { source: { corners, floats, stride }, isMirrored: isMirrored(rows) };
}

/** Returns three rows of the world-from-mesh matrix. */
function rowsOf(component: PrimitiveComponent): Float64Array {
  const m = component.worldFromLocal([]);
  return Float64Array.from(
    { length: ROWS },
    (_, index) => m[(index % 4) * 4 + Math.floor(index / 4)] as number,
  );
}

/**
 * Returns whether the first three rows mirror. These rows decide for all joints, because a skin mirrors as a whole or
 * not at all.
 */
function isMirrored(m: Float64Array): boolean {
  const at = (index: number): number => m[index] as number;
  return (
    at(0) * (at(5) * at(10) - at(6) * at(9)) -
      at(1) * (at(4) * at(10) - at(6) * at(8)) +
      at(2) * (at(4) * at(9) - at(5) * at(8)) <
    0
  );
}
