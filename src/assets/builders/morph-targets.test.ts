import { describe, expect, it } from 'vitest';
import { gltfText, loadBytes } from '../testing/load-file.js';

/**
 * Loads a triangle with one morph target. Accessor 2 has `count` elements, and accessors 0, 1 and 3 have three.
 */
async function load(target: object, options: { normals?: boolean; extras?: object; count?: number } = {}) {
  const { normals = false, extras, count = 3 } = options;
  const floats = Float32Array.of(
    ...[0, 0, 0, 1, 0, 0, 0, 1, 0],
    ...[0, 0, 1, 0, 0, 1, 0, 0, 1],
    // The third corner moves down and towards +Z, so that the triangle faces down.
    ...[0, 0, 0, 0, 0, 0, 0, -1, 1],
    ...[Number.NaN, 0, 0, 0, 0, 0, 0, 0, 0],
  );
  const vec3 = (bufferView: number, count: number) => ({
    bufferView,
    componentType: 5126,
    count,
    type: 'VEC3',
  });
  const json = {
    bufferViews: [0, 36, 72, 108].map((byteOffset) => ({ buffer: 0, byteOffset, byteLength: 36 })),
    accessors: [vec3(0, 3), vec3(1, 3), vec3(2, count), vec3(3, 3)],
    meshes: [
      {
        primitives: [{ attributes: { POSITION: 0, ...(normals && { NORMAL: 1 }) }, targets: [target] }],
        ...(extras && { extras }),
      },
    ],
    nodes: [{ mesh: 0 }],
  };
  const scene = await loadBytes('t.gltf', gltfText(json, new Uint8Array(floats.buffer)));
  const geometry = scene.geometries[0]!;
  return { geometry, morph: geometry.morph!, node: scene.nodes[0]!, warnings: scene.warnings };
}

describe('morph targets', () => {
  it('move positions and normals of vertices that have normals', async () => {
    const { morph, node, warnings } = await load({ POSITION: 2, NORMAL: 1 }, { normals: true });
    expect(morph.size).toBe(6);
    expect([...new Float32Array(morph.deltas)]).toEqual([
      ...[0, 0, 0, 0, 0, 1],
      ...[0, 0, 0, 0, 0, 1],
      ...[0, -1, 1, 0, 0, 1],
    ]);
    expect([...morph.boxes]).toEqual([0, -1, 0, 0, 0, 1]);
    expect(node.weights).toEqual([0]);
    expect(warnings).toEqual([]);
  });

  it('leave flat normals to the shader, which detects them by their length', async () => {
    const { morph, geometry } = await load({ POSITION: 2, NORMAL: 1 });
    const [deltas, vertices] = [new Float32Array(morph.deltas), new Float32Array(geometry.data)];
    for (let corner = 0; corner < 3; corner++) {
      expect([...deltas.subarray(corner * 6 + 3, corner * 6 + 6)]).toEqual([0, 0, 0]);
      expect([...vertices.subarray(corner * 8 + 3, corner * 8 + 6)]).toEqual([0, 0, 2 ** 20]);
    }
  });

  it('take their names from the file, and without names have numbers as names', async () => {
    expect((await load({ POSITION: 2 }, { extras: { targetNames: ['smile'] } })).morph.names).toEqual([
      'smile',
    ]);
    expect((await load({ POSITION: 2 })).morph.names).toEqual(['0']);
  });

  it.each<[string, object, number]>([
    [
      "targets[0].POSITION: It has 2 elements, and the primitive's POSITION has 3. It has no effect.",
      { POSITION: 2 },
      2,
    ],
    ['targets[0].POSITION: It has a number that is not finite. It has no effect.', { POSITION: 3 }, 3],
    [
      'targets[0].POSITION: It refers to accessors[9], and there are 4 accessors. It is left out.',
      { POSITION: 9 },
      3,
    ],
  ])('have no effect if they are faulty: %s', async (text, target, count) => {
    const { geometry, morph, node, warnings } = await load(target, { count });
    expect(geometry.vertexCount).toBe(3);
    expect(node.weights).toEqual([0]);
    expect(new Set(new Float32Array(morph.deltas))).toEqual(new Set([0]));
    expect(warnings).toEqual([`"t.gltf", meshes[0].primitives[0].${text}`]);
  });
});
