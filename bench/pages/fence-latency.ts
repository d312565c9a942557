/**
 * Measures the time from a signal until the waiter runs again, in microseconds, for every form of fence. One thread
 * records the time and signals. The other thread records the time of its wake-up. A page and its workers share a clock.
 *
 *   signaller   record · signal ─────────────► waiter   wakes: record · signals back, for the next round
 */
import { BufferUsage, connectFences, createFences, createRhi, openDevice } from '../../src/rhi.js';
import { createFenceLink, sendFences } from '../../src/sync/fences/fence-link.js';
import { PrivateFence } from '../../src/sync/fences/private-fence.js';
import type { LatencyJob } from './fence-latency-worker.js';

declare global {
  interface Window {
    /** Returns the microseconds of each round by form. */
    measureFences(rounds: number): Promise<Record<string, number[]>>;
  }
}

const now = (): number => performance.timeOrigin + performance.now();
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Measures signals of the page to a waiting worker. */
async function toWorker(
  kind: LatencyJob['kind'],
  rounds: number,
  by?: 'memory' | 'messages',
): Promise<number[]> {
  const fences = createFences();
  const [ping, pong] = [fences.create('ping'), fences.create('pong')];
  const linked = new PrivateFence('linked');
  const [near, carrier] = createFenceLink(['linked'], by === 'memory');
  sendFences(near, { linked });
  const { invitation, transfer } = fences.invite(by ? { by } : {});
  const worker = new Worker(new URL('./fence-latency-worker.ts', import.meta.url), { type: 'module' });
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  const ready = next();
  const job: LatencyJob = {
    kind,
    rounds,
    invitation,
    ping: ping.share(),
    pong: pong.share(),
    carrier,
  };
  worker.postMessage(job, [...transfer, carrier.port as MessagePort]);
  await ready;
  const result = next();
  const signalled: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await nextTask(); // Gives the worker time to fall asleep.
    signalled.push(now());
    if (kind === 'linked') linked.signal(round);
    else ping.signal(round);
    await pong.whenReached(round);
  }
  const awake = (await result) as number[];
  worker.terminate();
  fences.dispose();
  return awake.map((time, round) => (time - (signalled[round] ?? Number.NaN)) * 1000);
}

/** Measures a signaller and a waiter on the same thread. */
async function onThisThread(rounds: number, isPrivate: boolean | null): Promise<number[]> {
  const fences = createFences();
  const fence = isPrivate === null ? new PrivateFence('local') : fences.create('fence', { isPrivate });
  const times: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const wait = fence.whenReached(round).then(now);
    const began = now();
    fence.signal(round);
    times.push(((await wait) - began) * 1000);
  }
  fences.dispose();
  return times;
}

/**
 * Measures a queue in both directions. `toCpu` is the time from a GPU signal, as the queue's log records it, until the
 * CPU's wait resolves. `toQueue` is the time from a CPU signal until the command list that
 * waits for it continues.
 */
async function withQueue(rounds: number): Promise<{ toCpu: number[]; toQueue: number[] }> {
  const fences = createFences();
  const { device } = await openDevice(navigator.gpu);
  const rhi = createRhi({ device });
  const { context } = rhi;
  const queue = connectFences(fences, rhi.executor);
  const [go, done] = [fences.create('go'), fences.create('done')];
  const [goHandle, doneHandle] = [context.createFence('go'), context.createFence('done')];
  queue.bind(goHandle, go);
  queue.bind(doneHandle, done);
  const buffer = context.createBuffer({ label: 'work', byteLength: 4, usage: BufferUsage.copyTarget });
  const [signals, waits] = [queue.readLog('signals'), queue.readLog('waits')];
  const [toCpu, toQueue]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    context.beginFrame(round);
    context.waitFence(goHandle, round);
    context.writeBuffer(buffer, 0, new Uint32Array([round]));
    context.signalFence(doneHandle, round);
    context.endFrame();
    await nextTask();
    const awake = done.whenReached(round).then(now);
    const signalled = now();
    go.signal(round);
    const time = await awake;
    const executed = signals.read().entries.at(-1)?.timeFinished ?? Number.NaN;
    const unblocked = waits.read().entries.at(-1)?.timeFinished ?? Number.NaN;
    toCpu.push((time - executed) * 1000);
    toQueue.push((unblocked - signalled) * 1000);
  }
  await rhi.flush();
  queue.close();
  rhi.dispose();
  device.destroy();
  fences.dispose();
  return { toCpu, toQueue };
}

window.measureFences = async (rounds) => {
  const isShared = crossOriginIsolated;
  const place = isShared ? 'isolated' : 'not isolated';
  const forms: Record<string, number[]> = {};
  const add = (form: string, times: number[]): void => {
    forms[`${form}, ${place}`] = times;
  };
  if (isShared) {
    add('shared memory, worker blocks', await toWorker('blocks', rounds, 'memory'));
    add('shared memory, worker waits without blocking', await toWorker('waits', rounds, 'memory'));
  }
  add('by messages, worker waits without blocking', await toWorker('waits', rounds, 'messages'));
  if (isShared)
    add(
      'private fence, linked in memory, worker waits without blocking',
      await toWorker('linked', rounds, 'memory'),
    );
  add(
    'private fence, linked by messages, worker waits without blocking',
    await toWorker('linked', rounds, 'messages'),
  );
  add('private fence, same thread', await onThisThread(rounds, null));
  add('private fence of a group, same thread', await onThisThread(rounds, true));
  add('shared monitored fence, same thread', await onThisThread(rounds, false));
  const { toCpu, toQueue } = await withQueue(Math.min(rounds, 300));
  add('GPU signal, from its observation to the end of an await', toCpu);
  add('GPU wait, from a CPU signal to the held list', toQueue);
  return forms;
};
