import { afterEach, describe, expect, it, vi } from 'vitest';
import { RhiOpcode } from '../commands/commands.js';
import { BufferUsage } from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import { createFakeDevice } from './fake-device.test-support.js';

function setUp() {
  const fake = createFakeDevice();
  const errors: string[] = [];
  const messages: string[] = [];
  const rhi = createRhi({
    device: fake.device,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => {
      errors.push((error as { code: string }).code);
      messages.push((error as Error).message);
    },
  });
  const { context, executor } = rhi;
  const buffer = (label: string) =>
    context.createBuffer({ label, byteLength: 16, usage: BufferUsage.copySource | BufferUsage.copyTarget });
  const [a, b] = [buffer('a'), buffer('b')];
  /** Records a command that needs the encoder. */
  const copy = () => context.copyBufferToBuffer(a, 0, b, 0, 4);
  const run = () => {
    context.publish();
    executor.pump();
    return fake.take().filter((line) => !line.startsWith('create'));
  };
  run();
  const numbers = () => [executor.submitted.value, executor.completed.value];
  return { fake, rhi, context, executor, errors, messages, copy, run, numbers, a, b };
}

describe('C signalFence', () => {
  it('H7 splits the submission, and signals when the GPU has finished the earlier commands', async () => {
    const { fake, context, executor, copy, run, numbers } = setUp();
    const fence = context.createFence('half');
    context.beginFrame(1);
    copy();
    context.signalFence(fence, 3);
    copy();
    context.endFrame();
    expect(run()).toEqual([
      'copyBufferToBuffer a 0 b 0 4',
      'submit 1',
      'copyBufferToBuffer a 0 b 0 4',
      'submit 1',
    ]);
    expect([executor.fence(fence).value, ...numbers()]).toEqual([0, 1, 0]);
    await fake.completeWork();
    expect([executor.fence(fence).value, ...numbers()]).toEqual([3, 1, 0]);
    await fake.completeWork();
    expect([executor.fence(fence).value, ...numbers()]).toEqual([3, 1, 1]);
  });

  it('L1 numbers only whole lists, so that releases wait for the whole list', async () => {
    const { fake, context, copy, run, numbers, a } = setUp();
    const fence = context.createFence('half');
    context.beginFrame(1);
    copy();
    context.signalFence(fence, 1);
    context.destroy(a);
    context.endFrame();
    context.beginFrame(2);
    context.endFrame();
    run();
    await fake.completeWork(); // the part of list 0 before the signal
    expect([numbers(), fake.take()]).toEqual([[2, 0], []]);
    await fake.completeWork(); // list 0, so `completed` is 1. The buffer was destroyed in list 0, so it is freed now.
    expect([numbers(), fake.take()]).toEqual([[2, 1], ['destroy a']]);
  });

  it('signals after the answers to read-backs recorded before it', async () => {
    const { fake, rhi, context, run, a } = setUp();
    const fence = context.createFence('read');
    context.beginFrame(1);
    const order: string[] = [];
    void rhi.read(a, 0, 4).then(() => order.push('bytes'));
    context.signalFence(fence, 1);
    expect(run()).toEqual(['copyBufferToBuffer a 0 read-back 0 4', 'submit 1', 'mapAsync read-back']);
    void rhi.executor
      .fence(fence)
      .whenReached(1)
      .then(() => order.push('fence'));
    await fake.completeWork();
    expect(order).toEqual(['bytes', 'fence']);
  });

  it('refuses values that do not rise in list order, and never lowers a value that the CPU has signalled', async () => {
    const { fake, context, executor, errors, run } = setUp();
    const fence = context.createFence('rising', 4);
    context.signalFence(fence, 4);
    context.signalFence(fence, 6);
    context.signalFence(fence, 6);
    context.signalFence(fence, 5);
    run();
    expect(errors).toEqual(['fence-not-rising', 'fence-not-rising', 'fence-not-rising']);
    executor.fence(fence).signal(9);
    await fake.completeWork();
    expect(executor.fence(fence).value).toBe(9);
  });

  it('keeps debug groups balanced on both sides of the split', () => {
    const { context, copy, run } = setUp();
    const fence = context.createFence('split');
    context.beginFrame(1);
    context.pushDebugGroup('outer');
    context.pushDebugGroup('inner');
    context.signalFence(fence, 1);
    context.popDebugGroup();
    copy();
    context.popDebugGroup();
    context.popDebugGroup();
    context.endFrame();
    expect(run()).toEqual([
      'pushDebugGroup outer',
      'pushDebugGroup inner',
      'popDebugGroup',
      'popDebugGroup',
      'submit 1',
      'pushDebugGroup outer',
      'copyBufferToBuffer a 0 b 0 4',
      'popDebugGroup',
      'submit 1',
    ]);
  });
});

