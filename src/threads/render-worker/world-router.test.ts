import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../../core/page-stream.js';
import { encodeRecord } from '../../core/record-codec.js';
import type { RecordValues } from '../../core/record-table.js';
import type { StreamReader } from '../../core/stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderFrameFlag, RenderOpcode, SceneFlag } from '../../proxy/commands.js';
import { FACING_VERTICES } from '../../render/vertex-policy.js';
import type { RenderPartHost } from '../control/thread-parts.js';
import type { FrameHeader } from './render-thread.js';
import { WorldRouter } from './world-router.js';

type Commands = typeof renderCommands.fields;

/** Opcodes that the parts of a world take, whichever world it is. */
const OF_PARTS: readonly number[] = [RenderOpcode.setAmbient, RenderOpcode.setRenderer];

/** A router between worlds that note what reaches them. */
function setUp() {
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const log: string[] = [];
  /** What the parts of the world `host` answer with, once. */
  const held = new Map<string, Promise<void>>();
  const hosts: RenderPartHost[] = [];
  const note = (who: string) => (from: StreamReader) =>
    void log.push(`${who} ${renderCommands.names[from.opcode]}`);

  const createParts = (who: string) => ({
    has: (opcode: number) => OF_PARTS.includes(opcode),
    execute: (from: StreamReader) => {
      const waiting = held.get(who) ?? null;
      held.delete(who);
      if (waiting) log.push(`${who} waits`);
      else note(`parts of ${who}:`)(from);
      return waiting;
    },
    beginFrame: ({ frame, flags, deltaSeconds, timeSeconds }: FrameHeader) =>
      void log.push(`${who} begins ${frame}, ${flags}, ${deltaSeconds} s, at ${timeSeconds} s`),
    beginList: () => void log.push(`${who} begins a list`),
    endList: () => void log.push(`${who} ends a list`),
    stop: () => void log.push(`${who} stops`),
  });
  const createWorld = (name: string) => ({
    name,
    commands: { execute: note(name) },
    features: { passes: [] as unknown[] },
    drawn: [] as unknown[],
    timeSeconds: undefined as number | undefined,
    sceneRenderer: { stats: { primitives: 0, visible: 0 } },
    dispose: () => void log.push(`${name} is disposed of`),
    scene: {
      isRestyled: false,
      primitives: { createBlendedOrder: null as unknown },
      vertexPolicies: [] as unknown[],
      deformers: { destroyGeometry: (id: number) => void log.push(`${name}: deformed geometry ${id} goes`) },
      materialChanged: (id: number) => void log.push(`${name}: material ${id}`),
      restyled: () => void log.push(`${name}: restyled`),
      geometryChanged: (id: number) => void log.push(`${name}: geometry ${id}`),
      geometryReshaped: (id: number) => void log.push(`${name}: geometry ${id} reshaped`),
    },
  });
  const first = createWorld('first');
  const ids = new Set<number>();
  const looks = { flags: [0, 0, 0], isNormalMapped: [0, 0, 0], textureSet: [0, 0, 0], shader: [0, 0, 0] };
  const materials = { ...looks, has: (id: number) => ids.has(id) };
  /** Done to the materials by the next command that the renderer executes. */
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
  const thread = {
    parts: createParts('first'),
    execute: null as unknown as (reader: StreamReader, frame: FrameHeader) => Promise<void> | null,
    createParts: (host: RenderPartHost) => {
      hosts.push(host);
      return createParts((host.world as unknown as { name: string }).name);
    },
  };
  const again: number[] = [];
  const router = new WorldRouter({
    thread,
    renderer,
    world: first,
    isIdle: () => true,
    recordAgain: (timeSeconds: number) => again.push(timeSeconds),
  } as unknown as RenderPartHost);
  const header = (timeSeconds = 0, flags = 0): FrameHeader => ({
    frame: 1,
    flags,
    deltaSeconds: 0.5,
    timeSeconds,
  });
  const send = <K extends keyof Commands & string>(
    name: K,
    values: RecordValues<Commands[K]>,
    frame = header(),
  ): Promise<void> | null => {
    encodeRecord(writer, renderCommands, name, values);
    writer.publish();
    expect(reader.next()).toBe(true);
    return thread.execute(reader, frame);
  };
  const select = (scene: number, flags = SceneFlag.frame as number, timeSeconds = 0, frame = header()) =>
    send('selectScene', { scene, flags, timeSeconds }, frame);
  return {
    router,
    renderer,
    first,
    ids,
    materials,
    held,
    hosts,
    again,
    header,
    send,
    select,
    reader,
    thread,
    /** Of the next command. */
    when: (next: () => void) => {
      effect = next;
    },
    take: () => log.splice(0),
  };
}

const material = { material: 1, flags: 0, textures: [], parameters: new Float32Array() };

