import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Engine } from './engine/engine.js';
import { checkAttachment } from './engine/surfaces/attached-elements.js';
import { InstancesComponent } from './game/components/instances-component.js';
import { boxGeometry } from './game/geometry/shapes.js';
import { Material, standardMaterial, unlitMaterial } from './game/materials/material.js';
import { codeOf, createTestWorld } from './game/testing/test-world.js';
import { type RenderTexture, renderTexture } from './game/textures/render-texture.js';

describe('development checks', () => {
  beforeAll(() => {
    globalThis.FENCEPOST_DEVELOPMENT = true;
  });
  const make = () => {
    const { world } = createTestWorld();
    const geometry = boxGeometry();
    return {
      world,
      geometry,
      actor: world.addMesh({ geometry }),
      stones: world.addInstances({ geometry, count: 2 }),
    };
  };

  it.each<[string, (made: ReturnType<typeof make>) => unknown, RegExp]>([
    ['visible', ({ actor }) => Object.assign(actor, { visible: 'false' }), /visible of mesh is "false"/],
    [
      'occluder',
      ({ actor }) => Object.assign(actor.root, { occluder: null }),
      /occluder of .* true or false/,
    ],
    [
      'option occluder',
      ({ world, geometry }) => world.addMesh({ geometry, occluder: 'yes' as never }),
      /occluder of the mesh is "yes"/,
    ],
    ['doubleSided', () => standardMaterial({ doubleSided: 1 as never }), /doubleSided of material is 1;/],
    ['option visible', ({ world }) => world.addPointLight({ visible: 0 as never }), /visible of .* is 0;/],
    ['rotation', ({ actor }) => Object.assign(actor, { rotation: [0, 1, 0] }), /quaternion.*Euler/],
    [
      'worldFromLocal',
      ({ actor }) => Reflect.apply(actor.worldFromLocal, actor, []),
      /new Float32Array\(16\)/,
    ],
    ['component', ({ actor }) => Reflect.apply(actor.component, actor, []), /takes a class/],
    ['listener', ({ actor }) => Reflect.apply(actor.addEventListener, actor, ['click']), /takes a function/],
    ['positions', ({ stones }) => Object.assign(stones, { positions: [] }), /then call touch\(\)/],
  ])('rejects an invalid value: %s', (_name, slip, message) => {
    const made = make();
    expect(codeOf(() => slip(made))).toBe('option-invalid');
    expect(() => slip(made)).toThrow(message);
  });

  it('rejects unknown properties of materials and of the engine', () => {
    const material = standardMaterial({ name: 'bricks' });
    expect(codeOf(() => Object.assign(material, { rougness: 1 }))).toBe('option-unknown');
    expect(() => Object.assign(material, { rougness: 1 })).toThrow(/A material.*Did you mean "roughness"/);
    const tag = Symbol('tag');
    Object.assign(material, { roughness: 1, name: 'stones', motion: null, [tag]: 'mine' });
    expect(material).toMatchObject({ roughness: 1, name: 'stones', [tag]: 'mine' });
    expect(material).toBeInstanceOf(Material);

    const engine: Engine = Object.create(Engine.prototype);
    expect(codeOf(() => Object.assign(engine, { backgroundColor: '#fff' }))).toBe('option-unknown');
    expect(() => Object.assign(engine, { exposre: 2 })).toThrow(/The engine.*Did you mean "exposure"/);
  });

  it('allows unknown properties in production', () => {
    vi.stubGlobal('FENCEPOST_DEVELOPMENT', undefined);
    const material = standardMaterial();
    Object.assign(material, { rougness: 1 });
    vi.unstubAllGlobals();
    expect(material).toHaveProperty('rougness', 1);
  });

  it('rejects BigInts as numbers', () => {
    const { actor, world, geometry } = make();
    const before = [...actor.position, ...actor.rotation, ...actor.scale];
    for (const [set, message] of [
      [() => actor.position.set(1n as never, 2, 3), /position of "mesh" can't be \(1n, 2, 3\)/],
      [() => actor.position.set([1, 2n, 3] as never), /position of "mesh" can't be \(1, 2n, 3\)/],
      [
        () => world.addMesh({ geometry, position: [1n, 2, 3] as never }),
        /position of "mesh" can't be \(1n, 2, 3\)/,
      ],
      [() => Object.assign(actor, { scale: [1n, 1n, 1n] }), /scale of "mesh" can't be \(1n, 1n, 1n\)/],
      [() => Object.assign(actor.position, { y: 2n }), /position of "mesh" can't be \(0, 2n, 0\)/],
      [() => actor.rotation.set(0n as never, 0, 0, 1), /rotation of "mesh" can't be \(0n, 0, 0, 1\)/],
      [() => Object.assign(actor.rotation, { x: 1n }), /rotation of "mesh" can't be \(1n, 0, 0, 1\)/],
    ] as const) {
      expect(codeOf(set)).toBe('transform-not-finite');
      expect(set).toThrow(message);
    }
    expect([...actor.position, ...actor.rotation, ...actor.scale]).toEqual(before);
    actor.position.set(1, 2, 3);
    expect(codeOf(() => Reflect.apply(actor.position.set, actor.position, [1]))).toBe('transform-not-finite');
    expect([...actor.position]).toEqual([1, 2, 3]);
  });

  describe('a render texture of another engine', () => {
    const noCanvas = () => {
      throw new Error('no canvas');
    };
    const show = ({ world, geometry }: ReturnType<typeof make>, texture: RenderTexture) =>
      world.addMesh({ geometry, material: unlitMaterial({ baseColorTexture: texture }) });
    const look = ({ world }: ReturnType<typeof make>, target: RenderTexture) =>
      world.addView({ camera: world.addCamera(), target }, noCanvas);
    const refusal = { code: 'option-invalid', message: /"duo" is used in another engine/ };
    const expectRefused = (call: () => unknown): void => {
      expect(codeOf(call)).toBe(refusal.code);
      expect(call).toThrow(refusal.message);
    };

    it('is rejected as a texture and as a target while it is in use', () => {
      const [here, there] = [make(), make()];
      const target = renderTexture({ width: 4, height: 4, name: 'duo' });
      const view = look(here, target);
      show(here, target);
      const material = unlitMaterial();
      there.actor.root.material = material;
      there.world.sendUpdates();
      expectRefused(() => look(there, target));
      expectRefused(() => show(there, target));
      expectRefused(() =>
        Object.assign(there.actor.root, { material: unlitMaterial({ baseColorTexture: target }) }),
      );
      expectRefused(() => Object.assign(material, { baseColorTexture: target }));
      expect([material.baseColorTexture, there.actor.root.material]).toEqual([null, material]);
      view.dispose();
      expectRefused(() => look(there, target));
      here.world.dispose();
      look(there, target);
      material.baseColorTexture = target;
    });

    it('can be used in another engine once the first engine no longer uses it', () => {
      const [here, there] = [make(), make()];
      const target = renderTexture({ width: 4, height: 4, name: 'duo' });
      const shown = show(here, target);
      expectRefused(() => look(there, target));
      shown.destroy();
      look(there, target).dispose();
      const { material } = show(there, target).root;
      expectRefused(() => show(here, target));
      material.baseColorTexture = null;
      show(here, target);
    });
  });

  it('rejects an `occlude` of attached elements that is not a boolean', () => {
    const attach = (occlude: unknown) => () => Reflect.apply(checkAttachment, null, [{}, {}, { occlude }]);
    for (const occlude of ['yes', 1, null])
      expect(attach(occlude)).toThrow(/occlude of attachElement is .*; it has to be true, false or 'all'/);
  });

  it('accepts one number as a scale, as in production', () => {
    const { actor } = make();
    actor.scale = 2;
    actor.root.scale = 3;
    expect([...actor.scale]).toEqual([3, 3, 3]);
  });

  it('rejects calls on destroyed actors and on a disposed world', () => {
    const { world, geometry, actor, stones } = make();
    const mesh = actor.root;
    actor.destroy();
    stones.destroy();
    for (const late of [
      () => Object.assign(actor, { position: [0, 0, 0] }),
      () => Object.assign(actor, { motion: null }),
      () => Object.assign(mesh, { geometry }),
      () => actor.addEventListener('click', () => {}),
      () => stones.touch(),
      () => Object.assign(stones, { count: 3 }),
    ]) {
      expect(codeOf(late)).toBe('component-destroyed');
    }
    expect([stones.count, stones.positions.length]).toEqual([2, 6]);
    world.dispose();
    expect(codeOf(() => world.onTick(() => {}))).toBe('engine-disposed');
  });

  it('rejects changes to instances of an unloaded level', () => {
    const { world, stones } = make();
    const level = world.addLevel('quarry');
    const rocks = new InstancesComponent({ geometry: boxGeometry(), count: 2 });
    world.spawn(rocks, { level });
    level.unload();
    expect(codeOf(() => rocks.touch())).toBe('component-destroyed');
    expect(() => Object.assign(rocks, { count: 5 })).toThrow(
      '"instances" is destroyed, so its count can\'t be used.',
    );
    stones.count = 5;
    stones.touch();
    expect(stones.positions).toHaveLength(15);
  });

  it('names `setThreading` when `threading` is set, and rejects text as a boolean', () => {
    const engine: Engine = Object.create(Engine.prototype);
    expect(() => Object.assign(engine, { threading: 'single' })).toThrow(/setThreading/);
    expect(codeOf(() => Object.assign(engine, { oneFrameThreadLag: 'no' }))).toBe('option-invalid');
  });

  it('reports a rejected async tick once, like a thrown error', async () => {
    const { world, errors } = createTestWorld();
    world.onTick(async () => Promise.reject(new Error('late')));
    for (let frame = 0; frame < 3; frame++) {
      world.tick(1 / 20);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(errors).toMatchObject([{ code: 'tick-failed', message: /late/ }]);
  });

  it('returns read-only colours', () => {
    const material = standardMaterial({ baseColor: [1, 0, 0] });
    expect(() => Object.assign(material.baseColor, { 1: 1 })).toThrow(TypeError);
    expect(() => Object.assign(material.emissive, { 1: 1 })).toThrow(TypeError);
  });

  it('warns once when single components of a quaternion are set, and sets them', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { actor } = make();
    actor.rotation.x += 0.5;
    actor.rotation.y += 0.5;
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/rotateX/)]]);
    expect(actor.rotation.x).toBe(0.5);
    warn.mockRestore();
  });
});
