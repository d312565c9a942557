/** Shared fences between this page, workers and devices; `window.fenceTest` runs one scenario and returns what it saw. */
import { BufferUsage, connectFences, createFences, createRhi, openDevice } from 'fencepost/rhi';
import type { FenceJob } from './fences-worker.js';

type Answer = Record<string, unknown> | string;

function startWorker(
  job: Omit<FenceJob, 'invitation'>,
  fences: ReturnType<typeof createFences>,
  by?: 'messages',
) {
  const worker = new Worker(new URL('./fences-worker.ts', import.meta.url), { type: 'module' });
  const answers: Answer[] = [];
  let wake = (): void => {};
  worker.onmessage = ({ data }) => {
    answers.push(data);
    wake();
  };
  const { invitation, transfer } = fences.invite(by ? { by } : {});
  worker.postMessage({ ...job, invitation }, transfer);
  const next = async (): Promise<Answer> => {
    while (answers.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const answer = answers.shift() as Answer;
    if (typeof answer === 'object' && 'failed' in answer)
      throw new Error(`The worker failed: ${answer.failed}`);
    return answer;
  };
  return { next, end: () => worker.terminate() };
}

const codeOf = (action: () => unknown): string => {
  try {
    action();
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

/** The page signals `ping`, the worker answers with `pong`. */
async function pingPong(kind: 'block' | 'event', rounds: number, by?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = [fences.create('ping'), fences.create('pong')];
  const worker = startWorker({ kind, rounds, ping: ping.share(), pong: pong.share() }, fences, by);
  await worker.next();
  const seen: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    ping.signal(round);
    await pong.whenReached(round);
    seen.push(pong.value);
  }
  const answer = await worker.next();
  const refusedHere = codeOf(() => pong.block(rounds + 1));
  const last = await fences.whenAny([
    { fence: pong, value: rounds + 1 },
    { fence: ping, value: 1 },
  ]);
  worker.end();
  fences.dispose();
  return { seen, answer, refusedHere, last };
}

/** Two devices, one on each thread: the worker's queue waits for the page's, and the other way round. */
async function twoDevices(rounds: number, by?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = ['ping', 'pong'].map((name) => fences.create(name, { isCrossDevice: true }));
  const worker = startWorker({ kind: 'device', rounds, ping: ping.share(), pong: pong.share() }, fences, by);
  await worker.next();
  await worker.next();
  const { device } = await openDevice(navigator.gpu);
  const errors: string[] = [];
  const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
  const { context } = rhi;
  const queue = connectFences(fences, rhi.executor, { name: 'page queue' });
  const [pingHandle, pongHandle] = [context.createFence('ping'), context.createFence('pong')];
  queue.bind(pingHandle, ping);
  queue.bind(pongHandle, pong);
  const buffer = context.createBuffer({ label: 'order', byteLength: 4, usage: BufferUsage.copyTarget });
  const order: string[] = [];
  const reads: Promise<void>[] = [];
  for (let round = 1; round <= rounds; round++) {
    context.beginFrame(round);
    context.writeBuffer(buffer, 0, new Uint32Array([round]));
    context.signalFence(pingHandle, round); // this GPU, for the worker's
    context.waitFence(pongHandle, round); // until the worker's GPU has answered
    const read = rhi.read(buffer);
    reads.push(
      read.then((bytes) => void order.push(`${new Uint32Array(bytes)[0]} after ${pong.value >= round}`)),
    );
    context.endFrame();
  }
  await Promise.all(reads);
  const answer = await worker.next();
  const waits = queue.readLog('waits').read();
  queue.close();
  context.destroy(buffer);
  context.destroy(pingHandle);
  context.destroy(pongHandle);
  rhi.dispose();
  device.destroy();
  worker.end();
  fences.dispose();
  return { order, answer, waits: waits.entries.length, errors };
}

/** The worker's submissions wait for this thread's CPU signals. */
async function heldSubmissions(rounds: number) {
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = [fences.create('ping'), fences.create('pong')];
  const worker = startWorker({ kind: 'device', rounds, ping: ping.share(), pong: pong.share() }, fences);
  await worker.next();
  await worker.next();
  const values: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    values.push(pong.value);
    ping.signal(round);
    await pong.whenReached(round);
  }
  const answer = await worker.next();
  worker.end();
  fences.dispose();
  return { values, answer };
}

/** More GPU signals than a log holds, unread: entries are lost, the wait is not. */
async function overflow(namesQueues: boolean) {
  const count = 300;
  const fences = createFences({ name: 'the page', namesQueues });
  const fence = fences.create('busy');
  const { device } = await openDevice(navigator.gpu);
  const rhi = createRhi({ device });
  const queue = connectFences(fences, rhi.executor);
  const handle = rhi.context.createFence('busy');
  queue.bind(handle, fence);
  const log = queue.readLog('signals');
  // Another thread waits: a queue's own thread would look at the fence without being told.
  const worker = startWorker(
    { kind: 'last', rounds: count, ping: fence.share(), pong: fences.create('unused').share() },
    fences,
  );
  await worker.next();
  rhi.context.beginFrame(0);
  for (let value = 1; value <= count; value++) rhi.context.signalFence(handle, value);
  rhi.context.endFrame();
  const there = await worker.next();
  await rhi.flush();
  const { entries, lost } = log.read();
  const result = {
    there,
    lost,
    read: entries.length,
    isLossy: log.isLossy,
    progress: queue.progress.value,
  };
  queue.close();
  rhi.context.destroy(handle);
  rhi.dispose();
  device.destroy();
  worker.end();
  fences.dispose();
  return result;
}

/** GPU signals and waits that 32 bits can't tell from the past. */
async function halfRange() {
  const fences = createFences({ name: 'the page' });
  const narrow = fences.create('narrow', { bits: 32 });
  const { device } = await openDevice(navigator.gpu);
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push((error as { code: string }).code);
  const rhi = createRhi({ device, onError });
  const queue = connectFences(fences, rhi.executor);
  const handle = rhi.context.createFence('narrow');
  queue.bind(handle, narrow);
  rhi.context.beginFrame(0);
  rhi.context.signalFence(handle, 2 ** 31);
  rhi.context.waitFence(handle, 2 ** 31 + 1);
  rhi.context.endFrame();
  rhi.context.publish();
  rhi.executor.pump();
  const atOnce = [...errors];
  rhi.context.beginFrame(1);
  rhi.context.signalFence(handle, 2 ** 31 - 1);
  rhi.context.endFrame();
  await rhi.flush();
  await narrow.whenReached(2 ** 31 - 1);
  queue.close();
  rhi.context.destroy(handle);
  rhi.dispose();
  device.destroy();
  fences.dispose();
  return { atOnce, errors, value: narrow.value };
}

async function failure() {
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = [fences.create('ping'), fences.create('pong')];
  const worker = startWorker({ kind: 'fail', rounds: 1, ping: ping.share(), pong: pong.share() }, fences);
  await worker.next();
  const { device } = await openDevice(navigator.gpu);
  const rhi = createRhi({ device, onError: () => {} });
  const queue = connectFences(fences, rhi.executor);
  const handle = rhi.context.createFence('ping');
  queue.bind(handle, ping);
  rhi.context.beginFrame(0);
  rhi.context.waitFence(handle, 0);
  rhi.context.endFrame();
  await rhi.flush();
  rhi.context.beginFrame(1);
  rhi.context.signalFence(handle, 1);
  rhi.context.endFrame();
  rhi.context.publish();
  rhi.executor.pump();
  device.destroy(); // before the GPU can have said that it is done
  const answer = await worker.next();
  worker.end();
  return { answer, here: ping.error?.code };
}

const scenarios = { pingPong, twoDevices, heldSubmissions, overflow, halfRange, failure };

declare global {
  interface Window {
    fenceTests: typeof scenarios;
  }
}
window.fenceTests = scenarios;
document.documentElement.dataset.loaded = 'true';
