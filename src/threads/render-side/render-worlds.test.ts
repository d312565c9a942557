import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeRecord } from '../../core/records/record-codec.js';
import type { RecordValues } from '../../core/records/record-table.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderFrameFlag, SceneFlag } from '../../proxy/commands.js';
import { defaultRecord, MATERIAL_FLOATS, MaterialFlag } from '../../proxy/materials/material-layout.js';
import { MaterialTable } from '../../render/materials/material-table.js';
import type { Renderer } from '../../render/renderer.js';
import { FEATURES } from './feature-table.js';
import type { FrameHeader } from './render-thread.js';
import { RenderWorlds } from './render-worlds.js';
import type { FeatureHost, WorldFeature } from './world-feature.js';

type Commands = typeof renderCommands.fields;

let log: string[] = [];
/** The hosts of `environment` features, in the order of their creation. */
let hosts: FeatureHost[] = [];

const note = (who: string) => (from: StreamReader) =>
  void log.push(`${who} ${renderCommands.names[from.opcode]}`);

const nameOf = (host: FeatureHost): string => (host.world as unknown as { name: string }).name;

/** Creates a feature that logs its calls, with the name of its world. */
function createLoggingFeature(host: FeatureHost, feature: string): WorldFeature {
  const who = nameOf(host);
  return {
    execute: note(`${feature} of ${who}:`),
    beginFrame: ({ frame, flags, deltaSeconds, timeSeconds }) =>
      void log.push(`${who} begins ${frame}, ${flags}, ${deltaSeconds} s, at ${timeSeconds} s`),
    beginList: () => void log.push(`${who} begins a list`),
    endList: () => void log.push(`${who} ends a list`),
    stop: () => void log.push(`${who} stops`),
  };
}

beforeEach(() => {
  log = [];
  hosts = [];
  vi.spyOn(FEATURES, 'environment').mockImplementation((host) => {
    hosts.push(host);
    return createLoggingFeature(host, 'environment') as never;
  });
  vi.spyOn(FEATURES, 'effects').mockImplementation((host) => createLoggingFeature(host, 'effects') as never);
  vi.spyOn(FEATURES, 'deferred').mockImplementation((host) => ({
    execute: note(`deferred of ${nameOf(host)}:`),
  }));
});
afterEach(() => void vi.restoreAllMocks());

/** Creates worlds that log the commands they receive. */
function setUp() {
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const materials = new MaterialTable();
  const createWorld = (name: string) => {
    const world = makeWorld(name);
    materials.scenes.add(world.scene);
    return world;
  };
  const makeWorld = (name: string) => ({
    name,
    commands: { execute: note(name) },
    features: { passes: [] as unknown[] },
    isDrawn: false,
    timeSeconds: undefined as number | undefined,
    stats: { primitives: 0, visible: 0 },
    dispose: () => void log.push(`${name} is disposed of`),
    scene: {
      isRestyled: false,
      deformers: { destroyGeometry: (id: number) => void log.push(`${name}: deformed geometry ${id} goes`) },
      materialChanged: (id: number) => void log.push(`${name}: material ${id}`),
      restyled: () => void log.push(`${name}: restyled`),
      geometryChanged: (id: number) => void log.push(`${name}: geometry ${id}`),
      geometryReshaped: (id: number) => void log.push(`${name}: geometry ${id} reshaped`),
    },
  });
  const first = createWorld('first');
  /** Changes the materials while the renderer executes its next command. Tests set it. */
  let effect = (): void => {};
  const renderer = {
    world: first,
    worlds: [first],
    shownWorld: first,
    scene: first.scene,
    features: first.features,
    materials,
    execute: (from: StreamReader) => {
      note('renderer')(from);
      effect();
      effect = () => {};
    },
    createWorld: (suffix: string) => createWorld(suffix.slice(2)),
  };
  const again: number[] = [];
  const header = (timeSeconds = 0, flags = 0): FrameHeader => ({
    frame: 1,
    flags,
    deltaSeconds: 0.5,
    timeSeconds,
  });
  const host = { isIdle: () => true, recordAgain: (timeSeconds: number) => again.push(timeSeconds) };
  const worlds = new RenderWorlds(renderer as unknown as Renderer, host, header());
  const send = <K extends keyof Commands & string>(
    name: K,
    values: RecordValues<Commands[K]>,
    frame = header(),
  ): void => {
    encodeRecord(writer, renderCommands, name, values);
    writer.publish();
    expect(reader.next()).toBe(true);
    worlds.execute(reader, frame);
  };
  const setAmbient = (): void => send('setAmbient', { red: 0, green: 0, blue: 0 } as never);
  const select = (scene: number, flags = SceneFlag.frame as number, timeSeconds = 0, frame = header()) =>
    send('selectScene', { scene, flags, timeSeconds }, frame);
  return {
    worlds,
    renderer,
    first,
    setMaterial: (flags: number) =>
      materials.set(1, flags, new Uint32Array(0), 0, 0, defaultRecord(), 0, MATERIAL_FLOATS),
    materials,
    again,
    header,
    attach: (data: ArrayBuffer) => writer.attach(data),
    send,
    setAmbient,
    select,
    /** Sets the effect of the next command. */
    when: (next: () => void) => {
      effect = next;
    },
    take: () => log.splice(0),
  };
}

