import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCompressedFiles } from '../../../scripts/test-assets/compressed-files.mjs';
import { AssetError } from '../../core/errors.js';
import type { SceneDescription } from '../../proxy/scene-description.js';
import { type LoadDecoder, WasmBlocked } from '../decoders/decoders.js';
import { failure, gltfText, importDecoder, indicesOf, loadBytes, vertex } from '../testing/load-file.js';

const load = (name: string, bytes: Uint8Array) => loadBytes(name, bytes, { loadDecoder: importDecoder });

let files: Record<string, Uint8Array>;
beforeAll(async () => {
  files = await makeCompressedFiles();
});

/** Returns the corners of the first geometry, sorted by position, because compression may reorder vertices. */
function cornersOf(scene: SceneDescription): number[][] {
  const geometry = scene.geometries[0]!;
  const corners = indicesOf(geometry).map((index) => vertex(geometry, index));
  const key = (corner: readonly number[]) => corner.slice(0, 3).map((value) => Math.round(value * 500));
  return corners.sort((a, b) => {
    const [k, l] = [key(a), key(b)];
    return k[0]! - l[0]! || k[1]! - l[1]! || k[2]! - l[2]!;
  });
}

describe('compressed files', () => {
  it.each(['draco.glb', 'meshopt.glb', 'khr-meshopt.glb'])(
    '%s has the vertices of the plain file',
    async (name) => {
      const plain = cornersOf(await load('plain.glb', files['plain.glb']!));
      const scene = await load(name, files[name]!);
      expect(files[name]!.byteLength).toBeLessThan(files['plain.glb']!.byteLength * 0.75);
      expect(scene.warnings).toEqual([]);
      const corners = cornersOf(scene);
      expect(corners).toHaveLength(plain.length);
      let largest = 0;
      for (const [index, corner] of corners.entries()) {
        for (const [at, value] of corner.entries()) {
          largest = Math.max(largest, Math.abs(value - plain[index]![at]!));
        }
      }
      // Normals have 8 to 12 bits.
      expect(largest).toBeLessThan(0.02);
    },
  );

  it('are rejected with a remedy if there is no decoder, or if the page forbids it', async () => {
    const missing = await failure(loadBytes('draco.glb', files['draco.glb']!));
    expect(missing).toMatchObject({ code: 'extension-unsupported' });
    const blocked: LoadDecoder = async () => {
      const refuse = () => Promise.reject(new WasmBlocked("Add 'wasm-unsafe-eval'."));
      return { decodeMesh: refuse, decodeView: refuse } as never;
    };
    for (const name of ['draco.glb', 'meshopt.glb']) {
      const error = await failure(loadBytes(name, files[name]!, { loadDecoder: blocked }));
      expect(error).toMatchObject({ code: 'decoder-blocked' });
      expect(error.message).toContain("'wasm-unsafe-eval'");
    }
  });

  it.each<[string, string, object]>([
    ['bufferViews[0].extensions.EXT_meshopt_compression.mode', 'gltf-invalid', { mode: 'CIRCLES' }],
    ['bufferViews[0].extensions.EXT_meshopt_compression.filter', 'gltf-invalid', { filter: 'COFFEE' }],
    ['bufferViews[0].extensions.EXT_meshopt_compression', 'gltf-invalid', { byteStride: 3 }],
    ['bufferViews[0].extensions.EXT_meshopt_compression', 'accessor-out-of-bounds', { byteLength: 99 }],
    ['bufferViews[0].extensions.EXT_meshopt_compression', 'gltf-invalid', {}],
    ['bufferViews[0].extensions.EXT_meshopt_compression', 'asset-too-large', { count: 2 ** 40 }],
    ['bufferViews[0].extensions.EXT_meshopt_compression.buffer', 'gltf-invalid', { buffer: 7 }],
  ])('are rejected for a fault at %s: %s', async (jsonPath, code, wrong) => {
    const extension = { buffer: 0, byteLength: 4, byteStride: 4, count: 3, mode: 'ATTRIBUTES', ...wrong };
    const bufferViews = [{ buffer: 0, byteLength: 12, extensions: { EXT_meshopt_compression: extension } }];
    const accessors = [{ bufferView: 0, componentType: 5126, count: 1, type: 'VEC3' }];
    const meshes = [{ primitives: [{ attributes: { POSITION: 0 } }] }];
    const bytes = Uint8Array.of(1, 2, 3, 4);
    const error = await failure(load('m.gltf', gltfText({ bufferViews, accessors, meshes }, bytes)));
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(jsonPath);
    if (code === 'asset-too-large') return;
    // Without a mesh no geometry needs the bytes, so the fault is only a warning.
    const { warnings } = await load('m.gltf', gltfText({ bufferViews, accessors }, bytes));
    expect(warnings[0]).toContain(`"m.gltf", ${jsonPath}: `);
    expect(warnings[0]).toMatch(/ Parts that need it are left out\.$/);
  });

  it('are rejected with the primitive’s place if its data is not a mesh', async () => {
    const json = (attributes: object) => ({
      bufferViews: [{ buffer: 0, byteLength: 4 }],
      accessors: [{ componentType: 5126, type: 'VEC3', count: 3 }],
      meshes: [
        {
          primitives: [
            {
              attributes: { POSITION: 0 },
              extensions: { KHR_draco_mesh_compression: { bufferView: 0, attributes } },
            },
          ],
        },
      ],
      nodes: [{ mesh: 0 }],
    });
    for (const attributes of [{ POSITION: 0 }, { POSITION: -1 }]) {
      const error = await failure(load('d.gltf', gltfText(json(attributes), Uint8Array.of(68, 82, 65, 67))));
      expect(error).toMatchObject({ code: 'gltf-invalid' });
      expect(error.message).toContain('meshes[0].primitives[0].extensions.KHR_draco_mesh_compression');
    }
  });

  it('load, or are rejected with a typed error, whichever of their bytes are changed', async () => {
    const names = fc.constantFrom('draco.glb', 'meshopt.glb');
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(names, changes, async (name, given) => {
        const bytes = Uint8Array.from(files[name]!);
        // The compressed data follows the JSON.
        const data = 20 + new DataView(bytes.buffer).getUint32(12, true) + 8;
        for (const [at, value] of given) bytes[data + (at % (bytes.length - data))] = value;
        try {
          const { geometries } = await load(name, bytes);
          for (const { minimum } of geometries) expect(minimum.every(Number.isFinite)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(AssetError);
        }
      }),
      { numRuns: 300, seed: 20261123 },
    );
    // The decoders still work after that.
    for (const name of ['draco.glb', 'meshopt.glb'])
      expect((await load(name, files[name]!)).geometries[0]!.vertexCount).toBeGreaterThan(0);
  });
});
