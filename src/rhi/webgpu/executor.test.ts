import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FencepostError } from '../../core/errors.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { waitFor } from '../../core/testing/wait-for.js';
import { FrameFlag, rhiCommands } from '../commands/commands.js';
import { BufferUsage } from '../commands/descriptors.js';
import type { RhiFrameStats } from '../execute/executor.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { WebGpuExecutor } from './executor.js';
import { createFakeDevice } from './fake-device.test-support.js';

interface SetUp {
  readonly features?: readonly string[];
  readonly onError?: () => void;
  readonly maximumUploadBytes?: number;
}

function setUp({ features = [], onError, maximumUploadBytes }: SetUp = {}) {
  const fake = createFakeDevice(features);
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const errors: FencepostError[] = [];
  const readbacks: [number, number][] = [];
  const frames: RhiFrameStats[] = [];
  const executor = new WebGpuExecutor({
    device: fake.device,
    reader,
    surface: null,
    maxFramesInFlight: 2,
    maximumUploadBytes,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => {
      errors.push(error as FencepostError);
      onError?.();
    },
    onReadback: (request, bytes) => readbacks.push([request, bytes.byteLength]),
    onFrame: (stats) => frames.push({ ...stats }),
  });
  const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
  const run = () => {
    rhi.publish();
    executor.pump();
    return fake.take();
  };
  const target = rhi.createViewportTarget('canvas');
  const pass = {
    label: 'main',
    colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
  } as const;
  const buffer = (label: string, byteLength = 256) =>
    rhi.createBuffer({ label, byteLength, usage: BufferUsage.vertex | BufferUsage.copyTarget });
  /** Records a frame with one pass, and calls `body` in the pass. Begins the frame unless one is open already. */
  const frame = (number: number, body: () => void = () => {}, flags = 0) => {
    if (!rhi.isInFrame) rhi.beginFrame(number, flags);
    rhi.beginDrawingViewport(target, 8, 8);
    rhi.beginRenderPass(pass);
    body();
    rhi.endRenderPass();
    rhi.endDrawingViewport(target);
    rhi.endFrame();
  };
  /**
   * Creates resources for draws, and functions that create bind groups and pipelines. A pipeline needs one bind group
   * and one vertex buffer.
   */
  const scene = () => {
    const module = rhi.createShaderModule({ label: 'shader', code: 'one\n  two' });
    const layout = rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 1, buffer: { hasDynamicOffset: true } }],
    });
    const uniforms = buffer('uniforms');
    const bindGroup = (label: string) =>
      rhi.createBindGroup({ label, layout, entries: [{ binding: 0, buffer: uniforms }] });
    const pipeline = (label: string) =>
      rhi.createGraphicsPipeline({
        label,
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'main', buffers: [{ arrayStride: 12, attributes: [] }] },
      });
    return { module, layout, uniforms, bindGroup, pipeline };
  };
  return {
    fake,
    writer,
    reader,
    executor,
    rhi,
    errors,
    readbacks,
    frames,
    run,
    frame,
    buffer,
    scene,
    target,
    pass,
  };
}

const drawCalls = (log: readonly string[]) => log.filter((line) => /^(set|draw|beginRenderPass)/.test(line));

describe('redundant state', () => {
  it('is dropped within a pass, and set again in the next pass', async () => {
    const { fake, rhi, run, frame, scene, buffer, frames } = setUp();
    const { bindGroup, pipeline } = scene();
    const [group, first, vertices] = [bindGroup('group'), pipeline('first'), buffer('vertices')];
    run();
    await fake.finishPipeline();
    const body = () => {
      for (const offset of [0, 0, 64]) {
        rhi.setGraphicsPipeline(first);
        rhi.setBindGroup(0, group, [offset]);
        rhi.setVertexBuffer(0, vertices, 0, 48);
        rhi.setIndexBuffer(vertices, 'uint32', 48, 24);
        rhi.drawIndexed(6, 2);
      }
      rhi.setVertexBuffer(0, vertices, 0, 24);
      rhi.draw(3);
    };
    frame(1, body);
    frame(2, body);
    const expected = [
      'beginRenderPass main',
      'setPipeline first',
      'setBindGroup 0 group data 3 1',
      'setVertexBuffer 0 vertices 0 48',
      'setIndexBuffer vertices uint32 48 24',
      'drawIndexed 6 2 0 0 0',
      'drawIndexed 6 2 0 0 0',
      'setBindGroup 0 group data 3 1',
      'drawIndexed 6 2 0 0 0',
      'setVertexBuffer 0 vertices 0 24',
      'draw 3 1 0 0',
    ].map((line) => line.replace('data 3', 'data #'));
    const calls = drawCalls(run()).map((line) => line.replace(/data \d+/, 'data #'));
    expect(calls).toEqual([...expected, ...expected]);
    expect(frames.map(({ frame, drawCalls, instances }) => [frame, drawCalls, instances])).toEqual([
      [1, 4, 7],
      [2, 4, 7],
    ]);
  });
});

