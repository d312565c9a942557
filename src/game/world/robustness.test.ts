import { describe, expect, it } from 'vitest';
import { Actor } from '../components/actor.js';
import { ActorComponent } from '../components/actor-component.js';
import { SceneComponent } from '../components/scene-component.js';
import { boxGeometry } from '../geometry/shapes.js';
import { standardMaterial } from '../materials/material.js';
import { codeOf, createTestWorld, valuesOf } from '../testing/test-world.js';
import { renderTexture } from '../textures/render-texture.js';
import { texture } from '../textures/texture.js';

describe('a world', () => {
  it('suggests the nearest option name in its errors, and recognizes degrees', () => {
    const { world } = createTestWorld();
    expect(() => world.addMesh({ geometry: boxGeometry(), colour: 1 } as never)).toThrow(/"colour"/);
    expect(() => standardMaterial({ color: '#f00' } as never)).toThrow(/Did you mean "baseColor"/);
    const mesh = world.addMesh({ geometry: boxGeometry(), name: 'crate' });
    for (const wrong of [[1, 2], [1, 2, 3, 4], { x: 1, y: 2 }, [1, 2, 'three'], null]) {
      expect(() => mesh.position.set(wrong as never)).toThrow(/position of "crate".*3 finite numbers.*array/);
    }
    mesh.destroy();
    expect(() => world.addMesh(boxGeometry() as never)).toThrow(/Write addMesh\(\{ geometry, material \}\)/);
    expect(() => world.addCamera({ fovy: 1 } as never)).toThrow(/Did you mean "fovY"/);
    expect(codeOf(() => world.addCamera({ fovy: 1 } as never))).toBe('option-unknown');
    expect(() => world.addCamera({ fovY: 60 })).toThrow(/fovY of the camera is 60;.* 60 looks like degrees/);
    expect(codeOf(() => world.addCamera({ fovY: 60 }))).toBe('option-out-of-range');
    expect(codeOf(() => world.addCamera({ near: 5, far: 2 }))).toBe('option-out-of-range');
    expect(codeOf(() => world.addSpotLight({ outerConeAngle: 45 }))).toBe('option-out-of-range');
    expect(codeOf(() => world.addPointLight({ intensity: -1 }))).toBe('option-out-of-range');
    expect(codeOf(() => world.addDirectionalLight({ direction: [0, 0, 0] }))).toBe('option-out-of-range');
    expect(codeOf(() => world.addMesh({} as never))).toBe('option-invalid');
    expect(() => world.addMesh({ geometry: boxGeometry(), rotation: [0, 1, 0] })).toThrow(/Euler/);
    expect(codeOf(() => world.onTick(() => {}, { group: 'fysics' as never }))).toBe('option-invalid');
    expect(world.actors).toEqual([]);
  });

  it('rejects names that are not text, at the call', () => {
    const { world } = createTestWorld();
    for (const name of [Symbol('box'), 4, null, {}] as never[]) {
      const calls = [
        () => world.addMesh({ geometry: boxGeometry(), name } as never),
        () => boxGeometry({ name }),
        () => texture('bricks.png', { name }),
        () => renderTexture({ width: 4, height: 4, name }),
        () => standardMaterial({ name } as never),
        () => world.addLevel(name),
      ];
      expect(calls.map(codeOf)).toEqual(calls.map(() => 'option-invalid'));
    }
    expect(() => renderTexture({ width: 4, height: 4, name: 4 as never })).toThrow(
      'name of renderTexture is 4; it has to be text.',
    );
    expect(renderTexture({ width: 4, height: 4, name: undefined }).name).toBe('render texture');
    expect(world.levels).toEqual([world.persistentLevel]);
  });

  it('rejects invalid actors, components, callbacks and parents', () => {
    const { world } = createTestWorld();
    const cube = world.addMesh({ geometry: boxGeometry() });
    class Counter extends ActorComponent {}
    for (const wrong of [
      () => world.spawn(undefined as never),
      () => world.spawn({} as never),
      () => world.spawn(new Counter() as never),
      () => cube.addComponent(undefined as never),
      () => world.onTick(5 as never),
      () => cube.attachTo(undefined as never),
      () => cube.attachTo('parent' as never),
    ]) {
      expect(codeOf(wrong)).toBe('option-invalid');
    }
    expect(world.actors).toEqual([cube]);
    expect(cube.root.parent).toBe(null);
  });

  it('accepts vectors as numbers, arrays and objects, in set, copy and assignment', () => {
    const { world } = createTestWorld();
    const cube = world.addMesh({ geometry: boxGeometry() });
    const other = world.addMesh({ geometry: boxGeometry(), position: [7, 8, 9], rotation: [0, 1, 0, 0] });
    for (const owner of [cube, cube.root]) {
      const { position, rotation } = owner;
      position.set([1, 2, 3]);
      expect([...position]).toEqual([1, 2, 3]);
      position.set(new Float32Array([4, 5, 6]));
      expect(Array.from(position)).toEqual([4, 5, 6]);
      position.set({ x: 0, y: 1, z: 2 });
      expect([position.x, position.y, position.z, position.length]).toEqual([0, 1, 2, 3]);
      position.copy(other.position);
      expect([...position]).toEqual([7, 8, 9]);
      owner.position = [3, 2, 1];
      owner.scale = { x: 2, y: 2, z: 2 };
      owner.rotation = [0, 0, 2, 0];
      expect([...owner.position, ...owner.scale, ...owner.rotation]).toEqual([3, 2, 1, 2, 2, 2, 0, 0, 1, 0]);
      expect(owner.position).toBe(position);
      owner.scale = 3;
      expect([...owner.scale]).toEqual([3, 3, 3]);
      rotation.copy(other.rotation);
      expect([...rotation]).toEqual([0, 1, 0, 0]);
      owner.lookAt(9, 9, 9);
      const turned = [...rotation];
      for (const target of [[9, 9, 9], { x: 9, y: 9, z: 9 }]) {
        owner.rotation = [0, 0, 0, 1];
        owner.lookAt(target);
        expect([...rotation]).toEqual(turned);
      }
      expect(codeOf(() => owner.lookAt([1, 2]))).toBe('transform-not-finite');
      expect(codeOf(() => Object.assign(owner, { position: 5 }))).toBe('transform-not-finite');
      expect(codeOf(() => Object.assign(owner, { rotation: [0, 0, 0] }))).toBe('transform-not-finite');
    }
    expect([...cube.position]).toEqual([3, 2, 1]);
    // The error lists missing numbers as undefined.
    expect(() => Object.assign(cube, { position: [1, 2] })).toThrow('(1, 2, undefined)');
    expect(() => Object.assign(cube, { rotation: [] })).toThrow(
      '(undefined, undefined, undefined, undefined)',
    );
    expect(codeOf(() => Object.assign(cube, { position: [1, 2, 3, 4] }))).toBe('transform-not-finite');
    expect([...cube.position]).toEqual([3, 2, 1]);
  });

  it('rejects two directions at once, and a camera that looks at its own position', () => {
    const { world } = createTestWorld();
    const rotation = [0, 0, 0, 1];
    for (const wrong of [
      () => world.addCamera({ lookAt: [0, 0, -1], rotation }),
      () => world.addCamera({ lookAt: [0, 0, 0] }),
      () => world.addCamera({ lookAt: [0.1, 2, 3], position: [0.1, 2, 3] }),
      () => world.addDirectionalLight({ direction: [0, -1, 0], rotation }),
    ]) {
      expect(codeOf(wrong)).toBe('option-invalid');
    }
    expect(world.actors).toEqual([]);
  });

  it('has specific errors for colours, angles, depths and ranges', () => {
    const { world } = createTestWorld();
    expect(() => world.addPointLight({ color: [255, 0, 0] })).toThrow(/0 to 1.*8-bit/);
    const spot = world.addSpotLight({ range: Infinity }).root;
    expect(spot.range).toBe(0);
    const setInner = () => {
      spot.innerConeAngle = 0.9;
    };
    expect(setInner).toThrow(/outerConeAngle/);
    expect(setInner).not.toThrow(/degrees/);
    expect(() => world.addCamera({ near: 5, far: 2 })).toThrow(/far.*is 2/);
    expect(codeOf(() => world.addCamera({ near: 5, far: 5 }))).toBe('option-out-of-range');
    expect(() => world.addCamera({ far: Number.NaN })).toThrow(/far.*NaN/);
  });

  it('rejects unloading its own level', () => {
    const { world } = createTestWorld();
    const cube = world.addMesh({ geometry: boxGeometry() });
    expect(codeOf(() => world.persistentLevel.unload())).toBe('level-persistent');
    expect(world.actors).toEqual([cube]);
    expect(world.disposed.aborted).toBe(false);
    world.dispose();
    expect(world.disposed.aborted).toBe(true);
    expect(cube.isDestroyed).toBe(true);
  });
});

