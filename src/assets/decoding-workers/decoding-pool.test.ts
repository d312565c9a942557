import { afterEach, describe, expect, it, vi } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import type { TaskContext } from '../../tasks/execution/task-context.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import type { DecoderUrls } from '../loading/asset-protocol.js';
import type { DecodingWorker } from './decoding-helper.js';
import type { DecodingRequest } from './decoding-messages.js';
import { DecodingPool, helperCount } from './decoding-pool.js';
import { decodingTasks } from './serve-decoding.js';

const URLS: DecoderUrls = { basis: '', draco: '', decoders: '' };
const LARGE = 200 * 1024;

const ports: MessagePort[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const port of ports.splice(0)) port.close();
});

/**
 * Creates a decoder whose jobs end at calls of `next`, the oldest first. A result has the decoder's name and a copy of
 * the bytes. Jobs whose name begins with `damaged` or `blocked` reject.
 */
function fakeDecoder(who: string) {
  const open: (() => void)[] = [];
  const begun: string[] = [];
  const decodeView = (view: { bytes: Uint8Array; name: string }): Promise<unknown> => {
    begun.push(view.name);
    return new Promise((resolve, reject) => {
      open.push(() => {
        if (view.name.startsWith('damaged')) reject(new Error('It is damaged.'));
        else if (view.name.startsWith('blocked'))
          reject(Object.assign(new Error('No.'), { name: 'WasmBlocked' }));
        else resolve({ who, image: view.bytes.slice().buffer });
      });
    });
  };
  const next = async (): Promise<void> => {
    await waitFor(() => expect(open).not.toHaveLength(0));
    open.shift()?.();
  };
  return { decodeView, begun, next };
}

/** Creates a helper behind a real port. If `starts` is true, the message `begin` starts it. */
function fakeWorker({ starts = true } = {}) {
  const channel = new MessageChannel();
  ports.push(channel.port1, channel.port2);
  const decoder = fakeDecoder('helper');
  const events = new EventTarget();
  channel.port1.onmessage = ({ data }) => events.dispatchEvent(new MessageEvent('message', { data }));
  const load = (async () => ({ decodeView: decoder.decodeView })) as unknown as LoadDecoder;
  const task = { progress: (fraction: number) => progress.push(fraction) } as unknown as TaskContext;
  const progress: number[] = [];
  const control = new MessageChannel();
  ports.push(control.port1, control.port2);
  if (starts) {
    const { serve } = decodingTasks(() => load);
    void serve({ port: channel.port2, control: control.port2 }, 0, 1, task);
  }
  const posted: DecodingRequest[] = [];
  const worker = {
    isTerminated: false,
    postMessage(message: DecodingRequest, transfer: Transferable[]) {
      posted.push(message);
      channel.port1.postMessage(message, transfer);
    },
    addEventListener: events.addEventListener.bind(events),
    terminate() {
      worker.isTerminated = true;
    },
  };
  const die = () => events.dispatchEvent(Object.assign(new Event('error'), { message: 'out of memory' }));
  return { worker: worker as typeof worker & DecodingWorker, posted, decoder, progress, die };
}

function setUp({ maximumHelpers = 1, starts = true } = {}) {
  const workers: ReturnType<typeof fakeWorker>[] = [];
  const pool = new DecodingPool(
    URLS,
    () => {
      workers.push(fakeWorker({ starts }));
      return workers.at(-1)!.worker;
    },
    maximumHelpers,
  );
  const own = fakeDecoder('own');
  const controllers = new Map<number, AbortController>();
  const controllerOf = (number: number) => {
    const controller = controllers.get(number) ?? new AbortController();
    controllers.set(number, controller);
    return controller;
  };
  const run = (number: number, name: string, byteLength = LARGE) => {
    const view = { bytes: new Uint8Array(byteLength).fill(7), name };
    const result = pool.run({
      decoder: 'meshopt',
      method: 'decodeView',
      parameters: [view],
      byteLength,
      run: () => own.decodeView(view),
      number,
      file: `file ${number}`,
      signal: controllerOf(number).signal,
    }) as Promise<{ who: string; image: ArrayBuffer }>;
    result.catch(() => {});
    return { result, view };
  };
  return { pool, workers, own, run, controllerOf };
}

