import { type ReactNode, Suspense, startTransition } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { OrbitControls as Controls, Level, LoadSource } from '../index.js';
import { Camera, Effects, Environment, Group, Model, OrbitControls, useModel, View } from './index.js';
import {
  codes,
  engine,
  errors,
  extraFile,
  file,
  find,
  freshFile,
  h,
  mesh,
  messages,
  names,
  PageBoundary,
  root,
  signFile,
  waitUntil,
} from './react.test-support.js';

describe('models', () => {
  it('a Model loads, plays, changes its variant and its file, and unloads', async () => {
    const [src, other] = [freshFile(), freshFile(1)];
    const loaded: Level[] = [];
    const scene = (props: object): ReactNode =>
      h(Model, { src, name: 'model', onLoad: (level: Level) => loaded.push(level), ...props });
    await root.render(scene({ animation: 'slide', variant: 'red', position: [0, 2, 0] }));
    expect(names()).toEqual(['model']);
    await waitUntil(() => expect(loaded).toHaveLength(1));
    const [level] = loaded as [Level];
    const material = (): string | undefined => level.find('sign')?.mesh?.material.name;
    expect([level.variant, material(), level.root?.root.parent?.name]).toEqual(['red', 'red', 'model']);
    await engine.step(0);
    await engine.step(0.5);
    expect(level.find('sign')?.worldPosition).toEqual([2.5, 2, 0]);
    await root.render(scene({ variant: 'blue' }));
    expect(material()).toBe('blue');
    await root.render(scene({ src: other }));
    expect(level.state).toBe('ready');
    await waitUntil(() => expect(loaded).toHaveLength(2));
    expect([level.state, loaded[1]?.variant]).toEqual(['unloaded', null]);
    expect(errors).toEqual([]);
  });

  it('useModel suspends; models of the same file share it and appear in the same commit', async () => {
    const src = freshFile();
    const load = vi.spyOn(engine.world, 'load');
    const seen: string[] = [];
    const Sign = (): ReactNode => {
      const { variants } = useModel(src);
      seen.push(variants.join(' '));
      return [h(Model, { key: 1, src, name: 'one' }), h(Model, { key: 2, src, name: 'two' })];
    };
    await root.render(h(Suspense, { fallback: mesh({ name: 'waiting' }) }, h(Sign)));
    expect(names()).toContain('waiting');
    await waitUntil(() => expect(seen).toContain('red blue'));
    await waitUntil(() => expect(names()).toContain('two'));
    expect(names()).not.toContain('waiting');
    // The file itself is hidden. Each model has a copy.
    const signs = engine.world.actors.filter(({ name }) => name === 'sign');
    expect(signs.map((sign) => sign.root.isShown)).toEqual([false, true, true]);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('a component that is thrown away while it suspends leaves nothing after a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const src = freshFile();
    const Sign = (): ReactNode => [
      mesh({ key: 1, name: 'never' }),
      h(Model, { key: 2, src: useModel(src) && src }),
    ];
    await root.render(h(Suspense, { fallback: null }, mesh({ name: 'before' }), h(Sign)));
    await root.render(null);
    expect(names()).toEqual([]);
    await vi.waitFor(() => expect(engine.world.levels.at(-1)?.state).toBe('ready'), { timeout: 20_000 });
    vi.advanceTimersByTime(9_000);
    expect(engine.world.levels).toHaveLength(2);
    vi.advanceTimersByTime(2_000);
    expect(engine.world.levels).toHaveLength(1);
  });

  it('hides what is mounted while a later suspense lasts, and shows it again', async () => {
    let gate: { readonly promise: Promise<void>; open: () => void } | null = null;
    const close = (): void => {
      let open = (): void => {};
      const promise = new Promise<void>((resolve) => {
        open = () => {
          gate = null;
          resolve();
        };
      });
      gate = { promise, open };
    };
    const controls: { current: Controls | null } = { current: null };
    const Waiting = (_props: { readonly round: number }): null => {
      if (gate) throw gate.promise;
      return null;
    };
    const scene = (round: number): ReactNode =>
      h(
        Suspense,
        { fallback: mesh({ name: 'waiting' }) },
        mesh({ name: 'beside' }),
        h(View, null, h(Camera)),
        h(Camera, { key: 2, name: 'eye' }, h(OrbitControls, { ref: controls })),
        h(Group, null, h(Effects, { vignette: true })),
        h(Waiting, { round }),
      );
    await root.render(scene(1));
    const beside = find('beside');
    // React empties refs of hidden components.
    const orbiting = controls.current as unknown as Controls;
    close();
    void root.render(scene(2));
    await waitUntil(() => expect(beside.visible).toBe(false));
    expect([orbiting.isEnabled, Boolean(engine.effects.vignette)]).toEqual([false, false]);
    expect(names()).toContain('waiting');
    (gate as unknown as { open: () => void }).open();
    await waitUntil(() => expect(beside.visible).toBe(true));
    expect([orbiting.isEnabled, Boolean(engine.effects.vignette)]).toEqual([true, true]);
    expect(names()).not.toContain('waiting');
    close();
    // React keeps what is shown during a transition.
    startTransition(() => void root.render(scene(3)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([beside.visible, names().includes('waiting')]).toEqual([true, false]);
    (gate as unknown as { open: () => void }).open();
    expect(errors).toEqual([]);
  });

  it('reports a file, a variant and a clip that fail, to the model or else to the scene', async () => {
    const own: unknown[] = [];
    const src = freshFile();
    await root.render([
      h(Model, { key: 1, src: new ArrayBuffer(3) }),
      h(Model, { key: 2, src: new ArrayBuffer(3), onError: (error: Error) => own.push(error) }),
      h(Model, { key: 3, src, variant: 'green' }),
      h(Model, { key: 4, src, animation: 'fly' }),
    ]);
    await waitUntil(() => expect(errors).toHaveLength(3));
    expect(codes().sort()).toEqual(['animation-unknown', 'not-gltf', 'variant-unknown']);
    expect(own).toHaveLength(1);
  });

  it('reports a missing source of a Model and of an Environment', async () => {
    await root.render([h(Model, { key: 1 } as never), h(Environment, { key: 2, source: 5 } as never)]);
    await waitUntil(() => expect(errors).toHaveLength(2));
    expect(codes().sort()).toEqual(['load-source-invalid', 'option-invalid']);
  });

  it.each([
    ['bytes', (): LoadSource => new Uint8Array(freshFile())],
    [
      'a URL',
      (): LoadSource => new URL(`data:model/gltf+json;base64,${Buffer.from(file).toString('base64')}`),
    ],
    ['an array of files', (): LoadSource => [signFile, extraFile]],
  ])('useModel and Model load %s written inline once', async (_what, source) => {
    const load = vi.spyOn(engine.world, 'load');
    const onLoad = vi.fn();
    const Sign = (): ReactNode => {
      useModel(source());
      return h(Model, { name: 'model', src: source(), onLoad });
    };
    const scene = (): ReactNode => h(Suspense, { fallback: null }, h(Sign));
    await root.render(scene());
    await waitUntil(() => expect(onLoad).toHaveBeenCalledTimes(1));
    const sign = find('sign');
    await root.render(scene());
    await root.render(scene());
    expect([find('sign') === sign, load.mock.calls.length, onLoad.mock.calls.length]).toEqual([true, 1, 1]);
    expect(errors).toEqual([]);
  });

  it('useModel refuses another File in each render', async () => {
    let count = 0;
    const Sign = (): null => {
      count++;
      useModel(new File([file], 'sign.gltf'));
      return null;
    };
    await root.render(h(Suspense, { fallback: null }, h(Sign)));
    await waitUntil(() => expect(codes()).toEqual(['source-unstable']));
    expect(messages()[0]).toMatch(/a new File in each render \(sign.gltf, \d+ bytes\)/);
    expect(count).toBeLessThan(20);
  });

  it('a Model reports a broken file that is written inline once', async () => {
    const scene = (): ReactNode => h(Model, { src: new ArrayBuffer(3) });
    await root.render(scene());
    await waitUntil(() => expect(codes()).toEqual(['not-gltf']));
    await root.render(scene());
    expect(errors).toHaveLength(1);
  });

  it('an error of useModel reaches the closest error boundary', async () => {
    const seen: unknown[] = [];
    const src = new ArrayBuffer(3);
    const Sign = (): null => {
      useModel(src);
      return null;
    };
    await root.render([h(PageBoundary, { key: 1, seen }, h(Sign)), mesh({ key: 2, name: 'beside' })]);
    await waitUntil(() => expect(seen).toHaveLength(1));
    expect((seen[0] as { code: string }).code).toBe('not-gltf');
    expect(names()).toEqual(['beside']);
    expect(errors).toEqual([]);
  });
});
