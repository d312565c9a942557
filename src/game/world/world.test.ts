import { describe, expect, it } from 'vitest';
import { LightKind, NO_ID, Projection } from '../../proxy/commands.js';
import { MaterialOffset } from '../../proxy/materials/material-layout.js';
import { Actor } from '../components/actor.js';
import { ActorComponent } from '../components/actor-component.js';
import { MeshComponent } from '../components/mesh-component.js';
import { SceneComponent } from '../components/scene-component.js';
import { boxGeometry } from '../geometry/shapes.js';
import { standardMaterial } from '../materials/material.js';
import { codeOf, createTestWorld, transformsOf, valuesOf } from '../testing/test-world.js';

const IDENTITY = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];

describe("the README's ten lines", () => {
  it('sends a camera, a light and a mesh, then only the transform that changes', () => {
    const { world, send } = createTestWorld();
    world.addCamera({ position: [3, 2, 4], lookAt: [0, 0, 0] });
    world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
    const cube = world.addMesh({
      geometry: boxGeometry(),
      material: standardMaterial({ baseColor: '#ff7a1a' }),
    });
    world.onTick((deltaSeconds) => cube.rotateY(deltaSeconds));

    const first = send();
    expect(first.map((record) => record.name)).toEqual([
      'createNode',
      'createNode',
      'createNode',
      'nodeTransforms',
      'setLight',
      'createGeometry',
      'setMaterial',
      'createPrimitive',
      'setView',
    ]);
    expect(valuesOf(first, 'setView')[0]).toEqual({
      camera: 0,
      projection: Projection.perspective,
      extentX: 0,
      extentY: Math.fround(Math.PI / 4),
      near: Math.fround(0.1),
      far: Infinity,
      aspect: 0,
      cameraLayers: 0xffffffff,
    });
    expect(valuesOf(first, 'setLight')[0]).toMatchObject({
      node: 1,
      kind: LightKind.directional,
      intensity: 3,
    });
    expect(send()).toEqual([]);

    world.tick(0.5);
    const second = send();
    expect(second.map((record) => record.name)).toEqual(['nodeTransforms']);
    const turned = transformsOf(second).get(2) as number[];
    expect(turned[4]).toBeCloseTo(Math.sin(0.25), 6);
    expect(turned[6]).toBeCloseTo(Math.cos(0.25), 6);
  });
});

