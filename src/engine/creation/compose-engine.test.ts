import { afterEach, describe, expect, it, vi } from 'vitest';
import { disposedError, type FencepostError, ThreadError } from '../../core/errors.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import type { Connect, ConnectionEvents, RenderConnection } from '../../threads/connections/connection.js';
import { FRAME_STAT_COUNT } from '../../threads/control/frame-stats.js';
import type { Engine } from '../engine.js';
import type { FrameSource } from '../frames/frame-scheduler.js';
import type { EngineOptions } from '../options/engine-options.js';
import { Look } from '../options/look.js';
import { resolveOptions } from '../options/option-checks.js';
import { composeEngine, createEngine } from './compose-engine.js';
import { pageRoles } from './thread-affinity.js';
import { UnseenSurface } from './unseen-page.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

// Node has no document, no WebGPU and no workers, so one thread does all the work.
describe('createEngine', () => {
  it('checks the thread of calls in development', async () => {
    vi.stubGlobal('FENCEPOST_DEVELOPMENT', true);
    const checked = await createEngine(null, { backend: 'null' });
    checked.world.addCamera();
    expect(() => pageRoles.run('render', () => checked.world.addCamera())).toThrow(
      expect.objectContaining({
        code: 'wrong-thread',
        message: expect.stringMatching(/^A call of the world belongs to the thread "main"/),
      }),
    );
    await checked.dispose();
  });

  it('rejects with the reason of a signal that is aborted before or after the call', async () => {
    const signal = AbortSignal.abort('no longer wanted');
    await expect(createEngine(null, { backend: 'null', signal })).rejects.toBe('no longer wanted');
    const late = new AbortController();
    const creating = createEngine(null, { backend: 'null', signal: late.signal });
    late.abort('left');
    await expect(creating).rejects.toBe('left');
  });

  it('needs WebGPU unless the backend is null', async () => {
    await expect(createEngine(null, { pixelRatio: 1 })).rejects.toMatchObject({ code: 'webgpu-missing' });
    await expect(createEngine(null, { pixelRatio: -1 })).rejects.toMatchObject({
      code: 'option-out-of-range',
    });
  });
});

/** The adapter that the page finds. Some tests delay it. */
const adapter = { features: new Set(['texture-compression-bc', 'unwanted']), limits: {} };
/** Capabilities of the threads' device. */
const capabilities = {
  surfaceFormat: 'bgra8unorm',
  limits: { maxTextureDimension2D: 64 },
  features: [],
} as unknown as RhiCapabilities;

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Threads that start when the test calls `start`, and then draw each frame at once. */
class LateThreads implements RenderConnection {
  readonly rendered = new PrivateFence('rendered');
  readonly submitted = new PrivateFence('submitted');
  readonly completed = new PrivateFence('completed');
  readonly stats = new Float64Array(FRAME_STAT_COUNT);
  // This worker owns the canvas. Threads that take over keep the worker.
  readonly workers = { owner: {} as Worker };
  readonly control = { shutDown: async () => ({ leaks: [{ label: 'left' }] }) } as never;
  readonly writer;
  readonly started: Promise<RhiCapabilities>;
  capabilities: RhiCapabilities | null = null;
  events: ConnectionEvents | null = null;
  isEnded = false;
  canvases = 0;
  readonly #reader;
  #settle: { resolve(found: RhiCapabilities): void; reject(error: Error): void } | null = null;

  constructor() {
    const { writer, reader } = createLocalStream({ table: renderCommands });
    this.writer = writer;
    this.#reader = reader;
    this.started = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.started.catch(() => {});
  }

  start(): void {
    this.capabilities = capabilities;
    this.#settle?.resolve(capabilities);
    this.#reader.onAvailable = () => this.#draw();
    this.#draw();
  }

  /** Makes the start of the threads fail. */
  refuse(error: Error): void {
    this.#settle?.reject(error);
  }

  readonly lastEvent = (): undefined => undefined;
  takeCanvas(): void {
    this.canvases++;
  }
  end(): void {
    this.isEnded = true;
    this.writer.close();
    this.refuse(disposedError());
  }

  #draw(): void {
    const reader = this.#reader;
    let flags = 0;
    while (!this.isEnded && reader.next()) {
      const frame = reader.words[reader.fields] as number;
      if (reader.opcode === RenderOpcode.beginFrame) flags = reader.words[reader.fields + 1] as number;
      if (reader.opcode !== RenderOpcode.endFrame) continue;
      // The picture has the size of an unseen surface, with rows padded to multiples of 256 bytes.
      const picture = new Uint8Array(1280 * 150);
      picture.set([1, 2, 3, 255]);
      if (flags & RenderFrameFlag.capture) this.events?.onReadback(frame, picture.buffer);
      for (const fence of [this.rendered, this.submitted, this.completed]) fence.signal(frame);
    }
  }
}

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.dispose();
});

