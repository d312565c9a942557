/** The React components in an engine without a GPU. */
import {
  Component,
  createElement,
  type ReactNode,
  StrictMode,
  Suspense,
  startTransition,
  useLayoutEffect,
} from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timeLimit } from '../../scripts/lib/time-limits.mjs';
import {
  type Actor,
  boxGeometry,
  type OrbitControls as Controls,
  createEngine,
  type Engine,
  type View as EngineView,
  type Level,
  type LoadSource,
  type Material,
  orbit,
  spin,
  standardMaterial,
  type VectorLike,
} from '../index.js';
import {
  AmbientLight,
  Camera,
  createSceneRoot,
  DirectionalLight,
  Effects,
  Environment,
  Group,
  Html,
  Mesh,
  Model,
  OrbitControls,
  PointLight,
  Scene,
  type SceneRoot,
  ShadowCatcher,
  Sky,
  SpotLight,
  useEngine,
  useModel,
  useTick,
  useWorld,
  View,
} from './index.js';
import { openRoot } from './scene-root.js';

const box = boxGeometry();
let engine: Engine;
let root: SceneRoot;
let errors: unknown[];

beforeEach(async () => {
  engine = await createEngine(null, { backend: 'null' });
  errors = [];
  engine.addEventListener('error', ({ detail }) => errors.push(detail));
  root = createSceneRoot(engine, { onError: (error) => errors.push(error) });
  // React prints errors that a boundary has caught, in development.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(async () => {
  vi.useRealTimers();
  root.unmount();
  expect(engine.world.actors).toEqual([]);
  expect(engine.world.levels).toHaveLength(1);
  expect((await engine.dispose()).leaks).toEqual([]);
  vi.restoreAllMocks();
});

const h = createElement;
const waitUntil = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: timeLimit(20_000) });
const codes = (): string[] => errors.map((error) => (error as { code?: string }).code ?? String(error));
const messages = (): string[] => errors.map((error) => (error as Error).message);
const names = (): string[] => engine.world.actors.map(({ name }) => name);
const find = (name: string): Actor => engine.world.actors.find((actor) => actor.name === name) as Actor;
const mesh = (props: object): ReactNode => h(Mesh, { geometry: box, ...props });

/** A glTF file with one triangle, two variants and a clip that moves it. */
const file = ((): ArrayBuffer => {
  const numbers = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 5, 0, 0]);
  const view = (byteOffset: number, byteLength: number): object => ({ buffer: 0, byteOffset, byteLength });
  const gltf = {
    asset: { version: '2.0' },
    extensionsUsed: ['KHR_materials_variants'],
    extensions: { KHR_materials_variants: { variants: [{ name: 'red' }, { name: 'blue' }] } },
    buffers: [{ byteLength: 68, uri: `data:;base64,${Buffer.from(numbers.buffer).toString('base64')}` }],
    bufferViews: [view(0, 36), view(36, 8), view(44, 24)],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, count: 2, type: 'SCALAR', min: [0], max: [1] },
      { bufferView: 2, componentType: 5126, count: 2, type: 'VEC3' },
    ],
    materials: [{ name: 'plain' }, { name: 'red' }, { name: 'blue' }],
    meshes: [
      {
        primitives: [
          {
            attributes: { POSITION: 0 },
            material: 0,
            extensions: {
              KHR_materials_variants: {
                mappings: [
                  { material: 1, variants: [0] },
                  { material: 2, variants: [1] },
                ],
              },
            },
          },
        ],
      },
    ],
    animations: [
      {
        name: 'slide',
        samplers: [{ input: 1, output: 2 }],
        channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }],
      },
    ],
    nodes: [{ mesh: 0, name: 'sign' }],
    scenes: [{ nodes: [0] }],
    scene: 0,
  };
  return new TextEncoder().encode(JSON.stringify(gltf)).buffer as ArrayBuffer;
})();
const signFile = new File([file], 'sign.gltf');
const extraFile = new File(['text'], 'notes.txt');
/** Returns a copy of the file. Spaces at its end make it another one. */
const freshFile = (spaces = 0): ArrayBuffer => {
  const bytes = new Uint8Array(file.byteLength + spaces).fill(32);
  bytes.set(new Uint8Array(file));
  return bytes.buffer;
};

/** An error boundary of the page, which shows nothing after an error. */
class PageBoundary extends Component<{ readonly children?: ReactNode; readonly seen: unknown[] }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError(): object {
    return { hasFailed: true };
  }
  override componentDidCatch(error: unknown): void {
    this.props.seen.push(error);
  }
  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}

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

describe('events, ticks and hooks', () => {
  it('adds a listener only while an event prop is set, and calls the latest function', async () => {
    const calls: string[] = [];
    const add = vi.fn();
    const scene = (onClick?: (() => void) | null): ReactNode => mesh({ name: 'mesh', onClick });
    await root.render(scene());
    const actor = find('mesh');
    const original = actor.addEventListener.bind(actor);
    actor.addEventListener = (...args) => {
      add(args[0]);
      original(...args);
    };
    const click = (): void => {
      for (const listener of actor.listeners?.get('click')?.keys() ?? []) listener({} as never);
    };
    click();
    await root.render(scene(() => calls.push('first')));
    click();
    await root.render(scene(() => calls.push('second')));
    click();
    await root.render(scene(null));
    click();
    expect([calls, add.mock.calls]).toEqual([['first', 'second'], [['click']]]);
  });

  it('useTick calls the latest function; an error is reported, and the other ticks go on', async () => {
    const calls: string[] = [];
    const Ticking = ({ text }: { readonly text: string }): null => {
      useTick((seconds) => calls.push(`${text} ${seconds}`));
      useTick((seconds) => calls.push(`fixed ${seconds}`), { fixed: { hertz: 2 } });
      useTick(() => {
        throw new Error('a slip of the page');
      });
      useTick(() => calls.push('half'), { fixed: 1 });
      useTick(() => calls.push('after'), { group: 'post-update' });
      return null;
    };
    await root.render(h(Ticking, { text: 'one' }));
    await engine.step(0.5);
    await root.render(h(Ticking, { text: 'two' }));
    await engine.step(0.5);
    expect(calls).toEqual(['one 0.5', 'fixed 0.5', 'after', 'two 0.5', 'fixed 0.5', 'half', 'after']);
    expect(codes()).toEqual(['tick-failed']);
    await root.render(null);
    await engine.step(0.5);
    expect(calls).toHaveLength(7);
  });

  it('useEngine and useWorld return those of the scene, and refs are set in layout effects', async () => {
    const seen: unknown[] = [];
    const Inner = (): ReactNode => {
      const ref: { current: Actor | null } = { current: null };
      const [own, world] = [useEngine(), useWorld()];
      useLayoutEffect(() => {
        seen.push(own === engine, world === engine.world, ref.current?.world === world);
      });
      return mesh({ ref });
    };
    await root.render(h(Inner));
    expect(seen).toEqual([true, true, true]);
  });
});

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
