import type { ReactNode } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { OrbitControls as Controls, View as EngineView } from '../index.js';
import { AmbientLight, Camera, Effects, Environment, Group, OrbitControls, Sky, View } from './index.js';
import { engine, errors, find, h, mesh, messages, root } from './react.test-support.js';

describe('controls, views and surroundings', () => {
  it('OrbitControls move the camera around them or the active one, and follow a change of cameras', async () => {
    const ref: { current: { target: number[]; distance: number; isEnabled: boolean } | null } = {
      current: null,
    };
    const scene = (count: number, props: object): ReactNode => [
      h(OrbitControls, { key: 'controls', ref, ...props } as object),
      ...Array.from({ length: count }, (_, index) =>
        h(Camera, { key: index, name: `camera ${index}`, position: [0, 0, 4 + index], lookAt: [0, 0, 1] }),
      ),
    ];
    await root.render(scene(1, {}));
    const first = ref.current;
    expect(first?.target).toEqual([0, 0, 1]);
    expect(first?.distance).toBeCloseTo(3);
    await root.render(scene(1, { distance: 2, target: [0, 0, 0], isEnabled: false }));
    expect(ref.current).toBe(first);
    expect([first?.target, first?.distance, first?.isEnabled]).toEqual([[0, 0, 0], 2, false]);
    await root.render(scene(2, {}));
    await root.render(scene(2, { damping: 0.1 }));
    const controlled = (name: string): unknown =>
      (find(name).camera as unknown as { controls: unknown }).controls;
    expect([controlled('camera 0'), controlled('camera 1')]).toEqual([null, 'orbitControls']);
    expect(errors).toEqual([]);
  });

  it('OrbitControls get the defaults of removed props back, and both limits of a pair may change', async () => {
    const ref: { current: Controls | null } = { current: null };
    const scene = (props: object): ReactNode =>
      h(Camera, { position: [0, 2, 8], lookAt: [0, 1, 0] }, h(OrbitControls, { ref, ...props } as object));
    const read = (): object =>
      Object.fromEntries(
        Object.keys(changed).map((name) => [name, Reflect.get(ref.current as Controls, name)]),
      );
    const changed = {
      target: [1, 1, 0],
      minDistance: 1,
      maxDistance: 2,
      minPolar: 1,
      maxPolar: 1.2,
      minAzimuth: -1,
      maxAzimuth: 1,
      targetBounds: { min: [-1, -1, -1], max: [1, 1, 1] },
      damping: 0.5,
      autoRotate: 1,
      enablePan: false,
      enableZoom: false,
      zoomToPointer: true,
      clickAfterDrag: true,
      isEnabled: false,
    };
    await root.render(scene({}));
    const defaults = read();
    await root.render(scene(changed));
    expect(read()).toEqual(changed);
    const beyond = { ...changed, minDistance: 3, maxDistance: 4, minPolar: 2, maxPolar: 3 };
    await root.render(scene({ ...beyond, minAzimuth: 2, maxAzimuth: 3 }));
    expect(read()).toMatchObject({ minDistance: 3, maxDistance: 4, minPolar: 2, maxPolar: 3, minAzimuth: 2 });
    await root.render(scene(changed));
    expect(read()).toEqual(changed);
    const first = ref.current;
    await root.render(scene({}));
    expect(read()).toEqual(defaults);
    expect([ref.current === first, errors]).toEqual([true, []]);
  });

  it('a View without a camera in it shows the camera of the scene', async () => {
    const ref: { current: EngineView | null } = { current: null };
    await root.render([h(Camera, { key: 1, name: 'main' }), h(View, { key: 2, ref })]);
    expect(ref.current?.camera?.name).toBe('main');
  });

  it('a View shows the camera in it, with its own effects, and follows its props', async () => {
    const ref: { current: EngineView | null } = { current: null };
    const scene = (width: number, more: object = {}): ReactNode => [
      h(Camera, { key: 1, name: 'main' }),
      h(
        View,
        { key: 2, ref, rect: { x: 0, y: 0, width, height: 1 }, ...more },
        h(Group, null, h(Camera, { name: 'inner' })),
        h(Effects, { vignette: true }),
        mesh({ name: 'box' }),
      ),
    ];
    await root.render(scene(0.5, { exposure: 2 }));
    expect(messages()).toEqual([]);
    const view = ref.current as EngineView;
    expect([view.camera?.name, view.rect.width, view.exposure]).toEqual(['inner', 0.5, 2]);
    expect(view.effects.vignette).toBeTruthy();
    expect(engine.world.activeCamera?.name).toBe('main');
    await root.render(scene(0.25, { enabled: false }));
    expect([ref.current === view, view.rect.width, view.exposure, view.enabled]).toEqual([
      true,
      0.25,
      undefined,
      false,
    ]);
    await root.render(h(Camera));
    expect(ref.current).toBeNull();
    expect(() => {
      view.enabled = true;
    }).toThrow(/disposed of/);
    expect(errors).toEqual([]);
  });

  it('of several surroundings, the one mounted last applies; removed ones give way', async () => {
    const set = vi.spyOn(engine.world, 'setEnvironment');
    const sky = vi.spyOn(engine.world, 'setSky');
    const ambient = vi.spyOn(engine.world, 'setAmbient');
    const studio = h(Environment, { key: 1, source: 'studio', intensity: 0.5 });
    await root.render([studio, h(AmbientLight, { key: 2, color: '#fff', intensity: 2 })]);
    expect(set.mock.lastCall).toEqual(['studio', { intensity: 0.5 }]);
    expect(ambient.mock.lastCall).toEqual(['#fff', 2]);
    await root.render([studio, h(Sky, { key: 3, sunDirection: [0, -1, 0] })]);
    expect(sky.mock.lastCall).toEqual([{ sunDirection: [0, -1, 0] }]);
    expect(ambient.mock.lastCall).toEqual([[0, 0, 0], 1]);
    await root.render([studio]);
    expect([set.mock.calls.length, set.mock.lastCall?.[0]]).toEqual([2, 'studio']);
    await root.render(null);
    expect(set.mock.lastCall?.[0]).toBeNull();
  });

  it('Effects are those of the engine, and are off when removed', async () => {
    await root.render(h(Effects, { bloom: { amount: 0.3 }, vignette: true }));
    expect([engine.effects.bloom, engine.effects.vignette].map(Boolean)).toEqual([true, true]);
    await root.render(h(Effects, { vignette: true }));
    expect([engine.effects.bloom, engine.effects.vignette].map(Boolean)).toEqual([false, true]);
    await root.render(null);
    expect(Boolean(engine.effects.vignette)).toBe(false);
  });
});
