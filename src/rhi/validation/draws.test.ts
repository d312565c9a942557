/**
 * Validation reports draws and dispatches without the state that they need. The executor skips such commands, so
 * WebGPU can't report them.
 */
import { describe, expect, it } from 'vitest';
import { RhiOpcode } from '../commands/commands.js';
import { BufferUsage } from '../commands/descriptors.js';
import type { drawMessages } from './messages.js';
import { type Slip, ValidationBench } from './validation.test-support.js';

/** Returns a slip that draws twice in a pass with the state that `set` sets. */
const draw =
  (set: (bench: ValidationBench, scene: ReturnType<ValidationBench['scene']>) => void): Slip =>
  (bench) => {
    const scene = bench.scene();
    bench.inPass(() => {
      set(bench, scene);
      bench.rhi.drawIndexed(3);
      bench.rhi.drawIndexed(3);
    });
    return 'drawIndexed';
  };

const drawSlips: Record<keyof typeof drawMessages, Slip> = {
  'pipeline-missing': draw(() => {}),
  'vertex-buffer-missing': draw(({ rhi }, { main, group, vertices }) => {
    rhi.setGraphicsPipeline(main);
    rhi.setBindGroup(0, group, [0]);
    rhi.setIndexBuffer(vertices, 'uint16', 0, 64);
  }),
  'index-buffer-missing': draw(({ rhi }, { main, group, vertices }) => {
    rhi.setGraphicsPipeline(main);
    rhi.setBindGroup(0, group, [0]);
    rhi.setVertexBuffer(0, vertices, 0, 64);
  }),
  'bind-group-missing': draw(({ rhi }, { main, vertices }) => {
    rhi.setGraphicsPipeline(main);
    rhi.setVertexBuffer(0, vertices, 0, 64);
    rhi.setIndexBuffer(vertices, 'uint16', 0, 64);
  }),
};

describe('validation: each missing state has its own error, and the draw is dropped', () => {
  it.each(Object.entries(drawSlips))('%s', (code, slip) => {
    const bench = new ValidationBench();
    const refused = slip(bench);
    const { codes, passed } = bench.run();
    expect(codes).toEqual([code]);
    expect(passed).not.toContain(refused);
    expect(bench.reader.skippedDraws).toBe(2);
  });

  it('reports a dispatch without a pipeline, and a dispatch without its bind group', () => {
    const bench = new ValidationBench();
    const { pipeline } = bench.compute();
    bench.inComputePass(() => {
      bench.rhi.dispatch(1);
      bench.rhi.setComputePipeline(pipeline);
      bench.rhi.dispatch(1);
    });
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['pipeline-missing', 'bind-group-missing']);
    expect(passed).not.toContain('dispatch');
    expect(bench.skipped).toBe(2);
  });

  it('reports a refused vertex buffer, and drops draws without a further report until another buffer is set', () => {
    const bench = new ValidationBench();
    const { set, vertices } = bench.scene();
    const gone = bench.buffer('gone', BufferUsage.vertex);
    bench.rhi.destroy(gone);
    bench.inPass(() => {
      set();
      bench.rhi.setVertexBuffer(0, gone, 0, 64);
      bench.rhi.draw(3);
      bench.rhi.setVertexBuffer(0, vertices, 0, 64);
      bench.rhi.draw(3);
    });
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['stale-handle']);
    expect(passed.filter((name) => name === 'draw')).toHaveLength(1);
  });

  it('counts all state as unset after invalidateCachedState', () => {
    const bench = new ValidationBench();
    const { set } = bench.scene();
    bench.inPass(() => {
      set();
      bench.rhi.invalidateCachedState();
      bench.rhi.draw(3);
    });
    expect(bench.run().codes).toEqual(['pipeline-missing']);
  });
});

describe('validation of a bind group', () => {
  it('M3: counts its buffers as used by the list that sets the group', () => {
    const bench = new ValidationBench({ completedFrames: () => 0 });
    const { set, uniforms } = bench.scene();
    bench.inPass(set);
    const at = bench.writer.reserve(RhiOpcode.assumeNotInUse, 1);
    bench.writer.words[at] = uniforms;
    expect(bench.run().codes).toEqual(['false-not-in-use']);
  });

  it('requires a transition of its buffer to the use in its layout', () => {
    const bench = new ValidationBench();
    const { set, uniforms } = bench.scene();
    bench.rhi.transition(uniforms, BufferUsage.uniform, BufferUsage.copyTarget);
    bench.inPass(set);
    expect(bench.run().codes).toEqual(['transition-missing']);
    bench.rhi.transition(uniforms, BufferUsage.copyTarget, BufferUsage.uniform);
    const target = bench.texture('second target');
    bench.frame(2, () => {
      bench.rhi.beginRenderPass(bench.pass(target));
      set();
      bench.rhi.endRenderPass();
    });
    expect(bench.run().codes).toEqual([]);
  });
});