/** Composes an engine of threads that have not started yet. */
function compose(given: EngineOptions = {}, signal?: AbortSignal, requestAdapter = async () => adapter) {
  vi.stubGlobal('navigator', { gpu: { requestAdapter } });
  const options = resolveOptions(given);
  const threads = new LateThreads();
  const connect: Connect = async (_surface, _options, events) => {
    threads.events = events;
    return threads;
  };
  let animate: FrameRequestCallback = () => {};
  const frames: FrameSource = {
    requestFrame: (callback) => {
      animate = callback;
      return 1;
    },
    cancelFrame: () => {},
    now: () => 0,
    isHidden: false,
  };
  /** The threads that take over. */
  const others = new LateThreads();
  const composition = {
    options,
    connect,
    connectTo: async () => async () => others,
    frames,
    look: new Look(options),
    Surface: UnseenSurface,
  };
  const composing = composeEngine(null, composition, signal);
  composing.then(
    (engine) => engines.push(engine),
    () => {},
  );
  return { threads, others, composing, animate: () => animate(0) };
}

describe('an engine whose threads have not started yet', () => {
  it('exists as soon as the page finds an adapter, and has passed its canvas on', async () => {
    let find = (_: typeof adapter): void => {};
    const { threads, composing } = compose(
      {},
      undefined,
      () =>
        new Promise((resolve) => {
          find = resolve;
        }),
    );
    let isCreated = false;
    void composing.then(() => {
      isCreated = true;
    });
    await settle();
    expect([isCreated, threads.canvases]).toEqual([false, 0]);
    find(adapter);
    const engine = await composing;
    expect(threads.canvases).toBe(1);
    const step = engine.step(0);
    await settle();
    expect(threads.completed.value).toBe(0);
    threads.start();
    await step;
    expect(threads.completed.value).toBe(1);
  });

  it.each([
    ['a file elsewhere', { workerUrl: 'https://page.test/worker.js' }],
    ['required features', { requiredFeatures: ['texture-compression-bc'] }],
    ['validation', { validation: true }],
    ['the null backend', { backend: 'null' }],
  ] as const)(
    'exists only once the threads have started, with an option that can make the start fail: %s',
    async (_, given) => {
      const { threads, composing } = compose(given as EngineOptions);
      const failure = new ThreadError('worker-failed-to-start', 'No such file.');
      await settle();
      threads.refuse(failure);
      await expect(composing).rejects.toBe(failure);
      await settle();
      expect(threads.isEnded).toBe(true);
    },
  );

  it('captures a frame drawn before the threads have started, in the format of their device', async () => {
    const { threads, composing, animate } = compose();
    const engine = await composing;
    engine.invalidate();
    animate();
    expect(engine.stats().frame).toBe(1);
    const captured = engine.captureFrame();
    await settle();
    threads.start();
    const { width, height, data } = await captured;
    expect([width, height, ...data.slice(0, 4)]).toEqual([300, 150, 3, 2, 1, 255]);
  });

  it('fails if the threads do not start: one error event, and calls reject with the reason', async () => {
    const { threads, composing } = compose();
    const engine = await composing;
    const errors: FencepostError[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail));
    const step = engine.step(0);
    const switched = engine.setThreading('single');
    const failure = new ThreadError('worker-failed-to-start', 'No such file.');
    const refused = [step, switched].map((call) => expect(call).rejects.toBe(failure));
    await settle();
    threads.refuse(failure);
    await Promise.all(refused);
    await expect(engine.step(0)).rejects.toBe(failure);
    expect(errors).toEqual([failure]);
    expect(threads.isEnded).toBe(true);
  });

  it('reports no leaks and ends the threads if it is disposed of before they start', async () => {
    const { threads, composing } = compose();
    const engine = await composing;
    engines.pop();
    const step = expect(engine.step(0)).rejects.toMatchObject({ code: 'engine-disposed' });
    expect(await engine.dispose()).toEqual({ leaks: [] });
    await step;
    expect(threads.isEnded).toBe(true);
  });

  it('R9: starts other threads if a started thread fails', async () => {
    const { threads, others, composing } = compose({ threading: 'render+rhi' });
    const engine = await composing;
    const events: string[] = [];
    engine.addEventListener('error', ({ detail }) => events.push(detail.code));
    engine.addEventListener('threadrestarted', () => events.push('restarted'));
    const step = engine.step(0);
    await settle();
    threads.completed.fail(new ThreadError('worker-died', 'The RHI worker stopped.'));
    others.start();
    await step;
    await settle();
    expect([threads.isEnded, others.isEnded]).toEqual([true, false]);
    expect(events).toEqual(['worker-died', 'restarted']);
    await engine.step(0);
  });

  it('rejects with the reason of a signal aborted during the start, and ends the threads', async () => {
    const controller = new AbortController();
    let find = (_: typeof adapter): void => {};
    const { threads, composing } = compose(
      {},
      controller.signal,
      () =>
        new Promise((resolve) => {
          find = resolve;
        }),
    );
    await settle();
    controller.abort('left');
    await expect(composing).rejects.toBe('left');
    find(adapter);
    await settle();
    expect(threads.isEnded).toBe(true);
  });
});
