import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import { BufferUsage } from '../commands/descriptors.js';
import { CheckedImmediateContext } from '../record/checked-contexts.js';
import { traceList } from '../record/trace.js';
import { WebGpuExecutor } from '../webgpu/executor.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { destroyNow } from './assume-not-in-use.js';

describe('M3 assume-not-in-use', () => {
  it('frees at once, while a resource destroyed without the promise waits until its list has completed', async () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    const fake = createFakeDevice();
    const errors: unknown[] = [];
    const executor = new WebGpuExecutor({
      reader,
      device: fake.device,
      surface: null,
      maxFramesInFlight: 2,
      onError: (error) => errors.push(error),
      onReadback: () => {},
    });
    const [queued, now] = ['queued', 'now'].map((label) =>
      context.createBuffer({ label, byteLength: 16, usage: BufferUsage.copyTarget }),
    );
    context.beginFrame(0);
    context.destroy(queued);
    destroyNow(context, now);
    context.endFrame();
    context.publish();
    executor.pump();
    const destroys = () => fake.take().filter((line) => line.startsWith('destroy'));
    expect(destroys()).toEqual(['destroy now']);
    expect([executor.stats.liveResources, executor.stats.pendingReleases]).toEqual([0, 1]);
    await fake.completeWork();
    expect(destroys()).toEqual(['destroy queued']);
    expect(executor.stats.pendingReleases).toBe(0);
    expect(errors).toEqual([]);
    expect(executor.dispose()).toEqual({ leaks: [] });
  });

  it('records the promise just before the destroy', () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    const buffer = context.createBuffer({ label: 'big', byteLength: 16, usage: BufferUsage.copyTarget });
    destroyNow(context, buffer);
    context.publish();
    expect(traceList(reader).split('\n').slice(1)).toEqual([
      'assumeNotInUse handle=<buffer 0.0 "big">',
      'destroyResource handle=<buffer 0.0 "big">',
    ]);
  });

  it('refuses a handle destroyed before, with its label, and records nothing', () => {
    const { writer } = createLocalStream({ table: rhiCommands });
    const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    const buffer = context.createBuffer({ label: 'twice', byteLength: 16, usage: BufferUsage.copyTarget });
    destroyNow(context, buffer);
    const before = writer.bytesWritten;
    expect(() => destroyNow(context, buffer)).toThrow(/"twice".*destroyed before/);
    expect(writer.bytesWritten).toBe(before);
  });
});
