import { describe, expect, it } from 'vitest';
import { DEBUG_VIEWS, DRAWN_TOPOLOGIES, PrimitiveFlag, TONE_MAPPINGS } from '../../proxy/commands.js';
import { VertexFormat, vertexAttributeOffset, vertexStride } from '../../proxy/geometry/vertex-format.js';
import { MATERIAL_FEATURE_NAMES } from '../../proxy/materials/material-features.js';
import {
  hasRoomFor,
  MaterialFlag,
  MOST_MATERIAL_TEXTURES,
  TEXTURE_SLOTS,
} from '../../proxy/materials/material-layout.js';
import { FADE_SHIFT, GpuPrimitiveFlag } from '../buffers/gpu-layouts.js';
import { MOST_TEXTURES } from '../decals/decal-policy.js';
import type { Deformers } from '../deformers/deformers.js';
import { morphedVertices } from '../deformers/morphed-vertices.js';
import { skinnedVertices } from '../deformers/skinned-vertices.js';
import { ENVIRONMENT_LAYOUT } from '../environment/environment.js';
import { BILLBOARD_TOPOLOGY, billboardVertices } from '../geometry/billboard-vertices.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import { staticVertices, type VertexPolicy } from '../geometry/vertex-policy.js';
import { boundSlots } from '../materials/feature-code.js';
import { MaterialShaders } from '../materials/material-shaders.js';
import { MaterialTable } from '../materials/material-table.js';
import { DECAL_LAYOUT } from '../pipelines/decal-layout.js';
import { PrimitiveStore } from '../scene/primitive-store.js';
import { DisplayColors, displayFormat } from './display-colors.js';
import { DrawStates, GEOMETRY_RANGE, TEXTURE_SET_RANGE } from './draw-states.js';
import { FEATURE_RANGE, FLAG_RANGE, MaterialStates, SHADER_RANGE } from './material-states.js';
import {
  DEBUG_VIEW_RANGE,
  DISPLAY_BITS,
  DISPLAY_RANGE,
  debugViewOf,
  displayNumberOf,
  PassFormat,
} from './pass-format.js';
import {
  KeyBit,
  MATERIAL_STATE_RANGE,
  materialStateOf,
  PIPELINE_KEY_BITS,
  pipelineKey,
  SHAPE_BITS,
  topologyNumberOf,
  VERTEX_POLICY_RANGE,
  vertexFormatOf,
  vertexPolicyOf,
  withMaterialState,
} from './pipeline-key.js';

const numbersOf = (flags: object): number[] =>
  Object.values(flags).filter((each): each is number => typeof each === 'number');
const allOf = (flags: object): number => numbersOf(flags).reduce((sum, each) => sum | each, 0);
const FORMATS = 2 ** numbersOf(VertexFormat).length;
const texturesOf = (layout: readonly GPUBindGroupLayoutEntry[]): number =>
  layout.filter(({ texture }) => texture).length;
const FLAGS = 2 ** numbersOf(MaterialFlag).length;

/** Returns the pipeline key in which only the argument at `place` is not 0. */
function keyWith(place: number, value: number): number {
  const fields: Parameters<typeof pipelineKey> = [0, 0, 0, 0, 0];
  fields[place] = value;
  return pipelineKey(...fields);
}

