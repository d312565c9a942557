import { describe, expect, it } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../../rhi/commands/commands.js';
import { BufferUsage } from '../../rhi/commands/descriptors.js';
import { nullCapabilities } from '../../rhi/null/executor.js';
import { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { createFakeDevice } from '../../rhi/webgpu/fake-device.test-support.js';
import { emptyStats, FrameStat, MemoryPeak, MemoryStat } from '../control/frame-stats.js';
import type { ThreadOptions } from '../control/thread-options.js';
import { startRhiSide } from './rhi-side.js';

function setUp() {
  const fake = createFakeDevice();
  const stream = createLocalStream({ table: rhiCommands });
  const rhi = new ImmediateContext(stream.writer, { maxFramesInFlight: 2 });
  const stats = emptyStats();
  /** Figures at the last call of `onFrame`. */
  let published = [...stats];
  const opened = {
    device: fake.device,
    capabilities: nullCapabilities(),
    tools: null,
  };
  const side = startRhiSide(opened, stream.reader, {
    surface: null,
    options: { maxFramesInFlight: 2 } as ThreadOptions,
    stats,
    events: new EventRing(),
    onError: (error) => {
      throw error;
    },
    onReadback: () => {},
    onTrace: () => {},
    onFrame: () => {
      published = [...stats];
    },
  });
  const figures = () => ({
    live: published[FrameStat.liveResources],
    pending: published[FrameStat.pendingReleases],
    buffers: published[MemoryStat.buffers],
  });
  const recorded = () => [published[MemoryStat.recordings], published[MemoryPeak.recordings]];
  const buffer = (label: string) =>
    rhi.createBuffer({ label, byteLength: 1024, usage: BufferUsage.uniform | BufferUsage.copyTarget });
  let frames = 0;
  const frame = (work: () => void) => {
    rhi.beginFrame(frames++);
    work();
    rhi.endFrame();
    rhi.publish();
    side.executor.pump();
  };
  return { fake, rhi, side, stream, figures, recorded, buffer, frame };
}

describe('figures of the RHI thread', () => {
  it('count nothing as pending once the GPU is idle and no frame follows', async () => {
    const { fake, rhi, figures, buffer, frame } = setUp();
    let first = buffer('first');
    frame(() => buffer('second'));
    await fake.completeWork();
    frame(() => rhi.destroy(first));
    expect(figures()).toEqual({ live: 1, pending: 1, buffers: 2048 });
    await fake.completeWork();
    expect(figures()).toEqual({ live: 1, pending: 0, buffers: 1024 });
    // Read-back bytes may arrive after the completion.
    first = buffer('third');
    frame(() => {});
    await fake.completeWork();
    frame(() => {
      rhi.readBuffer(7, first, 0, 16);
      rhi.destroy(first);
    });
    await fake.completeWork();
    expect(figures()).toEqual({ live: 1, pending: 0, buffers: 1024 });
  });
});

describe('a purge of the RHI thread', () => {
  it('M8: writes the bytes of captures even if no frame follows', async () => {
    const { side, recorded, frame } = setUp();
    side.recordings.push({ byteLength: 300 }, { byteLength: 20 });
    frame(() => {});
    expect(recorded()).toEqual([320, 320]);
    side.recordings.length = 1;
    await side.purge(0);
    expect(recorded()).toEqual([300, 320]);
  });

  it('waits for earlier commands, however late they arrive', async () => {
    const { rhi, side, stream, figures, buffer, frame, fake } = setUp();
    const handle = buffer('destroyed between frames');
    frame(() => {});
    await fake.completeWork();
    rhi.destroy(handle);
    let isPurged = false;
    const purged = side.purge(stream.writer.bytesWritten).then(() => {
      isPurged = true;
    });
    await fake.completeWork();
    expect(isPurged).toBe(false);
    rhi.publish();
    await purged;
    expect(figures()).toEqual({ live: 0, pending: 0, buffers: 0 });
  });

  it('resolves if the device is lost before the awaited commands arrive', async () => {
    const { side, stream, fake } = setUp();
    const purged = side.purge(stream.writer.bytesWritten + 100);
    await fake.lose('gone');
    await purged;
    await side.purge(stream.writer.bytesWritten + 200);
  });
});
