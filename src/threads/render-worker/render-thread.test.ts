import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../core/errors.js';
import { EventRing } from '../../core/event-ring.js';
import { createLocalStream } from '../../core/page-stream.js';
import { encodeRecord } from '../../core/record-codec.js';
import type { StreamReader } from '../../core/stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { MotionKind, MotionTarget } from '../../proxy/motion.js';
import { FrameFlag } from '../../rhi/commands/commands.js';
import { PrivateFence } from '../../sync/monitored/private-fence.js';
import { RenderThread } from './render-thread.js';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A render thread whose renderer does nothing, and which can be offline. */
function setUp() {
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const state = { isOffline: true, loads: 0 };
  const errors: unknown[] = [];
  const moved: number[] = [];
  const completed = new PrivateFence('completed');
  const rendered = new PrivateFence('rendered');
  const motion = {
    createRenderPart: () => ({
      execute: ({ words, fields, opcode }: StreamReader): void => {
        if (opcode === RenderOpcode.declareMotion) moved.push(words[fields + 1] as number);
      },
    }),
  };
  const flags: number[] = [];
  const bundles = { recordBundle: () => new Uint32Array(0) };
  const rhi = {
    beginFrame: (_: number, given: number) => flags.push(given),
    endFrame: () => {},
    publish: () => {},
    bundleRecorder: null as unknown,
    awaitsBundleRecorder: false,
  };
  new RenderThread({
    reader,
    rhiWriter: { isWritable: true, bytesWritten: 0 } as never,
    rhi: rhi as never,
    renderer: {
      execute: () => {},
      renderFrame: () => {},
      mustNotSkip: false,
      stats: { primitives: 0, visible: 0 },
      scene: {},
    } as never,
    maxFramesInFlight: 2,
    rendered,
    completed,
    stats: new Float64Array(24),
    events: new EventRing(),
    onError: (error) => errors.push(error),
    onFrame: () => {},
    loadBundles: async () => {
      state.loads++;
      if (state.isOffline) throw new PlatformError('part-missing', 'Offline.');
      return bundles;
    },
    parts: {
      load: async () => {
        state.loads++;
        if (state.isOffline) throw new PlatformError('part-missing', 'Offline.');
        return motion;
      },
    },
  });
  const declare = (name: 'declareMotion' | 'followGoal', id: number): void => {
    encodeRecord(writer, renderCommands, name, {
      target: MotionTarget.node,
      id,
      kind: MotionKind.spin,
      startSeconds: 0,
      parameters: [0, 1, 0, 1, 0, 0, 0, 1],
    } as never);
  };
  let last = 0;
  const frame = async (write: () => void): Promise<void> => {
    const number = ++last;
    const begin = writer.reserve(RenderOpcode.beginFrame, 5);
    writer.words.fill(0, begin, begin + 5);
    writer.words[begin] = number;
    write();
    const end = writer.reserve(RenderOpcode.endFrame, 1);
    writer.words[end] = number;
    writer.publish();
    await settle();
    expect(rendered.value).toBe(number);
    completed.signal(number);
  };
  return { state, errors, moved, declare, frame, rhi, bundles, flags };
}

describe('RenderThread', () => {
  it('code for motion that could not be had is asked for again by the next frame that declares some', async () => {
    const { state, errors, moved, declare, frame } = setUp();
    await frame(() => {
      declare('declareMotion', 1);
      declare('declareMotion', 2);
    });
    // The frame goes on without, and asks once.
    expect([state.loads, errors.length, moved]).toEqual([1, 1, []]);
    await frame(() => {});
    expect(state.loads).toBe(1);
    state.isOffline = false;
    await frame(() => {
      declare('declareMotion', 3);
      declare('declareMotion', 4);
    });
    expect([state.loads, errors.length, moved]).toEqual([2, 1, [3, 4]]);
  });

  it('a frame that may record draw bundles waits for their code, and is told to the executor; else it goes on', async () => {
    const { state, errors, frame, rhi, bundles, flags } = setUp();
    rhi.awaitsBundleRecorder = true;
    await frame(() => {});
    expect([rhi.bundleRecorder, errors.length, flags]).toEqual([null, 1, [0]]);
    await frame(() => {});
    expect(state.loads).toBe(1);
    state.isOffline = false;
    rhi.awaitsBundleRecorder = true;
    await frame(() => {});
    await frame(() => {});
    expect(rhi.bundleRecorder).toBe(bundles.recordBundle);
    expect([state.loads, flags]).toEqual([2, [0, 0, FrameFlag.drawBundles, 0]]);
  });

  it('a camera’s goal asks once, and in silence; a motion asks again', async () => {
    const { state, errors, moved, declare, frame } = setUp();
    for (let time = 0; time < 3; time++) await frame(() => declare('followGoal', 1));
    expect([state.loads, errors.length]).toEqual([1, 0]);
    state.isOffline = false;
    await frame(() => declare('declareMotion', 5));
    expect([state.loads, moved]).toEqual([2, [5]]);
  });
});