describe('incomplete draws are skipped and counted', () => {
  it('for each kind of state that can be missing', async () => {
    const { fake, rhi, run, frame, scene, buffer, frames, errors } = setUp();
    const { bindGroup, pipeline } = scene();
    const [group, ready, pending, vertices] = [
      bindGroup('group'),
      pipeline('ready'),
      pipeline('pending'),
      buffer('vertices'),
    ];
    const gone = buffer('gone');
    rhi.destroy(gone);
    run();
    await fake.finishPipeline();
    frame(1, () => {
      rhi.draw(1); // no pipeline
      rhi.setGraphicsPipeline(ready);
      rhi.draw(1); // no bind group
      rhi.setBindGroup(0, group, [0]);
      rhi.draw(1); // no vertex buffer
      rhi.setVertexBuffer(0, vertices, 0, 12);
      rhi.drawIndexed(1); // no index buffer
      rhi.draw(1); // drawn
      rhi.setVertexBuffer(0, gone, 0, 12);
      rhi.draw(1); // stale vertex buffer
      rhi.setVertexBuffer(0, vertices, 0, 12);
      rhi.setGraphicsPipeline(pending);
      rhi.draw(1); // pipeline not ready
    });
    expect(run().filter((line) => line.startsWith('draw'))).toEqual(['draw 1 1 0 0']);
    expect([frames[0].drawCalls, frames[0].skippedDraws]).toEqual([1, 6]);
    // Only the first skipped draw of a pass is reported. Stale handles are reported separately.
    expect(errors.map(({ code }) => code)).toEqual(['draw-incomplete', 'stale-handle']);
    expect(errors[0].message).toBe(
      'A draw of the pass "main" was left out, because no pipeline was set, or it was destroyed.',
    );
    expect(errors[1].message).toContain('"gone"');
  });

  it('and reported if state was never set, but not reported for a pending pipeline or a resource whose error was reported', async () => {
    const { fake, rhi, run, frame, scene, errors } = setUp();
    const { bindGroup, pipeline } = scene();
    const [group, ready] = [bindGroup('group'), pipeline('ready')];
    const codes = () => errors.splice(0).map(({ code, message }) => `${code}: ${message}`);
    run();
    frame(1, () => {
      rhi.setGraphicsPipeline(ready); // pending
      rhi.draw(1);
    });
    run();
    expect(codes()).toEqual([]);
    await fake.finishPipeline();
    frame(2, () => {
      rhi.setGraphicsPipeline(ready);
      rhi.draw(1);
      rhi.draw(1);
    });
    run();
    expect(codes()).toEqual([
      'draw-incomplete: A draw of the pass "main" was left out, because a bind group, vertex or index buffer that its pipeline needs is not set.',
    ]);
    await fake.completeWork();
    rhi.destroy(group);
    frame(3, () => {
      rhi.setGraphicsPipeline(ready);
      rhi.setBindGroup(0, group, [0]);
      rhi.draw(1);
    });
    run();
    expect(codes()).toEqual([expect.stringMatching(/^stale-handle: /)]);
  });

  it('a pipeline that fails is reported once, with its label, and its draws are skipped', async () => {
    const { fake, rhi, run, frame, scene, frames, errors } = setUp();
    const broken = scene().pipeline('broken');
    run();
    await fake.finishPipeline(new Error('no such entry point'));
    for (const number of [1, 2]) {
      frame(number, () => {
        rhi.setGraphicsPipeline(broken);
        rhi.draw(3);
      });
    }
    run();
    expect(frames.map(({ skippedDraws }) => skippedDraws)).toEqual([1, 1]);
    expect(errors.map(({ code }) => code)).toEqual(['pipeline-creation']);
    expect(errors[0].message).toMatch(/"broken".*no such entry point/);
  });

  it('a shader that does not compile is reported with line, column and excerpt', async () => {
    const { fake, rhi, run, errors } = setUp();
    fake.failNextScope('bad');
    rhi.createShaderModule({ label: 'lit', code: 'one\n  two\nthree' });
    run();
    await fake.completeWork();
    expect(errors[0].code).toBe('shader-compilation');
    expect(errors[0].message).toBe(
      'The shader "lit" does not compile: line 2, column 3: unknown name\n    two\n    ^',
    );
  });

  it('the error of a shader that consists of several texts counts lines in its own text', async () => {
    for (const [code, place] of [
      ['//# "gold"\n  one\nlast', '"gold", line 1'],
      ['first\n  two\n//# "gold"', 'line 2'],
    ] as const) {
      const { fake, rhi, run, errors } = setUp();
      fake.failNextScope('bad');
      rhi.createShaderModule({ label: 'lit', code });
      run();
      await fake.completeWork();
      expect(errors[0].message).toContain(
        `The shader "lit" does not compile: ${place}, column 3: unknown name\n`,
      );
    }
  });

  it('a missing attachment skips the pass, not the frame', () => {
    const { rhi, run, frames, errors, target, executor } = setUp();
    rhi.beginFrame(1);
    // Without beginDrawingViewport, the target names no texture.
    rhi.beginRenderPass({
      label: 'lost',
      colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
    });
    rhi.draw(3);
    rhi.endRenderPass();
    rhi.endFrame();
    run();
    expect(frames[0].skippedDraws).toBe(1);
    expect(errors.map(({ code }) => code)).toEqual(['stale-handle']);
    expect(executor.submitted.value).toBe(1);
  });
});

