import { describe, expect, it } from 'vitest';
import { VertexFormat, vertexAttributeOffset, vertexStride } from '../../proxy/geometry/vertex-format.js';
import { gltfText, loadBytes } from '../testing/load-file.js';
import { jointBoxes, writeJoints } from './joint-attributes.js';

/**
 * Returns a file with one triangle and a skin.
 * @param sets joints and weights: four of each per vertex and set
 * @param jointCount number of joints of the skin
 */
function triangle(
  sets: readonly (readonly [joints: number[], weights: number[]])[],
  jointCount = 8,
  bindMatrices: readonly number[] = [],
): Uint8Array {
  const positions = [0, 0, 0, 1, 0, 0, 0, 1, 0];
  const floats = [...positions, ...sets.flatMap(([joints, weights]) => [...joints, ...weights])];
  const matricesAt = floats.length * 4;
  for (const value of bindMatrices) floats.push(value);
  const bytes = new Uint8Array(new Float32Array(floats).buffer);
  const halves = new Uint8Array(new Uint16Array(sets.flatMap(([joints]) => joints)).buffer);
  const all = new Uint8Array(bytes.length + halves.length);
  all.set(bytes);
  all.set(halves, bytes.length);
  const accessors: object[] = [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }];
  const attributes: Record<string, number> = { POSITION: 0 };
  sets.forEach((_, set) => {
    attributes[`JOINTS_${set}`] = accessors.length;
    accessors.push({ bufferView: 1, byteOffset: set * 24, componentType: 5123, count: 3, type: 'VEC4' });
    attributes[`WEIGHTS_${set}`] = accessors.length;
    accessors.push({
      bufferView: 0,
      byteOffset: 36 + set * 96 + 48,
      componentType: 5126,
      count: 3,
      type: 'VEC4',
    });
  });
  const hasMatrices = bindMatrices.length > 0;
  const inverseBindMatrices = accessors.length;
  if (hasMatrices) {
    const count = bindMatrices.length / 16;
    accessors.push({ bufferView: 0, byteOffset: matricesAt, componentType: 5126, count, type: 'MAT4' });
  }
  const joints = Array.from({ length: jointCount }, (_, index) => index + 1);
  return gltfText(
    {
      bufferViews: [
        { buffer: 0, byteLength: bytes.length },
        { buffer: 0, byteOffset: bytes.length, byteLength: halves.length },
      ],
      accessors,
      meshes: [{ primitives: [{ attributes }] }],
      skins: [{ joints, ...(hasMatrices && { inverseBindMatrices }) }],
      nodes: [{ mesh: 0, skin: 0 }, ...joints.map(() => ({}))],
    },
    all,
  );
}

const ONE = [1, 0, 0, 0];

