import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FencepostError, RhiError, ThreadError } from '../core/errors.js';
import { EventRing } from '../core/events/event-ring.js';
import { createLocalStream } from '../core/streams/page-stream.js';
import { waitFor } from '../core/testing/wait-for.js';
import { boxGeometry } from '../game/geometry/shapes.js';
import { unlitMaterial } from '../game/materials/material.js';
import { texture } from '../game/textures/texture.js';
import { renderCommands } from '../proxy/command-table.js';
import { RenderOpcode } from '../proxy/commands.js';
import { ThreadRoles } from '../rhi/record/thread-guard.js';
import { PrivateFence } from '../sync/fences/private-fence.js';
import { ThreadQueues } from '../tasks/named-threads/thread-queues.js';
import { serveTasks } from '../tasks/worker/serve-tasks.js';
import type { RenderConnection } from '../threads/connections/connection.js';
import { FRAME_STAT_COUNT } from '../threads/control/frame-stats.js';
import type { TaskThreadConfig } from '../threads/control/protocol.js';
import { Engine } from './engine.js';
import { flushDegree } from './frames/flush-degree.js';
import type { EngineOptions } from './options/engine-options.js';
import { Look } from './options/look.js';
import { resolveOptions } from './options/option-checks.js';
import type { Surface } from './surfaces/surface.js';

interface FakeConnection extends RenderConnection {
  readonly submitted: PrivateFence;
  readonly completed: PrivateFence;
}

/**
 * Creates a connection to threads that complete every frame at once.
 * @param isSubmitting whether the threads also report the frame as submitted at once
 */
function connectFake(isSubmitting = true): FakeConnection {
  const fences = [
    new PrivateFence('rendered'),
    new PrivateFence('submitted'),
    new PrivateFence('completed'),
  ] as const;
  const [rendered, submitted, completed] = fences;
  const { writer, reader } = createLocalStream({ table: renderCommands });
  reader.onAvailable = () => {
    while (reader.next()) {
      if (reader.opcode !== RenderOpcode.endFrame) continue;
      for (const fence of fences)
        if (isSubmitting || fence !== submitted) fence.signal(reader.words[reader.fields] as number);
    }
  };
  const capabilities = { surfaceFormat: 'rgba8unorm', limits: {} } as never;
  return {
    writer,
    rendered,
    submitted,
    completed,
    started: Promise.resolve(capabilities),
    stats: new Float64Array(FRAME_STAT_COUNT),
    capabilities,
    workers: {},
    lastEvent: () => undefined,
    control: { purge: async () => {}, shutDown: async () => ({ leaks: [] }) } as never,
    takeCanvas: () => {},
    end: () => writer.close(),
  };
}

const engines: Engine[] = [];

function createTestEngine(
  first: RenderConnection,
  connect: () => RenderConnection = connectFake,
  given: EngineOptions = {},
): Engine {
  const engine = new Engine(
    first,
    {
      connectTo: async () => async () => connect(),
      surface: {
        canvas: {},
        width: 1,
        height: 1,
        shown: { width: 1, height: 1 },
        leave: () => {},
        limitSize: () => {},
        dispose: () => {},
      } as unknown as Surface,
      Surface: class {} as never,
      look: new Look(resolveOptions({ backend: 'null' })),
      recordFlight: null,
      features: [],
      events: {
        onError: () => {},
        onReadback: () => {},
        onTrace: () => {},
        awaitedFrame: () => 0,
        onResize: () => {},
        ring: new EventRing(),
        roles: new ThreadRoles('main'),
      },
    },
    resolveOptions({ backend: 'null', ...given }),
  );
  engines.push(engine);
  return engine;
}

beforeEach(() => {
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
  vi.stubGlobal('cancelAnimationFrame', () => {});
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.dispose();
  vi.unstubAllGlobals();
});