const helperHas = (helper: ReturnType<typeof fakeWorker>, names: string[]) =>
  waitFor(() => expect(helper.decoder.begun).toEqual(names));

describe('waiting jobs', () => {
  it('are decoded on this thread if they have few bytes, the oldest load first', async () => {
    const { run, own, workers } = setUp();
    const pieces = [run(2, 'c', 10), run(1, 'a', 10), run(2, 'd', 10), run(1, 'b', 10)];
    for (const _ of pieces) await own.next();
    await Promise.all(pieces.map(({ result }) => result));
    expect(own.begun).toEqual(['a', 'b', 'c', 'd']);
    expect(workers).toHaveLength(0);
  });

  it('are shared with a helper if they have many bytes, as copies that leave the originals intact', async () => {
    const { run, own, workers } = setUp();
    const pieces = ['a', 'b', 'c'].map((name) => run(1, name));
    await waitFor(() => expect(workers).toHaveLength(1));
    const [helper] = workers;
    await helperHas(helper!, ['b']);
    expect(own.begun).toEqual(['a']);
    await helper!.decoder.next();
    await helperHas(helper!, ['b', 'c']);
    await helper!.decoder.next();
    await own.next();
    const results = await Promise.all(pieces.map(({ result }) => result));
    expect(results.map(({ who }) => who)).toEqual(['own', 'helper', 'helper']);
    const sent = Buffer.alloc(LARGE, 7);
    for (const { image } of results) expect(sent.equals(new Uint8Array(image))).toBe(true);
    for (const { view } of pieces) expect(view.bytes.byteLength).toBe(LARGE);
  });

  it('start as many helpers as their bytes and the limit allow', async () => {
    const { run, workers } = setUp({ maximumHelpers: 3 });
    for (const name of ['a', 'b', 'c']) run(1, name);
    await waitFor(() => expect(workers).toHaveLength(3));
    for (const name of ['d', 'e', 'f', 'g', 'h', 'i']) run(1, name);
    await helperHas(workers[2]!, [expect.any(String)] as string[]);
    expect(workers).toHaveLength(3);
    expect([1, 2, 4, 16].map(helperCount)).toEqual([0, 1, 3, 3]);
  });

  it('are dropped by an abort, which also discards the results of running jobs', async () => {
    const { run, own, workers, controllerOf } = setUp();
    const pieces = ['a', 'b', 'c', 'd', 'e'].map((name) => run(1, name));
    const other = run(2, 'z', 10);
    await waitFor(() => expect(workers).toHaveLength(1));
    const [helper] = workers;
    await helperHas(helper!, ['b']);
    controllerOf(1).abort(new Error('enough'));
    for (const { result } of pieces) await expect(result).rejects.toThrow('enough');
    await own.next(); // a, which was running
    await helper!.decoder.next(); // b, which was running on the helper
    const next = await Promise.race([
      own.next().then(() => 'own'),
      helper!.decoder.next().then(() => 'helper'),
    ]);
    expect((await other.result).who).toBe(next);
    expect([...own.begun, ...helper!.decoder.begun].sort()).toEqual(['a', 'b', 'z']);
    await expect(run(1, 'late').result).rejects.toThrow('enough');
  });

  it('reject with the error of their decoder, on this thread or on a helper', async () => {
    const { run, own, workers } = setUp();
    const pieces = ['a', 'damaged', 'c'].map((name) => run(1, name));
    await waitFor(() => expect(workers).toHaveLength(1));
    await workers[0]!.decoder.next();
    await expect(pieces[1]!.result).rejects.toThrow(/^It is damaged\.$/);
    await own.next();
    expect((await pieces[0]!.result).who).toBe('own');
  });
});

