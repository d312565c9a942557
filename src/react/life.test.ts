import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { createEngine, orbit } from '../index.js';
import { Camera, createSceneRoot, Effects, Environment, Model, OrbitControls, Scene, View } from './index.js';
import { engine, errors, freshFile, h, mesh, root } from './react.test-support.js';

describe('life', () => {
  it('a server renders the element with its attributes and the fallback, and nothing of the scene', () => {
    const onError = vi.fn();
    const html = renderToString(
      h(
        Scene,
        {
          id: 'view',
          'aria-label': 'A box',
          style: { height: 300 },
          background: '#123',
          fallback: h('p', null, 'Loading'),
          onError,
        },
        mesh({ position: 'never read' }),
        h('div', null, 'never read'),
      ),
    );
    expect(html).toBe(
      '<div id="view" aria-label="A box" style="position:relative;width:100%;height:300px">' +
        '<div style="width:100%;height:100%"></div>' +
        '<div style="position:absolute;inset:0"><p>Loading</p></div></div>',
    );
    expect([onError.mock.calls, vi.mocked(console.error).mock.calls]).toEqual([[], []]);
  });

  it('strict mode mounts each actor once', async () => {
    const acquired = vi.spyOn(engine.world, 'spawn');
    await root.render(h(StrictMode, null, mesh({ name: 'mesh' }), h(Camera), h(OrbitControls)));
    expect(acquired).toHaveBeenCalledTimes(2);
    expect(errors).toEqual([]);
  });

  it('50 mounts and unmounts leave nothing', async () => {
    const src = freshFile();
    for (let round = 0; round < 50; round++) {
      await root.render([
        h(Camera, { key: 1 }, h(OrbitControls)),
        h(Model, { key: 2, src, animation: 0 }),
        mesh({
          key: 3,
          material: { baseColor: '#f00' },
          onClick: () => {},
          motion: orbit({ radiansPerSecond: 1 }),
        }),
        h(View, { key: 4, rect: { x: 0, y: 0, width: 0.5, height: 0.5 } }, h(Camera)),
        h(Environment, { key: 5, source: 'studio' }),
        h(Effects, { key: 6, vignette: true }),
      ]);
      if (round % 10 === 0) await engine.step(0.1);
      await root.render(null);
      expect(engine.world.actors.filter(({ level }) => level === engine.world.persistentLevel)).toEqual([]);
    }
    root.unmount();
    expect(engine.world.levels).toHaveLength(1);
    await engine.step(0);
    expect([engine.stats().primitives, engine.stats().views.length]).toEqual([0, 1]);
  });

  it('a root can be unmounted twice, and after its engine', async () => {
    const other = await createEngine(null, { backend: 'null' });
    const second = createSceneRoot(other);
    await second.render([
      mesh({ key: 1 }),
      h(Camera, { key: 2 }, h(OrbitControls)),
      h(Environment, { key: 3, source: 'studio' }),
    ]);
    expect((await other.dispose()).leaks).toEqual([]);
    second.unmount();
    second.unmount();
  });
});