describe('G1 several worlds on the render thread', () => {
  it('get the commands that follow their selection; the first has those before, and shared ones', () => {
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

  it('have parts of their own, which hold the stream for themselves', async () => {
    const { send, select, take, held } = setUp();
    const setAmbient = { red: 0, green: 0, blue: 0 } as never;
    expect(send('setAmbient', setAmbient)).toBe(null);
    select(1);
    const loading = Promise.resolve();
    held.set('world 1', loading);
    expect(send('setAmbient', setAmbient)).toBe(loading);
    expect(send('setAmbient', setAmbient)).toBe(null);
    expect(take()).toEqual(['parts of first: setAmbient', 'world 1 waits', 'parts of world 1: setAmbient']);
  });

  it('all get what is said to each of them, once all have the part', () => {
    const { send, select, take, held, thread, reader, header } = setUp();
    select(1);
    select(2);
    const loading = Promise.resolve();
    held.set('world 1', loading);
    expect(send('setRenderer', { renderer: 1 })).toBe(loading);
    expect(take()).toEqual(['parts of first: setRenderer', 'world 1 waits']);
    expect(thread.execute(reader, header())).toBe(null);
    expect(take()).toEqual(['first', 'world 1', 'world 2'].map((who) => `parts of ${who}: setRenderer`));
  });

  it('hear of shared geometries that change', () => {
    const { send, select, take } = setUp();
    select(1);
    select(2);
    send('destroyGeometry', { geometry: 5 });
    expect(take()).toEqual([
      'renderer destroyGeometry',
      ...[1, 2].flatMap((id) => [`world ${id}: deformed geometry 5 goes`, `world ${id}: geometry 5`]),
    ]);
  });

  it('hear of a shared material where it looks otherwise', () => {
    const { send, select, take, ids, materials, when } = setUp();
    select(1);
    // New: nothing shows it yet, so that nothing on screen would vanish.
    when(() => ids.add(1));
    send('setMaterial', material);
    expect(take()).toEqual(['renderer setMaterial', 'world 1: material 1']);
    send('setMaterial', material);
    expect(take()).toEqual(['renderer setMaterial']);
    for (const of of ['flags', 'isNormalMapped', 'textureSet', 'shader'] as const) {
      when(() => materials[of][1]!++);
      send('setMaterial', material);
      expect(take(), of).toEqual(['renderer setMaterial', 'world 1: material 1', 'world 1: restyled']);
    }
    when(() => ids.delete(1));
    send('destroyMaterial', { material: 1 });
    expect(take()).toEqual(['renderer destroyMaterial', 'world 1: material 1', 'world 1: restyled']);
  });

  it('show the one that the page names, all of which is drawn at once', () => {
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

  it('end one by one: parts stop, and what follows is of the first', () => {
    const { select, send, take, renderer, first, router } = setUp();
    select(1);
    select(2, SceneFlag.frame | SceneFlag.shown);
    select(2, SceneFlag.destroyed);
    expect(take()).toEqual(['world 2 stops', 'world 2 is disposed of']);
    expect(renderer.shownWorld).toBe(first);
    expect(renderer.worlds.map(({ name }) => name)).toEqual(['first', 'world 1']);
    send('createNode', { node: 7, parent: 0 });
    select(3, SceneFlag.destroyed);
    expect(take()).toEqual(['renderer createNode']);
    router.stop();
    expect(take()).toEqual(['world 1 stops']);
    // The number is another world's.
    select(2);
    expect(renderer.worlds.map(({ name }) => name)).toEqual(['first', 'world 1', 'world 2']);
  });

  it('begin frames with their own time, and the first’s features', () => {
    const { router, select, take, header, first, renderer } = setUp();
    const frame = header(10, RenderFrameFlag.running);
    select(1, SceneFlag.frame | SceneFlag.running, 4, frame);
    select(2, SceneFlag.frame, 3, frame);
    first.features.passes.push('a pass');
    first.scene.vertexPolicies[FACING_VERTICES] = 'facing';
    first.scene.primitives.createBlendedOrder = 'order';
    first.timeSeconds = 1;
    router.beginFrame(frame);
    expect(take()).toEqual([
      `world 1 begins 1, ${RenderFrameFlag.running}, 0.5 s, at 4 s`,
      'world 2 begins 1, 0, 0.5 s, at 3 s',
    ]);
    const { features, scene } = renderer.worlds[1]!;
    expect([features.passes, scene.vertexPolicies[FACING_VERTICES], scene.primitives]).toEqual([
      ['a pass'],
      'facing',
      { createBlendedOrder: 'order' },
    ]);
    expect(first.timeSeconds).toBe(undefined);
    // A paused first world stands still in further lists, too.
    router.beginFrame(header(10, 0));
    expect(first.timeSeconds).toBe(10);
  });

  it('go on in further lists as far as the frame’s time has gone on, unless they are paused', () => {
    const { router, select, take, header, renderer, hosts, again } = setUp();
    const frame = header(10, RenderFrameFlag.running);
    select(1, SceneFlag.frame | SceneFlag.running, 4, frame);
    select(2, SceneFlag.frame, 3, frame);
    router.beginList(header(10.25));
    const times = () => renderer.worlds.slice(1).map(({ timeSeconds }) => timeSeconds);
    expect(times()).toEqual([4.25, 3]);
    expect(take()).toEqual(['world 1 begins a list', 'world 2 begins a list']);
    // A part of a world asks for a list in that world's time, and gets it in the frame's; nobody draws for a world unseen.
    hosts[0]!.recordAgain(4.5);
    expect(again).toEqual([10.5]);
    expect(hosts[0]!.isIdle()).toBe(false);
    renderer.worlds[1]!.drawn.push('a view');
    expect(hosts[0]!.isIdle()).toBe(true);
  });

  it('are counted together', () => {
    const { router, select, renderer, first, take } = setUp();
    select(1);
    select(2);
    for (const [index, { sceneRenderer }] of renderer.worlds.entries())
      sceneRenderer.stats = { primitives: 10 ** index, visible: index + 1 };
    router.endList();
    expect(first.sceneRenderer.stats).toEqual({ primitives: 111, visible: 6 });
    expect(take()).toEqual(['world 1 ends a list', 'world 2 ends a list']);
  });
});
