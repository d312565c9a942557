import { beforeEach, describe, expect, it } from 'vitest';
import {
  disposedError,
  FencepostError,
  PlatformError,
  RhiError,
  StateError,
  ThreadError,
} from '../../core/errors.js';
import { EventRing } from '../../core/events/event-ring.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { World } from '../../game/world/world.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FrameEndSync } from '../../sync/frame-end-sync.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import type { Connect, RenderConnection, Takeover } from '../../threads/connections/connection.js';
import { Pipeline } from '../../threads/connections/pipeline.js';
import { FRAME_STAT_COUNT, FrameStat } from '../../threads/control/frame-stats.js';
import { EngineThreads, THREADS } from '../events/engine-threads.js';
import { FrameProducer } from '../frames/frame-producer.js';
import { FrameScheduler } from '../frames/frame-scheduler.js';
import type { EngineOptions, ThreadingMode } from '../options/engine-options.js';
import { FrameSettings } from '../options/frame-settings.js';
import { Look } from '../options/look.js';
import { resolveOptions } from '../options/option-checks.js';
import type { Surface } from '../surfaces/surface.js';
import { type RestartHost, Restarts } from './restart.js';

/** Threads that draw their frames while `isDrawing`, and fail when the test calls `fail`. */
class FakeThreads implements RenderConnection {
  readonly rendered = new PrivateFence('rendered');
  readonly submitted = new PrivateFence('submitted');
  readonly completed = new PrivateFence('completed');
  readonly stats = new Float64Array(FRAME_STAT_COUNT);
  readonly capabilities = { surfaceFormat: 'rgba8unorm', limits: {} } as never;
  readonly started = Promise.resolve(this.capabilities);
  readonly writer: StreamWriter;
  readonly drawn: number[] = [];
  readonly #dead = new Set<'render' | 'RHI'>();
  isDrawing = true;
  isEnded = false;
  readonly mode: ThreadingMode;

  constructor(mode: ThreadingMode) {
    this.mode = mode;
    const { writer, reader } = createLocalStream({ table: renderCommands });
    this.writer = writer;
    reader.onAvailable = () => {
      while (!this.isEnded && reader.next()) {
        if (reader.opcode !== RenderOpcode.endFrame) continue;
        const frame = reader.words[reader.fields] as number;
        this.drawn.push(frame);
        if (this.isDrawing) this.draw(frame);
      }
    };
  }

  draw(frame: number): void {
    for (const fence of [this.rendered, this.submitted, this.completed]) fence.signal(frame);
    this.stats[FrameStat.presentedFrames]++;
  }