const material = { material: 1, flags: 0, textures: [], parameters: new Float32Array() };

describe('G1 several worlds on the render thread', () => {
  it('receive the commands after their selection; the first world receives earlier and shared commands', () => {
    const { send, select, take, renderer } = setUp();
    send('createNode', { node: 7, parent: 0 });
    select(2);
    send('createNode', { node: 7, parent: 0 });
    send('destroyTexture', { texture: 1 });
    send('destroyNode', { node: 7 });
    select(0);
    send('destroyNode', { node: 7 });
    expect(take()).toEqual([
      'renderer createNode',
      'world 2 createNode',
      'renderer destroyTexture',
      'world 2 destroyNode',
      'renderer destroyNode',
    ]);
    expect(renderer.worlds.map(({ name }) => name)).toEqual(['first', 'world 2']);
  });

  it('have features of their own, created by the first command of each', () => {
    const { setAmbient, select, take } = setUp();
    setAmbient();
    select(1);
    expect(hosts).toHaveLength(1);
    setAmbient();
    setAmbient();
    select(0);
    setAmbient();
    expect(take()).toEqual(
      ['first', 'world 1', 'world 1', 'first'].map((who) => `environment of ${who}: setAmbient`),
    );
    expect(hosts.map(nameOf)).toEqual(['first', 'world 1']);
  });

  it('all receive commands for every world', () => {
    const { send, select, take } = setUp();
    select(1);
    select(2);
    send('setRenderer', { renderer: 1 });
    expect(take()).toEqual(['first', 'world 1', 'world 2'].map((who) => `deferred of ${who}: setRenderer`));
  });

  it('execute shared commands only once, and pass the frame itself to features', () => {
    const { worlds, send, setAmbient, take, header, first } = setUp();
    send('setMaterial', material);
    setAmbient();
    const frame = header(10, RenderFrameFlag.running);
    worlds.beginFrame(frame);
    worlds.beginList(frame);
    worlds.endList();
    expect(take()).toEqual([
      'renderer setMaterial',
      'environment of first: setAmbient',
      `first begins 1, ${RenderFrameFlag.running}, 0.5 s, at 10 s`,
      'first begins a list',
      'first ends a list',
    ]);
    expect(first.timeSeconds).toBe(10);
    worlds.stop();
    expect(take()).toEqual(['first stops']);
  });

  it('send effects and their tables of colours to one feature, also for views of other worlds', () => {
    const { attach, send, select, take } = setUp();
    select(1);
    const least = { leastRed: 0, leastGreen: 0, leastBlue: 0 };
    const most = { mostRed: 1, mostGreen: 1, mostBlue: 1 };
    const texels = attach(new ArrayBuffer(4));
    send('setEffectTable', { texels, view: 3, effect: 0, size: 1, isCube: 0, ...least, ...most });
    send('setEffect', { view: 3, effect: 0, state: 0, values: new Float32Array() });
    expect(take()).toEqual(['effects of first: setEffectTable', 'effects of first: setEffect']);
  });

  it('follow changes of shared geometries', () => {
    const { send, select, take } = setUp();
    select(1);
    select(2);
    send('destroyGeometry', { geometry: 5 });
    expect(take()).toEqual([
      'renderer destroyGeometry',
      ...[1, 2].flatMap((id) => [`world ${id}: deformed geometry 5 goes`, `world ${id}: geometry 5`]),
    ]);
  });

  it('follow a shared material only if its look changes', () => {
    const { send, select, take, materials, setMaterial, when } = setUp();
    select(1);
    // No primitive uses a new material yet, so the scene is not restyled.
    when(() => setMaterial(0));
    send('setMaterial', material);
    expect(take()).toEqual(['renderer setMaterial', 'first: material 1', 'world 1: material 1']);
    when(() => setMaterial(0));
    send('setMaterial', material);
    expect(take()).toEqual(['renderer setMaterial']);
    const told = ['first', 'world 1'].flatMap((who) => [`${who}: material 1`, `${who}: restyled`]);
    const looks = {
      state: () => {},
      textureSet: () => void materials.textureSet[1]!++,
    };
    for (const [of, change] of Object.entries(looks)) {
      when(() => {
        change();
        setMaterial(MaterialFlag.doubleSided);
      });
      send('setMaterial', material);
      expect(take(), of).toEqual(['renderer setMaterial', ...told]);
    }
    when(() => materials.destroy(1));
    send('destroyMaterial', { material: 1 });
    expect(take()).toEqual(['renderer destroyMaterial', ...told]);
  });

  it('show the world that the page selects, without skipped draws', () => {
    const { select, renderer, first } = setUp();
    select(1, SceneFlag.frame | SceneFlag.shown);
    const other = renderer.worlds[1]!;
    expect(renderer.shownWorld).toBe(other);
    expect(other.scene.isRestyled).toBe(true);
    other.scene.isRestyled = false;
    select(1, SceneFlag.frame | SceneFlag.shown);
    expect(other.scene.isRestyled).toBe(false);
    select(0, SceneFlag.shown);
    expect(renderer.shownWorld).toBe(first);
    expect(first.scene.isRestyled).toBe(true);
  });

  it('end one by one: their features stop, and the first world executes later commands', () => {
    const { select, send, setAmbient, take, renderer, first, worlds } = setUp();
    select(1);
    setAmbient();
    select(2, SceneFlag.frame | SceneFlag.shown);
    setAmbient();
    take();
    select(2, SceneFlag.destroyed);
    expect(take()).toEqual(['world 2 stops', 'world 2 is disposed of']);
    expect(renderer.shownWorld).toBe(first);
    expect(renderer.worlds.map(({ name }) => name)).toEqual(['first', 'world 1']);
    send('createNode', { node: 7, parent: 0 });
    select(3, SceneFlag.destroyed);
    expect(take()).toEqual(['renderer createNode']);
    worlds.stop();
    expect(take()).toEqual(['world 1 stops']);
    // A new world gets the number of the destroyed world.
    select(2);
    expect(renderer.worlds.map(({ name }) => name)).toEqual(['first', 'world 1', 'world 2']);
  });

  it('begin frames with their own time, and with the passes of the first world', () => {
    const { worlds, select, setAmbient, take, header, first, renderer } = setUp();
    const frame = header(10, RenderFrameFlag.running);
    select(1, SceneFlag.frame | SceneFlag.running, 4, frame);
    setAmbient();
    select(2, SceneFlag.frame, 3, frame);
    setAmbient();
    take();
    first.features.passes.push('a pass');
    first.timeSeconds = 1;
    worlds.beginFrame(frame);
    expect(take()).toEqual([
      `world 1 begins 1, ${RenderFrameFlag.running}, 0.5 s, at 4 s`,
      'world 2 begins 1, 0, 0.5 s, at 3 s',
    ]);
    expect(renderer.worlds.map(({ features }) => features.passes)).toEqual([
      ['a pass'],
      ['a pass'],
      ['a pass'],
    ]);
    worlds.beginList(header(10.25));
    expect(first.timeSeconds).toBe(10.25);
    // A paused first world also stands still in further lists.
    worlds.beginFrame(header(10, 0));
    worlds.beginList(header(10.25));
    expect(first.timeSeconds).toBe(10);
  });

  it('advance in further lists like the frame’s time, unless they are paused', () => {
    const { worlds, select, setAmbient, take, header, renderer, again } = setUp();
    const frame = header(10, RenderFrameFlag.running);
    select(1, SceneFlag.frame | SceneFlag.running, 4, frame);
    setAmbient();
    select(2, SceneFlag.frame, 3, frame);
    setAmbient();
    take();
    worlds.beginList(header(10.25));
    const times = () => renderer.worlds.slice(1).map(({ timeSeconds }) => timeSeconds);
    expect(times()).toEqual([4.25, 3]);
    expect(take()).toEqual(['world 1 begins a list', 'world 2 begins a list']);
    // A feature requests a list at its world's time, and the host receives the engine's time. If no view draws the
    // world, `isIdle` returns false, so that its features request no list.
    hosts[0]!.recordAgain(4.5);
    expect(again).toEqual([10.5]);
    expect(hosts[0]!.isIdle()).toBe(false);
    renderer.worlds[1]!.isDrawn = true;
    expect(hosts[0]!.isIdle()).toBe(true);
  });
});