describe('G1 worlds, levels, actors, components', () => {
  it('runs tick groups in order, with the time', () => {
    const { world } = createTestWorld();
    const log: string[] = [];
    for (const group of ['post-update', 'physics', 'post-physics', 'pre-physics'] as const) {
      world.onTick((delta, time) => log.push(`${group} ${delta} ${time}`), { group });
    }
    world.tick(1);
    world.tick(2);
    expect(log).toEqual([
      'pre-physics 1 1',
      'physics 1 1',
      'post-physics 1 1',
      'post-update 1 1',
      'pre-physics 2 3',
      'physics 2 3',
      'post-physics 2 3',
      'post-update 2 3',
    ]);
  });

  it('reports a callback that throws and calls the rest', () => {
    const { world, errors } = createTestWorld();
    const calls: string[] = [];
    const mistake = new Error('mistake');
    world.onTick(() => {
      throw mistake;
    });
    world.onTick(() => calls.push('second'));
    world.tick(0);
    expect(errors).toEqual([
      expect.objectContaining({
        name: 'SceneError',
        code: 'tick-failed',
        cause: mistake,
        message: expect.stringMatching(/"pre-physics".*mistake/),
      }),
    ]);
    expect(calls).toEqual(['second']);
  });

  it('reports a repeatedly throwing callback once, until it succeeds or throws another error', () => {
    const { world, errors } = createTestWorld();
    let mistake = 'first';
    world.onTick(
      () => {
        if (mistake) throw new Error(mistake);
      },
      { group: 'post-update' },
    );
    const run = (next: string): void => {
      mistake = next;
      world.tick(0);
    };
    for (const next of ['first', 'first', 'second', 'second', '', 'second']) run(next);
    expect(errors.map((error) => (error as Error).message)).toEqual([
      expect.stringMatching(/"post-update".*first/),
      expect.stringMatching(/second/),
      expect.stringMatching(/second/),
    ]);
  });

  it('calls no more callbacks after one has disposed the world', () => {
    const { world, errors } = createTestWorld();
    const calls: string[] = [];
    world.onTick(() => world.dispose());
    world.onTick(() => calls.push('after'));
    world.onTick(() => calls.push('later'), { group: 'post-update' });
    world.tick(0);
    expect([calls, errors]).toEqual([[], []]);
  });

  it('does not call a callback removed during a tick, and calls an added one from the next tick on', () => {
    const { world } = createTestWorld();
    const calls: string[] = [];
    world.onTick(() => {
      calls.push('first');
      stop();
      if (calls.length === 1) world.onTick(() => calls.push('added'));
    });
    const stop = world.onTick(() => calls.push('removed'));
    world.tick(0);
    expect(calls).toEqual(['first']);
    world.tick(0);
    expect(calls).toEqual(['first', 'first', 'added']);
  });

  it('ticks a component while it is registered', () => {
    class Counter extends ActorComponent {
      count = 0;
      override tick(): void {
        this.count++;
      }
    }
    const { world } = createTestWorld();
    const counter = new Counter();
    const actor = new Actor();
    actor.addComponent(counter);
    world.tick(0);
    world.spawn(actor);
    world.tick(0);
    actor.destroy();
    world.tick(0);
    expect(counter.count).toBe(1);
    expect(counter.isDestroyed).toBe(true);
  });

  it('rejects a component added twice, or after its destruction', () => {
    const { world } = createTestWorld();
    const mesh = new MeshComponent({ geometry: boxGeometry() });
    const actor = world.spawn(mesh);
    expect(codeOf(() => world.spawn(mesh))).toBe('component-already-registered');
    expect(codeOf(() => new Actor().addComponent(mesh))).toBe('component-already-registered');
    expect(codeOf(() => world.spawn(actor))).toBe('actor-already-spawned');
    actor.destroy();
    expect(codeOf(() => world.spawn(mesh))).toBe('component-destroyed');
    expect(codeOf(() => world.spawn(actor))).toBe('actor-destroyed');
    expect(codeOf(() => actor.addComponent(new SceneComponent()))).toBe('actor-destroyed');
  });

  it('keeps worlds separate, while they share a geometry and a material', () => {
    const one = createTestWorld();
    const two = createTestWorld();
    const options = { geometry: boxGeometry(), material: standardMaterial() };
    const inOne = one.world.addMesh(options);
    const inTwo = two.world.addMesh(options);
    expect(one.sendNames()).toEqual(two.sendNames());
    expect(codeOf(() => inOne.attachTo(inTwo))).toBe('attachment-other-world');
    options.material.roughness = 0.1;
    expect(one.sendNames()).toEqual(['setMaterial']);
    expect(two.sendNames()).toEqual(['setMaterial']);
    inOne.destroy();
    one.send();
    options.material.roughness = 0.2;
    expect(one.sendNames()).toEqual([]);
    expect(two.sendNames()).toEqual(['setMaterial']);
    expect(options.geometry.data.byteLength).toBeGreaterThan(0);
  });

  it('unloads a level with its actors and leaves the rest', () => {
    const { world, send } = createTestWorld();
    const level = world.addLevel('wing');
    const kept = world.addMesh({ geometry: boxGeometry() });
    const gone = world.spawn(new MeshComponent({ geometry: boxGeometry() }), { level });
    expect(level.actors).toEqual([gone]);
    send();
    level.unload();
    expect(send().map((record) => record.name)).toEqual([
      'destroyPrimitive',
      'destroyNode',
      'destroyGeometry',
    ]);
    expect(world.actors).toEqual([kept]);
    expect(codeOf(() => world.spawn(new SceneComponent(), { level }))).toBe('level-unloaded');
    expect(world.levels).toEqual([world.persistentLevel]);
  });

  it('destroys everything on dispose and rejects later calls', () => {
    const { world, send } = createTestWorld();
    world.addMesh({ geometry: boxGeometry() });
    world.addPointLight();
    world.addCamera();
    send();
    world.dispose();
    expect(send().map((record) => record.name)).toEqual([
      'clearView',
      'destroyPrimitive',
      'destroyLight',
      'destroyNode',
      'destroyNode',
      'destroyNode',
      'destroyGeometry',
      'destroyMaterial',
    ]);
    expect(codeOf(() => world.addMesh({ geometry: boxGeometry() }))).toBe('engine-disposed');
  });
});