describe('vertices with joints', () => {
  it('have weights that add up to 1, and follow the first joint if they have none', async () => {
    const joints = [1, 2, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0];
    const { geometries, skins } = await loadBytes(
      'x.gltf',
      triangle([[joints, [2, 6, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0]]]),
    );
    const { data, vertexFormat, jointBoxes: boxes } = geometries[0]!;
    expect(vertexFormat & VertexFormat.joints).toBe(VertexFormat.joints);
    const offset = vertexAttributeOffset(vertexFormat, VertexFormat.joints);
    const vertices = [0, 1, 2].map((vertex) => {
      const at = vertex * vertexStride(vertexFormat) + offset;
      return [...new Uint16Array(data, at, 4), ...new Float32Array(data, at + 8, 4)];
    });
    expect(vertices).toEqual([
      [2, 1, 0, 0, 0.75, 0.25, 0, 0],
      [3, 0, 0, 0, 1, 0, 0, 0],
      [0, 0, 0, 0, 1, 0, 0, 0],
    ]);
    expect(boxes!.length).toBe(4 * 6);
    expect(skins[0]!.matrices.slice(0, 12)).toEqual(new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]));
  });

  it('keep the four strongest joints if they have more', async () => {
    const first = [1, 2, 3, 4, ...ONE.map(() => 0), ...ONE.map(() => 0)];
    const second = [5, 6, 7, 0, ...ONE.map(() => 0), ...ONE.map(() => 0)];
    const { geometries } = await loadBytes(
      'x.gltf',
      triangle([
        [first, [0.1, 0.2, 0.05, 0.05, ...ONE, ...ONE]],
        [second, [0.4, 0.1, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
      ]),
    );
    const { data, vertexFormat } = geometries[0]!;
    const at = vertexAttributeOffset(vertexFormat, VertexFormat.joints);
    expect([...new Uint16Array(data, at, 4)]).toEqual([5, 2, 1, 6]);
    const sum = new Float32Array(data, at + 8, 4).reduce((total, weight) => total + weight, 0);
    expect(sum).toBeCloseTo(1, 6);
  });

  it('are shown without a skin if the skin lacks one of their joints', async () => {
    const joints = [1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
    const scene = await loadBytes('x.gltf', triangle([[joints, [...ONE, ...ONE, ...ONE]]]));
    expect(scene.nodes[0]).toMatchObject({ primitives: [{ geometry: 0 }] });
    expect(scene.nodes[0]!.skin).toBeUndefined();
    expect(scene.warnings).toEqual([
      '"x.gltf", the mesh of "nodes[0]": A vertex uses joint 9, but its skin has 8 joints. It is shown without its skin.',
    ]);
  });

  it('ignore weights that are negative or not finite', async () => {
    const joints = [1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0];
    const weights = [...[-3, 2, 0, 0], ...[Number.NaN, 1, 0, 0], ...[-1, -1, 0, 0]];
    const { geometries } = await loadBytes('x.gltf', triangle([[joints, weights]]));
    const { data, vertexFormat } = geometries[0]!;
    const offset = vertexAttributeOffset(vertexFormat, VertexFormat.joints);
    const firsts = [0, 1, 2].map((vertex) => {
      const at = vertex * vertexStride(vertexFormat) + offset;
      return [new Uint16Array(data, at, 1)[0], ...new Float32Array(data, at + 8, 4)];
    });
    expect(firsts).toEqual([
      [2, 1, 0, 0, 0],
      [2, 1, 0, 0, 0],
      [0, 1, 0, 0, 0],
    ]);
  });

  it('may have 10,000 joints, and singular bind matrices', async () => {
    const count = 10_000;
    const joints = [9999, 0, 0, 0, 5000, 0, 0, 0, 0, 0, 0, 0];
    const flat = Array.from({ length: count * 16 }, () => 0);
    const scene = await loadBytes('x.gltf', triangle([[joints, [...ONE, ...ONE, ...ONE]]], count, flat));
    expect(scene.warnings).toEqual([]);
    expect(scene.skins[0]!.joints).toHaveLength(count);
    expect(scene.skins[0]!.matrices).toEqual(new Float32Array(count * 12));
  });

  it('are shown without a skin if the bind matrices are too few or not finite', async () => {
    const joints = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
    const one = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const load = (count: number, matrices: readonly number[]) =>
      loadBytes('x.gltf', triangle([[joints, [...ONE, ...ONE, ...ONE]]], count, matrices));
    const few = await load(8, one);
    expect([few.skins, few.nodes[0]!.skin]).toEqual([[], undefined]);
    expect(few.warnings).toEqual([
      '"x.gltf", skins[0].inverseBindMatrices: It has 1 matrices for 8 joints. The skin is left out.',
    ]);
    const notFinite = await load(1, one.with(5, Number.NaN));
    expect(notFinite.skins).toEqual([]);
    expect(notFinite.warnings).toEqual([expect.stringContaining('not finite. The skin is left out.')]);
  });

  it('lie in the boxes of their joints', () => {
    const attributes = {
      joints: new Uint16Array([0, 2, 0, 0, 2, 0, 0, 0]),
      weights: new Float32Array([0.5, 0.5, 0, 0, 1, 0, 0, 0]),
      jointCount: 3,
    };
    const boxes = jointBoxes(new Float32Array([1, 2, 3, 3, 4, 5]), attributes);
    expect([...boxes]).toEqual([1, 2, 3, 0, 0, 0, -1, -1, -1, -1, -1, -1, 2, 3, 4, 1, 1, 1]);
    const vertexFormat = VertexFormat.joints;
    const data = new ArrayBuffer(vertexStride(vertexFormat) * 3);
    writeJoints({ data, vertexFormat }, attributes, [1, 0, 1]);
    const at = vertexAttributeOffset(vertexFormat, VertexFormat.joints);
    expect(
      [0, 1, 2].map((vertex) => new Uint16Array(data, vertex * vertexStride(vertexFormat) + at, 2)[1]),
    ).toEqual([0, 2, 0]);
  });
});
