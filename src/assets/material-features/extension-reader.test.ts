import { describe, expect, it } from 'vitest';
import { gltfText, loadBytes } from '../testing/load-file.js';

const TRIANGLE = new Uint8Array(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer);
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

async function load(extensions: Record<string, unknown>) {
  const json = {
    extensionsUsed: Object.keys(extensions),
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
    images: [{ uri: PIXEL }],
    textures: [{ source: 0 }],
    materials: [{ extensions }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    nodes: [{ mesh: 0 }],
  };
  const { materials, warnings } = await loadBytes('m.gltf', gltfText(json, TRIANGLE));
  return { material: materials[0]!, warnings };
}

describe('material extensions whose values are all in one object', () => {
  it('are read with all values and textures, and without a warning', async () => {
    const { material, warnings } = await load({
      KHR_materials_ior: { ior: 1.33 },
      KHR_materials_specular: { specularFactor: 0.25, specularColorFactor: [1, 0.5, 0] },
      KHR_materials_anisotropy: { anisotropyStrength: 0.75, anisotropyRotation: -2 },
      KHR_materials_iridescence: {
        iridescenceFactor: 0.5,
        iridescenceIor: 1.8,
        iridescenceThicknessMinimum: 200,
        iridescenceThicknessMaximum: 900,
      },
      KHR_materials_clearcoat: {
        clearcoatFactor: 1,
        clearcoatRoughnessFactor: 0.125,
        clearcoatTexture: { index: 0 },
        clearcoatNormalTexture: { index: 0, scale: 2, texCoord: 1 },
      },
    });
    expect(warnings).toEqual([]);
    expect(material).toMatchObject({
      ior: 1.33,
      specular: 0.25,
      specularColor: [1, 0.5, 0],
      anisotropy: 0.75,
      anisotropyRotation: -2,
      iridescence: 0.5,
      iridescenceIor: 1.8,
      iridescenceThicknessMinimum: 200,
      iridescenceThicknessMaximum: 900,
      clearcoat: 1,
      clearcoatRoughness: 0.125,
      clearcoatNormalScale: 2,
    });
    expect(Object.keys(material.textures)).toEqual(['clearcoat', 'clearcoatNormal']);
    expect(material.textures.clearcoatNormal).toMatchObject({ uvSet: 1 });
  });

  it('have the defaults of glTF where values are missing', async () => {
    const { material } = await load({ KHR_materials_clearcoat: {}, KHR_materials_iridescence: {} });
    expect(material).toMatchObject({
      ior: 1.5,
      specular: 1,
      specularColor: [1, 1, 1],
      clearcoat: 0,
      clearcoatNormalScale: 1,
      iridescence: 0,
      iridescenceIor: 1.3,
      iridescenceThicknessMaximum: 400,
    });
  });

  it('leave out textures for which a material has no room, with a warning that names them', async () => {
    const map = { index: 0 };
    const { material, warnings } = await load({
      KHR_materials_specular: { specularTexture: map, specularColorTexture: map },
      KHR_materials_anisotropy: { anisotropyTexture: map },
      KHR_materials_iridescence: { iridescenceTexture: map, iridescenceThicknessTexture: map },
      KHR_materials_sheen: { sheenColorTexture: map, sheenRoughnessTexture: map },
      KHR_materials_clearcoat: {
        clearcoatTexture: map,
        clearcoatRoughnessTexture: map,
        clearcoatNormalTexture: map,
      },
    });
    expect(Object.keys(material.textures)).toHaveLength(7);
    expect(warnings).toEqual([
      expect.stringContaining('materials[0].clearcoatTexture: Besides'),
      expect.stringContaining('materials[0].clearcoatRoughnessTexture: Besides'),
      expect.stringContaining('materials[0].clearcoatNormalTexture: Besides'),
    ]);
  });

  it('have their defaults instead of invalid values, with a warning that names the place', async () => {
    const { material, warnings } = await load({
      KHR_materials_ior: { ior: 'glass' },
      KHR_materials_specular: { specularColorFactor: [1, 2], specularTexture: 7 },
      KHR_materials_clearcoat: { clearcoatFactor: null, clearcoatTexture: { index: 4 } },
    });
    expect(material).toMatchObject({ ior: 1.5, specularColor: [1, 1, 1], clearcoat: 0, textures: {} });
    for (const place of [
      'KHR_materials_ior.ior: It should be a finite number. 1.5 is used.',
      'KHR_materials_specular.specularColorFactor: It should be an array of 3 numbers. 1 is used.',
      'KHR_materials_clearcoat.clearcoatFactor: It should be a finite number. 0 is used.',
    ])
      expect(warnings).toContain(`"m.gltf", materials[0].extensions.${place}`);
    const all = warnings.join('\n');
    expect(all).toContain('extensions.KHR_materials_specular.specularTexture');
    expect(all).toContain('extensions.KHR_materials_clearcoat.clearcoatTexture.index');
  });
});