describe('deep and wide hierarchies', () => {
  const DEPTH = 5000;

  it('destroys a chain of 5,000 actors, attached from either end', () => {
    const { world, send } = createTestWorld();
    for (const fromRoot of [true, false]) {
      const actors = Array.from({ length: DEPTH }, () => world.spawn(new Actor()));
      for (let index = 1; index < DEPTH; index++) {
        const at = fromRoot ? index : DEPTH - index;
        actors[at]!.attachTo(actors[at - 1]!);
      }
      send();
      actors[0]!.destroy();
      expect(actors.every((actor) => actor.isDestroyed)).toBe(true);
      expect(valuesOf(send(), 'destroyNode')).toHaveLength(DEPTH);
    }
  });

  it('rejects a cycle that would close a chain of 5,000 actors', () => {
    const { world } = createTestWorld();
    const actors = Array.from({ length: DEPTH }, () => world.spawn(new Actor()));
    for (let index = 1; index < DEPTH; index++) actors[index]!.attachTo(actors[index - 1]!);
    const [top, bottom] = [actors[0]!, actors[DEPTH - 1]!];
    expect(codeOf(() => top.attachTo(bottom))).toBe('attachment-cycle');
    expect(codeOf(() => bottom.attachTo(bottom))).toBe('attachment-cycle');
    expect(top.root.parent).toBe(null);
  });

  it('hides and destroys more children than a call can have arguments', () => {
    const { world } = createTestWorld();
    const root = world.spawn(new Actor());
    for (let index = 0; index < 150_000; index++) root.addComponent(new SceneComponent());
    root.visible = false;
    root.destroy();
    expect(root.root.children.size).toBe(0);
  });
});