describe('cached bind groups', () => {
  it('are looked up again after a bind group was destroyed, and the handle 0 finds no bind group', async () => {
    const { fake, rhi, run, frame, scene, buffer, errors, frames } = setUp();
    const { bindGroup, pipeline } = scene();
    const [group, first, vertices] = [bindGroup('group'), pipeline('first'), buffer('vertices')];
    run();
    await fake.finishPipeline();
    const draw = (handle: number) => () => {
      rhi.setGraphicsPipeline(first);
      rhi.setVertexBuffer(0, vertices, 0, 48);
      rhi.setBindGroup(0, handle as never, [handle === 0 ? 64 : 0]);
      rhi.draw(3);
    };
    const handles = [group, 0, group];
    for (const [index, handle] of handles.entries()) {
      frame(index + 1, draw(handle));
      run();
      await fake.completeWork();
    }
    rhi.destroy(group);
    frame(4, draw(group));
    run();
    await fake.completeWork();
    frame(5, draw(0));
    run();
    expect(frames.map(({ drawCalls, skippedDraws }) => [drawCalls, skippedDraws])).toEqual([
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
      [0, 1],
    ]);
    expect(errors.map(({ code }) => code)).toEqual(['wrong-handle-kind', 'stale-handle']);
  });
});

describe('pipelines under FrameFlag.waitForPipelines', () => {
  it('hold the frame until all pipelines are ready, even those created in the frame, so that no draw is skipped', async () => {
    const { fake, rhi, run, frame, scene, buffer, frames } = setUp();
    const { bindGroup, pipeline } = scene();
    const [group, before, vertices] = [bindGroup('group'), pipeline('before'), buffer('vertices')];
    rhi.beginFrame(1, FrameFlag.waitForPipelines);
    const inside = pipeline('inside');
    frame(1, () => {
      rhi.setBindGroup(0, group, [0]);
      rhi.setVertexBuffer(0, vertices, 0, 12);
      for (const each of [before, inside]) {
        rhi.setGraphicsPipeline(each);
        rhi.draw(3);
      }
    });
    run();
    expect(frames).toEqual([]);
    await fake.finishPipeline();
    expect(frames).toEqual([]);
    await fake.finishPipeline();
    expect([frames[0].drawCalls, frames[0].skippedDraws]).toEqual([2, 0]);
  });
});

