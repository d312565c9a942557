import { describe, expect, it } from 'vitest';
import { MATERIAL_FEATURE_NAMES } from '../../proxy/materials/material-features.js';
import { MaterialFlag, slotBitsOf, TEXTURE_SLOTS } from '../../proxy/materials/material-layout.js';
import {
  boundSlots,
  COMMON_SLOTS,
  featureCode,
  featureConstants,
  LISTED_FEATURES,
  type ListedFeature,
  LOBE_FEATURES,
  SHAPE_FEATURES,
  usedFeatures,
} from './feature-code.js';
import { slotCode } from './texture-slots.js';

const namesOf = (features: number): string[] =>
  MATERIAL_FEATURE_NAMES.filter((_, number) => features & (1 << number));
const used = (flags: number, textures: number): string[] =>
  namesOf(usedFeatures({ flags, textures, floats: new Float32Array(0), at: 0 }));
const ALL = 2 ** LISTED_FEATURES.length - 1;

describe('R14 material features', () => {
  it('depend on the material’s textures: none without a texture, the normal map only with its own', () => {
    expect(used(0, 0)).toEqual([]);
    const withoutNormalMap = MATERIAL_FEATURE_NAMES.filter((name) => name !== 'normalMap');
    expect(used(0, slotBitsOf('occlusion'))).toEqual(withoutNormalMap);
    expect(used(0, slotBitsOf('normalMap'))).toEqual([...MATERIAL_FEATURE_NAMES]);
    expect(used(MaterialFlag.unlit, COMMON_SLOTS)).toEqual(['baseColor']);
  });

  it('bind the textures of glTF’s core together, and none before the first image is loaded', () => {
    expect(boundSlots(ALL, 0)).toBe(0);
    expect(boundSlots(0, 1)).toBe(COMMON_SLOTS);
    expect(COMMON_SLOTS).toBe(2 ** TEXTURE_SLOTS.length - 1);
  });

  it('for shape passes are those that decide alpha', () => {
    expect(namesOf(SHAPE_FEATURES)).toEqual(['baseColor']);
    expect(LOBE_FEATURES).toBe(0);
  });

  it('are composed in their order: bindings of each slot once, then each change of the surface', () => {
    const code = featureCode(ALL, COMMON_SLOTS);
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
        lobe: { light: 'coatLight', environment: 'coatEnvironment' },
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
    // Without lobes, the light is returned unchanged.
    expect(featureCode(0, 0, [coat])).not.toContain('  light =');
  });
});
