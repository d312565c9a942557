import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../core/streams/page-stream.js';
import { SceneComponent } from '../game/components/scene-component.js';
import { boxGeometry } from '../game/geometry/shapes.js';
import { codeOf, published, type RenderRecord, valuesOf } from '../game/testing/test-world.js';
import { World, type WorldServices } from '../game/world/world.js';
import { renderCommands } from '../proxy/command-table.js';
import { RENDERERS, SceneFlag } from '../proxy/commands.js';
import { Worlds, type WorldsHost } from './worlds.js';

const { frame, running, shown, destroyed } = SceneFlag;

/** Creates the worlds of an engine on a stream, and functions that return their decoded commands. */
function setUp(renderer: (typeof RENDERERS)[number] = 'forward') {
  let { writer, reader } = createLocalStream({ table: renderCommands });
  const errors: unknown[] = [];
  const services: WorldServices = {
    loadScene: () => Promise.reject(new Error('no loader')),
    reportError: (error) => errors.push(error),
  };
  const first = new World(writer, services);
  const producer = { writer, world: first as unknown };
  const created: World[] = [];
  const worlds = new Worlds({
    world: first,
    worldServices: services,
    producer: producer as unknown as WorldsHost['producer'],
    settings: { output: { renderer } as WorldsHost['settings']['output'] },
    onCreate: (world) => created.push(world),
  });
  const read = (): RenderRecord[] => published(writer, reader);
  const send = (): RenderRecord[] => {
    worlds.sendUpdates();
    return read();
  };
  const resend = (): RenderRecord[] => {
    ({ writer, reader } = createLocalStream({ table: renderCommands }));
    producer.writer = first.updates.writer = writer;
    worlds.resend(new Set());
    return read();
  };
  return { first, worlds, producer, created, errors, read, send, resend };
}

/** Returns the number of the scene and the name of each command, except of `selectScene`. */
function byScene(records: readonly RenderRecord[]): string[] {
  let scene = 0;
  return records.flatMap(({ name, values }) => {
    if (name !== 'selectScene') return [`${scene}: ${name}`];
    scene = (values as { scene: number }).scene;
    return [];
  });
}

const selections = (records: readonly RenderRecord[]) =>
  valuesOf(records, 'selectScene').map(({ scene, flags, timeSeconds }) => [scene, flags, timeSeconds]);

