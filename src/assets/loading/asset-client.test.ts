import { afterEach, describe, expect, it } from 'vitest';
import { makeTestAssets } from '../../../scripts/make-test-assets.mjs';
import { ThreadError } from '../../core/errors.js';
import type { LoadProgress } from '../../proxy/scene-description.js';
import { bufferOf, fakeDecoder } from '../testing/load-file.js';
import { AssetClient, type WatchWorker } from './asset-client.js';
import { serveAssets } from './serve-assets.js';

const assets = makeTestAssets();
const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** Creates a worker that serves loads in this thread. Its method `die` fires the `error` event of a dead worker. */
function fakeWorker(options: Parameters<typeof serveAssets>[1] = {}) {
  const channel = new MessageChannel();
  ports.push(channel.port1, channel.port2);
  serveAssets(channel.port2, { decodeImage: fakeDecoder, ...options });
  const events = new EventTarget();
  channel.port1.onmessage = ({ data }) => events.dispatchEvent(new MessageEvent('message', { data }));
  const worker = {
    isTerminated: false,
    posted: [] as unknown[],
    postMessage(message: unknown) {
      this.posted.push(message);
      channel.port1.postMessage(message);
    },
    addEventListener: events.addEventListener.bind(events),
    terminate() {
      this.isTerminated = true;
    },
    die: () => events.dispatchEvent(Object.assign(new Event('error'), { message: 'out of memory' })),
  };
  return worker;
}

const bytes = (name: string) => ({ kind: 'bytes', name, bytes: bufferOf(assets[name]!) }) as const;
const asWorker = (worker: ReturnType<typeof fakeWorker>) => worker as unknown as Worker;

/**
 * Returns a `fetch` that rejects when its signal aborts, and never settles otherwise. The promise `signal` resolves
 * with that signal at the first call.
 */
function endlessFetch() {
  let started = (_signal: AbortSignal): void => {};
  const signal = new Promise<AbortSignal>((resolve) => {
    started = resolve;
  });
  const fetchNothing: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      if (init?.signal) started(init.signal);
    });
  return { fetch: fetchNothing, signal };
}

