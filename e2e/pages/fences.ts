/**
 * Shared fences between this page, workers and devices. Each function of `window.fenceTests` runs one scenario
 * and returns its observations.
 */
import {
  BufferUsage,
  connectFences,
  createFences,
  createRhi,
  FrameFlag,
  openDevice,
  type Rhi,
  ShaderStage,
} from 'fencepost/rhi';
import type { FenceJob, SideOrder } from './fences-worker.js';

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
  return { next, send: (order: SideOrder) => worker.postMessage(order), end: () => worker.terminate() };
}

const codeOf = (action: () => unknown): string => {
  try {
    action();
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

/** The page signals `ping`, and the worker answers with `pong`. */
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

/** Two devices, one on each thread. Each queue waits for the other. */
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
    context.signalFence(pingHandle, round); // this GPU signals for the worker's GPU
    context.waitFence(pongHandle, round); // waits until the worker's GPU has answered
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

/** The worker's submissions wait for CPU signals of this thread. */
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

/** Counts submissions while a list waits for a fence, and after the fence's signal. */
async function flushBeforeWait() {
  const { device } = await openDevice(navigator.gpu);
  const submitted: number[] = [];
  const { submit } = device.queue;
  device.queue.submit = (buffers) => {
    submitted.push([...buffers].length);
    submit.call(device.queue, buffers);
  };
  const rhi = createRhi({ device });
  const { context } = rhi;
  const usage = BufferUsage.copyTarget;
  const data = context.createBuffer({ label: 'data', byteLength: 8, usage });
  const handle = context.createFence('go');
  context.beginFrame(0);
  context.clearBuffer(data, 0, 4);
  context.waitFence(handle, 1);
  context.clearBuffer(data, 4, 4);
  context.endFrame();
  context.publish();
  rhi.executor.pump();
  const held = [...submitted];
  rhi.executor.fence(handle).signal(1);
  await rhi.flush();
  const all = [...submitted];
  context.destroy(data);
  context.destroy(handle);
  rhi.dispose();
  device.destroy();
  return { held, all };
}

/** Counts the notifications of signals that no thread waits for. The queue of another device uses the fence. */
async function unawaited(isCrossDevice: boolean, by?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const across = fences.create('across', { isCrossDevice });
  const unused = fences.create('unused').share();
  const side = startWorker({ kind: 'side', rounds: 1, ping: across.share(), pong: unused }, fences, by);
  await side.next();
  await side.next();
  // A thread that takes part by messages has sent its monitored values before its last answer.
  await new Promise((resolve) => setTimeout(resolve));
  const before = fences.counts.rings;
  for (let value = 1; value <= 3; value++) across.signal(value);
  const rings = fences.counts.rings - before;
  side.end();
  fences.dispose();
  return rings;
}

/** Signals more often than an unread log has room for. Entries are lost, but the wait still ends. */
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
  // The wait runs on a worker. On the queue's own thread, the fence would be checked even without a notification.
  const worker = startWorker(
    { kind: 'last', rounds: count, ping: fence.share(), pong: fences.create('unused').share() },
    fences,
  );
  await worker.next(); // ready
  await worker.next(); // the worker waits; it would not read a log for a value already reached
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

/** GPU signals and waits whose 32-bit distance is ambiguous. */
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

/**
 * Creates work that takes the GPU far longer than a page needs to lose its device.
 * @returns a function that records the work
 */
function createLongWork({ context }: Rhi): () => void {
  const layout = context.createBindGroupLayout({
    label: 'sum',
    entries: [{ binding: 0, visibility: ShaderStage.compute, buffer: { type: 'storage' } }],
  });
  const sum = context.createBuffer({ label: 'sum', byteLength: 4, usage: BufferUsage.storage });
  const group = context.createBindGroup({ label: 'sum', layout, entries: [{ binding: 0, buffer: sum }] });
  const module = context.createShaderModule({
    label: 'sum',
    code: `
@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
@compute @workgroup_size(1) fn add() {
  for (var i = 0u; i < 20000000u; i++) { atomicAdd(&sum, i); }
}`,
  });
  const pipeline = context.createComputePipeline({
    label: 'sum',
    bindGroupLayouts: [layout],
    compute: { module, entryPoint: 'add' },
  });
  return () => {
    context.beginComputePass({ label: 'sum' });
    context.setComputePipeline(pipeline);
    context.setBindGroup(0, group);
    context.dispatch(1);
    context.endComputePass();
  };
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
  const busy = createLongWork(rhi);
  // This frame waits for the pipeline. Without a pipeline the later work would be skipped.
  rhi.context.beginFrame(0, FrameFlag.waitForPipelines);
  busy();
  rhi.context.waitFence(handle, 0);
  rhi.context.endFrame();
  await rhi.flush();
  rhi.context.beginFrame(1);
  busy();
  rhi.context.signalFence(handle, 1);
  rhi.context.endFrame();
  rhi.context.publish();
  rhi.executor.pump();
  device.destroy(); // before the GPU can finish
  const answer = await worker.next();
  worker.end();
  return { answer, here: ping.error?.code };
}

/** Uses values that a double can't tell apart, on a GPU's queue and across threads. */
async function wide(backend: 'webgpu' | 'null', by?: 'messages') {
  const value = 2n ** 60n;
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = [fences.create('ping'), fences.create('pong', { initialValue: value })];
  const worker = startWorker({ kind: 'wide', rounds: 1, ping: ping.share(), pong: pong.share() }, fences, by);
  await worker.next();
  const device = backend === 'null' ? null : (await openDevice(navigator.gpu)).device;
  const errors: string[] = [];
  const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
  const { context } = rhi;
  const queue = connectFences(fences, rhi.executor);
  const [pingHandle, pongHandle] = [context.createFence('ping'), context.createFence('pong', value)];
  const own = context.createFence('own', value);
  queue.bind(pingHandle, ping);
  queue.bind(pongHandle, pong);
  const frame = (number: number, record: () => void): void => {
    context.beginFrame(number);
    record();
    context.endFrame();
  };
  frame(0, () => {
    context.signalFence(pingHandle, value);
    context.signalFence(own, value + 1n);
  });
  await rhi.flush();
  await ping.whenReached(value);
  const first = [
    ping.value64 === value,
    pong.value64 === value,
    rhi.executor.fence(own).isReached(value + 2n),
  ];
  frame(1, () => context.waitFence(pongHandle, value + 3n));
  context.publish();
  rhi.executor.pump();
  const held = rhi.submitted.value;
  pong.signal(value + 2n);
  await new Promise((resolve) => setTimeout(resolve));
  rhi.executor.pump();
  const stillHeld = rhi.submitted.value;
  ping.signal(value + 1n);
  const answer = await worker.next();
  await rhi.flush();
  const after = [pong.value64 - value, rhi.submitted.value];
  const refused = codeOf(() => context.signalFence(pingHandle, 2n ** 64n - 1n));
  queue.close();
  rhi.dispose();
  device?.destroy();
  worker.end();
  fences.dispose();
  return { first, held, stillHeld, answer, after, refused, errors };
}

/** Counts the notifications of a thread that waits for the last of many GPU signals in one list. */
async function batch(count: number, by?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = [fences.create('ping'), fences.create('pong')];
  const many = Array.from({ length: count }, (_, index) => fences.create(`fence ${index}`));
  const more = many.map((fence) => fence.share());
  const worker = startWorker(
    { kind: 'many', rounds: 1, ping: ping.share(), pong: pong.share(), more },
    fences,
    by,
  );
  await worker.next();
  await worker.next();
  const { device } = await openDevice(navigator.gpu);
  const rhi = createRhi({ device });
  const { context } = rhi;
  const queue = connectFences(fences, rhi.executor);
  const handles = many.map((fence) => {
    const handle = context.createFence(fence.name);
    queue.bind(handle, fence);
    return handle;
  });
  const before = fences.counts.rings;
  context.beginFrame(0);
  for (const handle of handles) context.signalFence(handle, 1);
  context.endFrame();
  await rhi.flush();
  await fences.whenAll(many.map((fence) => ({ fence, value: 1 })));
  const rings = fences.counts.rings - before;
  const logged = queue.readLog('signals').read().entries.length;
  const answer = await worker.next();
  queue.close();
  for (const handle of handles) context.destroy(handle);
  rhi.dispose();
  device.destroy();
  worker.end();
  fences.dispose();
  return { rings, logged, answer };
}

/** A worker creates a fence, by shared memory or by messages. Another worker and the page open it. */
async function createdElsewhere(by?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = [fences.create('ping'), fences.create('pong')];
  const maker = startWorker(
    { kind: 'creates', rounds: 1, ping: ping.share(), pong: pong.share() },
    fences,
    by,
  );
  await maker.next();
  const { made, value } = (await maker.next()) as { made: ReturnType<typeof ping.share>; value: number };
  const other = startWorker({ kind: 'last', rounds: 7, ping: made, pong: pong.share() }, fences, by);
  await other.next(); // ready
  await other.next(); // waits
  const here = fences.open(made);
  const first = here.value;
  ping.signal(1);
  await here.whenReached(7);
  const there = await other.next();
  here.signal(9);
  const last = await maker.next();
  maker.end();
  other.end();
  fences.dispose();
  return { value, first, there, last };
}

/**
 * Two devices on two workers, each with shared memory or with messages. CPU and GPU signals meet CPU and GPU
 * waits, in both directions.
 */
async function pairings(one?: 'messages', two?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const across = fences.create('across', { isCrossDevice: true });
  const unused = fences.create('unused').share();
  const sides = [one, two].map((by) =>
    startWorker({ kind: 'side', rounds: 1, ping: across.share(), pong: unused }, fences, by),
  );
  for (const side of sides) {
    await side.next();
    await side.next();
  }
  const seen: unknown[] = [];
  let value = 0;
  for (const signal of ['CPU', 'GPU'] as const) {
    for (const wait of ['CPU', 'GPU'] as const) {
      for (const [from, to] of [sides, [...sides].reverse()]) {
        value += 10;
        to?.send({ kind: 'wait', by: wait, value });
        const waiting = await to?.next();
        from?.send({ kind: 'signal', by: signal, value });
        seen.push([signal, wait, waiting, await to?.next(), value]);
      }
    }
  }
  for (const side of sides) side.end();
  fences.dispose();
  return seen;
}

/** Signals below the value that a worker waits for notify nobody. Reaching that value notifies the worker once. */
async function monitored(count: number, by?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = [fences.create('ping'), fences.create('pong')];
  const worker = startWorker(
    { kind: 'observes', rounds: count, ping: ping.share(), pong: pong.share() },
    fences,
    by,
  );
  await worker.next();
  await worker.next();
  // The page now knows the worker's value, from shared memory or from a message sent before 'waits'.
  await new Promise((resolve) => setTimeout(resolve));
  const before = fences.counts.rings;
  const rings: number[] = [];
  for (let value = 1; value <= count; value++) {
    ping.signal(value);
    rings.push(fences.counts.rings - before);
  }
  const there = await worker.next();
  worker.end();
  fences.dispose();
  return { rings, there };
}

/** GPU signals of a queue whose notifications name only the queue. The queue's log names the fences that changed. */
async function byQueue(by?: 'messages') {
  const fences = createFences({ name: 'the page', namesQueues: true });
  const [ping, pong, other] = ['ping', 'pong', 'other'].map((name) => fences.create(name));
  const rhi = createRhi({ device: (await openDevice(navigator.gpu)).device });
  const queue = connectFences(fences, rhi.executor);
  const handles = [ping, other].map((fence) => {
    const handle = rhi.context.createFence(fence.name);
    queue.bind(handle, fence);
    return handle;
  });
  const worker = startWorker(
    { kind: 'observes', rounds: 2, ping: ping.share(), pong: pong.share() },
    fences,
    by,
  );
  await worker.next();
  await worker.next();
  await new Promise((resolve) => setTimeout(resolve));
  rhi.context.beginFrame(0);
  for (const handle of [handles[1], handles[0]]) rhi.context.signalFence(handle, 1); // no thread waits for these
  rhi.context.signalFence(handles[0], 2);
  rhi.context.endFrame();
  await rhi.flush();
  const there = await worker.next();
  queue.close();
  for (const handle of handles) rhi.context.destroy(handle);
  rhi.dispose();
  worker.end();
  fences.dispose();
  return there;
}

/**
 * Raises a value without a notification, like a thread that is terminated before it sends one. Then `wake`
 * wakes the waiters of that value.
 */
async function wakeOnly(by?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const [ping, pong] = [fences.create('ping'), fences.create('pong')];
  const worker = startWorker(
    { kind: 'observes', rounds: 3, ping: ping.share(), pong: pong.share() },
    fences,
    by,
  );
  await worker.next();
  await worker.next();
  await new Promise((resolve) => setTimeout(resolve));
  const early = worker.next();
  const internals = ping as unknown as { local: { cell: { raise(value: bigint): boolean } } };
  internals.local.cell.raise(3n);
  const isNotifiedEarly = await Promise.race([
    early.then(() => true),
    new Promise((resolve) => setTimeout(() => resolve(false), 50)),
  ]);
  const value = ping.value;
  fences.wake([ping]);
  const there = await early;
  worker.end();
  fences.dispose();
  return { isNotifiedEarly, value, there };
}

/**
 * Adopts two plain fences. A worker waits for the fence of an RHI's frames. The other fence is adopted
 * mutually, so that a worker can signal it.
 */
async function plainAndNative(by?: 'messages') {
  const fences = createFences({ name: 'the page' });
  const pong = fences.create('pong');
  const rhi = createRhi({ device: (await openDevice(navigator.gpu)).device });
  const handle = rhi.context.createFence('plain');
  await rhi.flush(); // the executor has executed `createFence`
  const plain = rhi.executor.fence(handle);
  const [frames, native] = [fences.adopt(rhi.completed), fences.adopt(plain, { isMutual: true })];
  const worker = startWorker(
    { kind: 'observes', rounds: 2, ping: frames.share(), pong: pong.share() },
    fences,
    by,
  );
  await worker.next();
  await worker.next();
  for (const frame of [0, 1]) {
    rhi.context.beginFrame(frame);
    rhi.context.endFrame();
  }
  await rhi.flush();
  const there = await worker.next();
  // In the other direction, a worker signals the native fence. One notification releases the plain and the
  // native waiters.
  const signaller = startWorker(
    { kind: 'signals', rounds: 1, ping: native.share(), pong: pong.share() },
    fences,
    by,
  );
  await signaller.next();
  const before = fences.counts.notifications;
  const waits = Promise.all([native.whenReached(1), plain.whenReached(1)]);
  pong.signal(1);
  await waits;
  const notifications = fences.counts.notifications - before;
  pong.signal(2);
  const values = [native.value, plain.value];
  worker.end();
  signaller.end();
  rhi.context.destroy(handle);
  rhi.dispose();
  fences.dispose();
  return { there, notifications, values };
}

/** Logs that grow, are destroyed and are created again while the queue of a worker's device keeps signalling. */
async function logLife(by?: 'messages') {
  const fences = createFences({ name: 'the page', queues: 1 });
  const [across, unused] = [
    fences.create('across', { isCrossDevice: true }),
    fences.create('unused').share(),
  ];
  const side = startWorker({ kind: 'side', rounds: 1, ping: across.share(), pong: unused }, fences, by);
  await side.next();
  await side.next();
  let value = 0;
  const signalAll = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each++) {
      const reached = across.whenReached(++value);
      side.send({ kind: 'signal', by: 'GPU', value });
      await reached;
    }
    await fences.flushLogs();
  };
  const log = fences.readLog(0, 'signals');
  const read = (): [number, number, boolean] => {
    const { entries, lost } = log.read();
    return [entries.length, lost, log.hasGaps];
  };
  const seen: unknown[] = [];
  await signalAll(3);
  fences.setLogs(0, 250); // a larger log keeps its entries
  await signalAll(130);
  seen.push(read());
  fences.setLogs(0, null);
  await signalAll(2);
  seen.push(read());
  fences.setLogs(0, 10); // a new, empty log
  await signalAll(4);
  seen.push(read());
  await signalAll(1);
  seen.push(read());
  side.end();
  fences.dispose();
  return { seen, value: across.value };
}

const scenarios = {
  monitored,
  byQueue,
  wakeOnly,
  plainAndNative,
  logLife,
  wide,
  batch,
  createdElsewhere,
  pairings,
  pingPong,
  twoDevices,
  heldSubmissions,
  flushBeforeWait,
  unawaited,
  overflow,
  halfRange,
  failure,
};

declare global {
  interface Window {
    fenceTests: typeof scenarios;
  }
}
window.fenceTests = scenarios;
document.documentElement.dataset.loaded = 'true';
