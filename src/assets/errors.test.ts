import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTestAssets } from '../../scripts/make-test-assets.mjs';
import { AssetError } from '../core/errors.js';
import { failure, gltfText, importDecoder, loadBytes } from './testing/load-file.js';

const testAssets = makeTestAssets();
const loadTestAsset = (name: string) => loadBytes(name, testAssets[name]!);

/** A mesh that uses the first accessor. */
const MESH = { meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }] };

describe('bad files', () => {
  it.each([
    ['broken/truncated.glb', 'gltf-truncated', 'the GLB header'],
    ['broken/truncated.gltf', 'gltf-truncated', 'ends early'],
    ['broken/missing-buffer.gltf', 'resource-missing', 'nowhere.bin'],
    ['broken/bad-index.glb', 'indices-out-of-range', 'Element 7 is 9999, and there are 24 vertices'],
    ['broken/accessor-out-of-bounds.glb', 'accessor-out-of-bounds', 'accessors[0]'],
    ['broken/dangling-reference.glb', 'gltf-invalid', 'meshes[0].primitives[0].attributes.POSITION'],
    ['broken/required-extension.glb', 'extension-unsupported', 'ACME_teapots'],
    ['broken/cycle.gltf', 'gltf-invalid', 'among its own descendants'],
    ['broken/version-1.gltf', 'gltf-version-unsupported', '"1.0"'],
    ['broken/web-page.gltf', 'not-gltf', 'an HTML page'],
    ['broken/no-gltf.gltf', 'not-gltf', 'no "asset"'],
    ['broken/garbage.glb', 'not-gltf', 'neither like a .glb'],
    ['broken/empty.glb', 'not-gltf', 'empty'],
  ])('rejects %s with %s', async (name, code, text) => {
    const error = await failure(loadTestAsset(name));
    expect(error.code).toBe(code);
    expect(error.message).toContain(`"${name}"`);
    expect(error.message).toContain(text);
    expect(error.message).toMatch(/\.$/);
  });

  it('leaves out an invalid Basis Universal texture', async () => {
    const json = {
      extensionsRequired: ['KHR_texture_basisu'],
      images: [{ uri: 'data:image/ktx2;base64,q0tUWCAyMLsNChoKAAAAAAAAAAAAAAAA' }],
      textures: [{ extensions: { KHR_texture_basisu: { source: 0 } } }],
      materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
      nodes: [{ mesh: 0 }],
    };
    const scene = await loadBytes('b.gltf', gltfText(json, new Uint8Array(36)), {
      loadDecoder: importDecoder,
    });
    expect(scene.textures).toEqual([]);
    expect(scene.warnings.join()).toContain('The file ends here');
  });

  it.each<[string, object]>([
    ['nodes[0].translation', { nodes: [{ translation: [1, 2] }] }],
    ['nodes[0].scale[1]', { nodes: [{ scale: [1, '2', 3] }] }],
    ['nodes[2].children', { nodes: [{ children: [1] }, {}, { children: [1] }] }],
    ['scenes[0].nodes[0]', { scenes: [{ nodes: [4] }] }],
    ['nodes', { nodes: 3 }],
    ['accessors[0].count', { accessors: [{ componentType: 5126, type: 'VEC3', count: -1 }], ...MESH }],
    ['accessors[0].type', { accessors: [{ componentType: 5126, type: 'VEC9', count: 1 }], ...MESH }],
    [
      'bufferViews[0].buffer',
      {
        accessors: [{ componentType: 5126, type: 'VEC3', count: 1, bufferView: 0 }],
        bufferViews: [{}],
        ...MESH,
      },
    ],
    ['meshes[0].primitives[0].indices', { meshes: [{ primitives: [{ indices: 4 }] }] }],
    ['nodes[0].mesh', { nodes: [{ mesh: 1 }] }],
    ['buffers[0]', { buffers: [{ byteLength: 4 }] }],
    ['buffers[0]', { buffers: [{ byteLength: 4, uri: 'data:;base64,AA==' }] }],
  ])('names the place of the fault: %s', async (place, json) => {
    const error = await failure(loadBytes('place.gltf', gltfText(json)));
    expect(error.message).toContain(place);
    expect(['gltf-invalid', 'gltf-truncated']).toContain(error.code);
  });

  it('rejects positions that are not finite, and attributes of unequal counts', async () => {
    const floats = Float32Array.of(0, 0, 0, 1, Number.NaN, 0, 0, 1, 0);
    const json = (attributes: object) => ({
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [3, 2].map((count) => ({ bufferView: 0, componentType: 5126, count, type: 'VEC3' })),
      meshes: [{ primitives: [{ attributes }] }],
      nodes: [{ mesh: 0 }],
    });
    const load = (attributes: object) =>
      failure(loadBytes('n.gltf', gltfText(json(attributes), new Uint8Array(floats.buffer))));
    expect((await load({ POSITION: 0 })).message).toContain('Element 1 is not finite');
    expect((await load({ POSITION: 0, NORMAL: 1 })).message).toContain(
      "It has 2 elements, and the primitive's POSITION has 3",
    );
  });
});

describe('numbers beyond the range of 32-bit floats', () => {
  it.each([
    { translation: [1e308, 0, 0] },
    { scale: [1, -1e39, 1] },
    { matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1e308, 1] },
  ])('rejects a node with %j, and names the file and the node', async (node) => {
    const error = await failure(loadBytes('far.gltf', gltfText({ nodes: [node] })));
    expect(error).toMatchObject({ name: 'AssetError', code: 'gltf-invalid' });
    expect(error.message).toMatch(/^"far.gltf", nodes\[0\]: Its transform has -?1e\+(308|39)/);
  });
});

