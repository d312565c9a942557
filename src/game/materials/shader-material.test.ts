import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MATERIAL_FLOATS,
  MaterialOffset,
  TEXTURE_SLOT_COUNT,
} from '../../proxy/materials/material-layout.js';
import { shaderMaterial } from './shader-material.js';
import { MOST_UNIFORMS, ShaderUniformValues } from './shader-uniforms.js';

const wgsl = 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}';

/** Returns, by uniform, the offsets of the parameters that the generated code reads. */
function placesRead(code: string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [, name = '', row = '', components = ''] of code.matchAll(
    /uniforms\.(\w+) = materials\[slot\]\.textureTransforms\[(\d+)\]\.(\w+);/g,
  )) {
    const at = MaterialOffset.textureTransforms + Number(row) * 4;
    places.set(
      name,
      [...components].map((component) => at + 'xyzw'.indexOf(component)),
    );
  }
  return places;
}

describe('R14 uniforms of shader materials', () => {
  it('have offsets of their own, which the generated code reads, and never use the flags for textures', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 5 * MOST_UNIFORMS });
    fc.assert(
      fc.property(lengths, (counts) => {
        const values = Object.fromEntries(
          counts.map((count, index) => [
            `u${index}`,
            Array.from({ length: count }, (_, at) => index * 10 + at + 1),
          ]),
        );
        const parameters = new Float32Array(MATERIAL_FLOATS);
        const numbers = counts.reduce((sum, count) => sum + count, 0);
        let made: ShaderUniformValues<typeof values>;
        try {
          made = new ShaderUniformValues('material', values, parameters, () => {});
        } catch {
          // A rejected set fills more than half of the room, or has more uniforms of size 4 than fit.
          const isLarge = numbers > (7 * MOST_UNIFORMS) / 2;
          expect(isLarge || counts.filter((count) => count === 4).length > MOST_UNIFORMS).toBe(true);
          return;
        }
        const places = placesRead(made.wgsl);
        const all = [...places.values()].flat();
        expect(new Set(all).size).toBe(numbers);
        for (const at of all) expect((at - MaterialOffset.textureTransforms) % 8).not.toBe(7);
        for (const [name, list] of Object.entries(values)) {
          expect(places.get(name)?.map((at) => parameters[at])).toEqual(list);
        }
      }),
    );
  });

  it('fit into the record’s room for texture transforms', () => {
    expect(MOST_UNIFORMS).toBeLessThanOrEqual(TEXTURE_SLOT_COUNT);
  });

  it('are read and assigned by name, independently for each clone', () => {
    const material = shaderMaterial({ wgsl, uniforms: { tint: '#fff', speed: 2, offset: [1, 2, 3] } });
    const clone = material.clone('other');
    clone.uniforms.speed = 5;
    clone.uniforms.offset = [4, 5, 6];
    expect({ ...material.uniforms }).toEqual({ tint: [1, 1, 1, 1], speed: 2, offset: [1, 2, 3] });
    expect({ ...clone.uniforms }).toEqual({ tint: [1, 1, 1, 1], speed: 5, offset: [4, 5, 6] });
    expect(clone.name).toBe('other');
    expect(() => Object.assign(material.uniforms, { other: 1 })).toThrow();
  });
});
