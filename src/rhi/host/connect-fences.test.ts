import { describe, expect, it } from 'vitest';
import { type FenceForm, FenceThreads, turn, watch } from '../../sync/testing/fence-threads.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { connectFences } from './connect-fences.js';
import { createRhi } from './create-rhi.js';

/** Creates a device for a new simulated thread, and connects the device's queue to the thread's group of fences. */
function deviceOn(threads: FenceThreads, name: string, by: FenceForm, isNull = false) {
  const fences = threads.join(name, { by });
  const fake = createFakeDevice();
  const errors: string[] = [];
  const rhi = createRhi({
    device: isNull ? null : fake.device,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => errors.push((error as { code: string }).code),
  });
  const queue = connectFences(fences, rhi.executor, { name });
  let frame = 0;
  return {
    fake,
    fences,
    rhi,
    queue,
    errors,
    /** Executes one frame with the commands that `record` records. */
    run: (record: (context: typeof rhi.context) => void) => {
      rhi.context.beginFrame(frame++);
      record(rhi.context);
      rhi.context.endFrame();
      rhi.context.publish();
      rhi.executor.pump();
    },
  };
}

/** Delivers the threads' events and completes GPU work, six times in turn. */
async function settle(threads: FenceThreads, ...devices: ReturnType<typeof deviceOn>[]): Promise<void> {
  for (let round = 0; round < 6; round++) {
    threads.settle();
    await turn();
    for (const { fake } of devices) await fake.completeWork();
  }
}

