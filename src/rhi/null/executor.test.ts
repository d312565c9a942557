import { describe, expect, it } from 'vitest';
import type { FencepostError } from '../../core/errors.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { NullExecutor } from './executor.js';

function setUp() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const errors: FencepostError[] = [];
  const readbacks: [number, number][] = [];
  const executor = new NullExecutor({
    reader,
    surface: null,
    maxFramesInFlight: 2,
    onError: (error) => errors.push(error as FencepostError),
    onReadback: (request, bytes) => readbacks.push([request, bytes.byteLength]),
  });
  const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
  const run = () => {
    rhi.publish();
    executor.pump();
  };
  return { executor, rhi, errors, readbacks, run };
}

describe('H8 null executor', () => {
  it('counts commands by name, draws and bytes, and completes each frame at once', () => {
    const { executor, rhi, run, errors, readbacks } = setUp();
    const buffer = rhi.createBuffer({ label: 'b', byteLength: 64, usage: 0x28 });
    const target = rhi.createViewportTarget('canvas');
    for (const frame of [1, 2, 3]) {
      rhi.beginFrame(frame);
      rhi.writeBuffer(buffer, 0, new Uint32Array(3));
      rhi.beginDrawingViewport(target, 8, 8);
      rhi.setVertexBuffer(0, buffer, 0, 64);
      rhi.draw(3, 5);
      rhi.draw(3);
      rhi.copyTextureToBuffer(target, buffer, { width: 1, height: 1 });
      rhi.readBuffer(frame, buffer, 0, 16);
      rhi.endDrawingViewport(target);
      rhi.endFrame();
    }
    run();
    expect(errors).toEqual([]);
    expect([executor.submitted.value, executor.completed.value]).toEqual([3, 3]);
    expect(Object.fromEntries(executor.commandCounts)).toEqual({
      createBuffer: 1,
      beginFrame: 3,
      writeBuffer: 3,
      beginDrawingViewport: 3,
      setVertexBuffer: 3,
      draw: 6,
      copyTextureToBuffer: 3,
      readBuffer: 3,
      endDrawingViewport: 3,
      endFrame: 3,
    });
    expect(executor.stats).toMatchObject({ frame: 3, drawCalls: 2, instances: 6, uploadBytes: 12 });
    expect(executor.stats).toMatchObject({ liveResources: 1, pendingReleases: 0, gpuMs: null });
    expect(readbacks).toEqual([
      [1, 16],
      [2, 16],
      [3, 16],
    ]);
  });

  it('reports a stale handle with its label, and completes the frame', () => {
    const { executor, rhi, run, errors } = setUp();
    const buffer = rhi.createBuffer({ label: 'old', byteLength: 64, usage: 0x28 });
    rhi.destroy(buffer);
    rhi.beginFrame(1);
    rhi.writeBuffer(buffer, 0, new Uint32Array(1));
    rhi.endFrame();
    run();
    expect(errors.map(({ code, message }) => [code, message.includes('"old"')])).toEqual([
      ['stale-handle', true],
    ]);
    expect(executor.completed.value).toBe(1);
  });

  it('L9 reports leaks with label and frame', () => {
    const { executor, rhi } = setUp();
    rhi.beginFrame(4);
    rhi.createSampler({ label: 'linear' });
    rhi.createShaderModule({ label: 'wgsl', code: '' });
    const gone = rhi.createQuerySet({ label: 'gone', type: 'occlusion', count: 1 });
    rhi.destroy(gone);
    rhi.endFrame();
    rhi.publish();
    expect(executor.dispose()).toEqual({
      leaks: [
        { kind: 'sampler', label: 'linear', createdInFrame: 4 },
        { kind: 'shader module', label: 'wgsl', createdInFrame: 4 },
      ],
    });
  });
});

describe('handles of a recorder', () => {
  it('10,000 cycles of create and destroy reuse 40 slots', () => {
    const { executor, rhi, run, errors } = setUp();
    let highest = 0;
    for (let frame = 1; frame <= 1000; frame++) {
      rhi.beginFrame(frame);
      for (let i = 0; i < 10; i++) {
        const handle = rhi.createBuffer({ label: 'short', byteLength: 4, usage: 8 });
        highest = Math.max(highest, handle >>> 14);
        rhi.destroy(handle);
      }
      rhi.endFrame();
      run();
    }
    expect(errors).toEqual([]);
    // Each frame uses ten slots, and reuses the slots that were used four frames earlier.
    expect(highest).toBe(39);
    expect(executor.stats).toMatchObject({ liveResources: 0, pendingReleases: 0 });
    expect(rhi.handles.liveCount).toBe(0);
  });
});
