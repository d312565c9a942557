import { describe, expect, it } from 'vitest';
import { AssetError } from '../../core/errors.js';
import { gltfText, loadBytes } from '../testing/load-file.js';

const near = (numbers: readonly number[]) => numbers.map((value) => expect.closeTo(value, 4));

const failure = (json: object, bytes?: Uint8Array): Promise<AssetError> =>
  loadBytes('e.gltf', gltfText(json, bytes)).then(
    () => expect.fail('It loaded.'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(AssetError);
      return error as AssetError;
    },
  );

const TRIANGLE = new Uint8Array(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer);
const POINTS = {
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  accessors: [
    { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' },
    { bufferView: 0, componentType: 5126, count: 2, type: 'VEC3' },
  ],
};

describe('KHR_materials_pbrSpecularGlossiness', () => {
  const materialOf = async (extension: object) => {
    const json = {
      ...POINTS,
      materials: [{ extensions: { KHR_materials_pbrSpecularGlossiness: extension } }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
      nodes: [{ mesh: 0 }],
    };
    const { materials, warnings } = await loadBytes('s.gltf', gltfText(json, TRIANGLE));
    return { ...materials[0]!, warnings };
  };

  it('becomes a dielectric of the diffuse colour, or a metal of the specular colour', async () => {
    const plastic = await materialOf({
      diffuseFactor: [0.2, 0.4, 0.6, 0.5],
      specularFactor: [0.04, 0.04, 0.04],
      glossinessFactor: 0.25,
    });
    expect(plastic.metallic).toBeCloseTo(0, 4);
    expect(plastic.baseColor).toEqual(near([0.2, 0.4, 0.6, 0.5]));
    expect(plastic.roughness).toBeCloseTo(0.75);
    const gold = await materialOf({ diffuseFactor: [0, 0, 0, 1], specularFactor: [1, 0.77, 0.34] });
    expect(gold.metallic).toBeCloseTo(1, 4);
    expect(gold.baseColor).toEqual(near([1, 0.77, 0.34, 1]));
    expect(gold.roughness).toBe(0);
    expect(gold.warnings).toEqual([]);
  });

  it('warns of a map that is left out', async () => {
    const { warnings, metallic } = await materialOf({ specularGlossinessTexture: { index: 0 } });
    expect(warnings.join()).toContain('materials[0].extensions.KHR_materials_pbrSpecularGlossiness');
    expect(metallic).toBe(0);
  });
});

describe('MSFT_lod', () => {
  const withLods = (node: object, nodes: readonly object[] = []) => ({
    ...POINTS,
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    nodes: [
      { mesh: 0, scale: [2, 2, 2], children: [2], ...node },
      { mesh: 0, name: 'coarse' },
      { mesh: 0, translation: [4, 0, 0] },
      ...nodes,
    ],
    scenes: [{ nodes: [0] }],
  });
  const load = (json: object) => loadBytes('l.gltf', gltfText(json, TRIANGLE));

  it('replaces a node and its children with coarser nodes', async () => {
    const lod = { extensions: { MSFT_lod: { ids: [1] } }, extras: { MSFT_screencoverage: [0.5, 0.7] } };
    const { nodes, warnings } = await load(withLods(lod));
    expect(warnings).toEqual([]);
    expect(nodes.map(({ name, parent, lod: at }) => [name, parent, at?.level])).toEqual([
      ['nodes[0]', -1, 0],
      ['coarse', -1, 1],
      ['nodes[2]', 0, 0],
    ]);
    const { group } = nodes[2]!.lod!;
    expect(nodes[1]!.lod!.group).toBe(group);
    // No size is larger than the size before it. The sphere encloses the triangles of the finest level, in the space
    // of its base node.
    expect(group).toEqual({ base: 0, sizes: [0.5, 0.5], sphere: [2.5, 0.5, 0, Math.hypot(2.5, 0.5)] });
  });

  it('shows the finest level if sizes are missing, with a warning', async () => {
    const { nodes, warnings } = await load(withLods({ extensions: { MSFT_lod: { ids: [1] } } }));
    expect(nodes.map(({ lod }) => lod)).toEqual([undefined, undefined]);
    expect(warnings.join()).toContain('nodes[0]: It has no extras.MSFT_screencoverage');
  });

  it('keeps a level that is also part of the scene in its place, and adds no level twice', async () => {
    const lod = { extensions: { MSFT_lod: { ids: [2, 1, 1] } }, extras: { MSFT_screencoverage: [1] } };
    const { nodes } = await load(withLods(lod));
    expect(nodes.map(({ name, lod: at }) => [name, at?.level])).toEqual([
      ['nodes[0]', 0],
      ['coarse', 3],
      ['nodes[2]', 1],
    ]);
  });
});

describe('bad input of extensions', () => {
  const lods = (ids: unknown, coverage: unknown = [1]) => ({
    ...POINTS,
    nodes: [{ extensions: { MSFT_lod: { ids } }, extras: { MSFT_screencoverage: coverage } }, {}],
  });
  const withNode = (extensions: object) => ({ ...POINTS, nodes: [{ extensions }] });
  const instancing = (attributes: object) => withNode({ EXT_mesh_gpu_instancing: { attributes } });
  const INSTANCING = 'nodes[0].extensions.EXT_mesh_gpu_instancing';
  const VARIANTS = 'meshes[0].primitives[0].extensions.KHR_materials_variants';
  const variants = (mapping: object) => ({
    ...POINTS,
    extensions: { KHR_materials_variants: { variants: [{ name: 'a' }] } },
    materials: [{}],
    meshes: [
      {
        primitives: [
          {
            attributes: { POSITION: 0 },
            extensions: { KHR_materials_variants: { mappings: [mapping] } },
          },
        ],
      },
    ],
    nodes: [{ mesh: 0 }],
  });

  it.each<[string, string, object]>([
    [`${INSTANCING}.attributes.SCALE`, 'unequal counts', instancing({ TRANSLATION: 0, SCALE: 1 })],
    [`${INSTANCING}.attributes.ROTATION`, 'too few components', instancing({ ROTATION: 0 })],
    [`${INSTANCING}.attributes.TRANSLATION`, 'a missing accessor', instancing({ TRANSLATION: 9 })],
    ['nodes[0].extensions.MSFT_lod.ids[0]', 'a missing node', lods([7])],
    ['nodes[0].extensions.MSFT_lod.ids', 'a number instead of a list', lods(3)],
    ['nodes[0].extras.MSFT_screencoverage[1]', 'text instead of a number', lods([1], [1, 'half'])],
    [INSTANCING, 'a number instead of an object', withNode({ EXT_mesh_gpu_instancing: 3 })],
    [
      'nodes[0].extensions.KHR_node_visibility',
      'null instead of an object',
      withNode({ KHR_node_visibility: null }),
    ],
    [`${VARIANTS}.mappings[0].material`, 'a missing material', variants({ material: 4, variants: [0] })],
    [`${VARIANTS}.mappings[0].variants[0]`, 'a missing variant', variants({ material: 0, variants: [1] })],
  ])('leaves out %s with a warning because of %s', async (jsonPath, _what, json) => {
    const { nodes, warnings } = await loadBytes('e.gltf', gltfText(json, TRIANGLE));
    const { instances, lod, isHidden } = nodes[0]!;
    expect([instances, lod, isHidden]).toEqual([undefined, undefined, undefined]);
    for (const { variants } of nodes[0]!.primitives) expect(variants).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`"e.gltf", ${jsonPath}: It`);
  });

  it('rejects more instances than the limit', async () => {
    const accessors = [{ componentType: 5126, count: 1_000_001, type: 'VEC3' }];
    const json = {
      accessors,
      nodes: [{ extensions: { EXT_mesh_gpu_instancing: { attributes: { SCALE: 0 } } } }],
    };
    expect(await failure(json)).toMatchObject({ code: 'asset-too-large' });
  });
});
