import { describe, expect, it } from 'vitest';
import { MATERIAL_FLOATS } from '../../proxy/materials/material-layout.js';
import { NodeHierarchy } from '../../render/scene/node-hierarchy.js';
import type { Scene } from '../../render/scene/scene.js';
import { ModuleScene } from './render-module-scene.js';

/** Creates a scene in which actor 1 is a child of actor 0, and both show material 0. */
function setUp() {
  const nodes = new NodeHierarchy();
  nodes.create(0, -1);
  nodes.create(1, 0);
  const floats = new Float32Array(MATERIAL_FLOATS);
  const marked: number[] = [];
  const storage = {
    floats,
    slotWords: MATERIAL_FLOATS,
    dirty: { mark: (slot: number) => marked.push(slot) },
  };
  const scene = {
    nodes,
    primitives: { firstOnNode: [0, 0], material: [0] },
    materials: { has: (material: number) => material === 0, storage },
  } as unknown as Scene;
  return { scene: new ModuleScene(scene, () => {}), floats, marked };
}

describe('the scene of render modules', () => {
  it('R8: changes a part of a transform and keeps the rest; world transforms change at once', () => {
    const { scene } = setUp();
    scene.setLocalTransform(0, [1, 2, 3, 0, 0, 0, 1, 2, 2, 2]);
    scene.setPosition(1, 1, 0, 0);
    scene.setRotation(1, 0, 1, 0, 0);
    expect([...scene.localTransform(1)]).toEqual([1, 0, 0, 0, 1, 0, 0, 1, 1, 1]);
    expect([...scene.worldTransform(1)]).toEqual([-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, -2, 0, 3, 2, 3, 1]);
  });

  it('R8: rejects invalid transforms, and leaves the actor unchanged', () => {
    const { scene } = setUp();
    scene.setPosition(1, 4, 5, 6);
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, 1e39]) {
      expect(() => scene.setPosition(1, 0, wrong, 0)).toThrow('setPosition() was given a number');
    }
    expect(() => scene.setLocalTransform(1, [1, 2, 3])).toThrow('setLocalTransform() was given a number');
    expect([...scene.localTransform(1).subarray(0, 3)]).toEqual([4, 5, 6]);
    expect(() => scene.setPosition(9, 0, 0, 0)).toThrow('there is no actor 9');
  });

  it('R8: sets all numbers of a material, or none', () => {
    const { scene, floats, marked } = setUp();
    const before = floats.slice();
    for (const wrong of [
      { metallic: Number.NaN },
      { emissive: [1, 1] },
      { shine: 1 },
      { shine: undefined },
    ]) {
      expect(() => scene.setMaterial(1, { roughness: 0.25, ...wrong } as never)).toThrow("can't set");
    }
    expect(floats).toEqual(before);
    expect(marked).toEqual([]);
    scene.setMaterial(1, { roughness: 0.25, baseColor: [1, 0.5, 0, 1] });
    expect([...floats.subarray(0, 4)]).toEqual([1, 0.5, 0, 1]);
    expect(marked).toEqual([0]);
  });
});