describe('frames in flight', () => {
  it('hold the next frame while two are incomplete, and let it go on when one completes', async () => {
    const { fake, executor, run, frame } = setUp();
    for (const number of [1, 2, 3, 4]) frame(number);
    expect(run().filter((line) => line.startsWith('submit')).length).toBe(2);
    expect([executor.submitted.value, executor.completed.value]).toEqual([2, 0]);
    executor.pump();
    expect(executor.submitted.value).toBe(2);
    await fake.completeWork();
    expect([executor.submitted.value, executor.completed.value]).toEqual([3, 1]);
    await fake.completeWork();
    expect([executor.submitted.value, executor.completed.value]).toEqual([4, 2]);
  });
});

describe('L1 L2 lifetimes in the executor', () => {
  it('frees resources destroyed before the submission of list k when k < completed', async () => {
    const { fake, executor, rhi, run, frame, buffer } = setUp();
    const [first, second] = [buffer('first'), buffer('second')];
    rhi.beginFrame(1);
    rhi.destroy(first); // freed when more than 0 lists are complete
    frame(1);
    frame(2);
    rhi.destroy(second); // between frames: belongs to list 2, the next list
    run();
    expect(executor.stats.pendingReleases).toBe(2);
    await fake.completeWork();
    expect(fake.take().filter((line) => line.startsWith('destroy'))).toEqual(['destroy first']);
    frame(3);
    run();
    await fake.completeWork();
    expect(fake.take().filter((line) => line.startsWith('destroy'))).toEqual([]);
    await fake.completeWork();
    expect(fake.take().filter((line) => line.startsWith('destroy'))).toEqual(['destroy second']);
    expect(executor.stats.pendingReleases).toBe(0);
  });

  it('L3 a resource may be destroyed right after its last use, in the same frame', async () => {
    const { fake, rhi, run, frame, scene, buffer, frames, errors } = setUp();
    const { bindGroup, pipeline } = scene();
    const [group, ready] = [bindGroup('group'), pipeline('ready')];
    run();
    await fake.finishPipeline();
    frame(1, () => {
      const shortLived = buffer('short-lived');
      rhi.setGraphicsPipeline(ready);
      rhi.setBindGroup(0, group, [0]);
      rhi.setVertexBuffer(0, shortLived, 0, 12);
      rhi.draw(3);
      rhi.destroy(shortLived);
      rhi.draw(3);
    });
    const log = run();
    expect([frames[0].drawCalls, frames[0].skippedDraws, errors]).toEqual([2, 0, []]);
    expect(log).not.toContain('destroy short-lived');
    await fake.completeWork();
    expect(fake.take()).toContain('destroy short-lived');
  });

  it('L2 frees resources while idle, without a later list or a call of purge', async () => {
    const { fake, executor, rhi, run, frame, buffer } = setUp();
    const destroys = (log: readonly string[]) => log.filter((line) => line.startsWith('destroy'));
    const [busy, idle] = [buffer('busy'), buffer('idle')];
    frame(1);
    rhi.destroy(busy);
    expect([destroys(run()), executor.stats.pendingReleases]).toEqual([[], 1]);
    await fake.completeWork();
    expect([destroys(fake.take()), executor.stats.pendingReleases]).toEqual([['destroy busy'], 0]);
    rhi.destroy(idle);
    expect([destroys(run()), executor.stats.pendingReleases]).toEqual([['destroy idle'], 0]);
    for (let i = 0; i < 3; i++) {
      rhi.destroy(buffer(`again ${i}`));
      expect(destroys(run())).toEqual([`destroy again ${i}`]);
    }
  });

  it('L2 keeps an idle buffer whose bytes are being read, and frees it after they have arrived', async () => {
    const { fake, executor, rhi, run, frame, readbacks } = setUp();
    const usage = BufferUsage.mapRead | BufferUsage.copyTarget;
    const readable = rhi.createBuffer({ label: 'readable', byteLength: 16, usage });
    frame(1);
    run();
    await fake.completeWork();
    rhi.readBuffer(1, readable, 0, 16);
    rhi.destroy(readable);
    expect(run()).not.toContain('destroy readable');
    expect(executor.stats.pendingReleases).toBe(1);
    await fake.completeWork();
    expect(fake.take()).toContain('destroy readable');
    expect([readbacks, executor.stats.pendingReleases]).toEqual([[[1, 16]], 0]);
  });

  it('L4 reuses the upload pages of commands between frames, although no frame follows', async () => {
    const { fake, executor, rhi, run, buffer } = setUp();
    const [a, b] = [buffer('a'), buffer('b')];
    run();
    for (let i = 0; i < 10; i++) {
      rhi.copyBufferToBuffer(a, 0, b, 0, 4);
      rhi.writeBuffer(a, 0, new Uint8Array(4));
      run();
      await fake.completeWork(); // lets the mapping settle
    }
    const { now, peak } = executor.uploadPageBytes;
    expect(now).toBe(peak);
    // The page of the last list was mapped again once that list had completed.
    expect(fake.log).toEqual(['mapAsync upload page']);
    expect(now).toBe(262144);
  });

  it('L9 reports live resources at disposal with label and frame, and frees them', () => {
    const { fake, executor, rhi, run, frame, buffer } = setUp();
    const kept = buffer('kept');
    frame(5);
    run();
    rhi.beginFrame(6);
    buffer('late');
    rhi.publish();
    expect(executor.dispose()).toEqual({
      leaks: [
        { kind: 'buffer', label: 'kept', createdInFrame: 0 },
        { kind: 'buffer', label: 'late', createdInFrame: 6 },
      ],
    });
    expect(fake.take().filter((line) => /^destroy (kept|late)/.test(line))).toEqual([
      'destroy kept',
      'destroy late',
    ]);
    expect(kept).toBeGreaterThan(0);
  });
});

