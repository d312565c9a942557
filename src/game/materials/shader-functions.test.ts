import { describe, expect, it } from 'vitest';
import { ShaderFeature } from '../../proxy/materials/material-layout.js';
import { findShaderFeatures } from './shader-functions.js';
import { shaderMaterial } from './shader-material.js';

const SURFACE = 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}';
const VERTEX = 'fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {}';
const { surface, vertex, time } = ShaderFeature;

describe('R14 functions in custom shaders', () => {
  it('are found in the text with any whitespace, but not in comments', () => {
    expect(findShaderFeatures('m', SURFACE)).toBe(surface);
    expect(findShaderFeatures('m', VERTEX)).toBe(vertex);
    expect(findShaderFeatures('m', `${SURFACE}\n${VERTEX}`)).toBe(surface | vertex);
    const spread =
      'fn\n vertex ( a : VertexInput ,\n b: ptr< function , VertexOutput >, )\n { (*b).position.y = a.time; }';
    expect(findShaderFeatures('m', spread)).toBe(vertex | time);
    expect(findShaderFeatures('m', `// ${VERTEX}\n${SURFACE}`)).toBe(surface);
    expect(findShaderFeatures('m', `/* ${VERTEX} /* time */ // */ */${SURFACE}`)).toBe(surface);
    expect(findShaderFeatures('m', `${SURFACE} // time\n fn f() -> f32 { return timeOf(); }`)).toBe(surface);
    // Types may have other names through an alias.
    expect(findShaderFeatures('m', `alias In = VertexInput; ${VERTEX.replace('VertexInput', 'In')}`)).toBe(
      vertex,
    );
  });

  it.each([
    'fn vertex(point: VertexInput) -> vec3f { return point.position; }',
    'fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) -> f32 { return 1.0; }',
    'fn vertex(point: SurfaceInput, moved: ptr<function, VertexOutput>) {}',
    'fn vertex(point: VertexInput, moved: VertexOutput) {}',
    'fn vertex(x: f32) {}',
    `${SURFACE.replace('Appearance>', 'VertexOutput>')}`,
    'fn vertices(point: VertexInput, moved: ptr<function, VertexOutput>) {}',
    `/* ${SURFACE}`,
    '',
    undefined,
    5,
  ])('are rejected if the engine can’t call them: %s', (wgsl) => {
    expect(() => shaderMaterial({ wgsl: wgsl as string, displacement: 1 })).toThrow(
      expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining('fn ') }),
    );
  });

  it('require a displacement if they move vertices, and reject one otherwise', () => {
    const refusal = (options: object): string => {
      try {
        shaderMaterial({ wgsl: VERTEX, ...options });
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'none';
    };
    expect(refusal({ displacement: 0.5 })).toBe('none');
    expect(refusal({ displacement: 0 })).toBe('none');
    expect(refusal({})).toBe('option-invalid');
    expect(refusal({ wgsl: SURFACE, displacement: 1 })).toBe('option-invalid');
    for (const displacement of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', null]) {
      expect(refusal({ displacement }), String(displacement)).toBe('option-out-of-range');
    }
    expect(refusal({ displacment: 1 })).toBe('option-unknown');
  });
});
