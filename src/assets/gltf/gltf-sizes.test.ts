import { PlatformIO } from '@gltf-transform/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeTestAssets } from '../../../scripts/make-test-assets.mjs';
import { gltfText, loadBytes } from '../testing/load-file.js';
import { GltfChecks, type JsonObject } from './gltf-checks.js';
import { checkGeometrySizes, geometrySizes } from './gltf-sizes.js';

afterEach(() => vi.restoreAllMocks());

const testAssets = makeTestAssets();

/** Returns the parsed JSON chunk of a .glb. */
function jsonOf(glb: Uint8Array): JsonObject {
  const length = new DataView(glb.buffer, glb.byteOffset).getUint32(12, true);
  return JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
}

describe('the predicted sizes of a file', () => {
  it.each(Object.keys(testAssets).filter((name) => /^[^/]+\.glb$/.test(name)))(
    'equal the bytes of the built geometries: %s',
    async (name) => {
      const bytes = testAssets[name]!;
      const { geometries } = await loadBytes(name, bytes);
      const predicted = [...geometrySizes(jsonOf(bytes), new GltfChecks(name))].map(([, size]) => size);
      const built = geometries.map(({ data, morph }) => data.byteLength + (morph?.deltas.byteLength ?? 0));
      expect(predicted.filter((size) => size > 0).sort()).toEqual(built.sort());
    },
  );

  it('include morph targets, so that a small file that references one target many times is rejected', () => {
    const accessors = [3, 3].map(() => ({ componentType: 5126, count: 100_000, type: 'VEC3' }));
    const primitive = {
      attributes: { POSITION: 0, NORMAL: 1 },
      targets: new Array(200).fill({ POSITION: 0 }),
    };
    const json = { accessors, meshes: [{ primitives: [primitive] }], nodes: [{ mesh: 0 }] };
    const [[, bytes = 0] = []] = [...geometrySizes(json, new GltfChecks('m.gltf'))];
    expect(bytes).toBe(100_000 * (32 + 200 * 24));
    const primitives = Array.from({ length: 5 }, (_, mode) => ({ ...primitive, mode }));
    const many = { ...json, meshes: [{ primitives }] };
    expect(() => checkGeometrySizes(many, new GltfChecks('m.gltf'))).toThrow(
      expect.objectContaining({ code: 'asset-too-large' }),
    );
  });

  it('reject a file of 12 MB with 150 times a million vertices before it is parsed', async () => {
    const count = 1_000_000;
    const times = 150;
    const accessor = { bufferView: 0, componentType: 5126, count, type: 'VEC3' };
    const json = {
      bufferViews: [{ buffer: 0, byteLength: count * 12 }],
      accessors: new Array(times).fill(accessor),
      meshes: [
        { primitives: Array.from({ length: times }, (_, index) => ({ attributes: { POSITION: index } })) },
      ],
      nodes: [{ mesh: 0 }],
    };
    const parse = vi.spyOn(PlatformIO.prototype, 'readJSON');
    const load = loadBytes('bomb.gltf', gltfText(json, new Uint8Array(count * 12)));
    // 2 GiB hold 67 times 999,999 corners of 32 bytes.
    await expect(load).rejects.toMatchObject({
      code: 'asset-too-large',
      message: expect.stringMatching(/"bomb.gltf", meshes\[0\].primitives\[67\]: /),
    });
    expect(parse).not.toHaveBeenCalled();
  });

  it('reject a geometry of more than 1 GiB, because it could not be sent to another thread', async () => {
    const json = {
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' },
        { componentType: 5125, count: 40_000_000, type: 'SCALAR' },
      ],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
      nodes: [{ mesh: 0 }],
    };
    await expect(loadBytes('one.gltf', gltfText(json, new Uint8Array(36)))).rejects.toMatchObject({
      code: 'asset-too-large',
      message: expect.stringContaining('1 GiB'),
    });
  });
});
