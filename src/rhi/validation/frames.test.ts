/**
 * Each mistake with records, frames, viewports, passes, handles, lifetimes or order is reported with one code. The
 * command that a slip returns is dropped.
 */
import { describe, expect, it } from 'vitest';
import { writeRecord } from '../../core/records/record-fields.test-support.js';
import { RhiOpcode } from '../commands/commands.js';
import {
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  type TextureHandle,
} from '../commands/descriptors.js';
import { assumeNotInUse } from '../mapping/assume-not-in-use.js';
import { DynamicBuffers } from '../memory/dynamic-buffers.js';
import type {
  frameMessages,
  handleMessages,
  lifetimeMessages,
  orderMessages,
  recordMessages,
} from './messages.js';
import { CarelessContext, type Slip, ValidationBench } from './validation.test-support.js';

const { copySource, copyTarget, vertex, index, uniform } = BufferUsage;

/** Returns another context without checks of frames, for the bench's stream. */
const trusting = ({ writer }: ValidationBench) => new CarelessContext(writer, { maxFramesInFlight: 2 });

const recordSlips: Record<keyof typeof recordMessages, Slip> = {
  'bad-record': ({ writer }) => {
    writeRecord(writer, RhiOpcode.createBuffer, [1], [new TextEncoder().encode('{"label":')]);
    return 'createBuffer';
  },
  'buffer-alignment': (bench) => {
    const trusting = new CarelessContext(bench.writer, { maxFramesInFlight: 2 });
    trusting.clearBuffer(bench.buffer('buffer', copyTarget, 16), 2, 4);
    return 'clearBuffer';
  },
  'field-range': (bench) => {
    bench.inPass(() => bench.rhi.draw(-1));
    return 'draw';
  },
};

const frameSlips: Record<keyof typeof frameMessages, Slip> = {
  'frame-not-begun': (bench) => {
    trusting(bench).endFrame();
    return 'endFrame';
  },
  'frame-not-ended': (bench) => {
    const context = trusting(bench);
    context.beginFrame(1);
    context.beginFrame(2);
    context.endFrame();
    return undefined;
  },
  'frame-number': (bench) => {
    const context = trusting(bench);
    for (const frame of [5, 4]) {
      context.beginFrame(frame);
      context.endFrame();
    }
    return undefined;
  },
  'scene-not-begun': (bench) => {
    bench.frame(1, () => bench.rhi.endScene());
    return 'endScene';
  },
  'scene-not-ended': (bench) => {
    bench.frame(1, () => bench.rhi.beginScene('scene'));
    return undefined;
  },
  'viewport-not-begun': (bench) => {
    const target = bench.rhi.createViewportTarget('canvas');
    bench.frame(1, () => {
      bench.rhi.beginDrawingViewport(target, 8, 8);
      bench.rhi.endDrawingViewport(target);
      bench.rhi.beginRenderPass(bench.pass(target));
      bench.rhi.endRenderPass();
    });
    return 'beginRenderPass';
  },
  'viewport-not-ended': (bench) => {
    const target = bench.rhi.createViewportTarget('canvas');
    bench.frame(1, () => bench.rhi.beginDrawingViewport(target, 8, 8));
    return undefined;
  },
  'video-frame-without-viewport': (bench) => {
    bench.frame(1, () => bench.rhi.outputVideoFrame(1, 0));
    return undefined;
  },
  'pass-not-ended': (bench) => {
    bench.frame(1, () => bench.rhi.beginComputePass({ label: 'compute' }));
    return undefined;
  },
  'command-inside-pass': (bench) => {
    const buffer = bench.buffer('buffer', copyTarget);
    bench.inPass(() => bench.rhi.writeBuffer(buffer, 0, new Uint32Array(1)));
    return 'writeBuffer';
  },
  'command-outside-pass': (bench) => {
    bench.frame(1, () => bench.rhi.draw(3));
    return 'draw';
  },
  'command-in-wrong-pass': (bench) => {
    bench.inPass(() => bench.rhi.dispatch(1));
    return 'dispatch';
  },
  'debug-group-not-begun': (bench) => {
    bench.inPass(() => bench.rhi.popDebugGroup());
    return 'popDebugGroup';
  },
  'debug-group-not-ended': (bench) => {
    bench.inPass(() => bench.rhi.pushDebugGroup('group'));
    return undefined;
  },
};
const handleSlips: Record<keyof typeof handleMessages, Slip> = {
  'never-created': ({ rhi }) => {
    rhi.clearBuffer(0x4001 as BufferHandle, 0, 4);
    return 'clearBuffer';
  },
  'stale-handle': (bench) => {
    const buffer = bench.buffer('gone', copyTarget);
    bench.rhi.destroy(buffer);
    bench.rhi.clearBuffer(buffer, 0, 4);
    return 'clearBuffer';
  },
  'double-free': (bench) => {
    const buffer = bench.buffer('gone', copyTarget);
    for (let i = 0; i < 2; i++) writeRecord(bench.writer, RhiOpcode.destroyResource, [buffer]);
    return undefined;
  },
  'wrong-handle-kind': (bench) => {
    const texture = bench.texture('texture');
    bench.rhi.clearBuffer(texture as number as BufferHandle, 0, 4);
    return 'clearBuffer';
  },
  'handle-in-use': (bench) => {
    const descriptor = new TextEncoder().encode('{"label":"second","byteLength":4,"usage":8}');
    const buffer = bench.buffer('first', copyTarget);
    bench.run();
    writeRecord(bench.writer, RhiOpcode.createBuffer, [buffer], [descriptor]);
    return 'createBuffer';
  },
  'bind-group-outlived': (bench) => {
    const { group, uniforms } = bench.scene();
    bench.rhi.destroy(uniforms);
    bench.inPass(() => bench.rhi.setBindGroup(0, group, [0]));
    return 'setBindGroup';
  },
};