describe('AssetClient', () => {
  it('begins no helper for a worker that has ended, and ignores helpers that reject after the worker’s end', async () => {
    const begun: MessagePort[] = [];
    let fail = (_error: Error): void => {};
    const helpers = {
      count: 1,
      begin(port: MessagePort) {
        begun.push(port);
        const ended = new Promise<void>((_, reject) => {
          fail = reject;
        });
        return { ended, retract: () => {} };
      },
    };
    const events = new EventTarget();
    const posted: unknown[] = [];
    const worker = {
      postMessage: (message: unknown) => posted.push(message),
      addEventListener: events.addEventListener.bind(events),
      terminate: () => {},
    } as unknown as Worker;
    const client = new AssetClient(() => worker, undefined, undefined, undefined, undefined, helpers);
    const loading = client.load(bytes('unlit.glb')).catch((error) => error.code);
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const ask = (port: MessagePort) =>
      events.dispatchEvent(
        new MessageEvent('message', { data: { kind: 'helper', number: begun.length, port } }),
      );
    ask(port1);
    client.dispose();
    const before = posted.length;
    ask(port2);
    fail(new Error('The worker died.'));
    expect([await loading, begun, posted.length]).toEqual(['engine-disposed', [port1], before]);
  });

  it('starts one worker on first use, and keeps the caller’s bytes intact', async () => {
    const workers: ReturnType<typeof fakeWorker>[] = [];
    const client = new AssetClient(() => {
      workers.push(fakeWorker());
      return asWorker(workers.at(-1)!);
    });
    expect(workers).toHaveLength(0);
    const source = bytes('all-maps.glb');
    const [first, second] = await Promise.all([client.load(source), client.load(bytes('unlit.glb'))]);
    expect(workers).toHaveLength(1);
    expect([first.name, second.name]).toEqual(['all-maps.glb', 'unlit.glb']);
    expect(first.geometries[0]!.data.byteLength).toBeGreaterThan(0);
    expect(source.bytes.byteLength).toBe(assets['all-maps.glb']!.byteLength);
  });

  it('forwards progress, and errors with class and code', async () => {
    const client = new AssetClient(() => asWorker(fakeWorker()));
    const reports: LoadProgress[] = [];
    await client.load(bytes('sparse.glb'), { onProgress: (progress) => reports.push(progress) });
    const size = assets['sparse.glb']!.byteLength;
    expect(reports).toEqual([{ loadedBytes: size, totalBytes: size }]);
    await expect(client.load(bytes('broken/bad-index.glb'))).rejects.toMatchObject({
      name: 'AssetError',
      code: 'indices-out-of-range',
    });
  });

  it('aborts at once, and stops the transfer in the worker', async () => {
    const { fetch, signal } = endlessFetch();
    const client = new AssetClient(() => asWorker(fakeWorker({ fetch })));
    const controller = new AbortController();
    const load = client.load({ kind: 'url', url: 'https://a.example/x.glb' }, { signal: controller.signal });
    const workerSignal = await signal;
    controller.abort();
    await expect(load).rejects.toBe(controller.signal.reason);
    await new Promise<void>((resolve) => workerSignal.addEventListener('abort', () => resolve()));
    expect((await client.load(bytes('unlit.glb'))).name).toBe('unlit.glb');
  });

  it('does not start a worker for an aborted signal', async () => {
    const client = new AssetClient(() => {
      throw new Error('A worker was started.');
    });
    const load = client.load(bytes('unlit.glb'), { signal: AbortSignal.abort() });
    await expect(load).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('rejects with asset-worker-died if the worker dies, and starts another for the next load', async () => {
    const { fetch, signal } = endlessFetch();
    const workers: ReturnType<typeof fakeWorker>[] = [];
    const client = new AssetClient(() => {
      workers.push(fakeWorker({ fetch }));
      return asWorker(workers.at(-1)!);
    });
    const load = client.load({ kind: 'url', url: 'https://a.example/x.glb' });
    await signal;
    workers[0]!.die();
    await expect(load).rejects.toMatchObject({
      name: 'ThreadError',
      code: 'asset-worker-died',
      message: expect.stringMatching(/^"https:\/\/a\.example\/x\.glb": .*out of memory/),
    });
    expect(workers[0]!.isTerminated).toBe(true);
    expect((await client.load(bytes('unlit.glb'))).name).toBe('unlit.glb');
    expect(workers).toHaveLength(2);
  });

  it('rejects pending and later loads after dispose', async () => {
    const { fetch, signal } = endlessFetch();
    const worker = fakeWorker({ fetch });
    const client = new AssetClient(() => asWorker(worker));
    const load = client.load({ kind: 'url', url: 'https://a.example/x.glb' });
    await signal;
    client.dispose();
    const disposed = { name: 'StateError', code: 'engine-disposed' };
    await expect(load).rejects.toMatchObject(disposed);
    expect(worker.isTerminated).toBe(true);
    await expect(client.load(bytes('unlit.glb'))).rejects.toMatchObject(disposed);
  });

  it('pings a silent worker, which answers during a load, and rejects the loads of a dead worker', async () => {
    const { fetch, signal } = endlessFetch();
    const workers: ReturnType<typeof fakeWorker>[] = [];
    const watched: Parameters<WatchWorker>[0][] = [];
    let heard = (): void => {};
    const log: string[] = [];
    const client = new AssetClient(
      () => {
        workers.push(fakeWorker({ fetch }));
        return asWorker(workers.at(-1)!);
      },
      (worker) => {
        watched.push(worker);
        return { heard: () => heard(), stop: () => log.push('stop') };
      },
    );
    const load = client.load({ kind: 'url', url: 'https://a.example/x.glb' });
    await signal;
    const [watch] = watched;
    expect(watch!.awaited()).toBe('the file being loaded');
    const answer = new Promise<void>((resolve) => {
      heard = resolve;
    });
    watch!.ask();
    await answer;
    expect(workers[0]!.posted).toContainEqual({ kind: 'ping' });
    watch!.onDead(new ThreadError('thread-not-answering', 'The asset worker has not answered.'));
    await expect(load).rejects.toMatchObject({ code: 'thread-not-answering' });
    expect(watch!.awaited()).toBeNull();
    expect([workers[0]!.isTerminated, log]).toEqual([true, ['stop']]);
    expect((await client.load(bytes('unlit.glb'))).name).toBe('unlit.glb');
    expect(workers).toHaveLength(2);
  });

  it('rejects a source that cannot be sent', async () => {
    const client = new AssetClient(() => asWorker(fakeWorker()));
    const source = { kind: 'url', url: () => {} } as unknown as Parameters<AssetClient['load']>[0];
    await expect(client.load(source)).rejects.toMatchObject({ code: 'asset-source-invalid' });
  });
});
