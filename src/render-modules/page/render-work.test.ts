import { describe, expect, it, vi } from 'vitest';
import { disposedError, type FencepostError, ThreadError } from '../../core/errors.js';
import { EventRing } from '../../core/events/event-ring.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { FrameProducer } from '../../engine/frames/frame-producer.js';
import { FrameScheduler } from '../../engine/frames/frame-scheduler.js';
import { ThreadCalls } from '../../engine/frames/thread-calls.js';
import { resolveOptions } from '../../engine/options/option-checks.js';
import { Actor } from '../../game/components/actor.js';
import { resend } from '../../game/updates/resend.js';
import { World } from '../../game/world/world.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { ThreadRoles } from '../../rhi/record/thread-guard.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FrameEndSync } from '../../sync/frame-end-sync.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import { Pipeline } from '../../threads/connections/pipeline.js';
import type { ForgetModule, LoadModule, ModulesConfig } from '../render-module-messages.js';
import type { RenderModule } from './render-module.js';
import { RenderWork } from './render-work.js';

/**
 * A render thread whose modules all have the commands `a` and `b`. The test decides which commands count as executed.
 */
class FakeThread {
  readonly rendered = new PrivateFence('rendered');
  readonly submitted = new PrivateFence('submitted');
  readonly completed = new PrivateFence('completed');
  readonly stats = new Float64Array(24);
  readonly loads: LoadModule[] = [];
  readonly forgotten: number[] = [];
  /** Whether loads get no answer. */
  isSilent = false;
  readonly writer;
  readonly reader: StreamReader;
  config: ModulesConfig | null = null;

  constructor() {
    const { writer, reader } = createLocalStream({ table: renderCommands });
    this.writer = writer;
    this.reader = reader;
  }

  readonly control = {
    connectModules: async (config: ModulesConfig) => {
      this.config = config;
      config.port.onmessage = ({ data }: MessageEvent<LoadModule | ForgetModule>) => {
        if ('forgotten' in data) {
          this.forgotten.push(data.forgotten);
          return;
        }
        this.loads.push(data);
        if (this.isSilent) return;
        config.port.postMessage({ kind: 'loaded', module: data.module, commands: ['a', 'b'] });
      };
    },
  };

  /** Sequence number and command number of each module command received since the last read. */
  get commands(): number[][] {
    const commands = [];
    const { reader } = this;
    while (reader.next()) {
      if (reader.opcode !== RenderOpcode.callModule) continue;
      commands.push([reader.words[reader.fields + 2] as number, reader.words[reader.fields + 1] as number]);
    }
    return commands;
  }