describe('M7 writes keep their order with other commands', () => {
  it('go straight to the queue before anything is encoded, and through an upload page afterwards', () => {
    const { rhi, run, frame, buffer, frames } = setUp();
    const data = buffer('data');
    run();
    rhi.beginFrame(1);
    rhi.writeBuffer(data, 0, new Uint32Array(2));
    rhi.copyBufferToBuffer(data, 0, data, 128, 8);
    rhi.writeBuffer(data, 16, new Uint32Array(4));
    rhi.endFrame();
    expect(run()).toEqual([
      'writeBuffer data 0 2',
      'copyBufferToBuffer data 0 data 128 8',
      'createBuffer upload page',
      'copyBufferToBuffer upload page 0 data 16 16',
      'unmap upload page',
      'submit 1',
    ]);
    expect(frames[0].uploadBytes).toBe(24);
    frame(2);
  });

  it('cause no error between a device’s destroy and the event of its loss', async () => {
    const { rhi, run, buffer, errors, fake } = setUp();
    const data = buffer('data');
    rhi.beginFrame(1);
    rhi.copyBufferToBuffer(data, 0, data, 128, 8);
    rhi.writeBuffer(data, 16, new Uint32Array(4));
    run();
    fake.unmapAll();
    rhi.writeBuffer(data, 32, new Uint32Array(4));
    rhi.endFrame();
    run();
    expect(errors).toEqual([]);
    await fake.lose('Destroyed.');
    expect(errors.map(({ code }) => code)).toEqual(['device-lost']);
  });

  it('are refused inside a pass and beyond the buffer’s end; the other commands are executed', () => {
    const { rhi, run, frame, buffer, errors, executor } = setUp();
    const data = buffer('small', 8);
    frame(1, () => rhi.writeBuffer(data, 0, new Uint32Array(1)));
    rhi.writeBuffer(data, 4, new Uint32Array(2));
    run();
    expect(errors.map(({ code }) => code)).toEqual(['command-inside-pass', 'out-of-range']);
    expect(errors[1].message).toContain('"small"');
    expect(executor.submitted.value).toBe(1);
  });
});