describe('helpers', () => {
  it('that die reject their jobs with the file’s name, and a new helper starts for later jobs', async () => {
    const { run, own, workers } = setUp();
    const pieces = ['a', 'b', 'c', 'd'].map((name) => run(1, name));
    await waitFor(() => expect(workers).toHaveLength(1));
    await helperHas(workers[0]!, ['b']);
    workers[0]!.die();
    await expect(pieces[1]!.result).rejects.toMatchObject({
      name: 'ThreadError',
      code: 'asset-worker-died',
      message: expect.stringMatching(/"file 1".*out of memory/),
    });
    expect(workers[0]!.worker.isTerminated).toBe(true);
    const later = [run(2, 'e'), run(2, 'f')];
    await waitFor(() => expect(workers).toHaveLength(2));
    const settled = Promise.all([pieces[0]!, ...later].map(({ result }) => result));
    for (let turn = 0; turn < 5; turn++)
      await Promise.race([own.next(), workers[1]!.decoder.next(), settled]);
    await settled;
  });

  it('that can’t start lose no job, and are not started again', async () => {
    const { run, own, workers } = setUp({ starts: false });
    const pieces = ['a', 'b', 'c'].map((name) => run(1, name));
    await waitFor(() => expect(workers).toHaveLength(1));
    workers[0]!.die();
    for (const _ of pieces) await own.next();
    for (const { result } of pieces) expect((await result).who).toBe('own');
    for (const name of ['d', 'e', 'f']) run(1, name);
    for (const _ of pieces) await own.next();
    expect(workers).toHaveLength(1);
  });

  it('whose security policy forbids decoding return their jobs', async () => {
    const { run, own, workers } = setUp();
    const pieces = ['a', 'blocked', 'c'].map((name) => run(1, name));
    await waitFor(() => expect(workers).toHaveLength(1));
    await workers[0]!.decoder.next();
    await waitFor(() => expect(workers[0]!.worker.isTerminated).toBe(true));
    for (const _ of pieces) await own.next();
    expect(own.begun.sort()).toEqual(['a', 'blocked', 'c']);
    expect((await pieces[2]!.result).who).toBe('own');
  });

  it('delay the asset worker’s answer while they decode, but not after their end', async () => {
    const { pool, run, workers } = setUp();
    for (const name of ['a', 'b', 'c']) run(1, name);
    await waitFor(() => expect(workers).toHaveLength(1));
    await helperHas(workers[0]!, ['b']);
    await pool.answers();
    expect(workers[0]!.posted).toContainEqual({ kind: 'ping' });
    const answers = pool.answers();
    workers[0]!.die();
    await answers;
  });

  it('end when no piece waits, even if they have not started yet', async () => {
    const { run, own, workers } = setUp();
    const pieces = ['a', 'b', 'c'].map((name) => run(1, name));
    await waitFor(() => expect(workers).toHaveLength(1));
    await helperHas(workers[0]!, ['b']);
    expect(workers[0]!.worker.isTerminated).toBe(false);
    await own.next();
    await workers[0]!.decoder.next();
    const settled = Promise.all(pieces.map(({ result }) => result));
    await Promise.race([own.next(), workers[0]!.decoder.next()]);
    await settled;
    await waitFor(() => expect(workers[0]!.worker.isTerminated).toBe(true));
    const { run: runAlone, own: alone, workers: absent } = setUp({ starts: false });
    const later = ['d', 'e'].map((name) => runAlone(1, name));
    await waitFor(() => expect(absent).toHaveLength(1));
    for (const _ of later) await alone.next();
    await Promise.all(later.map(({ result }) => result));
    expect(absent[0]!.worker.isTerminated).toBe(true);
  });

  it('report the decoded fraction of their pieces', async () => {
    const { run, own, workers } = setUp();
    const pieces = ['a', 'b', 'c'].map((name) => run(1, name));
    await waitFor(() => expect(workers).toHaveLength(1));
    await helperHas(workers[0]!, ['b']);
    await workers[0]!.decoder.next();
    await helperHas(workers[0]!, ['b', 'c']);
    await workers[0]!.decoder.next();
    await own.next();
    await Promise.all(pieces.map(({ result }) => result));
    expect(workers[0]!.progress).toEqual([1, 1]);
  });
});
