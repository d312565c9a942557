import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import { BufferUsage } from '../commands/descriptors.js';
import { DynamicBuffers } from '../memory/dynamic-buffers.js';
import { CheckedImmediateContext } from '../record/checked-contexts.js';
import { WebGpuExecutor } from './executor.js';
import { createFakeDevice } from './fake-device.test-support.js';

function setUp(maximumUploadBytes?: number) {
  const fake = createFakeDevice();
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 3 });
  const executor = new WebGpuExecutor({
    device: fake.device,
    reader,
    surface: null,
    maxFramesInFlight: 3,
    maximumUploadBytes,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => {
      throw error;
    },
    onReadback: () => {},
  });
  const buffer = (label: string) =>
    context.createBuffer({ label, byteLength: 64, usage: BufferUsage.copySource | BufferUsage.copyTarget });
  const run = () => {
    context.publish();
    executor.pump();
  };
  let frame = 0;
  const inFrame = (record: () => void = () => {}) => {
    context.beginFrame(frame++);
    record();
    context.endFrame();
    run();
  };
  /** Returns the labels of the resources freed since the last call, in order. */
  const freed = () =>
    fake
      .take()
      .filter((line) => line.startsWith('destroy'))
      .map((line) => line.slice('destroy '.length));
  const numbers = () => [executor.submitted.value, executor.completed.value];
  return { fake, context, executor, buffer, run, inFrame, freed, numbers };
}

describe('L1 numbers of lists', () => {
  it('rise by one per list, and list 0 signals 1', async () => {
    const { fake, inFrame, numbers } = setUp();
    expect(numbers()).toEqual([0, 0]);
    inFrame();
    expect(numbers()).toEqual([1, 0]);
    await fake.completeWork();
    expect(numbers()).toEqual([1, 1]);
    inFrame();
    inFrame();
    expect(numbers()).toEqual([3, 1]);
    await fake.completeWork();
    expect(numbers()).toEqual([3, 2]);
  });

  it('count a submission between frames as a list, but not as a frame', async () => {
    const { fake, context, executor, buffer, run, inFrame, freed, numbers } = setUp();
    const [a, b] = [buffer('a'), buffer('b')];
    run();
    expect(numbers()).toEqual([0, 0]);
    context.copyBufferToBuffer(a, 0, b, 0, 4);
    context.destroy(a);
    run();
    expect([numbers(), freed()]).toEqual([[1, 0], []]);
    inFrame();
    expect([numbers(), executor.completedFrames.value]).toEqual([[2, 0], 0]);
    await fake.completeWork();
    expect([numbers(), executor.completedFrames.value, freed()]).toEqual([[2, 1], 0, ['a']]);
    await fake.completeWork();
    expect([numbers(), executor.completedFrames.value]).toEqual([[2, 2], 1]);
  });

  it('are signalled after WebGPU’s submit has returned', () => {
    const { fake, context, executor, buffer, inFrame } = setUp();
    const [a, b] = [buffer('a'), buffer('b')];
    const seen: boolean[] = [];
    executor.submitted.subscribe(() => seen.push(fake.log.includes('submit 1')));
    inFrame(() => context.copyBufferToBuffer(a, 0, b, 0, 4));
    expect(seen).toEqual([true]);
  });

  it('free resources destroyed in list k when more than k lists are complete', async () => {
    const { fake, context, buffer, inFrame, freed } = setUp();
    const [first, second] = [buffer('first'), buffer('second')];
    inFrame(() => context.destroy(first));
    inFrame(() => context.destroy(second));
    inFrame();
    expect(freed()).toEqual([]);
    await fake.completeWork();
    expect(freed()).toEqual(['first']);
    await fake.completeWork();
    expect(freed()).toEqual(['second']);
  });

  it('assign a destroy between frames to the next list, so that no buffer is freed too early', async () => {
    const { fake, context, buffer, inFrame, run, freed } = setUp();
    const between = buffer('between');
    inFrame();
    context.destroy(between);
    run();
    inFrame();
    inFrame();
    await fake.completeWork();
    expect(freed()).toEqual([]);
    await fake.completeWork();
    expect(freed()).toEqual(['between']);
  });
});