describe('a small file that needs much memory', () => {
  const base = {
    bufferViews: [{ buffer: 0, byteLength: 1200000 }],
    nodes: [{ mesh: 0 }],
  };
  const accessor = { bufferView: 0, componentType: 5126, count: 100000, type: 'VEC3' };
  const buffer = new Uint8Array(1200000);

  it('is rejected if its accessors reference the same bytes many times', async () => {
    const json = { ...base, accessors: new Array(1800).fill(accessor) };
    const error = await failure(loadBytes('large.gltf', gltfText(json, buffer)));
    expect(error.code).toBe('asset-too-large');
    // 2 GiB hold 1789 times 1,200,000 bytes.
    expect(error.message).toContain('accessors[1789]');
  });

  it('is rejected if its accessors without data need the memory', async () => {
    const claim = (count: number) =>
      loadBytes('zero.gltf', gltfText({ accessors: [{ componentType: 5126, type: 'VEC4', count }] }));
    expect((await failure(claim(2 ** 24 + 1))).code).toBe('asset-too-large');
    expect((await claim(16)).warnings).toEqual([]);
  });

  it('shares one geometry between primitives that differ only in unused attributes', async () => {
    const primitives = Array.from({ length: 50 }, (_, i) => ({
      attributes: { POSITION: 0, [`_UNUSED_${i}`]: 0 },
    }));
    const json = { ...base, accessors: [accessor], meshes: [{ primitives }] };
    const scene = await loadBytes('shared.gltf', gltfText(json, buffer));
    expect(scene.nodes[0]!.primitives).toHaveLength(50);
    expect(scene.geometries).toHaveLength(1);
  });
});

describe('hostile input', () => {
  const names = Object.keys(testAssets).filter((name) => /\.(glb|gltf)$/.test(name));

  async function loadsOrFails(bytes: Uint8Array): Promise<void> {
    try {
      const scene = await loadBytes('fuzz.glb', bytes);
      for (const node of scene.nodes) {
        expect(node.parent).toBeLessThan(scene.nodes.length);
        expect(node.transform.every(Number.isFinite)).toBe(true);
      }
    } catch (error) {
      expect(error).toBeInstanceOf(AssetError);
    }
  }

  it('either loads or causes an AssetError, if bytes are changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        async (name, changes) => {
          const bytes = Uint8Array.from(testAssets[name] ?? []);
          for (const [position, value] of changes) bytes[position % Math.max(1, bytes.length)] = value;
          await loadsOrFails(bytes);
        },
      ),
      { numRuns: 400, seed: 20 },
    );
  });

  it('either loads or causes an AssetError, if the file is cut at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.nat(), async (name, length) => {
        const bytes = testAssets[name] ?? new Uint8Array();
        await loadsOrFails(bytes.slice(0, length % Math.max(1, bytes.length)));
      }),
      { numRuns: 300, seed: 21 },
    );
  });

  const files = names.filter((name) => name.endsWith('.glb') && !name.startsWith('broken/'));
  const odd = fc.oneof(
    fc.constantFrom(null, -1, 0.5, 1e9, 1e300, 4294967295, '', 'x', '__proto__', true),
    fc.constantFrom([], {}, [null], [[]], { toString: 1 }, ['a'], [1e9]),
    fc.nat(20),
  );

  it('either loads or causes an AssetError, if values in the JSON are replaced', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(fc.tuple(fc.nat(), odd), { minLength: 1, maxLength: 3 }),
        async (name, changes) => {
          const { json, binary } = openGlb(testAssets[name] ?? new Uint8Array());
          for (const [choice, value] of changes) {
            const places = placesOf(json);
            const place = places[choice % places.length];
            if (place) place.holder[place.key] = structuredClone(value);
          }
          const { asset, ...rest } = json;
          await loadsOrFails(gltfText({ ...rest, ...(asset ? { asset } : {}) }, binary));
        },
      ),
      { numRuns: 800, seed: 22 },
    );
  });

  it('loads if its geometry does not need the replaced value', async () => {
    const optional = new Set(
      ['animations', 'cameras', 'extensions', 'images', 'materials', 'samplers', 'skins', 'textures'].concat([
        'camera',
        'material',
        'scene',
        'skin',
        'targets',
        'weights',
      ]),
    );
    const isOptional = ({ path }: Place) =>
      path.some((key) => optional.has(key)) && !path.some((key) => /compression$/.test(key));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), fc.nat(), odd, async (name, choice, value) => {
        const { json, binary } = openGlb(testAssets[name] ?? new Uint8Array());
        const places = placesOf(json).filter(isOptional);
        const place = places[choice % places.length];
        if (!place) return;
        place.holder[place.key] = structuredClone(value);
        const options = { loadDecoder: importDecoder };
        const scene = await loadBytes('fuzz.gltf', gltfText(json, binary), options).catch(
          (error: AssetError) => {
            throw new Error(`${name}, ${place.path.join('.')} = ${JSON.stringify(value)}`, { cause: error });
          },
        );
        expect(scene.nodes.length).toBeGreaterThan(0);
      }),
      { numRuns: 600, seed: 104 },
    );
  });
});

type Holder = Record<string, unknown>;

function openGlb(bytes: Uint8Array): { json: Holder; binary: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
  delete json.buffers;
  return { json, binary: bytes.slice(28 + length) };
}

interface Place {
  readonly holder: Holder;
  readonly key: string;
  readonly path: readonly string[];
}

function placesOf(value: unknown, before: readonly string[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((key) => {
    const path = [...before, key];
    return [{ holder, key, path }, ...placesOf(holder[key], path)];
  });
}