describe('R11, R14 widths', () => {
  it('pipeline keys: no two fields share bits, and 3 bits of 31 are free', () => {
    const most = [
      FORMATS - 1,
      DRAWN_TOPOLOGIES.length - 1,
      VERTEX_POLICY_RANGE - 1,
      1,
      MATERIAL_STATE_RANGE - 1,
    ];
    const ranges = most.map((value, place) => {
      let bits = 0;
      for (let each = 0; each <= value; each++) bits |= keyWith(place, each);
      return bits;
    });
    ranges.push(KeyBit.fading, KeyBit.backFaces, KeyBit.frontFaces);
    let taken = 0;
    for (const bits of ranges) {
      expect(bits).toBeGreaterThan(0);
      expect(taken & bits).toBe(0);
      taken |= bits;
    }
    expect(taken).toBe(2 ** PIPELINE_KEY_BITS - 1);
    // Keys stay positive as signed 32-bit numbers.
    expect(31 - PIPELINE_KEY_BITS).toBe(3);
  });

  it('pipeline keys: fields survive packing and unpacking', () => {
    const key = pipelineKey(FORMATS - 1, 5, VERTEX_POLICY_RANGE - 1, 1, 777);
    expect([
      vertexFormatOf(key),
      topologyNumberOf(key),
      vertexPolicyOf(key),
      key & KeyBit.mirrored,
      materialStateOf(key),
    ]).toEqual([FORMATS - 1, 5, VERTEX_POLICY_RANGE - 1, KeyBit.mirrored, 777]);
    // `SHAPE_BITS` are exactly the bits of format, topology and policy.
    const shape = keyWith(0, FORMATS - 1) | keyWith(1, 7) | keyWith(2, VERTEX_POLICY_RANGE - 1);
    expect(SHAPE_BITS).toBe(shape);
    expect(withMaterialState(key, SHAPE_BITS, 5)).toBe((key & SHAPE_BITS) | keyWith(4, 5));
  });

  it('material states: hold flags, features, slots and shader, and are interned', () => {
    const states = new MaterialStates();
    const flags = allOf(MaterialFlag);
    const features = 2 ** MATERIAL_FEATURE_NAMES.length - 1;
    const slots = 2 ** TEXTURE_SLOTS.length - 1;
    const state = states.intern(flags, features, slots, SHADER_RANGE - 1);
    const key = pipelineKey(0, 0, 0, 0, state);
    expect([
      states.flagsOf(key),
      states.featuresOf(key),
      states.slotsOf(key),
      states.shaderOf(key),
      states.is(state, flags, features, slots, SHADER_RANGE - 1),
    ]).toEqual([flags, features, slots, SHADER_RANGE - 1, true]);
    expect(states.intern(flags, features, slots, SHADER_RANGE - 1)).toBe(state);
    expect(states.intern(0, 0, 0, 0)).toBe(0);
    for (const [flag, mode] of [
      [0, 0],
      [MaterialFlag.alphaMask, 1],
      [MaterialFlag.alphaBlend, 2],
    ] as const) {
      expect(states.alphaModeOf(pipelineKey(0, 0, 0, 0, states.intern(flag, 0, 0, 0)))).toBe(mode);
    }
    expect(FLAGS).toBe(FLAG_RANGE);
    expect(MATERIAL_FEATURE_NAMES.length).toBeLessThanOrEqual(FEATURE_RANGE);
  });

  it('material states: the order of their keys follows their content, not their numbers, and is exact', () => {
    const orders = [0, 1].map((first) => {
      const states = new MaterialStates();
      if (first) states.intern(1, 1, 1, 1);
      const key = pipelineKey(1, 2, 3, 1, states.intern(31, 7, 31, 5));
      return states.orderOf(key);
    });
    expect(orders[0]).toBe(orders[1]);
    const states = new MaterialStates();
    const greatest = states.intern(FLAG_RANGE - 1, 2 ** FEATURE_RANGE - 1, 0, SHADER_RANGE - 1);
    const key = pipelineKey(FORMATS - 1, 7, VERTEX_POLICY_RANGE - 1, 1, greatest) | KeyBit.fading;
    expect(Number.isSafeInteger(states.orderOf(key))).toBe(true);
    expect(states.orderOf(key ^ 1)).toBe(states.orderOf(key) - 1);
  });

  it('material states: one state too many throws an error', () => {
    const states = new MaterialStates();
    for (let number = 1; number < MATERIAL_STATE_RANGE; number++) {
      expect(states.intern(number & 31, number >> 5, 0, 0)).toBe(number);
    }
    expect(() => states.intern(0, 0, 1, 0)).toThrow(expect.objectContaining({ code: 'limit-exceeded' }));
    expect(states.intern(1, 0, 0, 0)).toBe(1);
  });

  it('materials: the table keeps flags and shader as the state of a material', () => {
    const table = new MaterialTable();
    table.setShader(0, SHADER_RANGE - 1);
    table.set(0, allOf(MaterialFlag), new Uint32Array(0), 0, 0, new Float32Array(0), 0, 0);
    const key = pipelineKey(0, 0, 0, 0, table.state[0] as number);
    expect([table.states.flagsOf(key), table.states.shaderOf(key)]).toEqual([
      allOf(MaterialFlag),
      SHADER_RANGE - 1,
    ]);
  });

  it('texture slots: the maximum number of textures of a material fits beside the textures of passes', () => {
    const slots = TEXTURE_SLOTS.map((_, slot) => slot);
    // Slots are filled from the last to the first. The core slots have room even when the limit of further textures
    // is reached.
    let taken = 0;
    for (const slot of slots.reverse()) if (hasRoomFor(slot, taken)) taken |= 1 << slot;
    const bound = boundSlots(2 ** MATERIAL_FEATURE_NAMES.length - 1, taken);
    expect(slots.filter((slot) => bound & (1 << slot))).toHaveLength(MOST_MATERIAL_TEXTURES);
    expect(TEXTURE_SLOTS.length).toBeGreaterThan(MOST_MATERIAL_TEXTURES);
    // WebGPU guarantees 16 textures per stage. The environment, shadow maps (1), and glass or ambient occlusion (1)
    // take some of them.
    expect(MOST_MATERIAL_TEXTURES + texturesOf(ENVIRONMENT_LAYOUT) + 1 + 1).toBe(16);
    // A decal takes more.
    expect(MOST_TEXTURES + texturesOf(DECAL_LAYOUT)).toBe(MOST_MATERIAL_TEXTURES);
  });

  it('vertex formats: attributes share no offsets or locations, and stay within WebGPU’s limits', () => {
    expect(allOf(VertexFormat)).toBe(FORMATS - 1);
    const offsets = numbersOf(VertexFormat).map((bit) => vertexAttributeOffset(FORMATS - 1, bit));
    expect(new Set(offsets).size).toBe(offsets.length);
    expect(vertexStride(FORMATS - 1)).toBeLessThanOrEqual(2048);
    const locations = vertexBufferLayouts(FORMATS - 1).flatMap(({ attributes }) =>
      [...attributes].map(({ shaderLocation }) => shaderLocation),
    );
    expect(new Set(locations).size).toBe(locations.length);
    expect(Math.max(...locations)).toBeLessThan(16);
  });

  it('vertex policies: each has its own number and entry points, and the numbers fit into their bits', () => {
    const deformers = { has: () => true } as unknown as Deformers;
    const policies: readonly VertexPolicy[] = [
      staticVertices,
      skinnedVertices(deformers),
      morphedVertices(deformers),
      billboardVertices,
    ];
    expect(policies.map(({ number }) => number)).toEqual([0, 1, 2, 3]);
    expect(new Set(policies.map(({ name }) => name)).size).toBe(policies.length);
    for (const { number, name, code, pickCode, casterCode } of policies) {
      expect(number).toBeLessThan(VERTEX_POLICY_RANGE);
      if (number === 0) continue;
      expect(code).toContain(`fn place${name}Vertex(`);
      expect(pickCode).toContain(`fn place${name}Picked(`);
      if (casterCode !== undefined) expect(casterCode).toContain(`fn place${name}Masked(`);
    }
    // Primitive 7 has joints and morph targets, so the vertex format decides between those two policies. The topology
    // marks billboards.
    const placing = (format: number, topology: 'triangle-list' | 'billboards') =>
      policies.filter((policy) => policy.places(7, format, topology)).map(({ number }) => number);
    expect(placing(VertexFormat.joints, 'triangle-list')).toEqual([0, 1]);
    expect(placing(0, 'triangle-list')).toEqual([0, 2]);
    expect(DRAWN_TOPOLOGIES[BILLBOARD_TOPOLOGY]).toBe('billboards');
    expect(billboardVertices.places(7, 0, 'billboards')).toBe(true);
    expect(billboardVertices.places(7, 0, 'triangle-list')).toBe(false);
  });

  it('pass formats: a double holds a pass format and a pipeline key exactly', () => {
    const index = KeyBit.fading + (DEBUG_VIEW_RANGE * PassFormat.debugView - 1) * 2 ** PIPELINE_KEY_BITS;
    expect(Number.isSafeInteger(index)).toBe(true);
    const bits = numbersOf(PassFormat);
    expect(bits.reduce((sum, each) => sum + each, 0)).toBe(allOf(PassFormat));
  });

  it('pass formats: display colours of each tone mapping have a number, above all other bits', () => {
    const others = numbersOf(PassFormat).filter((bit) => bit !== PassFormat.displayed);
    expect(others.reduce((sum, each) => sum | each, 0) & DISPLAY_BITS).toBe(0);
    const display = new DisplayColors('rgba8unorm');
    const formats = [0, ...TONE_MAPPINGS.map((_, index) => displayFormat(index))];
    expect(formats.length).toBeLessThanOrEqual(DISPLAY_RANGE);
    expect(new Set(formats.map((format) => display.code(format))).size).toBe(TONE_MAPPINGS.length + 1);
    for (const [index, format] of formats.entries()) {
      expect(format & DISPLAY_BITS).toBe(format);
      expect(display.code(format | PassFormat.shadows)).toBe(display.code(format));
      expect(display.code(format) === '').toBe(index === 0);
      expect(display.colorFormat(format)).toBe(index === 0 ? 'rgba16float' : 'rgba8unorm');
    }
  });

  it('pass formats: each debug view has a number, above the bits of display colours', () => {
    expect(DEBUG_VIEWS.length).toBeLessThanOrEqual(DEBUG_VIEW_RANGE);
    for (const view of DEBUG_VIEWS.keys()) {
      const format = view * PassFormat.debugView + DISPLAY_BITS + PassFormat.shadows;
      expect(debugViewOf(format)).toBe(view);
      expect(displayNumberOf(format)).toBe(DISPLAY_RANGE - 1);
    }
  });

  it('draw states: numbers of geometries and texture sets that are too large throw an error', () => {
    const drawStates = new DrawStates();
    expect(drawStates.acquire(1, 1, GEOMETRY_RANGE - 1)).not.toBe(drawStates.acquire(2, 1, 0));
    for (const [set, geometry] of [
      [0, GEOMETRY_RANGE],
      [TEXTURE_SET_RANGE, 0],
    ] as const) {
      expect(() => drawStates.acquire(1, set, geometry)).toThrow(
        expect.objectContaining({ code: 'limit-exceeded' }),
      );
    }
    expect(TEXTURE_SET_RANGE * 2 ** PIPELINE_KEY_BITS).toBeLessThanOrEqual(2 ** 53);
  });

  it('custom shaders: one shader too many throws an error', () => {
    const shaders = new MaterialShaders(new MaterialTable());
    for (let number = 1; number < SHADER_RANGE; number++) expect(shaders.add(`${number}`, 0, 1)).toBe(number);
    expect(() => shaders.add('one more', 0, 1)).toThrow(expect.objectContaining({ code: 'limit-exceeded' }));
  });

  it('flags of primitives: each fits into the store, and flags on the GPU leave bits for the fade', () => {
    const store = new PrimitiveStore();
    store.create(0, 0, 0, 0, allOf(PrimitiveFlag));
    expect(store.flags[0]).toBe(allOf(PrimitiveFlag));
    expect(allOf(GpuPrimitiveFlag)).toBeLessThan(2 ** FADE_SHIFT);
    // IS_FLAT of mesh-deformed.wgsl is bit 31.
    expect(FADE_SHIFT + 8).toBeLessThan(31);
  });
});