describe('C waitFence', () => {
  it('F4 submits pending commands, holds later commands in order, and continues at the signal', async () => {
    const { context, executor, copy, run, fake, numbers } = setUp();
    const fence = context.createFence('go');
    context.beginFrame(1);
    copy();
    context.waitFence(fence, 2);
    copy();
    context.endFrame();
    expect(run()).toEqual(['copyBufferToBuffer a 0 b 0 4', 'submit 1']);
    // Later records are held as well.
    context.beginFrame(2);
    copy();
    context.endFrame();
    expect(run()).toEqual([]);
    executor.fence(fence).signal(1);
    await Promise.resolve();
    expect([numbers(), run()]).toEqual([[0, 0], []]);
    executor.fence(fence).signal(2);
    for (let i = 0; i < 8; i++) await Promise.resolve();
    expect(fake.take()).toEqual([
      'copyBufferToBuffer a 0 b 0 4',
      'submit 1',
      'copyBufferToBuffer a 0 b 0 4',
      'submit 1',
    ]);
    expect(numbers()).toEqual([2, 0]);
  });

  describe('that lasts long', () => {
    afterEach(() => void vi.useRealTimers());
    const turns = async () => {
      for (let i = 0; i < 8; i++) await Promise.resolve();
    };
    const held = () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const made = setUp();
      const fence = made.context.createFence('go');
      made.context.waitFence(fence, 2);
      made.copy();
      made.context.beginFrame(1);
      made.context.endFrame();
      made.run();
      return { ...made, fence };
    };

    it('F4 is reported once after 10 s, with the fence’s name, and goes on', async () => {
      const { executor, errors, messages, fence, run, numbers } = held();
      executor.fence(fence).signal(1);
      vi.advanceTimersByTime(9999);
      expect(errors).toEqual([]);
      vi.advanceTimersByTime(60_000);
      expect(errors).toEqual(['fence-wait-long']);
      expect(messages[0]).toContain('waited 10 s for the fence "go" to reach 2; it is at 1.');
      executor.fence(fence).signal(2);
      await turns();
      run();
      expect(numbers()).toEqual([1, 0]);
    });

    it.each(['signalled', 'destroyed with the executor', 'lost with the device'])(
      'F4 is not reported, and leaves no timer, if the fence is %s in time',
      async (end) => {
        const { executor, errors, fence, rhi, fake } = held();
        expect(vi.getTimerCount()).toBe(1);
        if (end === 'signalled') executor.fence(fence).signal(2);
        else if (end === 'lost with the device') await fake.lose('unplugged');
        else rhi.dispose();
        await turns();
        expect(vi.getTimerCount()).toBe(0);
        expect(errors).not.toContain('fence-wait-long');
      },
    );
  });

  it('does not wait for a reached value', () => {
    const { context, copy, run } = setUp();
    const fence = context.createFence('reached', 5);
    context.beginFrame(1);
    context.waitFence(fence, 5);
    copy();
    context.endFrame();
    expect(run()).toEqual(['copyBufferToBuffer a 0 b 0 4', 'submit 1']);
  });

  it('is an error after the surface’s texture was used, even for a reached value, and the frame continues', () => {
    const { context, run, errors, numbers } = setUp();
    const [fence, other] = [context.createFence('late', 5), context.createFence('never')];
    const target = context.createViewportTarget('canvas');
    context.beginFrame(1);
    context.beginDrawingViewport(target, 8, 8);
    context.waitFence(fence, 5); // no command has used the texture yet
    context.beginRenderPass({
      label: 'main',
      colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
    });
    context.endRenderPass();
    context.waitFence(fence, 5);
    context.waitFence(other, 1);
    context.signalFence(fence, 7); // allowed, because signalling does not end the task
    context.endDrawingViewport(target);
    context.endFrame();
    expect(run()).toEqual(['beginRenderPass main', 'end', 'submit 1']);
    expect([errors, numbers()]).toEqual([
      ['wait-after-acquire', 'wait-after-acquire'],
      [1, 0],
    ]);
  });

  it('is an error inside a pass, as is a signal', () => {
    const { context, run, errors, copy } = setUp();
    const fence = context.createFence('inside');
    context.beginFrame(1);
    copy();
    context.beginComputePass({ label: 'pass' });
    context.waitFence(fence, 1);
    context.signalFence(fence, 1);
    context.endComputePass();
    context.endFrame();
    expect(run().filter((line) => line.startsWith('submit'))).toEqual(['submit 1']);
    // Wait and signal have the same message, so it is reported once.
    expect(errors).toEqual(['command-inside-pass']);
  });

  it('does not delay dispose, which executes the later commands', () => {
    const { context, rhi, run, fake, a, b } = setUp();
    const fence = context.createFence('never');
    context.waitFence(fence, 1);
    for (const handle of [a, b, fence]) context.destroy(handle);
    run();
    expect(rhi.dispose()).toEqual({ leaks: [] });
    expect(fake.take()).toEqual(['destroy a', 'destroy b']);
  });
});

