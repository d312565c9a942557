import { describe, expect, it } from 'vitest';
import { standardMaterial, unlitMaterial } from './material.js';
import { boxGeometry } from './shapes.js';
import { texture } from './texture.js';
import { createTestWorld } from './world.test-helper.js';

describe('what an actor has', () => {
  it('is found by what it is', () => {
    const { world } = createTestWorld();
    const mesh = world.addMesh({ geometry: boxGeometry() });
    const light = world.addSpotLight();
    const camera = world.addCamera();
    expect([mesh.mesh, mesh.light, mesh.camera]).toEqual([mesh.root, null, null]);
    expect([light.light, light.mesh]).toEqual([light.root, null]);
    expect(camera.camera).toBe(camera.root);
  });

  it('has a box around it, with all that is attached', () => {
    const { world } = createTestWorld();
    const parent = world.addMesh({ geometry: boxGeometry({ size: 2 }), position: [10, 0, 0], scale: 2 });
    const child = world.addMesh({ geometry: boxGeometry(), position: [0, 3, 0] });
    child.attachTo(parent);
    expect(child.bounds).toEqual({ min: [9, 5, -1], max: [11, 7, 1] });
    expect(parent.bounds).toEqual({ min: [8, -2, -2], max: [12, 7, 2] });
    expect(world.addCamera().bounds).toEqual({ min: [0, 0, 0], max: [0, 0, 0] });
  });
});

describe('a clone of a material', () => {
  it('looks the same, and changes by itself', () => {
    const baseColorTexture = texture({ width: 1, height: 1, data: new Uint8Array(4) });
    const red = standardMaterial({
      name: 'red',
      baseColor: [1, 0, 0, 1],
      emissive: '#00f',
      emissiveStrength: 3,
      alphaMode: 'mask',
      doubleSided: true,
      baseColorTexture: { texture: baseColorTexture, offset: [0.5, 0] },
    });
    const clone = red.clone();
    expect([...clone.parameters]).toEqual([...red.parameters]);
    expect([clone.name, clone.flags, clone.baseColorTexture]).toEqual(['red', red.flags, baseColorTexture]);
    expect([clone.emissive, clone.emissiveStrength]).toEqual([red.emissive, 3]);
    clone.baseColor = [0, 1, 0, 1];
    clone.doubleSided = false;
    expect([red.baseColor, red.doubleSided]).toEqual([[1, 0, 0, 1], true]);
    expect(unlitMaterial().clone('second')).toMatchObject({ name: 'second', toneMapped: false });
  });
});
