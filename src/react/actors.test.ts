import type { ReactNode } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { type Actor, type Material, spin, standardMaterial, type VectorLike } from '../index.js';
import { Camera, DirectionalLight, Group, Html, PointLight, ShadowCatcher, SpotLight } from './index.js';
import { codes, engine, errors, find, h, mesh, names, root } from './react.test-support.js';
import { openRoot } from './scene-root.js';

describe('actors', () => {
  it('mounts, changes and removes a mesh, with children; removed props get their defaults', async () => {
    const ref: { current: Actor | null } = { current: null };
    const scene = (x: number, more: object = {}): ReactNode =>
      h(Group, { name: 'group' }, mesh({ ref, position: [x, 0, 0], name: 'mesh', ...more }));
    await root.render(
      scene(1, {
        castShadow: false,
        scale: 2,
        visible: false,
        motion: spin({ axis: [0, 1, 0], radiansPerSecond: 1 }),
      }),
    );
    const actor = ref.current as Actor;
    expect(names()).toEqual(['group', 'mesh']);
    expect([...actor.position, ...actor.scale]).toEqual([1, 0, 0, 2, 2, 2]);
    expect([actor.mesh?.castShadow, actor.root.parent?.name, actor.visible]).toEqual([false, 'group', false]);
    await root.render(scene(5));
    expect(ref.current).toBe(actor);
    expect([...actor.position, ...actor.scale]).toEqual([5, 0, 0, 1, 1, 1]);
    expect([actor.mesh?.castShadow, actor.visible, actor.motion]).toEqual([true, true, null]);
    await root.render(null);
    expect([ref.current, actor.isDestroyed, names()]).toEqual([null, true, []]);
    expect(errors).toEqual([]);
  });

  it('applies only props whose values differ, so a tick may move an actor', async () => {
    const scene = (color: string): ReactNode =>
      mesh({ name: 'mesh', position: [1, 0, 0], material: { baseColor: color } });
    await root.render(scene('#f00'));
    find('mesh').position.x = 7;
    await root.render(scene('#0f0'));
    expect(find('mesh').position.x).toBe(7);
  });

  it('copies vectors of actors, so the next render follows a change of them', async () => {
    const layer = { change: vi.fn(), remove: vi.fn() };
    const report = (error: unknown): void => void errors.push(error);
    const own = openRoot(engine, { html: layer, report, onFailure: report });
    const scene = (vectors: { readonly position?: VectorLike; readonly rotation?: unknown }): ReactNode => [
      mesh({ key: 1, name: 'leader' }),
      mesh({ key: 2, name: 'follower', ...vectors }),
      h(Html, { key: 3, offset: vectors.position as VectorLike }),
    ];
    await own.render(scene({}));
    const { position, rotation } = find('leader');
    await own.render(scene({ position, rotation }));
    position.x = 3;
    rotation.set([0, 1, 0, 0]);
    await own.render(scene({ position, rotation }));
    expect([...find('follower').position, ...find('follower').rotation]).toEqual([3, 0, 0, 0, 1, 0, 0]);
    const shown = (layer.change.mock.lastCall as unknown[])[0] as { props: object };
    expect([shown.props, layer.change.mock.calls.length]).toEqual([{ offset: { x: 3, y: 0, z: 0 } }, 3]);
    await own.render(scene({ position, rotation }));
    expect(layer.change).toHaveBeenCalledTimes(3);
    own.unmount();
    expect(errors).toEqual([]);
  });

  it('changes the options of a material in place, and takes materials', async () => {
    const scene = (material: object): ReactNode => mesh({ name: 'mesh', material });
    const current = (): Material => find('mesh').mesh?.material as Material;
    await root.render(scene({ roughness: 0.2, baseColor: '#f00' }));
    const first = current();
    await root.render(scene({ baseColor: '#0f0' }));
    expect(current()).toBe(first);
    expect([first.baseColor, first.roughness]).toEqual([[0, 1, 0, 1], standardMaterial().roughness]);
    const own = standardMaterial();
    await root.render(scene(own));
    expect(current()).toBe(own);
    await root.render(scene({}));
    expect(current()).not.toBe(own);
    await root.render(mesh({ name: 'mesh' }));
    await root.render(scene({ rougness: 1 }));
    expect(codes()).toEqual(['option-unknown']);
  });

  it('keeps actors whose keys swap, and creates and removes only the others', async () => {
    const scene = (...keys: string[]): ReactNode =>
      h(Group, { name: 'all' }, ...keys.map((key) => mesh({ key, name: key })));
    await root.render(scene('a', 'b', 'c'));
    const before = ['a', 'b', 'c'].map(find);
    await root.render(scene('c', 'a', 'd', 'b'));
    expect(['a', 'b', 'c'].map(find)).toEqual(before);
    expect(before.map((actor, index) => actor === ['a', 'b', 'c'].map(find)[index])).toEqual([
      true,
      true,
      true,
    ]);
    await root.render(scene('d'));
    expect(names()).toEqual(['all', 'd']);
    await root.render([mesh({ key: 'x', name: 'x' }), mesh({ key: 'y', name: 'y' })]);
    await root.render([
      mesh({ key: 'y', name: 'y' }),
      mesh({ key: 'z', name: 'z' }),
      mesh({ key: 'x', name: 'x' }),
    ]);
    expect(names().sort()).toEqual(['x', 'y', 'z']);
  });

  it('changes one mesh of a thousand without touching the others', async () => {
    let renders = 0;
    const Item = ({ x }: { readonly x: number }): ReactNode => {
      renders++;
      return mesh({ position: [x, 0, 0] });
    };
    const elements = Array.from({ length: 1000 }, (_, index) => h(Item, { key: index, x: index }));
    await root.render(elements);
    const writes = vi.spyOn(Object.getPrototypeOf(engine.world.actors[0]?.position), 'set');
    elements[500] = h(Item, { key: 500, x: -1 });
    await root.render([...elements]);
    // The call with an array calls the method again, with three numbers.
    expect([renders, writes.mock.calls]).toEqual([1001, [[[-1, 0, 0]], [-1, 0, 0]]]);
    expect(engine.world.actors[500]?.position.x).toBe(-1);
  });

  it('lights, shadow catchers and cameras follow their props', async () => {
    const scene = (direction: number[], angle: number): ReactNode => [
      h(DirectionalLight, { key: 1, name: 'sun', direction, intensity: 2, castShadow: true }),
      h(SpotLight, { key: 2, name: 'spot', direction, outerConeAngle: angle }),
      h(PointLight, { key: 3, name: 'point', range: angle }),
      h(ShadowCatcher, { key: 4, name: 'ground', opacity: angle }),
      h(
        Group,
        { key: 5, rotation: [0, 1, 0, 0] },
        h(Camera, { name: 'eye', position: [0, 0, 5], lookAt: [5, 0, -5] }),
      ),
    ];
    await root.render(scene([0, 0, -1], 0.5));
    expect([...find('sun').rotation]).toEqual([0, 0, 0, 1]);
    await root.render(scene([-1, 0, 0], 0.25));
    expect(find('sun').rotation.y).toBeCloseTo(Math.SQRT1_2);
    expect(find('spot').rotation.y).toBeCloseTo(Math.SQRT1_2);
    expect([find('spot').light, find('point').light].map((light) => light?.castShadow)).toEqual([
      false,
      false,
    ]);
    expect((find('point').light as unknown as { range: number }).range).toBe(0.25);
    // The camera is at (0, 0, −5) in the world, and looks along +X.
    const matrix = find('eye').worldFromLocal([]);
    expect(matrix.slice(8, 11).map((each) => Math.round(each) + 0)).toEqual([-1, 0, 0]);
    expect(errors).toEqual([]);
  });

  it('shows the active camera that was mounted last', async () => {
    const scene = (...actives: (boolean | undefined)[]): ReactNode =>
      actives.map((active, index) => h(Camera, { key: index, name: `camera ${index}`, active }));
    const shown = (): string | undefined => engine.world.activeCamera?.name;
    await root.render(scene(undefined, undefined));
    expect(shown()).toBe('camera 1');
    await root.render(scene(undefined, false));
    expect(shown()).toBe('camera 0');
    await root.render(scene(undefined, true));
    expect(shown()).toBe('camera 1');
    await root.render(scene(undefined));
    expect(shown()).toBe('camera 0');
    await root.render(null);
    expect(engine.world.activeCamera).toBeNull();
  });
});