describe('G1 the worlds of an engine', () => {
  it('replace the producer’s world, and each has a name', () => {
    const { first, worlds, producer, created } = setUp();
    expect(producer.world).toBe(worlds);
    const [a, b] = [worlds.create(), worlds.create({ name: 'cellar', paused: true })];
    expect([a.name, b.name, a.paused, b.paused]).toEqual(['world 1', 'cellar', false, true]);
    expect(worlds.create().name).toBe('world 3');
    expect(worlds.all.slice(0, 3)).toEqual([first, a, b]);
    expect(created.slice(0, 2)).toEqual([a, b]);
    expect(worlds.shown).toBe(first);
  });

  it('reject unknown options, and new worlds after the engine has ended', () => {
    const { first, worlds, created } = setUp();
    expect(codeOf(() => worlds.create({ nam: 'x' } as never))).toBe('option-unknown');
    expect(codeOf(() => worlds.create({ name: 1 } as never))).toBe('option-invalid');
    expect(codeOf(() => worlds.create({ paused: 1 } as never))).toBe('option-invalid');
    first.dispose();
    expect(() => worlds.create()).toThrow();
    expect([created, worlds.all]).toEqual([[], [first]]);
  });

  it('send their changes one after another, and select the first world’s scene at the end', () => {
    const { first, worlds, send } = setUp();
    const [a, b] = [worlds.create(), worlds.create()];
    for (const world of [b, first, a]) world.spawn(new SceneComponent());
    const records = send();
    expect(byScene(records)).toEqual(
      [0, 1, 2].flatMap((scene) => [`${scene}: createNode`, `${scene}: nodeTransforms`]),
    );
    expect(selections(records)).toEqual([
      [1, frame, 0],
      [2, frame, 0],
      [0, shown, 0],
    ]);
  });

  it('share geometries and materials, which are sent once', () => {
    const { first, worlds, send } = setUp();
    const other = worlds.create();
    const geometry = boxGeometry();
    for (const world of [first, other]) world.addMesh({ geometry });
    const records = send();
    expect(valuesOf(records, 'createGeometry')).toHaveLength(1);
    expect(byScene(records).filter((each) => each.endsWith('createPrimitive'))).toEqual([
      '0: createPrimitive',
      '1: createPrimitive',
    ]);
  });

  it('select the first world’s scene again if one world throws', () => {
    const { worlds, read } = setUp();
    const other = worlds.create();
    other.sendUpdates = () => {
      throw new Error('broken');
    };
    expect(() => worlds.sendUpdates()).toThrow('broken');
    expect(selections(read()).at(-1)).toEqual([0, shown, 0]);
  });

  it('have their own time, which stops while they are paused', () => {
    const { first, worlds, send } = setUp();
    const [awake, asleep] = [worlds.create(), worlds.create({ paused: true })];
    const ticks: string[] = [];
    for (const [name, world] of Object.entries({ first, awake, asleep }))
      world.onTick((delta) => ticks.push(`${name} ${delta}`));
    const step = (until: number): void => {
      worlds.tick(until - worlds.updates.timeSeconds);
      worlds.updates.timeSeconds = until;
    };
    worlds.updates.isRunning = true;
    step(2);
    expect(ticks.splice(0)).toEqual(['first 2', 'awake 2']);
    expect(selections(send()).slice(0, 2)).toEqual([
      [1, frame | running, 2],
      [2, frame, 0],
    ]);
    asleep.paused = false;
    awake.paused = true;
    worlds.updates.isRunning = true;
    step(3);
    expect(ticks).toEqual(['first 1', 'asleep 1']);
    expect(selections(send()).slice(0, 2)).toEqual([
      [1, frame, 2],
      [2, frame | running, 1],
    ]);
    worlds.updates.isRunning = false;
    expect(selections(send()).map(([, flags]) => flags)).toEqual([frame, frame, shown]);
    expect(worlds.updates.timeSeconds).toBe(3);
  });

  it('start with the engine’s time', () => {
    const { worlds, send } = setUp();
    worlds.updates.timeSeconds = 2 ** 40 + 0.5;
    worlds.create();
    expect(selections(send())[0]).toEqual([1, frame, 2 ** 40 + 0.5]);
  });

  it('mark the world that the canvas shows', () => {
    const { first, worlds, send } = setUp();
    const other = worlds.create();
    expect(worlds.show(setUp().first)).toBe(false);
    expect(worlds.show(other)).toBe(true);
    expect(worlds.shown).toBe(other);
    expect(selections(send())).toEqual([
      [1, frame | shown, 0],
      [0, 0, 0],
    ]);
    expect(codeOf(() => other.destroy())).toBe('world-shown');
    expect(other.disposed.aborted).toBe(false);
    expect(worlds.show(first)).toBe(true);
    other.destroy();
    expect(worlds.show(other)).toBe(false);
  });

  it('send the end of a destroyed world after its last changes, and reuse its number', () => {
    const { first, worlds, send } = setUp();
    const [a, b] = [worlds.create(), worlds.create()];
    a.spawn(new SceneComponent());
    send();
    a.destroy();
    a.destroy();
    expect(worlds.all).toEqual([first, b]);
    // The number of world `a` is not free before a frame has sent its end.
    const early = worlds.create();
    const records = send();
    expect(selections(records)).toEqual([
      [2, frame, 0],
      [3, frame, 0],
      [1, frame, 0],
      [1, destroyed, 0],
      [0, shown, 0],
    ]);
    expect(byScene(records)).toEqual(['1: destroyNode']);
    expect(selections(send()).map(([scene]) => scene)).toEqual([2, 3, 0]);
    worlds.create();
    expect(selections(send()).map(([scene]) => scene)).toEqual([2, 3, 1, 0]);
    expect(early.disposed.aborted).toBe(false);
  });

  it('send the renderer once, if it is not the forward renderer', () => {
    const { worlds, send, resend } = setUp('deferred');
    worlds.create();
    const deferred = RENDERERS.indexOf('deferred');
    expect(valuesOf(send(), 'setRenderer')).toEqual([{ renderer: deferred }]);
    expect(valuesOf(send(), 'setRenderer')).toEqual([]);
    worlds.create();
    expect(byScene(send())).toEqual(['2: setRenderer']);
    expect(byScene(resend()).filter((each) => each.endsWith('setRenderer'))).toEqual([
      '1: setRenderer',
      '2: setRenderer',
    ]);
  });

  it('are sent again to other threads, without destroyed worlds', () => {
    const { first, worlds, send, resend } = setUp();
    const [a, b] = [worlds.create(), worlds.create()];
    for (const world of [first, a, b]) world.spawn(new SceneComponent());
    send();
    worlds.show(b);
    a.destroy();
    const records = resend();
    expect(byScene(records)).toEqual(['2: createNode', '2: nodeTransforms', '2: clearView']);
    expect(selections(records)).toEqual([
      [2, frame | shown, 0],
      [0, 0, 0],
    ]);
    expect(selections(send())).toEqual([
      [2, frame | shown, 0],
      [0, 0, 0],
    ]);
    worlds.create();
    expect(selections(send()).map(([scene]) => scene)).toEqual([2, 1, 0]);
  });

  it('write commands outside of frames into their own scene', () => {
    const { worlds, read } = setUp();
    const { updates } = worlds.create();
    updates.inScene?.(() => {});
    expect(selections(read())).toEqual([
      [1, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('are ready when all of them are ready, and end together', async () => {
    const { first, worlds } = setUp();
    const other = worlds.create();
    expect([worlds.isPending, worlds.retainedBytes]).toEqual([false, first.retainedBytes]);
    let isLoading = true;
    Object.defineProperty(other, 'isPending', { get: () => isLoading });
    other.whenReady = async () => {
      isLoading = false;
    };
    expect(worlds.isPending).toBe(true);
    await worlds.whenReady();
    expect(worlds.isPending).toBe(false);
    worlds.dispose();
    expect([first, other].map(({ disposed }) => disposed.aborted)).toEqual([true, true]);
    expect(worlds.disposed.aborted).toBe(true);
  });
});