describe('G2 the hierarchy', () => {
  it('sends a parent before its child, whatever the order of creation', () => {
    const { world, send } = createTestWorld();
    const child = world.spawn(new SceneComponent({ position: [0, 1, 0] }));
    const parent = world.spawn(new SceneComponent({ position: [5, 0, 0] }));
    child.attachTo(parent);
    const records = send();
    expect(valuesOf(records, 'createNode')).toEqual([
      { node: 0, parent: NO_ID },
      { node: 1, parent: NO_ID },
    ]);
    expect(valuesOf(records, 'attachNode')).toEqual([{ node: 0, parent: 1 }]);
    const grandchild = world.spawn(new SceneComponent());
    grandchild.attachTo(child);
    expect(valuesOf(send(), 'createNode')).toEqual([{ node: 2, parent: 0 }]);
    child.attachTo(null);
    expect(send()).toEqual([{ name: 'attachNode', values: { node: 0, parent: NO_ID } }]);
  });

  it('detaches every moving node before it attaches any, whatever the order of changes', () => {
    const { world, send } = createTestWorld();
    const [p, c] = [world.spawn(new Actor()), world.spawn(new Actor())];
    c.attachTo(p);
    send();
    p.visible = false;
    c.attachTo(null);
    p.attachTo(c);
    expect(valuesOf(send(), 'attachNode')).toEqual([
      { node: 0, parent: NO_ID },
      { node: 1, parent: NO_ID },
      { node: 0, parent: 1 },
    ]);
  });

  it('rejects a direct or indirect cycle, and stays unchanged', () => {
    const { world } = createTestWorld();
    const [a, b, c] = [1, 2, 3].map(() => world.spawn(new SceneComponent())) as [Actor, Actor, Actor];
    b.attachTo(a);
    c.attachTo(b);
    expect(codeOf(() => a.attachTo(a))).toBe('attachment-cycle');
    expect(codeOf(() => a.attachTo(c))).toBe('attachment-cycle');
    expect(a.root.parent).toBe(null);
    expect(c.root.parent).toBe(b.root);
  });

  it('computes a world transform on demand, also mirrored and 1,000 km away', () => {
    const { world } = createTestWorld();
    const parent = world.spawn(new SceneComponent({ position: [1e6, 0, 0], scale: [-2, 1, 1] }));
    const child = world.spawn(new SceneComponent({ position: [1, 2, 3] }));
    child.attachTo(parent);
    expect(child.worldPosition).toEqual([1e6 - 2, 2, 3]);
    parent.rotation.set(0, Math.SQRT1_2, 0, Math.SQRT1_2); // a quarter turn: +X becomes −Z
    const [x, y, z] = child.worldPosition;
    expect([x - 1e6, y, z]).toEqual([expect.closeTo(3, 4), 2, expect.closeTo(2, 4)]);
  });

  it('points −Z of cameras and lights at a target, and +Z of others, also under a rotated parent', () => {
    const { world } = createTestWorld();
    const parent = world.spawn(new SceneComponent({ rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2] }));
    const camera = world.addCamera({ position: [0, 0, 5] });
    const mesh = world.addMesh({ geometry: boxGeometry(), position: [0, 0, 5] });
    for (const [actor, sign] of [
      [camera, -1],
      [mesh, 1],
    ] as const) {
      actor.attachTo(parent);
      const position = actor.worldPosition;
      const target = [1, 2, 3];
      actor.lookAt(target);
      const matrix = actor.worldFromLocal(new Float32Array(16));
      const toTarget = target.map((value, axis) => value - position[axis]!);
      const length = Math.hypot(...toTarget);
      for (let axis = 0; axis < 3; axis++) {
        expect(matrix[8 + axis]! * sign).toBeCloseTo(toTarget[axis]! / length, 5);
      }
    }
    camera.lookAt(camera.worldPosition);
    expect(codeOf(() => camera.lookAt([0, Number.NaN, 0]))).toBe('transform-not-finite');
  });

  it('hides and destroys the children', () => {
    const { world, send } = createTestWorld();
    const parent = world.spawn(new SceneComponent());
    const child = world.addMesh({ geometry: boxGeometry() });
    child.attachTo(parent);
    send();
    parent.visible = false;
    expect(send()).toEqual([
      { name: 'updatePrimitive', values: { primitive: 0, material: 0, flags: 0, layers: 1 } },
    ]);
    parent.destroy();
    expect(child.isDestroyed).toBe(true);
    expect(world.actors).toEqual([]);
  });
});

