import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../index.js';
import {
  AmbientLight,
  Camera,
  createSceneRoot,
  Effects,
  Group,
  Html,
  Mesh,
  Model,
  OrbitControls,
  PointLight,
  useEngine,
  useModel,
  useTick,
  useWorld,
  View,
} from './index.js';
import {
  box,
  codes,
  engine,
  errors,
  file,
  h,
  mesh,
  messages,
  names,
  PageBoundary,
  root,
} from './react.test-support.js';

describe('bad input', () => {
  /** Renders a scene beside a mesh. @returns the code and the message of the error that has ended it */
  async function failureOf(...children: ReactNode[]): Promise<[string, string]> {
    await root.render(h(Group, null, mesh({ name: 'beside' }), ...children));
    expect(names()).toEqual([]);
    expect(errors).toHaveLength(1);
    return [codes()[0] ?? '', messages()[0] ?? ''];
  }

  it.each([
    [
      'an unknown prop',
      () => mesh({ colour: '#f00' }),
      'option-unknown',
      /<Mesh> has no prop "colour". It takes position/,
    ],
    ['an unknown event', () => mesh({ onTap: () => {} }), 'option-unknown', /events such as onClick/],
    ['a mesh without a geometry', () => h(Mesh), 'option-invalid', /geometry/],
    ['a geometry of another kind', () => h(Mesh, { geometry: {} as never }), 'option-invalid', /geometry/],
    ['a position of a wrong type', () => mesh({ position: 'left' }), 'option-invalid', /position/],
    ['a position of two numbers', () => mesh({ position: [1, 2] }), 'option-invalid', /position/],
    ['Euler angles', () => mesh({ rotation: [0, 1, 0] }), 'option-invalid', /rotation/],
    [
      'a text for visible',
      () => mesh({ visible: 'false' }),
      'option-invalid',
      /visible of <Mesh> is "false"/,
    ],
    [
      'an event that is no function',
      () => mesh({ onClick: 'go' }),
      'option-invalid',
      /onClick of <Mesh> is go/,
    ],
    ['a material of a wrong type', () => mesh({ material: '#f00' }), 'option-invalid', /material/],
    [
      'an unknown option of a material',
      () => mesh({ material: { rougness: 1 } }),
      'option-unknown',
      /rougness/,
    ],
    ['a negative intensity', () => h(PointLight, { intensity: -1 }), 'option-out-of-range', /intensity/],
    ['a text for active', () => h(Camera, { active: 'no' as never }), 'option-invalid', /active of <Camera>/],
    [
      'lookAt beside rotation',
      () => h(Camera, { lookAt: [0, 0, 1], rotation: [0, 0, 0, 1] }),
      'option-invalid',
      /not both/,
    ],
    ['controls without a camera', () => h(OrbitControls), 'camera-missing', /<OrbitControls> needs a camera/],
    [
      'controls out of range',
      () => h(Camera, null, h(OrbitControls, { damping: -1 })),
      'option-out-of-range',
      /damping/,
    ],
    [
      'controls with an event that is no function',
      () => h(Camera, null, h(OrbitControls, { onChange: 1 as never })),
      'option-invalid',
      /onChange of <OrbitControls>/,
    ],
    ['a view without a camera', () => h(View), 'camera-missing', /<View> needs a <Camera>/],
    [
      'a view beyond the canvas',
      () => h(View, { rect: { x: 2, y: 0, width: 1, height: 1 } }, h(Camera)),
      'option-out-of-range',
      /rect/,
    ],
    [
      'a view in a ref without an element',
      () => h(View, { canvas: { current: null } }, h(Camera)),
      'canvas-missing',
      /canvas of <View> is a ref without/,
    ],
    [
      'a view on a selector',
      () => h(View, { canvas: '#map' as never }, h(Camera)),
      'canvas-missing',
      /canvas of <View> is "#map". Pass the element that document.querySelector\("#map"\) finds, or a ref/,
    ],
    [
      'a view on null',
      () => h(View, { canvas: null as never }, h(Camera)),
      'canvas-missing',
      /canvas of <View> is null/,
    ],
    [
      'effects of a view with a wrong name',
      () => h(View, null, h(Camera), h(Effects, { bloom: { power: 1 } as never })),
      'option-unknown',
      /power/,
    ],
    [
      'an unknown effect',
      () => h(Effects, { blur: true } as never),
      'option-unknown',
      /<Effects> has no prop "blur"/,
    ],
    ['a colour that is none', () => h(AmbientLight, { color: 'reddish' }), 'color-invalid', /reddish/],
    ['Html without a page', () => h(Html), 'html-outside-scene', /<Html> needs a <Scene>/],
    ['an element of the page', () => h('div'), 'element-unknown', /<div> is no part of a scene/],
    ['a text', () => 'hello', 'text-misplaced', /"hello"/],
    ['a number from a condition', () => 0, 'text-misplaced', /"0"/],
    [
      'an onLoad that is no function',
      () => h(Model, { src: file, onLoad: 1 as never }),
      'option-invalid',
      /onLoad of <Model>/,
    ],
  ])('%s ends the scene with a typed error', async (_what, child, code, message) => {
    const [given, text] = await failureOf(child());
    expect(given).toBe(code);
    expect(text).toMatch(message);
  });

  it('an error boundary within the scene limits an error, at the mount and at a change', async () => {
    const seen: { code: string }[] = [];
    const scene = (position: unknown, intensity: number): ReactNode => [
      h(
        Group,
        { key: 1 },
        h(PageBoundary, { seen }, mesh({ name: 'bad', position }), mesh({ name: 'sibling' })),
      ),
      h(PageBoundary, { key: 2, seen }, h(PointLight, { name: 'light', intensity })),
      mesh({ key: 3, name: 'beside' }),
    ];
    await root.render(scene('left', 1));
    expect(names().sort()).toEqual(
      ['beside', 'group', 'light'].map((name) => (name === 'group' ? 'scene component' : name)).sort(),
    );
    await root.render(scene('left', -1));
    expect(names().sort()).toEqual(['beside', 'scene component']);
    expect(seen.map(({ code }) => code)).toEqual(['option-invalid', 'option-out-of-range']);
    expect(errors).toEqual([]);
  });

  it.each([
    ['<Mesh>', h(Mesh, { geometry: box })],
    ['<Html>', h(Html)],
    ['useTick', h(() => void useTick(() => {}))],
    ['useEngine', h(() => void useEngine())],
    ['useWorld', h(() => void useWorld())],
    ['useModel', h(() => void useModel('a.glb'))],
  ])('%s throws outside of a scene', (what, element) => {
    expect(() => renderToString(element)).toThrow(`${what} works only in a <Scene>`);
  });

  it.each([
    ['without a function', ['often'], 'option-invalid', /takes a function/],
    ['with null as options', [() => {}, null], 'option-invalid', /useTick takes its options .* given null/],
    ['with an unknown option', [() => {}, { gruop: 'physics' }], 'option-unknown', /no option "gruop"/],
    ['with an unknown group', [() => {}, { group: 'late' }], 'option-invalid', /group of onTick/],
    ['with a text for fixed', [() => {}, { fixed: 'yes' }], 'option-invalid', /fixed of useTick is "yes"/],
    ['with null for fixed', [() => {}, { fixed: null }], 'option-invalid', /fixed of useTick is null/],
    ['with 0 steps', [() => {}, { fixed: 0 }], 'option-out-of-range', /hertz/],
    ['with an unknown option of steps', [() => {}, { fixed: { hz: 30 } }], 'option-unknown', /hz/],
    [
      'with steps and a group',
      [() => {}, { fixed: 30, group: 'physics' }],
      'option-invalid',
      /group and fixed/,
    ],
  ])('useTick %s throws', async (_what, given, code, message) => {
    const Ticking = (): null => {
      useTick(...(given as Parameters<typeof useTick>));
      return null;
    };
    await root.render(h(Ticking));
    expect(codes()).toEqual([code]);
    expect(messages()[0]).toMatch(message);
  });

  it.each([
    ['null', [null], 'option-invalid', /takes an engine, and was given null.*createRoot of react-dom/],
    ['an element', [{ tagName: 'DIV' }], 'option-invalid', /takes an engine, and was given something else/],
    ['null as options', ['engine', null], 'option-invalid', /in one object, and was given null/],
    [
      'an unknown option',
      ['engine', { onErorr: () => {} }],
      'option-unknown',
      /no option "onErorr". It takes onError/,
    ],
    [
      'an onError that is no function',
      ['engine', { onError: 1 }],
      'option-invalid',
      /onError of createSceneRoot is 1/,
    ],
  ])('createSceneRoot with %s throws', (_what, [first, options], code, message) => {
    const create = (): unknown =>
      createSceneRoot((first === 'engine' ? engine : first) as Engine, options as object);
    expect(create).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it('a root that was unmounted renders nothing more', async () => {
    const other = createSceneRoot(engine);
    other.unmount();
    await expect(other.render(mesh({}))).rejects.toMatchObject({
      code: 'scene-removed',
      message: expect.stringMatching(/after unmount\(\)/),
    });
    expect(names()).toEqual([]);
  });
});