describe.each(['memory', 'messages'] as const)('queues and shared fences, by %s', (form) => {
  it('F2: a GPU signal arrives when the queue has completed the submission before it, not earlier', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const done = threads.home.create('done');
    const handle = device.rhi.context.createFence('done');
    device.queue.bind(handle, device.fences.open(done.share()));
    const wait = watch(done.whenReached(3));
    device.run((context) => context.signalFence(handle, 3));
    threads.settle();
    await turn();
    expect([wait.state, done.value, device.queue.progress.value]).toEqual(['waiting', 0, 0]);
    await settle(threads, device);
    expect([wait.state, done.value, device.queue.progress.value]).toEqual(['reached', 3, 1]);
    expect(device.queue.readLog('signals').read().entries).toMatchObject([
      { fence: done.index, value: 3n, operation: 'SIGNAL_EXECUTED' },
    ]);
    expect(device.errors).toEqual([]);
  });

  it('F4: a GPU wait holds later commands in order, and does not block the CPU', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const go = threads.home.create('go');
    const { context } = device.rhi;
    const handle = context.createFence('go');
    device.queue.bind(handle, device.fences.open(go.share()));
    device.run(() => {});
    await settle(threads, device);
    device.run(() => context.waitFence(handle, 2));
    device.run(() => {}); // Recording does not block; execution waits.
    const submitted = () => device.rhi.submitted.value;
    await settle(threads, device);
    expect(submitted()).toBe(1);
    go.signal(1);
    await settle(threads, device);
    expect(submitted()).toBe(1);
    go.signal(2);
    await settle(threads, device);
    expect(submitted()).toBe(3);
    expect(device.queue.readLog('waits').read().entries).toMatchObject([
      { fence: go.index, value: 2n, operation: 'WAIT_UNBLOCKED' },
    ]);
  });

  it('F6: a GPU signal or wait beyond half the fence’s range is refused when it is executed, and holds no later command', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const narrow = threads.home.create('narrow', { bits: 32 });
    const handle = device.rhi.context.createFence('narrow');
    device.queue.bind(handle, device.fences.open(narrow.share()));
    device.run((context) => {
      context.signalFence(handle, 2 ** 31);
      context.waitFence(handle, 2 ** 31 + 1);
    });
    // The errors are reported before the GPU has executed anything.
    expect(device.errors).toEqual(['fence-out-of-range', 'fence-out-of-range']);
    // A refused signal does not count: the next signal may be smaller.
    device.run((context) => context.signalFence(handle, 2 ** 31 - 1));
    const wait = watch(narrow.whenReached(2 ** 31 - 1));
    await settle(threads, device);
    expect([wait.state, device.rhi.completed.value]).toEqual(['reached', 2]);
    device.run((context) => context.signalFence(handle, 2 ** 31));
    await settle(threads, device);
    expect([narrow.value, device.errors.length]).toEqual([2 ** 31, 2]);
  });

  it('F2, F4: the null backend signals and waits for the same fences', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'null', form, true);
    const [go, done] = ['go', 'done'].map((name) => threads.home.create(name));
    const { context } = device.rhi;
    const [goHandle, doneHandle] = ['go', 'done'].map((name) => context.createFence(name));
    device.queue.bind(goHandle, device.fences.open(go.share()));
    device.queue.bind(doneHandle, device.fences.open(done.share()));
    const wait = watch(done.whenReached(5));
    device.run(() => {
      context.waitFence(goHandle, 1);
      context.signalFence(doneHandle, 5);
    });
    await settle(threads);
    expect(wait.state).toBe('waiting');
    go.signal(1);
    await settle(threads);
    expect([wait.state, device.queue.readLog('waits').read().entries.length]).toEqual(['reached', 1]);
  });

  it('a lost device fails the fences that it would have signalled, and no other fence', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const [pending, idle] = ['pending', 'idle'].map((name) => threads.home.create(name));
    const handles = [pending, idle].map((fence) => {
      const handle = device.rhi.context.createFence(fence.name);
      device.queue.bind(handle, device.fences.open(fence.share()));
      return handle;
    });
    const waits = [pending, idle].map((fence) => watch(fence.whenReached(1)));
    device.run((context) => context.signalFence(handles[0], 1));
    void device.fake.lose('Gone.');
    await settle(threads, device);
    expect(waits.map(({ state }) => state)).toEqual(['device-lost', 'waiting']);
    idle.signal(1);
    await settle(threads);
    expect([waits[1].state, device.queue.progress.error?.code]).toEqual(['reached', 'device-lost']);
  });

  it('F2: a disposed executor ends its pending signals at once, although the handle was destroyed', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const fence = threads.home.create('pending');
    const handle = device.rhi.context.createFence('pending');
    device.queue.bind(handle, device.fences.open(fence.share()));
    const wait = watch(fence.whenReached(1));
    device.run((context) => context.signalFence(handle, 1));
    device.run((context) => context.destroy(handle));
    device.rhi.dispose();
    device.fences.dispose(); // The thread posts no messages afterwards.
    threads.settle();
    await turn();
    expect(wait.state).toBe('executor-disposed');
    await settle(threads, device); // The GPU still finishes the work.
    expect(device.errors).toEqual([]);
  });

  it('F7: a GPU signal that arrives after its handle was closed reaches no other fence', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const first = threads.home.create('first');
    const opened = device.fences.open(first.share());
    const handle = device.rhi.context.createFence('first');
    device.queue.bind(handle, opened);
    device.run((context) => context.signalFence(handle, 5));
    opened.close();
    first.close();
    threads.settle();
    const next = threads.home.create('next');
    await settle(threads, device);
    expect([next.index, next.value, device.errors]).toEqual([first.index, 0, []]);
  });

  it('F2: signals submitted before the queue was closed still arrive', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const fence = threads.home.create('late');
    const handle = device.rhi.context.createFence('late');
    device.queue.bind(handle, device.fences.open(fence.share()));
    device.run((context) => context.signalFence(handle, 5));
    device.queue.close();
    const wait = watch(fence.whenReached(5));
    await settle(threads, device);
    expect(wait.state).toBe('reached');
  });

  it('F4: a wait for a private fence ends when the queue is closed, and later commands continue', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const handle = device.rhi.context.createFence('own');
    device.queue.bind(handle, device.fences.create('own', { isPrivate: true }));
    device.run((context) => context.waitFence(handle, 1));
    await settle(threads, device);
    expect([device.errors, device.rhi.submitted.value]).toEqual([[], 0]);
    device.queue.close();
    await settle(threads, device);
    expect([device.errors, device.rhi.submitted.value]).toEqual([['fence-queue-closed'], 1]);
  });

  it('the device continues if the thread’s fences are disposed of before it', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    device.run(() => {});
    await settle(threads, device);
    expect(device.queue.progress.value).toBe(1);
    const heard: number[] = [];
    device.rhi.completed.subscribe(() => heard.push(device.rhi.completed.value));
    device.fences.dispose();
    device.run(() => {});
    await settle(threads, device);
    expect([heard, device.queue.progress.value, device.errors]).toEqual([[2], 1, []]);
  });

  it('a handle is bound once, before it is used; destroying it leaves the fence', async () => {
    const threads = new FenceThreads(form);
    const device = deviceOn(threads, 'device', form);
    const fence = device.fences.open(threads.home.create('done').share());
    const { context } = device.rhi;
    const [early, late] = [context.createFence('early'), context.createFence('late')];
    device.queue.bind(early, fence);
    expect(() => device.queue.bind(early, fence)).toThrow(expect.objectContaining({ code: 'fence-exists' }));
    device.run(() => {});
    expect(() => device.queue.bind(late, fence)).toThrow(expect.objectContaining({ code: 'fence-exists' }));
    context.destroy(early);
    device.run(() => {});
    await settle(threads, device);
    expect(fence.error).toBe(null);
    const again = context.createFence('again');
    device.queue.bind(again, fence);
    device.run(() => context.signalFence(again, 2));
    await settle(threads, device);
    expect(fence.value).toBe(2);
    device.queue.close();
    device.rhi.dispose();
  });
});