describe('read-backs', () => {
  it('L8 are mapped after the submission, and answered before its completion is signalled', async () => {
    const { fake, rhi, run, buffer, readbacks, executor } = setUp();
    const data = buffer('data');
    const readable = rhi.createBuffer({ label: 'readable', byteLength: 64, usage: BufferUsage.mapRead });
    run();
    rhi.beginFrame(1);
    rhi.readBuffer(1, readable, 0, 64);
    rhi.endFrame();
    run();
    await fake.completeWork();
    expect(readbacks).toEqual([[1, 64]]);
    expect(executor.completed.value).toBe(1);
    // A refused read is answered without bytes.
    rhi.readBuffer(2, data, 250, 64);
    run();
    expect(readbacks[1]).toEqual([2, 0]);
  });

  it('answer without bytes after a failed copy, and with bytes after the next successful copy', async () => {
    const { fake, rhi, run, buffer, readbacks, errors } = setUp();
    const kept = buffer('kept');
    const texture = (label: string) =>
      rhi.createTexture({ label, width: 8, height: 1, format: 'rgba8unorm', usage: 1 });
    const [picture, gone] = [texture('picture'), texture('gone')];
    rhi.destroy(gone);
    for (const [request, source] of [picture, gone, picture].entries()) {
      rhi.copyTextureToBuffer(source, kept, { width: 8, height: 1 });
      rhi.readBuffer(request, kept, 0, 32);
      run();
      await fake.completeWork();
    }
    expect(readbacks).toEqual([
      [0, 32],
      [1, 0],
      [2, 32],
    ]);
    expect(errors).toHaveLength(1);
  });
});

describe('a lost device', () => {
  it('ends completions, fails both fences, and is reported once', async () => {
    const { fake, executor, run, frame, errors } = setUp();
    frame(1);
    run();
    await fake.lose('driver reset');
    await fake.completeWork();
    expect(executor.completed.value).toBe(0);
    expect(errors.map(({ code }) => code)).toEqual(['device-lost']);
    await expect(executor.completed.whenReached(1)).rejects.toMatchObject({ code: 'device-lost' });
    await expect(executor.submitted.whenReached(9)).rejects.toMatchObject({ code: 'device-lost' });
    frame(2);
    run();
    expect(executor.submitted.value).toBe(1);
  });

  it('closes images that still arrive, and answers every read-back without bytes', async () => {
    const { fake, rhi, run, buffer, readbacks, target } = setUp();
    const data = buffer('data');
    rhi.beginFrame(1);
    rhi.readBuffer(1, data, 0, 64);
    run();
    await fake.lose('driver reset');
    let closed = 0;
    const image = { close: () => closed++ } as unknown as ImageBitmap;
    rhi.copyExternalImage(image, target, { width: 1, height: 1 });
    rhi.readBuffer(2, data, 0, 64);
    rhi.endFrame();
    run();
    expect(closed).toBe(1);
    // The read-back recorded before the loss is answered too.
    await waitFor(() => expect(readbacks).toHaveLength(2));
    expect(readbacks).toEqual(
      expect.arrayContaining([
        [1, 0],
        [2, 0],
      ]),
    );
  });

  it('fails the fences before the error is reported', async () => {
    let heard: Promise<unknown> | undefined;
    const { fake, executor } = setUp({
      onError: () => {
        heard = Promise.race([executor.completed.whenReached(1), Promise.resolve('still open')]);
      },
    });
    await fake.lose('driver reset');
    await expect(heard).rejects.toMatchObject({ code: 'device-lost' });
  });
});

describe('limits', () => {
  it('are checked before any call of WebGPU, in errors that name the resource', () => {
    const { rhi, run, errors } = setUp();
    rhi.createBuffer({ label: 'huge', byteLength: 2 ** 40, usage: 8 });
    rhi.createTexture({ label: 'wide', width: 9000, height: 1, format: 'rgba8unorm', usage: 4 });
    expect(run()).toEqual([]);
    expect(errors.map(({ code }) => code)).toEqual(['limit-exceeded', 'limit-exceeded']);
    expect(errors.map(({ message }) => /"(huge|wide)"/.exec(message)?.[1])).toEqual(['huge', 'wide']);
  });
});