describe("an object that can't be sent", () => {
  it('is reported if its geometry was transferred away, and the others are sent', () => {
    const { world, errors, send } = createTestWorld();
    const broken = boxGeometry();
    const before = world.addMesh({ geometry: boxGeometry() });
    const cube = world.addMesh({ geometry: broken, name: 'cube' });
    const after = world.addMesh({ geometry: boxGeometry() });
    structuredClone(broken.data, { transfer: [broken.data] });
    expect(valuesOf(send(), 'createPrimitive')).toHaveLength(2);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'geometry-detached',
        message: expect.stringMatching(/"box" of "cube"/),
      }),
    ]);
    // The mesh counts as unsent: nothing is changed or destroyed, and a new geometry repairs the mesh.
    cube.visible = false;
    expect(send()).toEqual([]);
    cube.root.geometry = before.root.geometry;
    expect(valuesOf(send(), 'createPrimitive')).toHaveLength(1);
    for (const actor of [before, cube, after]) actor.destroy();
    expect(valuesOf(send(), 'destroyPrimitive').map(({ primitive }) => primitive)).toEqual([0, 2, 1]);
    expect(errors).toHaveLength(1);
  });

  it("keeps the old geometry if the new one can't be sent", () => {
    const { world, errors, send } = createTestWorld();
    const cube = world.addMesh({ geometry: boxGeometry() });
    send();
    const broken = boxGeometry();
    structuredClone(broken.data, { transfer: [broken.data] });
    cube.root.geometry = broken;
    expect(send()).toEqual([]);
    expect(errors).toHaveLength(1);
    cube.destroy();
    expect(send().map((record) => record.name)).toContain('destroyGeometry');
  });

  it('is reported if it is a component of the page that throws, and the others are sent', () => {
    const { world, errors, send } = createTestWorld();
    const mistake = new Error('mistake');
    class Broken extends SceneComponent {
      override sendProxy(): void {
        throw mistake;
      }
    }
    world.spawn(new Broken());
    world.addPointLight();
    expect(valuesOf(send(), 'setLight')).toHaveLength(1);
    expect(errors).toEqual([mistake]);
  });

  it('options and calls accept vectors like setters do: arrays, vectors of actors, objects', () => {
    const { world } = createTestWorld();
    const other = world.addMesh({
      geometry: boxGeometry(),
      position: { x: 1, y: 2, z: 3 },
      scale: { x: 1, y: 2, z: 1 },
    });
    const rotation = { x: 0, y: 1, z: 0, w: 0 };
    const copy = world.addMesh({
      geometry: boxGeometry(),
      position: other.position,
      rotation,
      scale: other.scale,
    });
    expect([...copy.position, ...copy.rotation, ...copy.scale]).toEqual([1, 2, 3, 0, 1, 0, 0, 1, 2, 1]);
    const camera = world.addCamera({ position: { x: 0, y: 0, z: 5 }, lookAt: { x: 0, y: 0, z: 0 } });
    expect(camera.camera!.project({ x: 0, y: 0, z: 0 })).toEqual(camera.camera!.project([0, 0, 0]));
    const light = world.addDirectionalLight({ direction: { x: 0, y: 0, z: 1 } });
    expect([...light.rotation]).toEqual([...world.addDirectionalLight({ direction: [0, 0, 1] }).rotation]);
    const addAt = (position: unknown, turn: unknown = [0, 0, 0, 1]) =>
      codeOf(() => world.addMesh({ geometry: boxGeometry(), position, rotation: turn } as never));
    expect([{ x: 1, y: 2 }, { y: 1 }, {}, [1, 2], 'xyz'].map((each) => addAt(each))).toEqual(
      new Array(5).fill('option-invalid'),
    );
    expect(addAt({ x: 1, y: 2, z: Number.NaN })).toBe('transform-not-finite');
    expect(addAt([0, 0, 0], { x: 0, y: 1, z: 0 })).toBe('option-invalid');
  });
});