/** F8: pairs of forms in which two threads, each with a device, open the same fence. */
const sides = [
  ['memory', 'memory'],
  ['messages', 'memory'],
  ['memory', 'messages'],
  ['messages', 'messages'],
] as const;

describe.each(sides)('F8: a fence across devices, signalled by %s, awaited by %s', (signalling, waiting) => {
  it.each([
    ['GPU', 'GPU'],
    ['GPU', 'CPU'],
    ['CPU', 'GPU'],
    ['CPU', 'CPU'],
  ] as const)('a %s signal releases a %s wait, in both directions', async (signal, wait) => {
    const threads = new FenceThreads('memory');
    const across = threads.home.create('across', { isCrossDevice: true });
    const devices = [deviceOn(threads, 'one', signalling), deviceOn(threads, 'two', waiting)];
    const sides = devices.map((device) => {
      const fence = device.fences.open(across.share());
      const handle = device.rhi.context.createFence('across');
      device.queue.bind(handle, fence);
      device.run(() => {});
      return { ...device, fence, handle };
    });
    await settle(threads, ...devices);
    for (const [value, from, to] of [
      [10, sides[0], sides[1]],
      [20, sides[1], sides[0]],
    ] as const) {
      const before = to.rhi.submitted.value;
      const waited = wait === 'CPU' ? watch(to.fence.whenReached(value)) : null;
      if (wait === 'GPU') to.run((context) => context.waitFence(to.handle, value));
      await settle(threads, ...devices);
      expect(waited?.state ?? to.rhi.submitted.value - before).toBe(waited ? 'waiting' : 0);
      if (signal === 'CPU') from.fence.signal(value);
      else from.run((context) => context.signalFence(from.handle, value));
      await settle(threads, ...devices);
      expect(waited?.state ?? to.rhi.submitted.value - before).toBe(waited ? 'reached' : 1);
      expect(sides.map(({ fence }) => fence.value)).toEqual([value, value]);
    }
    expect(devices.flatMap(({ errors }) => errors)).toEqual([]);
  });
});