describe('L2 release queues', () => {
  it('free buffers and textures in the order of their destroys', async () => {
    const { fake, context, buffer, inFrame, freed } = setUp();
    const [a, b] = [buffer('a'), buffer('b')];
    const texture = context.createTexture({
      label: 'texture',
      width: 1,
      height: 1,
      format: 'rgba8unorm',
      usage: 4,
    });
    inFrame(() => {
      for (const handle of [b, texture, a]) context.destroy(handle);
    });
    inFrame();
    await fake.completeWork();
    expect(freed()).toEqual(['b', 'texture', 'a']);
  });

  it('free transient bind groups and upload pages once the list that used them has completed', async () => {
    const { fake, context, executor, buffer, inFrame } = setUp();
    const [a, b] = [buffer('a'), buffer('b')];
    const dynamic = new DynamicBuffers(context);
    const layout = context.createBindGroupLayout({ label: 'layout', entries: [] });
    inFrame(() => {
      dynamic.bindGroup({ label: 'transient', layout, entries: [] });
      context.copyBufferToBuffer(a, 0, b, 0, 4);
      context.writeBuffer(a, 0, new Uint8Array(4)); // goes through an upload page, because a copy is encoded
    });
    inFrame();
    const mapped = () => fake.take().filter((line) => line.startsWith('mapAsync'));
    expect([executor.stats.pendingReleases, mapped()]).toEqual([1, []]);
    await fake.completeWork();
    expect([executor.stats.pendingReleases, mapped()]).toEqual([0, ['mapAsync upload page']]);
  });

  it('are purged at the end of each frame, even if the frame draws nothing', async () => {
    const { fake, context, executor, buffer, inFrame, freed } = setUp();
    const first = buffer('first');
    inFrame(() => context.destroy(first));
    inFrame();
    executor.completed.signal(1);
    expect(freed()).toEqual([]);
    inFrame();
    expect(freed()).toEqual(['first']);
    expect(fake.log).toEqual([]);
  });

  it('are purged at each completion, even if no frame follows', async () => {
    const { fake, context, buffer, inFrame, run, freed } = setUp();
    const [used, unused] = [buffer('used'), buffer('unused')];
    inFrame(() => context.destroy(used));
    context.destroy(unused); // belongs to list 1, which is never recorded
    run();
    expect(freed()).toEqual([]);
    await fake.completeWork();
    expect(freed()).toEqual(['used', 'unused']);
  });

  it('are emptied completely only if the GPU is idle and no command is recorded', async () => {
    const { fake, context, executor, buffer, inFrame, run, freed } = setUp();
    const next = buffer('next');
    inFrame();
    context.destroy(next); // belongs to list 1
    run();
    executor.purge();
    expect(freed()).toEqual([]); // the GPU has not completed list 0
    context.beginFrame(1);
    run();
    await fake.completeWork();
    expect(freed()).toEqual([]); // a frame is open, and its list may use the buffer
    context.endFrame();
    run();
    expect(freed()).toEqual([]);
    await fake.completeWork();
    expect(freed()).toEqual(['next']);
  });
});

describe('L4 upload memory in the executor', () => {
  it('grows in the list that needs it, is reused by later lists, and reports its peak', async () => {
    const { fake, context, executor, inFrame } = setUp();
    const large = context.createBuffer({
      label: 'large',
      byteLength: 1 << 20,
      usage: BufferUsage.copySource | BufferUsage.copyTarget,
    });
    const small = context.createBuffer({ label: 'small', byteLength: 4, usage: BufferUsage.copyTarget });
    /**
     * Executes a list with a write of `bytes` bytes, and a write from an attachment of `attached` bytes unless that is
     * 0. The recorder splits the first write into records of up to 32,752 bytes. An earlier copy in the list makes the
     * writes go through upload pages.
     */
    const upload = (bytes: number, attached: number) =>
      inFrame(() => {
        context.copyBufferToBuffer(large, 0, small, 0, 4);
        context.writeBuffer(large, 0, new Uint8Array(bytes));
        if (attached > 0) context.writeBufferFromAttachment(large, 0, new ArrayBuffer(attached));
      });
    const pages = () => fake.take().filter((line) => line === 'createBuffer upload page').length;
    upload(300_000, 0); // 8 records fill the first page of 262,144 bytes
    expect([pages(), executor.uploadPageBytes]).toEqual([2, { now: 524288, peak: 524288 }]);
    await fake.completeWork();
    upload(500_000, 400_000); // the two pages again, and an oversize page
    expect([pages(), executor.uploadPageBytes]).toEqual([1, { now: 924288, peak: 924288 }]);
    await fake.completeWork();
    upload(4, 0);
    expect([pages(), executor.uploadPageBytes]).toEqual([0, { now: 524288, peak: 924288 }]);
  });
});

describe('L2 descriptors', () => {
  it('wait in a queue of their own, until the list that used them has completed', async () => {
    const { fake, context, executor, inFrame } = setUp();
    const layout = context.createBindGroupLayout({ label: 'layout', entries: [] });
    const group = context.createBindGroup({ label: 'group', layout, entries: [] });
    const sampler = context.createSampler({ label: 'sampler' });
    const kept = context.createBuffer({ label: 'kept', byteLength: 4, usage: BufferUsage.copyTarget });
    inFrame(() => {
      for (const handle of [group, layout, sampler, kept]) context.destroy(handle);
    });
    const pending = () => [executor.stats.pendingReleases, executor.stats.pendingDescriptors];
    expect(pending()).toEqual([4, 3]);
    await fake.completeWork();
    expect(pending()).toEqual([0, 0]);
  });
});

describe('M6 bounded upload pages', () => {
  it('a write that does not fit waits until the GPU has finished, and then goes straight to the queue', async () => {
    const { fake, context, executor, run, inFrame, numbers } = setUp(262144);
    const usage = BufferUsage.copySource | BufferUsage.copyTarget;
    const target = context.createBuffer({ label: 'target', byteLength: 262144, usage });
    run();
    fake.take();
    const data = new Uint8Array(200_000);
    inFrame(() => {
      context.clearBuffer(target, 0, 4);
      context.writeBuffer(target, 0, data);
      context.writeBuffer(target, 4, data);
      context.writeBuffer(target, 8, data);
    });
    expect([numbers(), executor.uploadPageBytes.peak]).toEqual([[0, 0], 262144]);
    /** Returns the names of writes, buffer copies and submissions, with successive repetitions removed. */
    const calls = () => {
      const names = fake.take().map((line) => line.split(' ')[0]);
      return names.filter(
        (name, index) => /^(writeBuffer|copyBuffer|submit)/.test(`${name}`) && name !== names[index - 1],
      );
    };
    expect(calls()).toEqual(['copyBufferToBuffer', 'submit']);
    await fake.completeWork();
    expect(numbers()[0]).toBe(1);
    expect(calls()).toEqual(['writeBuffer']);
    expect(executor.uploadPageBytes.peak).toBe(262144);
  });
});
