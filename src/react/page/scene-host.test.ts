/** The engine of a `<Scene>` without a page: when it draws, and its errors. */
import { createElement as h } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { timeLimit } from '../../../scripts/lib/time-limits.mjs';
import { boxGeometry, type Engine } from '../../index.js';
import { Mesh } from '../index.js';
import { SceneHost } from './scene-host.js';
import type { SceneProps } from './scene-props.js';

let host: SceneHost;
let engine: Engine | null;
let errors: { readonly code: string; readonly message: string }[];
let props: SceneProps;

beforeEach(() => {
  // Node has no animation frames. These never come.
  vi.stubGlobal('requestAnimationFrame', () => 1);
  vi.stubGlobal('cancelAnimationFrame', () => {});
  host = new SceneHost();
  engine = null;
  errors = [];
  props = {
    backend: 'null',
    onReady: (ready) => {
      engine = ready;
    },
    onError: (error) => errors.push(error as never),
  };
});
afterEach(async () => {
  host.unmount();
  await Promise.resolve();
  await engine?.dispose();
  vi.unstubAllGlobals();
});

const waitUntil = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: timeLimit(20_000) });
const update = (more: object): void => {
  props = { ...props, ...more };
  host.update(props);
};

/** Shows a scene with a mesh. */
function show(more: object): void {
  update(more);
  host.render(h(Mesh, { geometry: boxGeometry(), name: 'box' }));
  host.mount();
}

it('start="never" calls onReady once the components are mounted, without a picture', async () => {
  show({ start: 'never' });
  await waitUntil(() => expect(engine).not.toBeNull());
  expect([engine?.world.actors.map(({ name }) => name), engine?.stats().frame]).toEqual([['box'], 0]);
  expect([host.read().isReady, errors]).toEqual([true, []]);
});

it('start follows its prop, and is the option `when` of engine.start', async () => {
  show({ start: 'never' });
  await waitUntil(() => expect(engine).not.toBeNull());
  const start = vi.spyOn(engine as Engine, 'start');
  const stop = vi.spyOn(engine as Engine, 'stop');
  update({ start: 'changed' });
  update({ start: undefined });
  update({ start: 'never' });
  expect([start.mock.calls, stop.mock.calls]).toEqual([[[{ when: 'changed' }], [{ when: 'always' }]], [[]]]);
  update({ start: 'changes' });
  expect(errors.map(({ message }) => message)).toEqual([
    'start of <Scene> is "changes"; it has to be one of always, changed, never.',
  ]);
});

it.each([
  ['an unknown start', { start: 'often' }, 'option-invalid', /start of <Scene> is "often"/],
  [
    'a selector as canvas',
    { canvas: '#view' },
    'canvas-missing',
    /canvas of <Scene> is "#view". Pass the element/,
  ],
  ['null as canvas', { canvas: null }, 'canvas-missing', /canvas of <Scene> is null/],
  [
    'an empty ref as canvas',
    { canvas: { current: null } },
    'canvas-missing',
    /canvas of <Scene> is a ref without/,
  ],
])('%s fails with a typed error', async (_what, more, code, message) => {
  show(more);
  await waitUntil(() => expect(errors).toHaveLength(1));
  expect(errors[0]?.code).toBe(code);
  expect(errors[0]?.message).toMatch(message);
  expect(host.read().isReady).toBe(false);
});
