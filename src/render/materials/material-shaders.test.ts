import { describe, expect, it } from 'vitest';
import { MATERIAL_FLOATS, MaterialFlag, ShaderFeature } from '../../proxy/materials/material-layout.js';
import { pipelineKey, SHAPE_BITS } from '../keys/pipeline-key.js';
import { PrimitiveStore } from '../scene/primitive-store.js';
import { CORE_SLOTS } from './feature-code.js';
import { shapeKey } from './material-policy.js';
import { MaterialShaders } from './material-shaders.js';
import { MaterialTable } from './material-table.js';

const { surface, vertex, time } = ShaderFeature;

/**
 * Returns a table with one material per row, and the materials' shaders. A row holds the features of the shader's code,
 * and the material's flags. Features of 0: the material has no custom shader.
 */
function tableOf(...rows: readonly (readonly [features: number, flags?: number])[]) {
  const materials = new MaterialTable();
  const shaders = new MaterialShaders(materials);
  materials.shaders = shaders;
  rows.forEach(([features, flags = 0], material) => {
    if (features > 0) {
      materials.setShader(material, shaders.add(`code ${features} ${flags}`, 0, features));
      shaders.setDisplacement(material, material + 0.5);
    }
    const parameters = new Float32Array(MATERIAL_FLOATS);
    materials.set(material, flags, new Uint32Array(0), 0, 0, parameters, 0, parameters.length);
  });
  return { materials, shaders };
}

describe('R14 custom shaders', () => {
  it('mark their casters as changed if they read the time and move vertices or cut out pixels', () => {
    const { shaders } = tableOf(
      [0],
      [surface | time],
      [vertex],
      [vertex | time],
      [surface | time, MaterialFlag.alphaMask],
      [surface, MaterialFlag.alphaMask],
    );
    const primitives = new PrimitiveStore();
    // 48 primitives need more than one word of bits.
    for (let primitive = 0; primitive < 48; primitive++) {
      primitives.create(primitive, 0, 0, primitive % 6, 0);
      primitives.setDrawable(primitive, true, primitive !== 3, true);
    }
    shaders.markTimed(primitives);
    const changed = Array.from({ length: 48 }, (_, primitive) => primitive).filter(
      (primitive) => ((primitives.changedBits[primitive >>> 5] as number) >>> (primitive & 31)) & 1,
    );
    expect(changed).toEqual([4, 9, 10, 15, 16, 21, 22, 27, 28, 33, 34, 39, 40, 45, 46]);
    expect(primitives.haveChanged).toBe(true);
    expect(primitives.movedBits.some((word) => word !== 0 && word === primitives.changedBits[0])).toBe(false);
  });

  it('need their own pipelines in shape passes if they move vertices or cut out pixels', () => {
    const { materials } = tableOf([surface], [vertex], [surface, MaterialFlag.alphaMask]);
    const { states } = materials;
    const shapeOf = (material: number, flags: number): number => {
      const shader = materials.shader[material] as number;
      const key = pipelineKey(0, 0, 0, 0, states.intern(flags, 0, CORE_SLOTS, shader));
      return shapeKey(key, SHAPE_BITS, 0, states, materials.policy(key));
    };
    expect(shapeOf(0, 0)).toBe(0);
    expect(states.shaderOf(shapeOf(1, 0))).toBe(materials.shader[1]);
    expect([states.slotsOf(shapeOf(1, 0)), states.flagsOf(shapeOf(1, 0))]).toEqual([CORE_SLOTS, 0]);
    expect(states.shaderOf(shapeOf(2, MaterialFlag.alphaMask))).toBe(materials.shader[2]);
    expect(states.flagsOf(shapeOf(2, MaterialFlag.alphaMask))).toBe(MaterialFlag.alphaMask);
  });

  it('increase the version of shapes, which shadow maps watch, only if they decide shapes', () => {
    const upload = ({ materials }: ReturnType<typeof tableOf>): number => {
      materials.storage.upload = () => {};
      materials.upload(null as never);
      return materials.shapesVersion;
    };
    expect(upload(tableOf([0], [surface | time]))).toBe(0);
    expect(upload(tableOf([vertex]))).toBe(1);
    expect(upload(tableOf([surface, MaterialFlag.alphaMask]))).toBe(1);
  });

  it('find the pipeline of the newest replaced shader that has one, and skip shaders that were never drawn', () => {
    const { materials, shaders } = tableOf([surface]);
    const { states } = materials;
    const first = materials.shader[0] as number;
    const keyOf = (shader: number) => pipelineKey(3, 0, 0, 1, states.intern(0, 0, 0, shader));
    const second = shaders.add('second', 0, surface, 0, first);
    const third = shaders.add('third', 0, surface, 0, second);
    const pipelines = new Map([[keyOf(first), 7 as never]]);
    const find = (key: number) => pipelines.get(key);
    expect(shaders.replacedPipeline(keyOf(third), find)).toBe(7);
    expect(shaders.replacedPipeline(keyOf(first), find)).toBeUndefined();
    // Materials with equal code share one shader. It still replaces `first`, not `third`.
    expect(shaders.add('second', 0, surface, 0, third)).toBe(second);
    expect(shaders.replacedPipeline(keyOf(second), find)).toBe(7);
  });

  it('keep the displacement of each material until the material is destroyed', () => {
    const { materials, shaders } = tableOf([vertex], [vertex], [0]);
    expect([0, 1, 2].map((material) => shaders.displacement(material))).toEqual([0.5, 1.5, 0]);
    materials.destroy(1);
    expect(shaders.displacement(1)).toBe(0);
  });
});
