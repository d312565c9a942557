import { afterEach, describe, expect, it } from 'vitest';
import { type FencepostError, PlatformError, ThreadError } from '../../core/errors.js';
import { readEvents } from '../../core/events/event-reader.js';
import { EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import { exposeThread, wrapThread } from './comlink-link.js';
import type { Notice, ThreadApi, WorkerRequest } from './protocol.js';
import { PeerControl } from './thread-control.js';
import { type ControlledWorker, WorkerPeer } from './worker-peer.js';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** A worker that answers calls by the functions of `api`. If `api` is null, the worker is dead. */
class FakeWorker implements ControlledWorker {
  readonly url = 'https://page.test/worker.js';
  readonly life = new PrivateFence('life');
  readonly controlPort: MessagePort;
  readonly sharedEvents = null;
  lastEvent = new Float64Array(0) as Float64Array;
  isAsked = true;
  onNotice: ((notice: Notice) => void) | null = null;
  readonly isNew: boolean;
  readonly name: string;
  /** A second caller on the same port. */
  readonly api: ThreadApi;
  readonly #isAlive: boolean;

  constructor(name: string, api: Partial<ThreadApi> | null, { isStarted = true, isNew = true } = {}) {
    this.name = name;
    this.isNew = isNew;
    const { port1, port2 } = new MessageChannel();
    this.controlPort = port1;
    ports.push(port1, port2);
    this.#isAlive = api !== null;
    if (api)
      exposeThread({ recordDeletes: async () => 0, purge: async () => {}, ...api } as ThreadApi, port2);
    this.api = wrapThread(port1);
    if (isStarted) this.life.signal(1);
  }

  request(request: WorkerRequest): void {
    if (!this.#isAlive) return;
    expect(request).toBe('is-alive');
    setImmediate(() => this.onNotice?.({ kind: 'alive' }));
  }

  die(error: FencepostError): void {
    this.life.fail(error);
  }
}

/** Resolves when earlier calls to the worker have been answered. */
async function roundTrip(worker: FakeWorker): Promise<void> {
  await worker.api.purge(0);
  await new Promise((resolve) => setImmediate(resolve));
}

function create(workers: FakeWorker[], { isVisible = true } = {}) {
  const clock = new ManualClock();
  const state = { awaitedFrame: 0, isVisible, processorShare: 1, reported: [] as FencepostError[] };
  const options = {
    awaitedFrame: () => state.awaitedFrame,
    onError: (error: FencepostError) => state.reported.push(error),
    isVisible: () => state.isVisible,
    processorShare: () => state.processorShare,
    clock,
  };
  const limits = { reportSeconds: 1, restartSeconds: 5 };
  const control = new PeerControl(
    workers.map((worker) => new WorkerPeer(worker, options, limits)),
    clock,
  );
  return { clock, state, control };
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    ({ code, message }: FencepostError) => ({ code, message }),
  );

describe('worker control', () => {
  it('calls every worker, and merges the answers', async () => {
    const asked: string[] = [];
    const worker = (name: string) =>
      new FakeWorker(name, {
        recordDeletes: async () => {
          asked.push(`${name} records deletes`);
          return 96;
        },
        purge: async (rhiBytes) => void asked.push(`${name} purges behind ${rhiBytes} bytes`),
        readEvents: async () => readEvents(new EventRing().buffer, null),
        shutDown: async (isStreamClosed) => {
          asked.push(`${name} ends${isStreamClosed ? ', its stream closed' : ''}`);
          const account = [{ label: `left by ${name}` } as never];
          const isRender = name === 'render';
          return {
            recorded: isRender ? account : null,
            executed: isRender ? null : account,
            closesStream: isRender,
          };
        },
      });
    const { control } = create([worker('render'), worker('RHI')]);
    await control.purge();
    const events = await control.readEvents(new Map());
    expect(events.map(({ thread }) => thread)).toEqual(['render', 'RHI']);
    expect((await control.shutDown()).leaks).toEqual([{ label: 'left by RHI' }]);
    expect(asked).toEqual([
      'render records deletes',
      'RHI purges behind 96 bytes',
      'render ends',
      'RHI ends, its stream closed',
    ]);
  });

  it('a call to a dead worker rejects with an error that names the worker and the call', async () => {
    const { clock, control } = create([new FakeWorker('render', null)]);
    const capture = refusal(control.startCapture());
    const purge = refusal(control.purge());
    clock.advance(11_000);
    const error = {
      code: 'thread-not-answering',
      message: expect.stringMatching(/render worker .*startCapture\(\)/),
    };
    expect(await capture).toMatchObject(error);
    expect(await purge).toMatchObject(error);
    expect(await refusal(control.purge())).toMatchObject(error); // The worker stays dead, so the call rejects at once.
    expect(clock.timers.size).toBe(0);
  });

  it('a call that the worker cannot answer rejects with the reason, and may be repeated', async () => {
    let isOffline = true;
    const worker = new FakeWorker('render', {
      startCapture: async () => {
        if (isOffline) throw new ThreadError('features-missing', 'worker-tools.js can’t be loaded.');
      },
      shutDown: async () => ({ executed: [{ label: 'left' } as never], recorded: [], closesStream: true }),
    });
    const { control } = create([worker]);
    expect(await refusal(control.startCapture())).toMatchObject({ code: 'features-missing' });
    // The worker is alive: other calls succeed, and startCapture() succeeds once the file can be loaded.
    await control.purge();
    isOffline = false;
    await control.startCapture();
    expect((await control.shutDown()).leaks).toEqual([{ label: 'left' }]);
  });

  it('releases the port of a worker that has ended while a call was pending', async () => {
    const worker = new FakeWorker('render', { startCapture: () => new Promise<void>(() => {}) });
    const { control } = create([worker]);
    const [, far] = ports.slice(-2) as [MessagePort, MessagePort];
    const heard: string[] = [];
    const released = new Promise<void>((resolve) => {
      far.addEventListener('message', ({ data }: MessageEvent<{ type: string }>) => {
        heard.push(data.type);
        if (data.type === 'RELEASE') resolve();
      });
    });
    const refused = expect(control.startCapture()).rejects.toMatchObject({ code: 'worker-died' });
    while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
    worker.die(new ThreadError('worker-died', 'The render worker stopped.'));
    await refused;
    await released;
  });

  it('a call to a worker that has not started is sent once the worker has started', async () => {
    const asked: string[] = [];
    const worker = new FakeWorker(
      'render',
      { startCapture: async () => void asked.push('startCapture') },
      { isStarted: false },
    );
    const { control } = create([worker]);
    const started = control.startCapture();
    await roundTrip(worker);
    expect(asked).toEqual([]);
    worker.life.signal(1);
    await started;
    expect(asked).toEqual(['startCapture']);
  });

  it('a call to a worker that does not start rejects with the reason', async () => {
    const worker = new FakeWorker('render', {}, { isStarted: false });
    const { control } = create([worker]);
    const refused = expect(control.purge()).rejects.toMatchObject({ code: 'adapter-missing' });
    worker.die(new PlatformError('adapter-missing', 'No adapter.'));
    await refused;
  });

  it('a missing frame ends only the worker that does not answer', async () => {
    const render = new FakeWorker('render', {});
    const rhi = new FakeWorker('RHI', null);
    const { clock, state } = create([render, rhi]);
    clock.advance(60_000);
    expect(rhi.life.error).toBeNull(); // Nothing was expected of the worker.
    state.awaitedFrame = 7;
    for (let second = 0; second < 11; second++) {
      clock.advance(1000);
      await roundTrip(render);
    }
    expect(rhi.life.error).toMatchObject({
      code: 'thread-not-answering',
      message: expect.stringMatching(/^The RHI worker .* frame 7 /),
    });
    expect(render.life.error).toBeNull();
    expect(state.reported).toHaveLength(1);
  });

  it('R9: silence is reported after 1 s with the last breadcrumb, and ends the worker after 5 s', () => {
    const worker = new FakeWorker('render', null);
    const ring = new EventRing();
    ring.begin(TimelineEvent.record, 7);
    worker.lastEvent = new Float64Array(ring.buffer);
    const { clock, state } = create([worker]);
    state.awaitedFrame = 7;
    clock.advance(250); // The worker is asked.
    clock.advance(999);
    expect(state.reported).toEqual([]);
    clock.advance(1);
    expect(state.reported).toMatchObject([
      {
        name: 'ThreadError',
        code: 'thread-silent',
        message: expect.stringMatching(
          /^The render worker has not answered for 1 s, and frame 7 .*"record" of frame 7, \d/,
        ),
      },
    ]);
    clock.advance(3999);
    expect(worker.life.error).toBeNull();
    clock.advance(1);
    expect(worker.life.error).toMatchObject({ code: 'thread-not-answering' });
    expect(state.reported).toHaveLength(1);
    expect(clock.timers.size).toBe(0);
  });

  it('R9: a starved worker is neither reported nor ended while it gets a fifth of a processor', () => {
    const worker = new FakeWorker('render', null);
    const { clock, state } = create([worker]);
    Object.assign(state, { awaitedFrame: 7, processorShare: 0.2 });
    clock.advance(250); // The worker is asked.
    // Half a second of work, which takes 2.5 s at this share. Then the worker answers.
    for (let task = 0; task < 20; task++) {
      clock.advance(2500);
      worker.onNotice?.({ kind: 'alive' });
      clock.advance(250);
    }
    expect(state.reported).toEqual([]);
    expect(worker.life.error).toBeNull();
  });

  it('R9: distinguishes a hung worker from a starved worker, with evidence, on idle and busy machines', () => {
    for (const { processorShare, verdict, silent, ended } of [
      { processorShare: 1, verdict: 'hung', silent: '1.0', ended: '5.0' },
      { processorShare: 0.25, verdict: 'starved', silent: '4.0', ended: '20.0' },
    ]) {
      const worker = new FakeWorker('render', null);
      const { clock, state } = create([worker]);
      Object.assign(state, { awaitedFrame: 7, processorShare });
      clock.advance(250);
      clock.advance(30_000);
      const evidence = {
        thread: 'render',
        verdict,
        lateSeconds: '0.0',
        processorShare: processorShare.toFixed(2),
      };
      expect(state.reported.map(({ code, details }) => [code, details])).toEqual([
        ['thread-silent', { ...evidence, silentSeconds: silent }],
      ]);
      expect(worker.life.error).toMatchObject({
        code: 'thread-not-answering',
        details: { ...evidence, silentSeconds: ended },
      });
    }
  });

  it('R9: a slow worker that sends signs of life is neither reported nor ended', () => {
    const worker = new FakeWorker('render', null);
    const { clock, state } = create([worker]);
    state.awaitedFrame = 7;
    for (let second = 0; second < 60; second++) {
      clock.advance(900);
      worker.onNotice?.({ kind: 'beat' });
    }
    expect(state.reported).toEqual([]);
    expect(worker.life.error).toBeNull();
    clock.advance(5000);
    expect(worker.life.error).toMatchObject({ code: 'thread-not-answering' });
  });

  it('R9: raises no false alarm after this thread was blocked while the answer was in flight', async () => {
    const worker = new FakeWorker('render', {});
    const { clock, state } = create([worker]);
    state.awaitedFrame = 3;
    clock.advance(250);
    for (const milliseconds of [1500, 60_000]) {
      clock.block(milliseconds); // No task of this thread runs: neither timers nor messages.
      clock.fireEarly(); // A timer runs first.
      await roundTrip(worker);
    }
    expect(state.reported).toEqual([]);
    expect(worker.life.error).toBeNull();
  });

  it('R9: raises no false alarm for a page that was hidden or frozen, because earlier silence does not count', () => {
    const worker = new FakeWorker('render', null);
    const { clock, state } = create([worker]);
    state.awaitedFrame = 3;
    clock.advance(1000);
    state.isVisible = false;
    clock.advance(600_000);
    state.isVisible = true;
    clock.block(3_600_000); // Frozen: not even timers ran.
    clock.fireEarly();
    expect(state.reported).toEqual([]);
    clock.advance(900);
    expect(state.reported.length + (worker.life.error ? 1 : 0)).toBeLessThanOrEqual(1);
  });

  it('R9: raises no false alarm on a starved core, because a late tick counts as one tick', async () => {
    const worker = new FakeWorker('render', {});
    const { clock, state } = create([worker]);
    state.awaitedFrame = 3;
    // Every tick of this thread is 900 ms late, and each answer arrives two ticks after its question.
    for (let tick = 0; tick < 40; tick++) {
      clock.block(900);
      clock.fireEarly();
      if (tick % 3 === 2) await roundTrip(worker);
    }
    expect(state.reported).toEqual([]);
    expect(worker.life.error).toBeNull();
  });

  it('a slow worker that answers is never ended, however long its frame takes', async () => {
    const render = new FakeWorker('render', {});
    const { clock, state } = create([render]);
    state.awaitedFrame = 1;
    for (let second = 0; second < 60; second++) {
      clock.advance(1000);
      await roundTrip(render);
    }
    expect(render.life.error).toBeNull();
  });

  it('names the script of a worker that never starts, and expects no start without a role', async () => {
    const rhi = new FakeWorker('RHI', null, { isStarted: false });
    const render = new FakeWorker('render', null, { isStarted: false });
    render.isAsked = false;
    // A hidden page waits as long for a start as a visible page.
    const { clock } = create([render, rhi], { isVisible: false });
    clock.advance(60_000);
    expect(rhi.life.error).toMatchObject({
      name: 'ThreadError',
      code: 'worker-start-timeout',
      message: expect.stringMatching(/https:\/\/page\.test\/worker\.js.*workerUrl/),
    });
    expect(render.life.error).toBeNull();
  });

  it('R9: detects the death of a kept worker before its next start, like the death of any worker', () => {
    const rhi = new FakeWorker('RHI', null, { isStarted: false, isNew: false });
    const { clock, state } = create([rhi]);
    clock.advance(4000);
    expect(state.reported.map(({ code }) => code)).toEqual(['thread-silent']);
    clock.advance(2000);
    expect(rhi.life.error).toMatchObject({
      code: 'thread-not-answering',
      message: expect.stringContaining('its start was expected of it'),
      details: { thread: 'RHI' },
    });
  });

  it('L9: shuts down although the render worker is dead, and reports this worker instead of leaks', async () => {
    const dead = new FakeWorker('render', null);
    const alive = new FakeWorker('RHI', {
      // With `isStreamClosed` the worker waits for the end of a stream that is never closed.
      shutDown: (isStreamClosed) =>
        isStreamClosed
          ? new Promise(() => {})
          : Promise.resolve({ executed: [{ label: 'left' } as never], recorded: null, closesStream: false }),
    });
    const { clock, control } = create([dead, alive], { isVisible: false });
    const report = control.shutDown();
    clock.advance(11_000);
    expect(dead.life.error?.code).toBe('thread-not-answering');
    expect(await report).toEqual({ leaks: [], unreported: ['render'] });
  });

  it.each(['is dead', 'has lost its device'])(
    'L9: reports the leaks by the render worker’s record if the RHI worker %s',
    async (how) => {
      const recorded = [{ label: 'left' } as never];
      const render = new FakeWorker('render', {
        shutDown: async () => ({ executed: null, recorded, closesStream: true }),
      });
      const isDead = how === 'is dead';
      const lost = { shutDown: async () => ({ executed: null, recorded: null, closesStream: false }) };
      const { clock, control } = create([render, new FakeWorker('RHI', isDead ? null : lost)], {
        isVisible: false,
      });
      const report = control.shutDown();
      await roundTrip(render);
      if (isDead) clock.advance(11_000);
      expect(await report).toEqual({ leaks: recorded, ...(isDead && { unreported: ['RHI'] }) });
    },
  );

  it('shutDown rejects if a worker answers all calls except shutDown', async () => {
    const worker = new FakeWorker('render', { shutDown: () => new Promise(() => {}) });
    const { clock, control } = create([worker]);
    const report = refusal(control.shutDown());
    for (let second = 0; second < 31; second++) {
      clock.advance(1000);
      await roundTrip(worker);
    }
    expect(worker.life.error).toBeNull();
    expect(await report).toMatchObject({
      code: 'wait-timed-out',
      message: expect.stringMatching(/dispose\(\)/),
    });
  });
});
