import { describe, expect, it } from 'vitest';
import { MATERIAL_PARAMETERS, MaterialOffset, TEXTURE_SLOTS } from '../../proxy/materials/material-layout.js';
import { codeOf } from '../testing/test-world.js';
import { standardMaterial, unlitMaterial } from './material.js';
import { MATERIAL_NUMBERS, parameterClass, parameterOptions } from './material-parameters.js';

describe('parameters of materials, as features declare them', () => {
  it('are options and properties with the declared range and offset', () => {
    expect(MATERIAL_NUMBERS.length).toBeGreaterThan(4);
    for (const { name, offset, minimum, maximum } of MATERIAL_NUMBERS) {
      const material = standardMaterial({ [name]: maximum });
      expect(material.parameters[offset], name).toBe(Math.fround(maximum));
      material[name] = minimum;
      expect([material[name], material.parameters[offset]], name).toEqual(
        new Array(2).fill(Math.fround(minimum)),
      );
      expect(
        codeOf(() => (material[name] = minimum - 1)),
        name,
      ).toBe('option-out-of-range');
      expect(standardMaterial()[name], name).toBe(Math.fround(MATERIAL_PARAMETERS[name].default as number));
    }
  });

  it('are limited to the base colour feature in an unlit material', () => {
    expect(Object.keys(parameterOptions(true))).toEqual(['baseColor', 'alphaCutoff', 'baseColorTexture']);
    expect(codeOf(() => unlitMaterial({ roughness: 1 } as never))).toBe('option-unknown');
    for (const slot of TEXTURE_SLOTS)
      expect(Object.keys(parameterOptions(false))).toContain(`${slot}Texture`);
  });

  it('can be colours, which are set as CSS or linear numbers, and read as linear numbers', () => {
    const parameters = { tint: { size: 3, default: [1, 1, 1], pointer: 'tint' } } as const;
    const Tinted = parameterClass(parameters, { tint: 2 }) as unknown as abstract new () => { tint: unknown };
    let changes = 0;
    class Material extends Tinted {
      readonly parameters = new Float32Array(8);
      changed(): void {
        changes++;
      }
    }
    const material = new Material();
    material.tint = '#f00';
    expect([...material.parameters]).toEqual([0, 0, 1, 0, 0, 0, 0, 0]);
    expect(material.tint).toEqual([1, 0, 0]);
    expect(changes).toBe(1);
    expect(codeOf(() => (material.tint = 'no colour'))).toBe('color-invalid');
  });

  it('do not overlap in the record', () => {
    const taken = Object.entries(MATERIAL_PARAMETERS).flatMap(([name, { size }]) =>
      Array.from(
        { length: size },
        (_, index) => MaterialOffset[name as keyof typeof MATERIAL_PARAMETERS] + index,
      ),
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(Math.max(...taken)).toBeLessThan(MaterialOffset.textureTransforms);
  });
});
