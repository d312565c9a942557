import { describe, expect, it } from 'vitest';
import toneMappingCode from '../../../shaders/tone-mapping.wgsl?raw';
import { VertexFormat, vertexStride } from '../../proxy/geometry/vertex-format.js';
import { MATERIAL_FLOATS, MaterialOffset } from '../../proxy/materials/material-layout.js';
import type { GraphicsPipelineDescriptor } from '../../rhi/commands/descriptors.js';
import { DEFAULT_ATTRIBUTES, vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import { pipelineKey } from '../keys/pipeline-key.js';
import { featureCode } from '../materials/feature-code.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import { named, RendererBench } from '../renderer.test-support.js';
import { GpuLight, GpuMaterial, GpuPrimitive, GpuView } from './gpu-layouts.js';
import { defineGpuStruct } from './gpu-struct.js';

describe('layouts shared with the shaders', () => {
  it('follow the alignment rules of WGSL', () => {
    // The first four members are structure A of the specification's section "Structure Member Layout". The others
    // test `vec3f` and arrays.
    const struct = defineGpuStruct('A', {
      u: 'f32',
      v: 'f32',
      w: 'vec2f',
      x: 'f32',
      y: 'vec3f',
      z: 'f32',
      arrays: ['vec3f', 2],
    });
    expect(struct.at).toEqual({ u: 0, v: 1, w: 2, x: 4, y: 8, z: 11, arrays: 12 });
    expect(struct.byteLength).toBe(80);
    expect(struct.wgsl).toContain('  arrays: array<vec3f, 2>,\n');
  });

  it('give 64 bytes to primitives and lights, and 224 bytes to views', () => {
    expect([GpuPrimitive.byteLength, GpuLight.byteLength, GpuView.byteLength]).toEqual([64, 64, 224]);
    expect(GpuPrimitive.at).toEqual({
      worldFromLocal: 0,
      materialSlot: 12,
      flags: 13,
      palette: 14,
      morph: 15,
    });
  });

  it('give materials the layout in which the game sends them', () => {
    expect(GpuMaterial.words).toBe(MATERIAL_FLOATS);
    // A numeric TypeScript enum also has entries that map numbers to names. The filter removes them.
    const offsets = Object.entries(MaterialOffset).filter(([, offset]) => typeof offset === 'number');
    expect(GpuMaterial.at).toEqual(Object.fromEntries(offsets));
  });

  it('are declared once in the shader', () => {
    const code = meshShaderCode();
    for (const name of ['View', 'Primitive', 'Material', 'Light']) {
      expect(code.match(new RegExp(`struct ${name} `, 'g'))).toHaveLength(1);
    }
  });

  it('include the constants: pipelines set exactly the constants that their shader declares', () => {
    const bench = new RendererBench();
    bench.camera(0);
    bench.geometry(0);
    bench.material(0);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    bench.texture(0);
    bench.material(1, 0, 0);
    bench.primitive(1, 1, 0, 1);
    const pipelines = named(bench.frame(1), 'createGraphicsPipeline').map(
      ({ descriptor }) => descriptor as GraphicsPipelineDescriptor,
    );
    const declared = (code: string) => [...code.matchAll(/^override (\w+)/gm)].map(([, name]) => name).sort();
    const set = (label: string) =>
      Object.keys(
        pipelines.find((pipeline) => pipeline.label.startsWith(label))?.fragment?.constants ?? {},
      ).sort();
    expect(set('mesh 0')).toEqual(declared(meshShaderCode()));
    const { states } = bench.renderer.materials;
    const textured = bench.renderer.materials.state[1] as number;
    const key = pipelineKey(0, 0, 0, 0, textured);
    expect(set(`mesh ${states.nameOf(key)}`)).toEqual(
      declared(meshShaderCode({ material: featureCode(states.featuresOf(key), states.slotsOf(key)) })),
    );
    expect(set('tone mapping')).toEqual(declared(toneMappingCode));
  });

  it('have every attribute of every vertex format exactly once, within the stride', () => {
    for (let format = 0; format < 16; format++) {
      const [own, constant] = vertexBufferLayouts(format);
      const attributes = [...own!.attributes, ...constant!.attributes];
      expect(attributes.map(({ shaderLocation }) => shaderLocation).sort()).toEqual(
        format & VertexFormat.joints ? [0, 1, 2, 3, 4, 5, 6, 7] : [0, 1, 2, 3, 4, 5],
      );
      const floats = { float32x2: 2, float32x3: 3, float32x4: 4, uint16x4: 2 } as Record<string, number>;
      const total = [...own!.attributes].reduce((sum, attribute) => sum + floats[attribute.format]! * 4, 0);
      expect(total).toBe(vertexStride(format));
      const ends = [...constant!.attributes].map(({ offset, format: type }) => offset + floats[type]! * 4);
      for (const end of ends) expect(end).toBeLessThanOrEqual(DEFAULT_ATTRIBUTES.byteLength);
      expect([...constant!.attributes].some(({ shaderLocation }) => shaderLocation === 5)).toBe(
        (format & VertexFormat.colors) === 0,
      );
    }
  });
});
