import { describe, expect, it } from 'vitest';
import { AssetError } from '../core/errors.js';
import { gltfText, loadBytes } from './test-support.js';

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

  it('becomes a dielectric of its diffuse colour, or a metal of its specular one', async () => {
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

  it('names a map that it leaves out', async () => {
    const { warnings, metallic } = await materialOf({ specularGlossinessTexture: { index: 0 } });
    expect(warnings.join()).toContain('materials[0].extensions.KHR_materials_pbrSpecularGlossiness');
    expect(metallic).toBe(0);
  });
});

describe('bad input of extensions', () => {
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
    [`${INSTANCING}.attributes.SCALE`, 'other counts', instancing({ TRANSLATION: 0, SCALE: 1 })],
    [`${INSTANCING}.attributes.ROTATION`, 'components', instancing({ ROTATION: 0 })],
    [`${INSTANCING}.attributes.TRANSLATION`, 'nothing', instancing({ TRANSLATION: 9 })],
    [INSTANCING, 'no object', withNode({ EXT_mesh_gpu_instancing: 3 })],
    ['nodes[0].extensions.KHR_node_visibility', 'no object', withNode({ KHR_node_visibility: null })],
    [`${VARIANTS}.mappings[0].material`, 'no material', variants({ material: 4, variants: [0] })],
    [`${VARIANTS}.mappings[0].variants[0]`, 'no variant', variants({ material: 0, variants: [1] })],
  ])('%s names %s', async (place, _what, json) => {
    const error = await failure(json, TRIANGLE);
    expect(error.code).toBe('gltf-invalid');
    expect(error.message).toContain(place);
  });

  it('refuses more instances than can be shown', async () => {
    const accessors = [{ componentType: 5126, count: 1_000_001, type: 'VEC3' }];
    const json = {
      accessors,
      nodes: [{ extensions: { EXT_mesh_gpu_instancing: { attributes: { SCALE: 0 } } } }],
    };
    expect(await failure(json)).toMatchObject({ code: 'asset-too-large' });
  });
});