  get connection(): RenderConnection {
    return this as unknown as RenderConnection;
  }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Delays the opening of the thread's link until the returned function is called. Loads get no answer. */
function delayModules(thread: FakeThread): () => void {
  const { connectModules } = thread.control;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const control = { connectModules: (config: ModulesConfig) => opened.then(() => connectModules(config)) };
  Object.assign(thread, { isSilent: true, control });
  return open;
}

async function setUp() {
  const errors: { code: string; message: string }[] = [];
  const reportError = (error: unknown): void => void errors.push(error as (typeof errors)[number]);
  const clock = new ManualClock();
  const first = new FakeThread();
  const pipeline = new Pipeline(first.connection, resolveOptions({}), () => {});
  pipeline.start();
  const world = new World(first.writer, { loadScene: async () => null as never, reportError });
  const sync = new FrameEndSync(pipeline.synced, { lag: true });
  const producer = new FrameProducer(first.writer, sync, world, new EventRing(), () => {});
  const page = { requestFrame: () => 1, cancelFrame: () => {}, now: () => 0, isHidden: false };
  const scheduler = new FrameScheduler(producer, page, reportError);
  const work = new RenderWork({
    pipeline,
    producer,
    scheduler,
    world,
    reportError,
    clock,
    calls: new ThreadCalls(pipeline, producer),
    roles: new ThreadRoles('main'),
  });
  const step = () => scheduler.produceOnce(0.1, 0, 'tick', (frame) => frame);
  const add = () => work.addRenderModule('data:text/javascript,', {});
  /** Replaces the current render thread with a new one, and returns the new one. */
  const takeOver = async (): Promise<FakeThread> => {
    const next = new FakeThread();
    producer.hold();
    await work.moveTo(next.connection);
    producer.writer = next.writer;
    resend(world, next.writer);
    pipeline.release();
    pipeline.adopt(next.connection, producer.frame);
    producer.release();
    return next;
  };
  return { errors, clock, first, pipeline, world, producer, scheduler, work, step, add, takeOver };
}

describe('RenderWork', () => {
  it('R2: send is refused while the function of a frame prerequisite runs', async () => {
    const { first, step, add, producer } = await setUp();
    const module = await add();
    const refused = new ThreadError('blocked-on-render-thread', 'refused');
    producer.refusal = () => refused;
    expect(() => module.send('a', 1)).toThrow(refused);
    producer.refusal = null;
    module.send('a', 2);
    await step();
    expect(first.commands).toEqual([[1, 1]]);
  });

  it('R2: types of commands name the commands and their data', () => {
    type Typed = RenderModule<{ pulse: { hertz: number }; rest: undefined }>;
    const check = (module: Typed, any: RenderModule): void => {
      module.send('pulse', { hertz: 1 });
      module.send('rest');
      any.send('anything', [1]);
      any.send('anything');
      // @ts-expect-error the data is missing
      module.send('pulse');
      // @ts-expect-error the data has another type
      module.send('pulse', { hertz: '1' });
      // @ts-expect-error no such command
      module.send('stop');
    };
    expect(check).toBeTypeOf('function');
  });

  it('R2: commands travel with frames, in order, and not with redraws', async () => {
    const { first, step, add, scheduler } = await setUp();
    const module = await add();
    module.send('b', 1);
    await scheduler.produceOnce(0, 0, 'redraw', () => {});
    expect(first.commands).toEqual([]);
    module.send('a', [2]);
    await step();
    expect(first.commands).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('rejects pending modules if a message of the render thread can’t be read, and removes them', async () => {
    const { first, errors, work } = await setUp();
    first.isSilent = true;
    const ports: MessagePort[] = [];
    const { port1, port2 } = new MessageChannel();
    vi.stubGlobal('MessageChannel', function open() {
      ports.push(port1);
      return { port1, port2 };
    });
    const added = work
      .addRenderModule('data:text/javascript,', {})
      .catch((error: FencepostError) => error.code);
    await settle();
    vi.unstubAllGlobals();
    expect(first.loads).toHaveLength(1);
    ports[0]?.onmessageerror?.(new MessageEvent('messageerror'));
    await settle();
    expect([await added, errors.map(({ code }) => code)]).toEqual(['message-lost', ['message-lost']]);
    expect(first.forgotten).toEqual([first.loads[0]?.module]);
  });

  it('R2: idOf returns numbers for actors of the engine’s world, and rejects other arguments with typed errors', async () => {
    const { add, world } = await setUp();
    const module = await add();
    const actor = world.spawn(new Actor());
    expect(module.idOf(actor)).toBe(actor.root.node);
    actor.name = 'gone';
    actor.destroy();
    const codeOf = (what: unknown) => {
      try {
        module.idOf(what as Actor);
      } catch (error) {
        return [(error as FencepostError).code, (error as Error).message];
      }
      return [];
    };
    expect(codeOf(5)).toEqual(['option-invalid', expect.stringMatching(/takes an actor, not 5/)]);
    expect(codeOf(null)).toEqual(['option-invalid', expect.stringMatching(/not null/)]);
    expect(codeOf(actor)).toEqual(['actor-destroyed', expect.stringMatching(/"gone" is destroyed/)]);
    expect(codeOf(new Actor())).toEqual(['actor-of-another-world', expect.stringMatching(/Spawn it there/)]);
  });

  it('R2: after a restart, commands that had not begun are sent again in order, and no others', async () => {
    const { first, step, add, takeOver } = await setUp();
    const module = await add();
    const restored: string[] = [];
    module.onRestored(() => {
      restored.push('restored');
      module.send('b');
    });
    for (let count = 0; count < 3; count++) module.send('a', count);
    await step();
    expect(first.commands.map(([sequence]) => sequence)).toEqual([1, 2, 3]);
    first.config?.port.postMessage({ kind: 'executed', sequence: 2 });
    await settle();
    const next = await takeOver();
    expect(next.loads).toMatchObject([{ isRestored: true }]);
    expect(next.config?.executed).toBe(2);
    await step();
    expect(next.commands).toEqual([
      [3, 1],
      [4, 2],
    ]);
    expect(restored).toEqual(['restored']);
  });

  it('R4: a fence includes commands that no frame has written yet, and produces a frame for them', async () => {
    const { first, work, add, producer, step } = await setUp();
    await step();
    const before = work.renderFence({});
    expect(before.isComplete).toBe(false);
    first.rendered.signal(1);
    expect(before.isComplete).toBe(true);
    const module = await add();
    module.send('a');
    const fence = work.renderFence({ through: 'present' });
    expect(fence.isComplete).toBe(false);
    await settle();
    expect(producer.frame).toBe(2);
    first.rendered.signal(2);
    expect(fence.isComplete).toBe(false);
    first.submitted.signal(2);
    expect(fence.isComplete).toBe(true);
    await fence.wait();
    expect(() => work.renderFence({ through: 'moon' as never })).toThrow(/through/);
  });

  it('R4: a wait produces its frame even if the engine is stopped after the wait began', async () => {
    const { work, add, producer, scheduler, clock, first } = await setUp();
    const module = await add();
    scheduler.start();
    module.send('a');
    const fences = [work.renderFence({}), work.renderFence({})];
    await settle();
    clock.advance(150);
    expect(producer.frame).toBe(0);
    scheduler.stop();
    clock.advance(100);
    await settle();
    expect(producer.frame).toBe(1);
    first.rendered.signal(1);
    for (const fence of fences) await fence.wait();
  });

  it('R2: a removed module is loaded on other threads until its removal has begun', async () => {
    const { first, step, add, takeOver } = await setUp();
    const module = await add();
    module.send('a');
    module.remove();
    await step();
    const moveTo = async (): Promise<FakeThread> => {
      const next = await takeOver();
      await step();
      return next;
    };
    const second = await moveTo();
    expect(second.loads).toHaveLength(1);
    expect(second.commands).toEqual(first.commands);
    second.config?.port.postMessage({ kind: 'executed', sequence: 2 });
    await settle();
    const third = await moveTo();
    expect([third.loads, third.commands]).toEqual([[], []]);
  });

  it('R2: data that can not be cloned is rejected, and no load stays pending', async () => {
    const { work, add, pipeline } = await setUp();
    await expect(work.addRenderModule('data:,', { data: () => {} })).rejects.toMatchObject({
      code: 'option-invalid',
    });
    pipeline.fail(disposedError()); // rejects pending calls
    await settle();
    await expect(add()).rejects.toMatchObject({ code: 'engine-disposed' });
  });

  it.each([undefined, null, 5, 'http://'])('R2: addRenderModule rejects %s as URL', async (address) => {
    const { work } = await setUp();
    await expect(work.addRenderModule(address as never, {})).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringContaining('takes a valid URL'),
    });
  });

  it('R2: a module that exceeds the time limit is rejected, and removed on the render thread', async () => {
    const { work, first, clock } = await setUp();
    first.isSilent = true;
    const added = work.addRenderModule('data:,', { name: 'slow' });
    const refused = expect(added).rejects.toMatchObject({ code: 'wait-timed-out' });
    await settle();
    clock.advance(30_000);
    await refused;
    await settle();
    expect(first.forgotten).toEqual([1]);
  });

  it('R2: an engine that ends before its link has opened rejects the first module at once', async () => {
    const { first, pipeline, add } = await setUp();
    const open = delayModules(first);
    const added = add();
    await settle();
    pipeline.fail(disposedError());
    open();
    await expect(added).rejects.toMatchObject({ code: 'engine-disposed' });
  });

  it('R2: if other threads take over before the first link has opened, they load the first module', async () => {
    const { first, add, takeOver } = await setUp();
    const open = delayModules(first);
    const added = add();
    await settle();
    const next = await takeOver();
    open();
    await added;
    expect([first.loads.length, next.loads.length]).toEqual([0, 1]);
  });
});