describe('a fence that ends', () => {
  const codeOf = (promise: Promise<void>) =>
    promise.then(
      () => 'reached',
      (error: { code: string }) => error.code,
    );

  it('rejects its waiters after its last signal if it was destroyed', async () => {
    const { context, executor, fake, run, errors } = setUp();
    const fence = context.createFence('short');
    context.signalFence(fence, 1);
    run();
    const waits = [1, 2].map((value) => codeOf(executor.fence(fence).whenReached(value)));
    context.destroy(fence);
    context.waitFence(fence, 1);
    run();
    executor.purge();
    await fake.completeWork();
    expect(await Promise.all(waits)).toEqual(['reached', 'fence-destroyed']);
    expect(errors).toEqual(['stale-handle']);
    expect(() => executor.fence(fence)).toThrow(expect.objectContaining({ code: 'stale-handle' }));
  });

  it('rejects its waiters if the device is lost, even if the promise of the work resolves', async () => {
    const { context, executor, fake, run } = setUp();
    const fence = context.createFence('lost');
    context.signalFence(fence, 1);
    context.waitFence(fence, 2);
    run();
    const wait = codeOf(executor.fence(fence).whenReached(1));
    await fake.lose('unplugged');
    await fake.completeWork();
    expect(await wait).toBe('device-lost');
  });

  it('fails at the executor’s disposal, even if it was destroyed or replaced with a pending signal', async () => {
    const { fake, context, executor, run } = setUp();
    const [gone, replaced] = [context.createFence('gone'), context.createFence('replaced')];
    context.publish();
    executor.pump();
    const fences = [executor.fence(gone), executor.fence(replaced)];
    context.beginFrame(1);
    context.signalFence(gone, 1);
    context.signalFence(replaced, 1);
    context.destroy(gone);
    context.endFrame();
    const at = context.writer.reserve(RhiOpcode.createFence, 4);
    context.writer.words.set([replaced, 0, 0, 0], at);
    run();
    executor.dispose();
    for (let i = 0; i < 3; i++) await fake.completeWork();
    expect(fences.map(({ error }) => error?.code)).toEqual(['executor-disposed', 'executor-disposed']);
  });

  it('L9 is reported as a leak if it was not destroyed', () => {
    const { context, rhi, run, a, b } = setUp();
    context.beginFrame(6);
    context.createFence('kept');
    for (const handle of [a, b]) context.destroy(handle);
    context.endFrame();
    run();
    expect(rhi.dispose()).toEqual({ leaks: [{ kind: 'fence', label: 'kept', createdInFrame: 6 }] });
  });
});