describe('G3 scene proxies', () => {
  it('sends nothing for objects destroyed before they were sent', () => {
    const { world, send } = createTestWorld();
    const mesh = world.addMesh({ geometry: boxGeometry() });
    const light = world.addPointLight();
    mesh.position.set(1, 2, 3);
    mesh.destroy();
    light.destroy();
    expect(send()).toEqual([]);
    world.addPointLight();
    expect(valuesOf(send(), 'createNode')).toHaveLength(1);
  });

  it('sends shared resources once and destroys them with the last user, after the primitives', () => {
    const { world, send, sendNames } = createTestWorld();
    const options = { geometry: boxGeometry(), material: standardMaterial() };
    const a = world.addMesh(options);
    const b = world.addMesh(options);
    const names = sendNames();
    expect(names.filter((name) => name === 'createGeometry')).toHaveLength(1);
    expect(names.filter((name) => name === 'setMaterial')).toHaveLength(1);
    a.destroy();
    expect(sendNames()).toEqual(['destroyPrimitive', 'destroyNode']);
    b.destroy();
    const c = world.addMesh(options);
    expect(send().map((record) => record.name)).toEqual([
      'createNode',
      'nodeTransforms',
      'createPrimitive',
      'destroyPrimitive',
      'destroyNode',
    ]);
    c.destroy();
    expect(sendNames()).toEqual(['destroyPrimitive', 'destroyNode', 'destroyGeometry', 'destroyMaterial']);
  });

  it('re-creates the proxy under its id when the geometry changes', () => {
    const { world, send } = createTestWorld();
    const actor = world.addMesh({ geometry: boxGeometry() });
    send();
    actor.root.geometry = boxGeometry({ size: 2 });
    actor.root.material = standardMaterial();
    actor.visible = false;
    const records = send();
    expect(records.map((record) => record.name)).toEqual([
      'createGeometry',
      'setMaterial',
      'createPrimitive',
      'destroyGeometry',
      'destroyMaterial',
    ]);
    expect(valuesOf(records, 'createPrimitive')[0]).toMatchObject({ primitive: 0, flags: 0 });
  });
});

describe('G4 three dirty flags', () => {
  it('sends a transform once however often it is set, and only changed ones', () => {
    const { world, send } = createTestWorld();
    const actors = Array.from({ length: 3 }, () => world.spawn(new SceneComponent()));
    const records = send();
    expect([...transformsOf(records).values()]).toEqual([IDENTITY, IDENTITY, IDENTITY]);
    actors[1]!.position.set(1, 1, 1);
    actors[1]!.position.set(4, 5, 6);
    actors[1]!.scale.x = 2;
    const changed = send();
    expect(changed).toHaveLength(1);
    expect([...transformsOf(changed)]).toEqual([[1, [4, 5, 6, 0, 0, 0, 1, 2, 1, 1]]]);
  });

  it('sends dynamic data once', () => {
    const { world, send } = createTestWorld();
    const light = world.addSpotLight({ intensity: 5 });
    send();
    light.root.intensity = 7;
    light.root.color = '#f00';
    light.visible = false;
    expect(send()).toEqual([
      {
        name: 'setLight',
        values: expect.objectContaining({ kind: LightKind.spot, flags: 0, red: 1, green: 0, intensity: 7 }),
      },
    ]);
  });

  it('splits many transforms into records that fit a page', () => {
    const { world, send } = createTestWorld();
    for (let index = 0; index < 3000; index++) world.spawn(new SceneComponent({ position: [index, 0, 0] }));
    const records = send();
    const lengths = valuesOf(records, 'nodeTransforms').map((sent) => sent.transforms.length / 14);
    expect(lengths).toEqual([1150, 1150, 700]);
    const transforms = transformsOf(records);
    expect(transforms.size).toBe(3000);
    for (const [node, transform] of transforms) expect(transform[0]).toBe(node);
  });

  it('follows the active camera', () => {
    const { world, send, sendNames } = createTestWorld();
    const first = world.addCamera();
    const second = world.addCamera({ orthographic: { halfHeight: 2 } });
    expect(world.activeCamera).toBe(second);
    expect(valuesOf(send(), 'setView')).toEqual([
      {
        camera: 1,
        projection: Projection.orthographic,
        extentX: 0,
        extentY: 2,
        near: 0,
        far: 1000,
        aspect: 0,
        cameraLayers: 0xffffffff,
      },
    ]);
    first.root.fovY = 1;
    expect(sendNames()).toEqual([]);
    world.activeCamera = first;
    expect(valuesOf(send(), 'setView')[0]).toMatchObject({ camera: 0, extentY: 1 });
    first.destroy();
    expect(world.activeCamera).toBe(second);
    expect(sendNames()).toEqual(['setView', 'destroyNode']);
    second.destroy();
    expect(sendNames()).toEqual(['clearView', 'destroyNode']);
  });
});