  get workers() {
    const workerOf = (thread: 'render' | 'RHI') => (this.#dead.has(thread) ? undefined : ({} as Worker));
    if (this.mode === 'single') return {};
    if (this.mode === 'render') return { owner: workerOf('render') };
    return { owner: workerOf('RHI'), other: workerOf('render') };
  }

  fail(error: FencepostError, thread: 'render' | 'RHI'): void {
    if (error.name === 'ThreadError') this.#dead.add(thread);
    (thread === 'RHI' ? this.completed : this.rendered).fail(error);
  }

  lastEvent = (): undefined => undefined;
  readonly control = { loseDevice: async () => {} } as never;
  takeCanvas(): void {}
  end(): void {
    this.isEnded = true;
    this.writer.close();
  }
}

const loss = (reason = 'unknown') =>
  new RhiError('device-lost', 'The GPU device was lost in frame 3.', {
    details: { reason, message: 'Gone.' },
  });
const death = () => new ThreadError('thread-not-answering', 'The render worker has not answered.');
const noAdapter = () => new PlatformError('adapter-missing', 'No adapter.');

/** Lets all settled promises run their callbacks. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function setUp(given: EngineOptions = {}) {
  const options = resolveOptions({ backend: 'null', ...given });
  const clock = new ManualClock();
  const events: string[] = [];
  const restarted: string[] = [];
  const threads: FakeThreads[] = [new FakeThreads(options.threading)];
  /** Results of the next starts: an error, a wait, or a change of the new threads. Further starts succeed. */
  const starts: (FencepostError | Promise<void> | ((threads: FakeThreads) => void))[] = [];
  const takeovers: (Takeover | undefined)[] = [];
  const disposal = new AbortController();
  const resent: StreamWriter[] = [];
  /** Errors that the next attempts to send the scene throw. */
  const refusals: Error[] = [];
  let onHandedOver = (): void => {};
  // Updates of an empty world. They record the writer of each resend.
  const updates = {
    timeSeconds: 0,
    isRunning: false,
    dirty: [],
    writer: (threads[0] as FakeThreads).writer as StreamWriter,
    transforms: { markAll: () => {} },
    instances: [],
    resources: { entries: new Map(), sendReleases: () => {} },
    sendDestroys: () => {},
    markView: () => {},
    send: () => {
      const refusal = refusals.shift();
      if (refusal) throw refusal;
      resent.push(updates.writer);
    },
  };
  const world = {
    updates,
    levels: [],
    disposed: disposal.signal,
    tick: () => {},
    sendUpdates: () => {},
  } as unknown as World;
  const first = threads[0] as FakeThreads;
  const pipeline: Pipeline = new Pipeline(first, options, (error, thread) => {
    producer.hold();
    restarts.recover({ error, thread });
  });
  pipeline.start();
  const sync = new FrameEndSync(pipeline.synced, { lag: options.oneFrameThreadLag });
  const producer = new FrameProducer(first.writer, sync, world, new EventRing(), () => {});
  const page = { requestFrame: () => 1, cancelFrame: () => {}, now: () => 0, isHidden: false };
  const scheduler = new FrameScheduler(producer, page, (error) =>
    events.push(`loop ${(error as FencepostError).code}`),
  );
  const surface = { canvas: { cloneNode: () => ({}) }, limitSize: () => {} } as unknown as Surface;
  const connect: Connect = async (_surface, { threading }, _events, before) => {
    takeovers.push(before);
    const start = starts.shift();
    if (start instanceof Error) throw start;
    if (start instanceof Promise) await start;
    const next = new FakeThreads(threading);
    if (typeof start === 'function') start(next);
    threads.push(next);
    return next;
  };
  /** The events `threadcreated` and `threaddestroyed`, which `events` leaves out. */
  const threadEvents: string[] = [];
  const emit: RestartHost['emit'] = (type, detail) => {
    const { code, reason, frame, thread } = detail as Partial<
      Record<'code' | 'reason' | 'thread', string>
    > & {
      frame?: number;
    };
    if (type === 'threadcreated' || type === 'threaddestroyed') {
      threadEvents.push(`${type} ${thread}`);
      return;
    }
    if (type === 'threadrestarted' && thread) restarted.push(thread);
    events.push([type, code ?? reason, frame].filter((part) => part !== undefined).join(' '));
  };
  const engineThreads = new EngineThreads(emit);
  engineThreads.created(THREADS[options.threading]);
  const restarts: Restarts = new Restarts({
    pipeline,
    surface,
    world,
    producer,
    scheduler,
    settings: new FrameSettings(
      { width: 1, height: 1, shown: { width: 1, height: 1 } },
      new Look(resolveOptions({ backend: 'null' })),
    ),
    events: {} as never,
    threads: engineThreads,
    connect: async () => connect,
    captures: { askAgain: () => onHandedOver() } as never,
    isDisposed: () => disposal.signal.aborted,
    emit,
    reportError: ({ code }) => events.push(`error ${code}`),
    fail: (error) => {
      pipeline.fail(error);
      producer.release();
    },
    recordFlightBy: () => {},
    clock,
  });
  const step = (): Promise<void> =>
    scheduler
      .produceOnce(0.1, 1, 'tick', (frame) => frame)
      .then((frame) => pipeline.completed.whenReached(frame));
  return {
    clock,
    events,
    threadEvents,
    engineThreads,
    restarted,
    threads,
    starts,
    takeovers,
    disposal,
    whenHandedOver: (callback: () => void) => {
      onHandedOver = callback;
    },
    resent,
    refusals,
    pipeline,
    producer,
    restarts,
    step,
    first,
  };
}