describe('random records', () => {
  it('cause typed errors only, and the next frame is drawn', () => {
    // A frame that begins twice would wait for the GPU. Other tests cover this case.
    const names = (Object.keys(rhiCommands.fields) as (keyof typeof rhiCommands.fields)[]).filter(
      (name) => !['beginFrame', 'endFrame'].includes(name),
    );
    const word = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 0xffffffff }));
    // Writes for which upload pages have no room wait for the GPU. These writes are invalid and must not wait.
    const write = fc.record({
      opcode: fc
        .constantFrom('writeBuffer', 'writeBufferFromAttachment')
        .map((name) => rhiCommands.opcodes[name]),
      words: fc
        .tuple(word, fc.integer({ min: 0, max: 8 }), word, word, fc.integer({ min: 1, max: 2 ** 20 }))
        .map((words) => [...words]),
    });
    const record = fc.record({
      opcode: fc.constantFrom(...names).map((name) => rhiCommands.opcodes[name]),
      words: fc.array(word, { maxLength: 12 }),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(record, write), { maxLength: 30 }), (records) => {
        const { executor, rhi, writer, errors, run, frame, frames, buffer } = setUp({
          maximumUploadBytes: 2 ** 18,
        });
        const used = buffer('used');
        // After the clear is encoded, writes go through upload pages. The limit allows one page.
        rhi.clearBuffer(used, 0, 4);
        rhi.writeBuffer(used, 0, Uint32Array.of(1));
        for (const { opcode, words } of records) {
          const index = writer.reserve(opcode, words.length);
          writer.words.set(words, index);
        }
        run();
        const before = executor.submitted.value;
        frame(1);
        run();
        for (const error of errors) expect(error).toBeInstanceOf(FencepostError);
        expect([frames.length, executor.submitted.value]).toEqual([1, before + 1]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('attachments', () => {
  it('are reported with the resource’s name if they are missing or of another kind, and later commands are executed', () => {
    const { rhi, writer, run, frame, frames, errors, buffer } = setUp();
    const terrain = buffer('terrain');
    const sky = rhi.createTexture({ label: 'sky', width: 4, height: 4, format: 'rgba8unorm', usage: 2 });
    const record = (opcode: number, words: readonly number[]): void => {
      const at = writer.reserve(opcode, words.length);
      writer.words.set(words, at);
    };
    record(rhiCommands.opcodes.writeBufferFromAttachment, [9, terrain, 0, 0, 16]);
    record(rhiCommands.opcodes.copyExternalImage, [9, sky, 2, 0x7d7b]);
    rhi.copyExternalImage(5 as unknown as ImageBitmap, sky, { width: 1, height: 1 });
    rhi.writeTextureFromAttachment(sky, { width: 1, height: 1 }, {} as ArrayBuffer);
    frame(1);
    run();
    expect(errors.map(({ message }) => message)).toEqual([
      'The attachment of the command for "terrain" is not an ArrayBuffer, or an earlier command has taken it. Send one ArrayBuffer with each command.',
      'The attachment of the command for "sky" is not an ImageBitmap, or an earlier command has taken it. Send one ImageBitmap with each command.',
      'The attachment of the command for "sky" is not an ArrayBuffer, or an earlier command has taken it. Send one ArrayBuffer with each command.',
    ]);
    expect(frames).toHaveLength(1);
  });

  it('cause no further error after the device is lost, even if they are of another kind', async () => {
    const { fake, rhi, run, errors, target } = setUp();
    await fake.lose('driver reset');
    rhi.copyExternalImage(5 as unknown as ImageBitmap, target, { width: 1, height: 1 });
    run();
    expect(errors.map(({ code }) => code)).toEqual(['device-lost']);
  });
});

describe('a stream that is broken', () => {
  it('ends the executor, even if the error comes from another copy of the error classes', async () => {
    const { executor, reader, errors, run } = setUp();
    const foreign = Object.assign(new Error('The stream is broken.'), {
      name: 'StreamError',
      code: 'stream-corrupt',
    });
    reader.next = () => {
      throw foreign;
    };
    run();
    expect(errors).toEqual([foreign]);
    await expect(executor.completed.whenReached(1)).rejects.toBe(foreign);
  });
});

describe('GPU time', () => {
  it('is measured by timestamps of the first and last pass, and is null without timestamps', async () => {
    const { fake, run, frame, frames } = setUp({ features: ['timestamp-query'] });
    for (const number of [1, 2]) frame(number);
    const log = run();
    expect(log.filter((line) => line.startsWith('resolveQuerySet'))).toEqual([
      'resolveQuerySet frame time 0 2 frame time 0',
      'resolveQuerySet frame time 0 2 frame time 0',
    ]);
    expect(frames[0].gpuMs).toBeNull();
    await fake.completeWork();
    frame(3);
    run();
    // The fake's timestamps are all 0.
    expect(frames[2].gpuMs).toBe(0);
    const without = setUp();
    without.frame(1);
    expect(without.run().filter((line) => line.startsWith('resolveQuerySet'))).toEqual([]);
    expect(without.frames[0].gpuMs).toBeNull();
  });
});
