import { describe, expect, it } from 'vitest';
import { RhiOpcode } from '../commands/commands.js';
import type { DrawBundleHandle } from '../commands/descriptors.js';
import { makeHandle, ResourceKind } from '../commands/handles.js';
import type { DrawRecorder } from '../record/draw-bundle.js';
import { bundleRecord } from '../record/draw-bundle.js';
import type { bundleMessages } from './messages.js';
import { type Slip, ValidationBench } from './validation.test-support.js';

/** Returns a slip that writes the record of a bundle with these words. No recorder would write such a bundle. */
const creates =
  (...words: number[]): Slip =>
  ({ rhi, writer }) => {
    const handle = rhi.handles.allocate(ResourceKind.drawBundle, 'trees');
    const record = bundleRecord(handle, 'trees', Uint32Array.from(words));
    const at = writer.reserve(RhiOpcode.createDrawBundle, record.length - 1);
    writer.words.set(record.subarray(1), at);
    return 'createDrawBundle';
  };

/** Returns a slip that records a bundle with `record`, and executes it in a render pass. */
const executes =
  (record: (draws: DrawRecorder, scene: ReturnType<ValidationBench['scene']>) => void): Slip =>
  (bench) => {
    const scene = bench.scene();
    const bundle = bench.rhi.createDrawBundle({ label: 'trees' }, (draws) => record(draws, scene));
    bench.inPass(() => bench.rhi.executeDrawBundle(bundle));
    return 'executeDrawBundle';
  };

const set = (draws: DrawRecorder, { main, group, vertices }: ReturnType<ValidationBench['scene']>) => {
  draws.setGraphicsPipeline(main);
  draws.setBindGroup(0, group, [256]);
  draws.setVertexBuffer(0, vertices, 0, 256);
};

const bundleSlips: Record<keyof typeof bundleMessages, Slip> = {
  'bundle-command': creates(RhiOpcode.endRenderPass | (1 << 9)),
  'bundle-debug-group': creates(RhiOpcode.popDebugGroup | (1 << 9)),
};

const otherSlips: Record<string, Slip> = {
  'bad-record': creates(RhiOpcode.draw | (2 << 9), 3),
  'pipeline-missing': executes((draws) => draws.draw(3)),
  'bind-group-missing': executes((draws, { main, vertices }) => {
    draws.setGraphicsPipeline(main);
    draws.setVertexBuffer(0, vertices);
    draws.draw(3);
  }),
  'vertex-buffer-missing': executes((draws, { main, group }) => {
    draws.setGraphicsPipeline(main);
    draws.setBindGroup(0, group, [0]);
    draws.draw(3);
  }),
  'field-range': executes((draws, scene) => {
    set(draws, scene);
    draws.draw(-1);
  }),
  'index-buffer-missing': executes((draws, scene) => {
    set(draws, scene);
    draws.drawIndexed(3);
  }),
  'stale-handle': (bench) => {
    const { vertices, ...scene } = bench.scene();
    const bundle = bench.rhi.createDrawBundle({ label: 'trees' }, (draws) => {
      set(draws, { vertices, ...scene });
      draws.draw(3);
    });
    bench.rhi.destroy(vertices);
    bench.inPass(() => bench.rhi.executeDrawBundle(bundle));
    return 'executeDrawBundle';
  },
  'double-free': (bench) => {
    const bundle = bench.rhi.createDrawBundle({ label: 'trees' }, () => {});
    bench.rhi.destroy(bundle);
    bench.run();
    const at = bench.writer.reserve(RhiOpcode.destroyResource, 1);
    bench.writer.words[at] = bundle;
    return 'destroyResource';
  },
  'command-outside-pass': (bench) => {
    const bundle = bench.rhi.createDrawBundle({ label: 'trees' }, () => {});
    bench.frame(1, () => bench.rhi.executeDrawBundle(bundle));
    return 'executeDrawBundle';
  },
  'command-in-wrong-pass': (bench) => {
    const bundle = bench.rhi.createDrawBundle({ label: 'trees' }, () => {});
    bench.inComputePass(() => bench.rhi.executeDrawBundle(bundle));
    return 'executeDrawBundle';
  },
  'never-created': (bench) => {
    const never = makeHandle(ResourceKind.drawBundle, 0, 5) as DrawBundleHandle;
    bench.inPass(() => bench.rhi.executeDrawBundle(never));
    return 'executeDrawBundle';
  },
};

describe('validation of a draw bundle', () => {
  it.each(Object.entries({ ...bundleSlips, ...otherSlips }))(
    'reports %s, and drops the command',
    (code, slip) => {
      const bench = new ValidationBench();
      const refused = slip(bench);
      const { codes, passed } = bench.run();
      expect(codes).toEqual([code]);
      expect(passed).not.toContain(refused);
    },
  );

  it('names the bundle of a faulty command, and counts all draws of a dropped bundle', () => {
    const bench = new ValidationBench();
    executes((draws, scene) => {
      set(draws, scene);
      draws.draw(3);
      draws.draw(-1);
      draws.draw(3);
    })(bench);
    bench.rhi.publish();
    while (bench.reader.next());
    expect(bench.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        'draw in the draw bundle "trees" (draw bundle 0.0) has vertexCount = 4294967295',
      ),
    ]);
    expect(bench.reader.skippedDraws).toBe(3);
    expect(bench.skipped).toBe(3);
  });

  it('a bundle does not inherit the pass’s state, and leaves no state for the pass', () => {
    const bench = new ValidationBench();
    const scene = bench.scene();
    const [bare, whole] = [false, true].map((isWhole) =>
      bench.rhi.createDrawBundle({ label: isWhole ? 'whole' : 'bare' }, (draws) => {
        if (isWhole) set(draws, scene);
        draws.draw(3);
      }),
    ) as [DrawBundleHandle, DrawBundleHandle];
    bench.inPass(() => {
      scene.set();
      bench.rhi.executeDrawBundle(bare);
      bench.rhi.executeDrawBundle(whole);
      bench.rhi.draw(3);
      scene.set();
      bench.rhi.draw(3);
    });
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['pipeline-missing', 'pipeline-missing']);
    expect(passed.filter((name) => name === 'executeDrawBundle' || name === 'draw')).toEqual([
      'executeDrawBundle',
      'draw',
    ]);
  });

  it('counts its resources as used by the list that executes it', () => {
    const bench = new ValidationBench({ completedFrames: () => 1 });
    const scene = bench.scene();
    const bundle = bench.rhi.createDrawBundle({ label: 'trees' }, (draws) => {
      set(draws, scene);
      draws.draw(3);
    });
    bench.frame(1, () => {});
    bench.frame(2, () => {});
    const target = bench.texture('target');
    bench.frame(3, () => {
      bench.rhi.beginRenderPass(bench.pass(target));
      bench.rhi.executeDrawBundle(bundle);
      bench.rhi.endRenderPass();
      const at = bench.writer.reserve(RhiOpcode.assumeNotInUse, 1);
      bench.writer.words[at] = scene.group;
    });
    expect(bench.run().codes).toEqual(['false-not-in-use']);
  });
});
