import { describe, expect, it } from 'vitest';
import { InstancesComponent } from '../components/instances-component.js';
import { SceneComponent } from '../components/scene-component.js';
import { boxGeometry } from '../geometry/shapes.js';
import { standardMaterial, unlitMaterial } from '../materials/material.js';
import { codeOf, createTestWorld, valuesOf } from '../testing/test-world.js';
import { texture } from '../textures/texture.js';

describe('an actor', () => {
  it('finds its mesh, light and camera', () => {
    const { world } = createTestWorld();
    const mesh = world.addMesh({ geometry: boxGeometry() });
    const light = world.addSpotLight();
    const camera = world.addCamera();
    expect([mesh.mesh, mesh.light, mesh.camera]).toEqual([mesh.root, null, null]);
    expect([light.light, light.mesh]).toEqual([light.root, null]);
    expect(camera.camera).toBe(camera.root);
  });

  it('has bounds that include its children', () => {
    const { world } = createTestWorld();
    const parent = world.addMesh({ geometry: boxGeometry({ size: 2 }), position: [10, 0, 0], scale: 2 });
    const child = world.addMesh({ geometry: boxGeometry(), position: [0, 3, 0] });
    child.attachTo(parent);
    expect(child.bounds).toEqual({ min: [9, 5, -1], max: [11, 7, 1] });
    expect(parent.bounds).toEqual({ min: [8, -2, -2], max: [12, 7, 2] });
    expect(world.addCamera().bounds).toEqual({ min: [0, 0, 0], max: [0, 0, 0] });
  });
});

describe('G3: addMeshes', () => {
  it('adds a mesh per entry, in order, with one geometry record for each geometry', () => {
    const { world, send } = createTestWorld();
    const [box, ball] = [boxGeometry(), boxGeometry({ size: 2 })];
    const actors = world.addMeshes([
      { geometry: box, name: 'first', position: [1, 0, 0] },
      { geometry: ball },
      { geometry: box, visible: false },
    ]);
    expect(actors.map(({ name, root }) => [name, root.geometry === box])).toEqual([
      ['first', true],
      ['mesh', false],
      ['mesh', true],
    ]);
    const names = send().map(({ name }) => name);
    const count = (asked: string): number => names.filter((name) => name === asked).length;
    expect(['createNode', 'createGeometry', 'createPrimitive'].map(count)).toEqual([3, 2, 3]);
    expect(world.addMeshes([])).toEqual([]);
  });

  it('adds nothing if any entry is wrong, and names the entry', () => {
    const { world, send } = createTestWorld();
    const geometry = boxGeometry();
    const wrong: [unknown, string, RegExp][] = [
      [
        { geometry, positon: [0, 0, 0] },
        'option-unknown',
        /^Mesh 1 of the list: addMeshes has no option "positon"/,
      ],
      [{ geometry, position: [0, Number.NaN, 0] }, 'transform-not-finite', /^Mesh 1 of the list/],
      [{}, 'option-invalid', /^Mesh 1 of the list/],
      [undefined, 'option-invalid', /^Mesh 1 of the list/],
    ];
    for (const [entry, code, message] of wrong) {
      const list = [{ geometry }, entry] as Parameters<typeof world.addMeshes>[0];
      expect(() => world.addMeshes(list)).toThrow(
        expect.objectContaining({ code, message: expect.stringMatching(message) }),
      );
    }
    expect(codeOf(() => Reflect.apply(world.addMeshes, world, [{ geometry }]))).toBe('option-invalid');
    expect(world.actors).toEqual([]);
    expect(send().filter(({ name }) => !/Frame$/.test(name))).toEqual([]);
  });
});