const lifetimeSlips: Record<keyof typeof lifetimeMessages, Slip> = {
  'false-not-in-use': (bench) => {
    const { set, vertices, uniforms } = bench.scene();
    bench.inPass(set);
    bench.frame(2, () => {
      bench.rhi.clearBuffer(uniforms, 0, 4);
      assumeNotInUse(bench.rhi, uniforms);
    });
    // The list that uses `vertices` has ended. Without `completedFrames`, an ended list does not count as
    // pending.
    assumeNotInUse(bench.rhi, vertices);
    return undefined;
  },
  'dynamic-data-expired': (bench) => {
    const dynamic = new DynamicBuffers(bench.rhi);
    const target = bench.texture('target');
    let range: [BufferHandle, number] | undefined;
    for (const frame of [1, 2]) {
      bench.frame(frame, () => {
        if (frame === 1) {
          const allocation = dynamic.allocate(64);
          allocation.commit();
          range = [allocation.buffer, allocation.byteOffset];
        }
        bench.rhi.beginRenderPass(bench.pass(target));
        bench.rhi.setVertexBuffer(0, range![0], range![1], 64);
        bench.rhi.endRenderPass();
      });
    }
    return undefined;
  },
};

const orderSlips: Record<keyof typeof orderMessages, Slip> = {
  'fence-value-back': ({ rhi }) => {
    rhi.signalFence(rhi.createFence('fence', 2), 1);
    return 'signalFence';
  },
  'fence-signalled-twice': ({ rhi }) => {
    const fence = rhi.createFence('fence');
    rhi.signalFence(fence, 1);
    rhi.signalFence(fence, 1);
    return undefined;
  },
  'wait-after-viewport': (bench) => {
    const target = bench.rhi.createViewportTarget('canvas');
    const fence = bench.rhi.createFence('fence');
    bench.frame(1, () => {
      bench.rhi.beginDrawingViewport(target, 8, 8);
      bench.rhi.beginRenderPass(bench.pass(target));
      bench.rhi.endRenderPass();
      bench.rhi.endDrawingViewport(target);
      bench.rhi.waitFence(fence, 1);
    });
    return 'waitFence';
  },
  'queue-command': (bench) => {
    bench.rhi.setQueue(1);
    bench.inPass(() => {});
    return 'beginRenderPass';
  },
  'transition-usage': (bench) => {
    bench.rhi.transition(bench.buffer('buffer', vertex), 0, index);
    return 'transition';
  },
  'transition-before': (bench) => {
    const buffer = bench.buffer('buffer', vertex | copyTarget);
    bench.rhi.transition(buffer, 0, copyTarget);
    bench.rhi.transition(buffer, vertex, copyTarget);
    return undefined;
  },
  'transition-missing': (bench) => {
    const buffer = bench.buffer('buffer', vertex | copyTarget);
    bench.rhi.transition(buffer, 0, copyTarget);
    bench.inPass(() => bench.rhi.setVertexBuffer(0, buffer, 0, 4));
    return 'setVertexBuffer';
  },
};

describe('validation: each fault has its own error, and the command is dropped', () => {
  const slips = { ...recordSlips, ...frameSlips, ...handleSlips, ...lifetimeSlips, ...orderSlips };
  const expectRefusal = (code: string, slip: Slip | undefined = slips[code as keyof typeof slips]): void => {
    const bench = new ValidationBench();
    const refused = slip?.(bench);
    const { codes, passed } = bench.run();
    expect(codes).toEqual([code]);
    if (refused !== undefined) expect(passed).not.toContain(refused);
  };

  it.each(Object.entries(slips))('%s', expectRefusal);

  it('H6: reports an unknown queue, and a command that its queue can’t execute', () => {
    expectRefusal('field-range', ({ rhi }) => {
      rhi.setQueue(3 as 2);
      return 'setQueue';
    });
    expectRefusal('queue-command');
  });

  it('L5: reports dynamic data that is used in a later frame', () => expectRefusal('dynamic-data-expired'));
});

