/**
 * A worker that takes part in a group of fences. `kind` chooses its role: it blocks, waits asynchronously, or
 * has a device.
 */
import {
  BufferUsage,
  connectFences,
  createRhi,
  type FenceDescriptor,
  type FenceInvitation,
  joinFences,
  openDevice,
} from 'fencepost/rhi';

export interface FenceJob {
  readonly invitation: FenceInvitation;
  readonly ping: FenceDescriptor;
  readonly pong: FenceDescriptor;
  readonly kind:
    | 'block'
    | 'event'
    | 'device'
    | 'fail'
    | 'last'
    | 'wide'
    | 'many'
    | 'creates'
    | 'side'
    | 'observes'
    | 'signals';
  readonly rounds: number;
  readonly more?: readonly FenceDescriptor[];
}

const codeOf = (action: () => unknown): string => {
  try {
    action();
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

self.onmessage = ({ data }: MessageEvent<FenceJob>) => {
  work(data).catch((error) => self.postMessage({ failed: String(error.stack) }));
};

async function work(data: FenceJob): Promise<void> {
  const { kind, rounds } = data;
  const fences = joinFences(data.invitation, { name: 'the worker', mayBlock: kind === 'block' });
  const [ping, pong] = [fences.open(data.ping), fences.open(data.pong)];
  self.postMessage('ready');
  if (kind === 'block') {
    for (let round = 1; round <= rounds; round++) {
      ping.block(round, { deadline: performance.now() + 30_000 });
      pong.signal(round);
    }
    self.postMessage({ timedOut: codeOf(() => ping.block(rounds + 1, { deadline: performance.now() + 5 })) });
  } else if (kind === 'event') {
    for (let round = 1; round <= rounds; round++) {
      await ping.whenReached(round);
      pong.signal(round);
    }
    self.postMessage({ refused: codeOf(() => ping.block(rounds + 1)) });
  } else if (kind === 'last') {
    const waited = ping.whenReached(rounds);
    self.postMessage('waits');
    await waited;
    self.postMessage({ value: ping.value, scans: fences.counts.scans });
  } else if (kind === 'fail') {
    await ping.whenReached(1).catch((error) => self.postMessage({ heard: error.code, name: error.name }));
  } else if (kind === 'wide') {
    await ping.whenReached(WIDE + 1n);
    self.postMessage({ value: ping.value64 });
    pong.signal(WIDE + 3n);
  } else if (kind === 'many') {
    const many = (data.more ?? []).map((each) => fences.open(each));
    const before = fences.counts.notifications;
    const waited = fences.whenAll(many.map((fence) => ({ fence, value: 1 })));
    self.postMessage('waits');
    await waited;
    self.postMessage({ notifications: fences.counts.notifications - before });
  } else if (kind === 'creates') {
    const made = await fences.createShared('made', { initialValue: 5 });
    self.postMessage({ made: made.share(), value: made.value });
    await ping.whenReached(1);
    made.signal(7);
    await made.whenReached(9);
    self.postMessage({ value: made.value });
  } else if (kind === 'observes') {
    // Waits for one value of `ping`, and reports the notifications that it received meanwhile.
    const before = { ...fences.counts };
    const waited = ping.whenReached(rounds);
    self.postMessage('waits');
    await waited;
    const { notifications, named, scans } = fences.counts;
    self.postMessage({
      value: ping.value,
      notifications: notifications - before.notifications,
      named: named - before.named,
      scans: scans - before.scans,
    });
  } else if (kind === 'signals') {
    await pong.whenReached(1);
    for (let value = 1; value <= rounds; value++) ping.signal(value);
    self.postMessage({ rings: fences.counts.rings });
    await pong.whenReached(2);
  } else if (kind === 'side') {
    await takeSide(fences, ping);
    return;
  } else {
    await drive(rounds, fences, ping, pong);
  }
  fences.dispose();
}

/**
 * The queue of this worker's device waits for `ping` and answers with `pong`, round by round. All rounds are
 * recorded at once.
 */
async function drive(
  rounds: number,
  fences: ReturnType<typeof joinFences>,
  ping: ReturnType<typeof fences.open>,
  pong: typeof ping,
): Promise<void> {
  const { device } = await openDevice(navigator.gpu);
  const errors: string[] = [];
  const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
  const { context } = rhi;
  const queue = connectFences(fences, rhi.executor, { name: 'worker queue' });
  const [pingHandle, pongHandle] = [context.createFence('ping'), context.createFence('pong')];
  queue.bind(pingHandle, ping);
  queue.bind(pongHandle, pong);
  const usage = BufferUsage.copyTarget;
  const numbers = context.createBuffer({ label: 'numbers', byteLength: 4, usage });
  const reads: Promise<ArrayBuffer>[] = [];
  // Nothing behind the first wait executes, but recording continues.
  for (let round = 1; round <= rounds; round++) {
    context.beginFrame(round);
    context.waitFence(pingHandle, round);
    context.writeBuffer(numbers, 0, new Uint32Array([round * 10]));
    reads.push(rhi.read(numbers));
    context.signalFence(pongHandle, round);
    context.endFrame();
  }
  // All records have reached the executor. Only the wait for `ping` still holds work back.
  context.publish();
  rhi.executor.pump();
  const submittedBefore = rhi.submitted.value;
  self.postMessage('recorded');
  const values = (await Promise.all(reads)).map((bytes) => new Uint32Array(bytes)[0]);
  // The bytes of a read may arrive before the signal that follows the read.
  await rhi.flush();
  const refused = codeOf(() => ping.block(99));
  const log = (kind: 'waits' | 'signals') =>
    queue
      .readLog(kind)
      .read()
      .entries.map(({ fence, value, operation, timeObserved, timeFinished }) => ({
        fence,
        value: Number(value),
        operation,
        inOrder: timeObserved <= timeFinished,
      }));
  const result = { submittedBefore, values, refused, waits: log('waits'), signals: log('signals'), errors };
  queue.close();
  context.destroy(numbers);
  context.destroy(pingHandle);
  context.destroy(pongHandle);
  rhi.dispose();
  device.destroy();
  self.postMessage(result);
}

/** A value that a double can't tell apart from its neighbours. */
const WIDE = 2n ** 60n;

export interface SideOrder {
  readonly kind: 'signal' | 'wait';
  readonly by: 'CPU' | 'GPU';
  readonly value: number;
}

/** Opens a device whose queue uses the fence, and signals or waits as the page requests (SYSTEMS F8). */
async function takeSide(
  fences: ReturnType<typeof joinFences>,
  fence: ReturnType<typeof fences.open>,
): Promise<void> {
  const { device } = await openDevice(navigator.gpu);
  const rhi = createRhi({ device, onError: (error) => self.postMessage({ failed: String(error) }) });
  const { context } = rhi;
  const handle = context.createFence('across');
  connectFences(fences, rhi.executor, { name: 'queue' }).bind(handle, fence);
  let frame = 0;
  const inFrame = (record: () => void): Promise<void> => {
    context.beginFrame(frame);
    record();
    context.endFrame();
    context.publish();
    return rhi.whenCompleted(frame++);
  };
  await inFrame(() => {});
  self.onmessage = async ({ data: { kind, by, value } }: MessageEvent<SideOrder>) => {
    if (kind === 'signal') {
      if (by === 'CPU') fence.signal(value);
      else await inFrame(() => context.signalFence(handle, value));
      return;
    }
    const waited = by === 'CPU' ? fence.whenReached(value) : inFrame(() => context.waitFence(handle, value));
    self.postMessage({ waiting: value, reached: fence.isReached(value) });
    await waited;
    self.postMessage({ value: fence.value });
  };
  self.postMessage('side');
}