describe('a camera whose projection changes', () => {
  it('replaces near and far if they are defaults, and keeps given ones', () => {
    const { root: camera } = createTestWorld().world.addCamera();
    camera.orthographic = { halfHeight: 2 };
    expect([camera.near, camera.far]).toEqual([0, 1000]);
    camera.orthographic = { halfHeight: 3 };
    expect([camera.near, camera.far]).toEqual([0, 1000]);
    camera.orthographic = null;
    expect([camera.near, camera.far]).toEqual([0.1, Infinity]);
    camera.far = 50;
    camera.near = 1;
    camera.orthographic = { halfHeight: 2 };
    expect([camera.near, camera.far]).toEqual([1, 50]);
  });

  it('rejects depths that the new projection does not allow, and near beyond far, and stays unchanged', () => {
    const { root: camera } = createTestWorld().world.addCamera({ orthographic: { halfHeight: 2 }, near: -5 });
    const toPerspective = () => {
      camera.orthographic = null;
    };
    expect(codeOf(toPerspective)).toBe('option-out-of-range');
    const setNear = () => {
      camera.near = 1000;
    };
    expect(codeOf(setNear)).toBe('option-out-of-range');
    expect([camera.near, camera.far, camera.orthographic]).toEqual([-5, 1000, { halfHeight: 2 }]);
  });
});

describe('G6 data mirrored per frame', () => {
  it('keeps frame N unchanged whatever the game does in N + 1', () => {
    const { world, read } = createTestWorld();
    const material = standardMaterial({ roughness: 0.5 });
    const geometry = boxGeometry();
    const actor = world.addMesh({ geometry, material, position: [1, 2, 3] });
    world.sendUpdates();
    // The records are written but not read yet, and the game continues.
    actor.position.set(9, 9, 9);
    material.roughness = 0;
    new Float32Array(geometry.data).fill(0);
    actor.destroy();
    const records = read();
    expect([...transformsOf(records).values()][0]?.slice(0, 3)).toEqual([1, 2, 3]);
    expect(valuesOf(records, 'setMaterial')[0]?.parameters[MaterialOffset.roughness]).toBe(0.5);
  });
});

describe('bad transforms', () => {
  it.each([Number.NaN, Infinity, -Infinity, 1e39])(
    'rejects %s at the call and keeps the old value',
    (bad) => {
      const { world } = createTestWorld();
      const actor = world.addMesh({ geometry: boxGeometry(), name: 'crate', position: [1, 2, 3] });
      expect(codeOf(() => actor.position.set(0, bad, 0))).toBe('transform-not-finite');
      expect(codeOf(() => actor.scale.set(bad, 1, 1))).toBe('transform-not-finite');
      expect(codeOf(() => actor.rotation.set(0, 0, 0, bad * 1e300))).toBe('transform-not-finite');
      expect(codeOf(() => (actor.rotation.w = bad))).toBe('transform-not-finite');
      expect(() => (actor.position.x = bad)).toThrow('"crate"');
      if (bad !== 1e39) expect(codeOf(() => actor.rotateX(bad))).toBe('transform-not-finite');
      expect([actor.position.x, actor.position.y, actor.position.z, actor.rotation.w]).toEqual([1, 2, 3, 1]);
      expect(codeOf(() => world.addMesh({ geometry: boxGeometry(), position: [0, 0, bad] }))).toBe(
        'transform-not-finite',
      );
    },
  );

  it('rejects a rotation of length 0 and normalizes others', () => {
    const actor = new Actor();
    expect(codeOf(() => actor.rotation.set(0, 0, 0, 0))).toBe('rotation-zero');
    actor.rotation.set(0, 0, 0, 2);
    expect(actor.rotation.w).toBe(1);
  });

  it('accepts negative scale and far positions unchanged', () => {
    const { world, send } = createTestWorld();
    world.addMesh({ geometry: boxGeometry(), scale: [-1, 1, 1], position: [1e6, -1e6, 0] });
    expect([...transformsOf(send()).values()]).toEqual([[1e6, -1e6, 0, 0, 0, 0, 1, -1, 1, 1]]);
  });

  it('stays normalized over a million turns', () => {
    const actor = new Actor();
    for (let turn = 0; turn < 1_000_000; turn++) actor.rotateY(0.01);
    const { x, y, z, w } = actor.rotation;
    expect(Math.hypot(x, y, z, w)).toBeCloseTo(1, 6);
  });
});