describe('validation: the executor sees a well-formed list', () => {
  it('ends open scopes, innermost first, before the record that comes too early', () => {
    const bench = new ValidationBench();
    const target = bench.texture('target');
    bench.frame(1, () => {
      bench.rhi.beginRenderPass(bench.pass(target));
      bench.rhi.pushDebugGroup('group');
    });
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['pass-not-ended', 'debug-group-not-ended']);
    expect(passed.slice(1)).toEqual([
      'beginFrame',
      'beginRenderPass',
      'pushDebugGroup',
      'popDebugGroup',
      'endRenderPass',
      'endFrame',
    ]);
  });

  it('drops a refused pass with its commands, reports only the cause, and counts its draws', () => {
    const bench = new ValidationBench();
    const { set } = bench.scene();
    bench.run();
    const gone = bench.texture('gone');
    bench.rhi.destroy(gone);
    bench.frame(1, () => {
      bench.rhi.beginRenderPass(bench.pass(gone));
      set();
      bench.rhi.pushDebugGroup('group');
      bench.rhi.draw(3);
      bench.rhi.drawIndexed(3);
      bench.rhi.popDebugGroup();
      bench.rhi.endRenderPass();
    });
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['stale-handle']);
    expect(passed).toEqual(['createTexture', 'destroyResource', 'beginFrame', 'endFrame']);
    expect([bench.skipped, bench.reader.skippedDraws]).toEqual([2, 2]);
    bench.frame(2, () => {});
    bench.run();
    expect([bench.skipped, bench.reader.skippedDraws]).toEqual([2, 0]);
  });

  it('reports a repeated fault once, and drops the faulty command each time', () => {
    const bench = new ValidationBench();
    for (let frame = 0; frame < 3; frame++) bench.frame(frame, () => bench.rhi.draw(3));
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['command-outside-pass']);
    expect(passed).toHaveLength(6);
  });

  it('drops users of a refused resource and its destroy without a report', () => {
    const bench = new ValidationBench();
    const { vertices } = bench.scene();
    bench.run();
    const gone = bench.buffer('gone', uniform);
    bench.rhi.destroy(gone);
    bench.run();
    const layout = bench.rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 1, buffer: {} }],
    });
    bench.run();
    const bad = bench.rhi.createBindGroup({ label: 'bad', layout, entries: [{ binding: 0, buffer: gone }] });
    bench.inPass(() => bench.rhi.setBindGroup(0, bad));
    bench.rhi.destroy(bad);
    bench.rhi.destroy(vertices);
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['stale-handle']);
    expect(passed.filter((name) => name !== 'endFrame')).toEqual([
      'createTexture',
      'beginFrame',
      'beginRenderPass',
      'endRenderPass',
      'destroyResource',
    ]);
  });

  it('answers a dropped read-back, and frees attachments', () => {
    const bench = new ValidationBench();
    const buffer = bench.buffer('buffer', copySource, 16);
    let isClosed = false;
    const image = { width: 1, height: 1, close: () => (isClosed = true) } as unknown as ImageBitmap;
    bench.rhi.destroy(buffer);
    bench.rhi.readBuffer(7, buffer, 0, 16);
    bench.rhi.copyExternalImage(image, 0x4002 as TextureHandle, { width: 1, height: 1 });
    const passed = ['createBuffer', 'destroyResource'];
    expect(bench.run()).toEqual({ codes: ['stale-handle', 'never-created'], passed });
    expect(bench.readbacks).toEqual([[7, 0]]);
    expect(isClosed).toBe(true);
  });

  it('passes on a refused read-back if there is no onReadback', () => {
    const bench = new ValidationBench({ onReadback: undefined });
    bench.rhi.readBuffer(7, 0x4001 as BufferHandle, 0, 32);
    expect(bench.run()).toEqual({ codes: ['never-created'], passed: ['readBuffer'] });
  });
});

describe('validation', () => {
  it('names the object by its label, the fault and the remedy', () => {
    const bench = new ValidationBench();
    const buffer = bench.buffer('vertices', vertex | copyTarget);
    bench.rhi.transition(buffer, vertex, copyTarget);
    bench.inPass(() => bench.rhi.setVertexBuffer(0, buffer, 0, 16));
    bench.rhi.publish();
    while (bench.reader.next());
    expect(bench.errors.map(({ message }) => message)).toEqual([
      'setVertexBuffer uses buffer "vertices" (buffer 0.0) as vertex; its last transition declared copyTarget. Record a transition before this use.',
    ]);
  });

  it('M3: reports assumeNotInUse while a list that uses the resource is not completed', () => {
    let completed = 0;
    const bench = new ValidationBench({ completedFrames: () => completed });
    const buffer = bench.buffer('buffer', copyTarget);
    bench.frame(1, () => bench.rhi.clearBuffer(buffer, 0, 4));
    assumeNotInUse(bench.rhi, buffer);
    expect(bench.run().codes).toEqual(['false-not-in-use']);
    completed = 1;
    assumeNotInUse(bench.rhi, buffer);
    expect(bench.run()).toEqual({ codes: [], passed: ['assumeNotInUse'] });
  });

  it('reports handles of unknown kinds', () => {
    const bench = new ValidationBench();
    bench.inPass(() => bench.rhi.setGraphicsPipeline(0 as GraphicsPipelineHandle));
    expect(bench.run().codes).toEqual(['wrong-handle-kind']);
  });
});