describe('a clone of an actor', () => {
  it('shares geometry and material, and has a transform of its own', () => {
    const { world, send } = createTestWorld();
    const parent = world.spawn(new SceneComponent({ position: [0, 1, 0] }));
    const mesh = world.addMesh({
      geometry: boxGeometry(),
      material: standardMaterial(),
      name: 'table',
      position: [1, 2, 3],
      scale: 2,
      castShadow: false,
      layers: 4,
      visible: false,
    });
    mesh.rotateY(1);
    mesh.attachTo(parent);
    const copy = mesh.clone({ position: [5, 0, 0], name: 'second' });
    const records = send();
    expect(records.filter(({ name }) => name === 'createGeometry' || name === 'setMaterial')).toHaveLength(2);
    expect(records.filter(({ name }) => name === 'createPrimitive')).toHaveLength(2);
    expect([copy.root.geometry, copy.root.material]).toEqual([mesh.root.geometry, mesh.root.material]);
    expect(copy.root.geometry).toBe(mesh.root.geometry);
    expect([copy.name, copy.root.parent, copy.visible, copy.root.castShadow, copy.root.layers]).toEqual([
      'second',
      parent.root,
      false,
      false,
      4,
    ]);
    expect([...copy.position, ...copy.scale]).toEqual([5, 0, 0, 2, 2, 2]);
    expect([...copy.rotation]).toEqual([...mesh.rotation]);
    expect(copy.worldPosition).toEqual([5, 1, 0]);
    copy.position.x = 7;
    expect(mesh.position.x).toBe(1);
    mesh.destroy();
    expect([copy.isDestroyed, send().map(({ name }) => name)]).toEqual([
      false,
      expect.not.arrayContaining(['destroyGeometry']),
    ]);
  });

  it('copies lights, cameras, instances and children, and does not become the active camera', () => {
    const { world } = createTestWorld();
    const main = world.addCamera();
    const car = world.addMesh({ geometry: boxGeometry(), name: 'car' });
    const lamp = world.addSpotLight({
      color: [1, 0, 0],
      intensity: 7,
      range: 9,
      outerConeAngle: 0.4,
      castShadow: true,
    });
    const inside = world.addCamera({ fovY: 1, near: 0.5, far: 30 });
    const seats = world.addInstances({ geometry: boxGeometry(), count: 2 });
    seats.positions.set([1, 2, 3, 4, 5, 6]);
    for (const each of [lamp, inside]) each.attachTo(car);
    const bulb = world.addPointLight({ castShadow: { mapSize: 64 } });
    bulb.attachTo(lamp);
    car.addComponent(new SceneComponent({ position: [0, 0, 9] }));
    world.activeCamera = main;
    const copy = car.clone();
    expect(world.activeCamera).toBe(main);
    expect(copy.components.map(({ kind }) => kind)).toEqual(['mesh', 'scene component']);
    const attached = [...copy.root.children].map(({ actor }) => actor);
    const light = attached.find((each) => each?.light)?.light;
    expect([light?.color, light?.intensity, light?.range, light?.outerConeAngle, light?.castShadow]).toEqual([
      [1, 0, 0],
      7,
      9,
      0.4,
      lamp.root.castShadow,
    ]);
    expect([...(light?.children ?? [])][0]?.actor?.light?.castShadow).toEqual(bulb.root.castShadow);
    const camera = attached.find((each) => each?.camera)?.camera;
    expect([camera?.fovY, camera?.near, camera?.far, camera?.orthographic]).toEqual([1, 0.5, 30, null]);
    const places = seats.actor?.clone().component(InstancesComponent);
    expect([places?.count, [...(places?.positions ?? [])]]).toEqual([2, [1, 2, 3, 4, 5, 6]]);
    car.destroy();
    expect([copy.isDestroyed, light?.isDestroyed]).toEqual([false, false]);
  });

  it('requires an original in a world, and known options', () => {
    const { world } = createTestWorld();
    const actor = world.addMesh({ geometry: boxGeometry() });
    expect(codeOf(() => actor.clone({ postion: [0, 0, 0] } as object))).toBe('option-unknown');
    actor.destroy();
    expect(codeOf(() => actor.clone())).toBe('actor-not-spawned');
    expect(world.actors).toEqual([]);
  });
});

describe('castShadow of a light', () => {
  it.each(['addDirectionalLight', 'addPointLight', 'addSpotLight'] as const)(
    'can be given to another light of the same kind: %s',
    (add) => {
      const { world, send } = createTestWorld();
      const [from, to] = [world[add]({ castShadow: { mapSize: 64, softness: 0.2 } }).root, world[add]().root];
      send();
      to.castShadow = from.castShadow;
      expect(to.castShadow).toEqual(from.castShadow);
      const [shadow] = valuesOf(send(), 'setShadow');
      expect(shadow).toMatchObject({ mapSize: 64, cascades: add === 'addDirectionalLight' ? 3 : 1 });
    },
  );
});

describe('a clone of a material', () => {
  it('looks the same, and changes independently', () => {
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