describe('Engine', () => {
  it('whenReady draws a frame that invalidate has requested, and none without a request', async () => {
    vi.stubGlobal('requestAnimationFrame', () => 1);
    const engine = createTestEngine(connectFake());
    await engine.step(0);
    engine.invalidate();
    await engine.whenReady();
    const { frame } = engine.stats();
    expect(frame).toBeGreaterThan(1);
    engine.stop();
    await engine.whenReady();
    expect(engine.stats().frame).toBe(frame);
  });

  it('whenReady waits for the pipelines of an image that a frame of the running loop has sent', async () => {
    let tick: FrameRequestCallback = () => {};
    vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => {
      tick = callback;
      return 1;
    });
    vi.stubGlobal('document', { hidden: false });
    vi.stubGlobal('createImageBitmap', async () => ({ width: 1, height: 1, close() {} }));
    const threads = connectFake(false);
    const engine = createTestEngine(threads);
    const { world } = engine;
    const material = unlitMaterial();
    world.addMesh({ geometry: boxGeometry(), material });
    engine.start();
    tick(0);
    const ready = engine.whenReady();
    // The engine itself produces one frame, for its event `ready`.
    await waitFor(() => expect(engine.stats().frame).toBe(3));
    material.baseColorTexture = texture(new Blob());
    await waitFor(() => expect(world.isPending).toBe(false));
    tick(16);
    threads.submitted.signal(4);
    // Frame 4 shows the image, but frames of the loop do not wait for their pipelines.
    await waitFor(() => expect(engine.stats().frame).toBe(6));
    threads.submitted.signal(6);
    await ready;
    expect(engine.stats().frame).toBe(6);
  });

  it('R3: threadcreated is fired once createEngine has resolved, and threaddestroyed is fired at the end', async () => {
    const engine = createTestEngine(connectFake(), connectFake, { threading: 'render+rhi' });
    const heard: string[] = [];
    await Promise.resolve(); // as after `await createEngine()`
    engine.addEventListener('threadcreated', ({ detail }) => heard.push(`+${detail.thread}`));
    engine.addEventListener('threaddestroyed', ({ detail }) => heard.push(`-${detail.thread}`));
    await waitFor(() => expect(heard).toEqual(['+render', '+RHI']));
    await engine.dispose();
    expect(heard).toEqual(['+render', '+RHI', '-render', '-RHI']);
  });

  it('R3: an engine that is disposed of at once announces no threads', async () => {
    const engine = createTestEngine(connectFake());
    const heard: string[] = [];
    for (const type of ['threadcreated', 'threaddestroyed'] as const)
      engine.addEventListener(type, () => heard.push(type));
    const disposed = engine.dispose();
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    await disposed;
    expect(heard).toEqual([]);
  });

  it('R9: threads that have failed before the engine exists are replaced like any others', async () => {
    const first = connectFake();
    first.completed.fail(new ThreadError('worker-died', 'The RHI worker stopped.'));
    const engine = createTestEngine(first);
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.code));
    const restarted = new Promise<string>((resolve) => {
      engine.addEventListener('threadrestarted', ({ detail }) => resolve(detail.error.code));
    });
    expect(await restarted).toBe('worker-died');
    expect(errors).toEqual(['worker-died']);
    await engine.step(0);
    expect(engine.stats().frame).toBe(1);
  });

  it('R9: an engine disposed of while other threads take over reports no leaks, because no thread got the command to free the scene', async () => {
    const first = connectFake();
    const stuck: RenderConnection = {
      ...first,
      completed: new PrivateFence('completed'),
      control: { shutDown: async () => ({ leaks: [{ label: 'gpu scene' }] }) } as never,
    };
    let reportStarted = (): void => {};
    const started = new Promise<void>((resolve) => {
      reportStarted = resolve;
    });
    const engine = createTestEngine(stuck, () => {
      reportStarted();
      return connectFake();
    });
    engines.pop();
    const calls = [engine.step(0), engine.setThreading('render+rhi')].map((call) => call.catch(() => {}));
    // The new threads have started. They take over once the old threads have completed their frame.
    await started;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await engine.dispose()).toEqual({ leaks: [] });
    await Promise.all(calls);
  });

  it('T2, R9: an engine that gives up ends the tasks of its threads', async () => {
    const first = connectFake();
    const control = {
      shutDown: async () => ({ leaks: [] }),
      serveTasks: async (open: (name: 'render') => TaskThreadConfig) => {
        const { name, port } = open('render');
        const never = { default: { never: () => new Promise(() => {}) } };
        serveTasks(port, async () => never, false, null, { name, queues: new ThreadQueues() });
        return [name];
      },
    };
    const engine = createTestEngine({ ...first, control: control as never }, connectFake, {
      deviceLost: 'stop',
    });
    // `load` also imports the module on the page's thread, so the address has to be a real one.
    const module = await engine.tasks.load('data:text/javascript,export default { never() {} }');
    const task = module.run('never', null, { thread: 'render' });
    await waitFor(() => expect(task.state).toBe('running'));
    const failed = new Promise((resolve) => engine.addEventListener('error', resolve, { once: true }));
    first.completed.fail(new RhiError('device-lost', 'Lost.', { details: { reason: 'unknown' } }));
    await failed;
    await expect(task).rejects.toMatchObject({ code: 'task-thread-ended' });
  });

  it('R7: flush waits for a prerequisite that was added before it', async () => {
    const engine = createTestEngine(connectFake());
    const log: string[] = [];
    engine.addFramePrerequisite(async () => {
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      log.push('prerequisite');
    });
    await engine.flush({ deferredDeletes: false });
    log.push('flushed');
    expect(log).toEqual(['prerequisite', 'flushed']);
  });

  it('boolean options of flush reject other values', () => {
    const invalid = (message: RegExp) =>
      expect.objectContaining({ code: 'option-invalid', message: expect.stringMatching(message) });
    expect(() => flushDegree({ gpu: 'no' as never })).toThrow(
      invalid(/gpu of flush is "no"; .* true or false/),
    );
    expect(() => flushDegree({ deferredDeletes: 0 as never })).toThrow(
      invalid(/deferredDeletes of flush is 0/),
    );
    expect(flushDegree({ gpu: false })).toMatchObject({ isCompleted: false, isReleased: true });
  });

  it('R7: addFramePrerequisite rejects wrong options in the call itself', () => {
    const engine = createTestEngine(connectFake());
    const codeOf = (options: object): string => {
      try {
        engine.addFramePrerequisite(async () => {}, options);
        return 'none';
      } catch (error) {
        return (error as FencepostError).code;
      }
    };
    expect([{ second: 1 }, { seconds: -1 }, { seconds: '1' }, { seconds: 0 }].map(codeOf)).toEqual([
      'option-unknown',
      'option-out-of-range',
      'option-out-of-range',
      'none',
    ]);
  });

  it('level.whenShown() draws one frame of an engine that does not run, and rejects after the level’s end', async () => {
    const connection = connectFake();
    const engine = createTestEngine(connection);
    const level = engine.world.addLevel('boxes');
    await Promise.all([level.whenShown(), level.whenShown()]);
    expect([engine.stats().frame, connection.completed.value]).toEqual([1, 1]);
    const gone = engine.world.addLevel('gone');
    const shown = gone.whenShown();
    gone.unload();
    await expect(shown).rejects.toMatchObject({ code: 'level-unloaded' });
    await expect(gone.whenShown()).rejects.toMatchObject({ code: 'level-unloaded' });
    const late = engine.world.addLevel('late');
    await engine.dispose();
    await expect(late.whenShown()).rejects.toMatchObject({ code: 'level-unloaded' });
  });

  it('start rejects other ways of drawing', () => {
    const engine = createTestEngine(connectFake());
    const invalid = expect.objectContaining({
      code: 'option-invalid',
      message: expect.stringMatching(/when of start is "change"; .* always, changed/),
    });
    expect(() => engine.start({ when: 'change' as never })).toThrow(invalid);
    expect(() => engine.start({ whem: 'changed' } as never)).toThrow(
      expect.objectContaining({ code: 'option-unknown' }),
    );
  });
});