/** Delays the start of the threads until the returned function is called. */
function delayStart(threads: FakeThreads): () => void {
  let start = (): void => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  Object.assign(threads, { started });
  return start;
}

let setup: ReturnType<typeof setUp>;
beforeEach(() => {
  setup = setUp();
});

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    ({ code }: FencepostError) => code,
  );

describe('restart', () => {
  it('R9: after a device loss, frame numbers and figures continue, and the next frame completes the frame in flight', async () => {
    const { step, first, threads, events, pipeline, resent, producer } = setup;
    await step();
    first.isDrawing = false;
    const waiting = step();
    await settle();
    first.rendered.signal(2);
    const [total] = [pipeline.presentedFrames];
    first.fail(loss('destroyed'), 'RHI');
    expect(producer.isReady).toBe(false);
    await waiting;
    await settle();
    const next = threads[1] as FakeThreads;
    expect(first.drawn).toEqual([1, 2]);
    expect(next.drawn).toEqual([3]);
    expect(resent).toEqual([next.writer]);
    expect(events).toEqual(['devicelost destroyed', 'devicerestored 3']);
    expect(first.isEnded).toBe(true);
    expect(pipeline.presentedFrames).toBe(total + 1);
    expect(producer.isReady).toBe(true);
  });

  it('R9: after a loss before the first frame nothing is drawn, and the new threads draw the first frame', async () => {
    const { step, first, threads, events } = setup;
    first.fail(loss(), 'RHI');
    await settle();
    expect(events).toEqual(['devicelost unknown', 'devicerestored 0']);
    await step();
    expect((threads[1] as FakeThreads).drawn).toEqual([1]);
  });

  it('R9: with frameSync present, a frame that was never submitted no longer blocks the game', async () => {
    const { step, first, threads } = setUp({ frameSync: 'present', oneFrameThreadLag: false });
    first.isDrawing = false;
    const waiting = step();
    await settle();
    first.fail(loss(), 'RHI');
    await waiting;
    expect((threads[1] as FakeThreads).drawn).toEqual([2]);
  });

  it('R9: an error of a thread is reported once, whichever channel delivers it first', async () => {
    for (const channel of ['fences', 'stream'] as const) {
      const { step, first, events } = setUp();
      await step();
      const error = new FencepostError('internal', 'TypeError: renderer.break is not a function');
      if (channel === 'stream') first.writer.onFail?.(error);
      first.fail(error, 'render');
      await step();
      await settle();
      expect(events).toEqual(['error internal', expect.stringMatching(/^threadrestarted/)]);
    }
  });

  it('a failed stream ends the threads, even if no fence has failed', async () => {
    const { step, first, threads, events } = setup;
    await step();
    first.writer.onFail?.(new ThreadError('worker-died', 'The other end is gone.'));
    await step();
    await settle();
    expect((threads[1] as FakeThreads).drawn.length).toBeGreaterThan(0);
    expect(events).toEqual(['error worker-died', 'threadrestarted 3']);
  });

  it('R9: with deviceLost stop or ignore, calls reject with the error of the device; only stop fires devicelost', async () => {
    for (const deviceLost of ['stop', 'ignore'] as const) {
      const { step, first, threads, events, restarts } = setUp({ deviceLost });
      await step();
      first.isDrawing = false;
      const waiting = refusal(step());
      await settle();
      first.fail(loss(), 'RHI');
      expect(await waiting).toBe('device-lost');
      expect(await refusal(step())).toBe('device-lost');
      expect(await refusal(restarts.setThreading('single'))).toBe('device-lost');
      expect(await refusal(restarts.loseDevice())).toBe('device-lost');
      expect(threads).toHaveLength(1);
      expect(events).toEqual([...(deviceLost === 'stop' ? ['devicelost unknown'] : []), 'error device-lost']);
    }
  });

  it('R9: without an adapter, restarts are retried after growing pauses, and one error is reported', async () => {
    const { step, first, threads, events, starts, clock } = setup;
    await step();
    starts.push(noAdapter(), noAdapter(), noAdapter());
    first.fail(loss(), 'RHI');
    await settle();
    expect(events).toEqual(['devicelost unknown', 'error device-unavailable']);
    for (const pause of [250, 500, 1000]) {
      const left = starts.length;
      clock.advance(pause - 1);
      await settle();
      expect(starts).toHaveLength(left);
      clock.advance(1);
      await settle();
    }
    expect(threads).toHaveLength(2);
    expect(events.slice(2)).toEqual(['devicerestored 2']);
    expect(clock.timers.size).toBe(0);
  });

  it('R9: without an adapter for two minutes, all calls reject, and the cause is the device loss', async () => {
    const { step, first, events, starts, clock, pipeline } = setup;
    await step();
    starts.push(...Array.from({ length: 100 }, noAdapter));
    first.fail(loss(), 'RHI');
    const waiting = refusal(step());
    for (let second = 0; second < 130; second++) {
      await settle();
      clock.advance(1000);
    }
    expect(await waiting).toBe('device-not-restored');
    expect(events.at(-1)).toBe('error device-not-restored');
    expect(pipeline.completed.error?.cause).toMatchObject({ code: 'device-lost' });
    expect(await refusal(step())).toBe('device-not-restored');
  });

  it('R9: if the new threads fail before they have drawn, other threads take over, and devicerestored is fired once', async () => {
    const { step, first, threads, events, starts } = setup;
    await step();
    starts.push((next) => {
      next.isDrawing = false;
    });
    first.fail(loss(), 'RHI');
    await settle();
    (threads[1] as FakeThreads).fail(loss('destroyed'), 'RHI');
    await settle();
    await step();
    expect(events).toEqual(['devicelost unknown', 'devicelost destroyed', 'devicerestored 3']);
    expect((threads[1] as FakeThreads).isEnded).toBe(true);
  });

  it('R9: if a thread dies while a lost device is replaced, both are reported, with the right thread', async () => {
    const { step, first, events, restarted, starts } = setUp({ threading: 'render+rhi' });
    await step();
    starts.push(new ThreadError('thread-not-answering', 'The RHI worker …', { details: { thread: 'RHI' } }));
    first.fail(loss('destroyed'), 'RHI');
    await settle();
    await step();
    expect(events).toEqual([
      'devicelost destroyed',
      'error thread-not-answering',
      'devicerestored 2',
      'threadrestarted 2',
    ]);
    expect(restarted).toEqual(['RHI']);
  });

  it('R9: the engine gives up when a thread ends three times within 10 s, but not if it ends less often', async () => {
    const { step, first, threads, events, clock } = setup;
    await step();
    first.fail(death(), 'render');
    for (let time = 0; time < 5; time++) {
      await settle();
      clock.advance(6000);
      (threads.at(-1) as FakeThreads).fail(death(), 'render');
    }
    await settle();
    expect(events.filter((event) => event.startsWith('threadrestarted'))).toHaveLength(6);
    clock.advance(1000);
    (threads.at(-1) as FakeThreads).fail(death(), 'render');
    await settle();
    expect(events.at(-1)).toBe('error thread-given-up');
    expect(await refusal(step())).toBe('thread-given-up');
    expect(threads.every(({ isEnded }) => isEnded)).toBe(true);
  });

  it('R9: the engine gives up at the fifth device loss within a minute, but never after destroyed devices', async () => {
    const { step, first, threads, events } = setup;
    await step();
    first.fail(loss('destroyed'), 'RHI');
    for (let time = 0; time < 9; time++) {
      await settle();
      (threads.at(-1) as FakeThreads).fail(loss('destroyed'), 'RHI');
    }
    await settle();
    for (let time = 0; time < 5; time++) {
      expect(events.at(-1)).toMatch(/^devicerestored/);
      (threads.at(-1) as FakeThreads).fail(loss(), 'RHI');
      await settle();
    }
    expect(events.at(-1)).toBe('error device-lost-repeatedly');
  });

  it('R3 H2: a switch waits until the old threads have drained, and hands over to the new threads', async () => {
    const { step, first, threads, restarts, threadEvents, pipeline } = setup;
    await step();
    first.isDrawing = false;
    const waiting = step();
    await settle();
    let isOver = false;
    const switched = restarts.setThreading('single').then(() => {
      isOver = true;
    });
    await settle();
    expect(first.isEnded || isOver).toBe(false);
    first.draw(2);
    await Promise.all([waiting, switched]);
    expect((threads[1] as FakeThreads).drawn).toEqual([3]);
    expect(pipeline.options.threading).toBe('single');
    expect(first.isEnded).toBe(true);
    expect(threadEvents).toEqual(['threadcreated render', 'threaddestroyed render']);
    await restarts.setThreading('single');
    expect(threads).toHaveLength(2);
  });

  it('R3, R9: simulateDeviceLoss during a switch destroys the device of the new threads', async () => {
    const { step, threads, restarts, starts, events, pipeline } = setup;
    await step();
    let go = (): void => {};
    starts.push(
      new Promise((resolve) => {
        go = resolve;
      }),
    );
    const switched = restarts.setThreading('single');
    const lost = restarts.loseDevice();
    const lostAgain = restarts.loseDevice();
    await settle();
    go();
    await Promise.all([switched, lost, lostAgain]);
    await settle();
    expect(threads.map(({ mode }) => mode)).toEqual(['render', 'single', 'single', 'single']);
    expect(events.filter((event) => event.startsWith('device'))).toHaveLength(4);
    expect(pipeline.isConnected).toBe(true);
  });

  it('R3, R9: a switch continues if a thread that it waits for dies', async () => {
    const { step, first, threads, restarts, pipeline } = setup;
    await step();
    first.isDrawing = false;
    const waiting = step();
    await settle();
    const switched = restarts.setThreading('single');
    await settle();
    first.fail(death(), 'render');
    await Promise.all([waiting, switched]);
    expect((threads[1] as FakeThreads).drawn).toEqual([3]);
    expect([threads.length, pipeline.options.threading, first.isEnded]).toEqual([2, 'single', true]);
  });

  it('R3: a switch that fails leaves the old threads running', async () => {
    const { step, first, threads, restarts, starts, events, pipeline } = setup;
    await step();
    starts.push(new ThreadError('worker-failed-to-start', 'No such file.'));
    expect(await refusal(restarts.setThreading('render+rhi'))).toBe('worker-failed-to-start');
    await step();
    expect(first.drawn).toEqual([1, 2]);
    expect(threads).toHaveLength(1);
    expect(events).toEqual([]);
    expect(pipeline.options.threading).toBe('render');
  });

  it('R3, R9: after a switch that fails while it sends the scene, recovery starts threads of the old mode', async () => {
    const { step, first, threads, restarts, refusals, pipeline } = setup;
    await step();
    refusals.push(new StateError('attachment-refused', 'An image was closed.'));
    expect(await refusal(restarts.setThreading('single'))).toBe('attachment-refused');
    await step();
    expect(threads.map(({ mode }) => mode)).toEqual(['render', 'single', 'render']);
    expect(threads.map(({ isEnded }) => isEnded)).toEqual([true, true, false]);
    expect(first.drawn).toEqual([1]);
    expect(pipeline.options.threading).toBe('render');
  });

  it('R3: if the old threads end during a switch, the new threads complete the frames in flight', async () => {
    const { step, first, threads, restarts, events, threadEvents } = setup;
    await step();
    first.isDrawing = false;
    const waiting = step();
    await settle();
    const switched = restarts.setThreading('single');
    await settle();
    first.fail(loss(), 'RHI');
    await Promise.all([waiting, switched]);
    await settle();
    expect((threads.at(-1) as FakeThreads).mode).toBe('single');
    expect(threads).toHaveLength(2);
    expect(events).toEqual([]);
    expect(threadEvents).toEqual(['threadcreated render', 'threaddestroyed render']);
  });

  it('R3: new threads that do not start are ended, and the old threads keep running', async () => {
    const { step, first, threads, restarts, starts } = setup;
    await step();
    const failure = new ThreadError('worker-failed-to-start', 'No such file.');
    starts.push((next) => Object.assign(next, { started: Promise.reject(failure) }));
    expect(await refusal(restarts.setThreading('render+rhi'))).toBe('worker-failed-to-start');
    await step();
    expect(first.drawn).toEqual([1, 2]);
    expect(threads.map(({ isEnded }) => isEnded)).toEqual([false, true]);
  });

  it('R3, R9: setThreading and simulateDeviceLoss wait for the start of the first threads', async () => {
    const { first, threads, takeovers, restarts } = setup;
    const start = delayStart(first);
    const switched = restarts.setThreading('render+rhi');
    const lost = restarts.loseDevice();
    await settle();
    expect(takeovers).toEqual([]);
    start();
    await Promise.all([switched, lost]);
    await settle();
    expect(threads.map(({ mode }) => mode)).toEqual(['render', 'render+rhi', 'render+rhi']);
  });

  it('R3, R9: a switch continues if a thread fails before all have started', async () => {
    const { first, threads, restarts, step } = setup;
    delayStart(first);
    const switched = restarts.setThreading('render+rhi');
    await settle();
    first.fail(death(), 'RHI');
    await switched;
    await settle();
    expect(threads.map(({ mode }) => mode)).toEqual(['render', 'render+rhi']);
    await step();
  });

  it('R9: simulateDeviceLoss destroys the device of the next threads if a thread fails before all have started', async () => {
    const { first, threads, events, restarts } = setup;
    delayStart(first);
    const lost = restarts.loseDevice();
    await settle();
    first.fail(death(), 'RHI');
    await lost;
    await settle();
    expect(threads).toHaveLength(3);
    expect(events).toEqual([
      'error thread-not-answering',
      'threadrestarted 0',
      expect.stringMatching(/^devicelost/),
      'devicerestored 0',
    ]);
  });

  it('R3: each thread fires threadcreated once and threaddestroyed once, whatever starts and ends it', async () => {
    const { step, threads, restarts, threadEvents, engineThreads } = setup;
    await step();
    expect(threadEvents.splice(0)).toEqual(['threadcreated render']);
    await restarts.setThreading('render+rhi');
    expect(threadEvents.splice(0)).toEqual(['threadcreated RHI']);
    const fail = async (error: FencepostError, thread: 'render' | 'RHI') => {
      (threads.at(-1) as FakeThreads).fail(error, thread);
      await settle();
      return threadEvents.splice(0);
    };
    // If one worker dies, the other worker is kept.
    expect(await fail(death(), 'render')).toEqual(['threaddestroyed render', 'threadcreated render']);
    expect(await fail(death(), 'RHI')).toEqual(['threaddestroyed RHI', 'threadcreated RHI']);
    // A lost device ends no thread.
    expect(await fail(loss(), 'RHI')).toEqual([]);
    await restarts.setThreading('single');
    expect(threadEvents.splice(0)).toEqual(['threaddestroyed render', 'threaddestroyed RHI']);
    await restarts.setThreading('render');
    expect(threadEvents.splice(0)).toEqual(['threadcreated render']);
    expect(await fail(death(), 'render')).toEqual(['threaddestroyed render', 'threadcreated render']);
    engineThreads.end();
    expect(threadEvents).toEqual(['threaddestroyed render']);
  });

  it('R3: giving up ends the threads and fires threaddestroyed', async () => {
    const { step, first, threadEvents, events } = setUp({ deviceLost: 'stop', threading: 'render+rhi' });
    await step();
    first.fail(loss(), 'RHI');
    await settle();
    expect(events).toEqual(['devicelost unknown', 'error device-lost']);
    expect(threadEvents.slice(2)).toEqual(['threaddestroyed render', 'threaddestroyed RHI']);
  });

  it('if new threads fail before they take over, no frame begins until other threads have taken over', async () => {
    const { step, first, threads, starts, producer, whenHandedOver, events } = setup;
    await step();
    let start = (): void => {};
    starts.push(
      () => {},
      new Promise((resolve) => {
        start = resolve;
      }),
    );
    whenHandedOver(() => {
      if (threads.length === 2) (threads[1] as FakeThreads).fail(death(), 'render');
    });
    first.fail(death(), 'render');
    await settle();
    expect(threads).toHaveLength(2);
    expect(producer.held).not.toBeNull();
    start();
    await settle();
    expect((threads[1] as FakeThreads).drawn).toEqual([]);
    expect(producer.held).toBeNull();
    expect(events.at(-1)).toMatch(/^threadrestarted/);
  });

  it('R3: setThreading rejects an unknown mode', () => {
    const { restarts } = setup;
    expect(() => restarts.setThreading('all' as never)).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    );
  });

  it('disposing during a switch rejects the switch, and ends the new threads', async () => {
    const { step, threads, restarts, starts, disposal } = setup;
    await step();
    let start = (): void => {};
    starts.push(
      new Promise((resolve) => {
        start = resolve;
      }),
    );
    const switched = refusal(restarts.setThreading('single'));
    await settle();
    disposal.abort(disposedError());
    expect(await switched).toBe('engine-disposed');
    start();
    await settle();
    expect((threads[1] as FakeThreads).isEnded).toBe(true);
  });

  it('R3: disposing during the hand-over ends the new threads as well', async () => {
    const { step, threads, restarts, disposal, whenHandedOver } = setup;
    await step();
    whenHandedOver(() => queueMicrotask(() => disposal.abort(disposedError())));
    expect(await refusal(restarts.setThreading('render+rhi'))).toBe('engine-disposed');
    await settle();
    expect(threads.map(({ isEnded }) => isEnded)).toEqual([true, true]);
  });

  it('fires the event of a restart even if the first frame of the new threads triggers dispose', async () => {
    const { step, first, disposal, events } = setup;
    await step();
    first.isDrawing = false;
    const waiting = step().then(() => disposal.abort(disposedError()));
    await settle();
    first.fail(death(), 'render');
    await waiting;
    await settle();
    expect(events).toEqual(['error thread-not-answering', 'threadrestarted 3']);
  });

  it('disposing before the new threads have drawn ends the old threads as well', async () => {
    // Switch to another canvas, so that the old threads live until the new canvas has its picture.
    const { step, first, threads, restarts, starts, disposal, pipeline, threadEvents } = setUp({
      backend: 'webgpu',
    });
    await step();
    starts.push((next) => {
      next.isDrawing = false;
    });
    const switched = refusal(restarts.setThreading('single'));
    await settle();
    expect(threads).toHaveLength(2);
    expect(first.isEnded).toBe(false);
    // These calls begin the end of the engine. `dispose` itself ends the current threads and fires their events.
    pipeline.release();
    disposal.abort(disposedError());
    pipeline.fail(new StateError('engine-disposed', 'The engine was disposed.'));
    expect(await switched).toBe('engine-disposed');
    await settle();
    expect(first.isEnded).toBe(true);
    expect(threadEvents).toEqual(['threadcreated render']); // `dispose` fires threaddestroyed
  });
});
