import { describe, expect, it } from 'vitest';
import {
  MATERIAL_FEATURE_NAMES,
  type MaterialParameterName,
} from '../../proxy/materials/material-features.js';
import {
  defaultRecord,
  MaterialFlag,
  MaterialOffset,
  slotBitsOf,
  TEXTURE_SLOTS,
} from '../../proxy/materials/material-layout.js';
import {
  boundSlots,
  CORE_SLOTS,
  FORWARD_FEATURES,
  featureCode,
  featureConstants,
  LISTED_FEATURES,
  type ListedFeature,
  SHAPE_FEATURES,
  usedFeatures,
} from './feature-code.js';
import { slotCode } from './texture-slots.js';

const namesOf = (features: number): string[] =>
  MATERIAL_FEATURE_NAMES.filter((_, number) => features & (1 << number));
/** Returns the names of the features that a material uses. @param values parameters that differ from the defaults */
function used(
  flags: number,
  textures: number,
  values: Readonly<Partial<Record<MaterialParameterName, number | readonly number[]>>> = {},
): string[] {
  const floats = defaultRecord();
  for (const [name, value] of Object.entries(values))
    floats.set([value].flat(), MaterialOffset[name as MaterialParameterName]);
  return namesOf(usedFeatures({ flags, textures, floats, at: 0 }));
}
const TEXTURED = ['baseColor', 'metallicRoughness', 'occlusion', 'emission'];
const ALL = 2 ** LISTED_FEATURES.length - 1;

describe('R14 material features', () => {
  it('depend on textures: a material without textures uses no feature, and only a normal texture adds the normal map', () => {
    expect(used(0, 0)).toEqual([]);
    expect(used(0, slotBitsOf('occlusion'))).toEqual(TEXTURED);
    expect(used(0, slotBitsOf('normalMap')).sort()).toEqual([...TEXTURED, 'normalMap'].sort());
    expect(used(MaterialFlag.unlit, CORE_SLOTS)).toEqual(['baseColor']);
  });

  it.each([
    [{ ior: 1.4 }, 'ior'],
    [{ specular: 0.5 }, 'specular'],
    [{ specularColor: [1, 1, 0.5] }, 'specular'],
    [{ anisotropy: 0.5 }, 'anisotropy'],
    [{ iridescence: 1 }, 'iridescence'],
    [{ sheenColor: [0, 0, 0.1] }, 'sheen'],
    [{ clearcoat: 0.1 }, 'clearcoat'],
  ])(
    'depend on parameters: %j uses %s, which is drawn forward, and unlit materials use none',
    (values, name) => {
      expect(used(0, 0, values)).toEqual([name]);
      expect(namesOf(FORWARD_FEATURES)).toContain(name);
      expect(used(MaterialFlag.unlit, 0, values)).toEqual([]);
    },
  );

  it('bind the textures of glTF’s core together, and none before the first image is loaded', () => {
    expect(boundSlots(ALL, 0)).toBe(0);
    expect(boundSlots(0, 1)).toBe(CORE_SLOTS);
    expect(CORE_SLOTS).toBe(31);
    // Other features bind only slots with a texture.
    const roughness = 1 << TEXTURE_SLOTS.indexOf('clearcoatRoughness');
    expect(boundSlots(ALL, roughness)).toBe(CORE_SLOTS | roughness);
  });

  it('for shape passes are those that decide alpha', () => {
    expect(namesOf(SHAPE_FEATURES)).toEqual(['baseColor']);
    expect(namesOf(FORWARD_FEATURES)).toEqual([
      'ior',
      'specular',
      'anisotropy',
      'iridescence',
      'sheen',
      'clearcoat',
      'volume',
      'dispersion',
      'diffuseTransmission',
      'transmission',
    ]);
  });

  it('are composed in order: each slot is bound once, and each feature changes the surface in turn', () => {
    const code = featureCode(ALL, 2 ** TEXTURE_SLOTS.length - 1);
    for (const [number, slot] of TEXTURE_SLOTS.entries()) {
      expect(
        code.split(`@group(1) @binding(${number * 2}) var ${slot}Texture: texture_2d<f32>;`),
      ).toHaveLength(2);
    }
    const body = code.slice(code.indexOf('fn applyMaterial('));
    const calls = LISTED_FEATURES.map(({ feature }) =>
      body.indexOf(`  ${feature.surface}(input, appearance);`),
    );
    expect(calls.every((at, index) => at > (calls[index - 1] ?? 0))).toBe(true);
    expect(featureConstants(ALL, 0)).toEqual({ hasTangents: 0 });
  });

  it('may add light on top of the surface and read unbound slots, as a clear coat would', () => {
    const coat: ListedFeature = {
      feature: {
        code: 'fn readCoat(…) {}\n',
        surface: 'readCoat',
        lobe: { emission: 'coatEmission', light: 'coatLight', environment: 'coatEnvironment' },
        isUsed: () => true,
      },
      slots: ['emissive'],
      slotBits: slotBitsOf('emission'),
    };
    const code = featureCode(1, 0, [coat]);
    expect(code).toContain('fn emissiveTexel(input: Varying) -> vec4f { return vec4f(1.0); }');
    expect(slotCode('normal', false)).toContain('vec4f(0.5, 0.5, 1.0, 1.0)');
    expect(code).not.toContain('@binding');
    expect(code).toContain('  readCoat(input, appearance);\n');
    expect(code).toContain('  light = coatLight(light, surface, toLight, intensity);\n');
    expect(code).toContain('  light = coatEnvironment(light, surface, occlusion);\n');
    expect(code).toContain('  light = coatEmission(light, toViewer);\n');
    // Without lobes, the light is returned unchanged.
    expect(featureCode(0, 0, [coat])).not.toContain('  light =');
  });

  it('may change parts of the base layer; without such a feature the reflectance is a constant', () => {
    const plain = featureCode(0, 0);
    expect(plain).toContain('const VARIES_REFLECTANCE = false;');
    expect(plain).toContain('const dielectricReflectance = ');
    expect(plain).toContain('return microfacets(cosines, surface.masking, surface.alphaSquared);');
    expect(plain).toContain('return normal;');
    expect(plain).toContain('return below;');
    const changed = featureCode(ALL, 0);
    expect(changed).toContain('const VARIES_REFLECTANCE = true;');
    expect(changed).toContain('var<private> dielectricReflectance = ');
    expect(changed).toContain('return brushedFacets(surface, toLight, cosines);');
    expect(changed).toContain('return brushedMirror(normal, toViewer, roughness);');
    expect(changed).toContain('return throughIridescence(below, specular, received);');
  });
});
