import { describe, expect, it } from 'vitest';
import type { FencepostError } from '../../../core/errors.js';
import { createLocalStream } from '../../../core/streams/page-stream.js';
import { rhiCommands } from '../../commands/commands.js';
import { type BufferHandle, BufferUsage } from '../../commands/descriptors.js';
import type { RhiFrameStats } from '../../execute/executor.js';
import { ImmediateContext } from '../../record/immediate-context.js';
import { WebGpuExecutor } from '../executor.js';
import { createFakeDevice } from '../fake-device.test-support.js';

function setUp() {
  const fake = createFakeDevice();
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const errors: FencepostError[] = [];
  const frames: RhiFrameStats[] = [];
  // The log distinguishes buffers with the same label: the first is `b`, the next are `b'` and `b''`.
  const names = new Map<string, number>();
  const device = fake.device as { createBuffer(descriptor: GPUBufferDescriptor): GPUBuffer };
  const createBuffer = device.createBuffer;
  device.createBuffer = (descriptor) => {
    const label = String(descriptor.label);
    const count = names.get(label) ?? 0;
    names.set(label, count + 1);
    return createBuffer({ ...descriptor, label: label + "'".repeat(count) });
  };
  // The log shows each bind group with its buffers.
  (fake.device as { createBindGroup(d: GPUBindGroupDescriptor): unknown }).createBindGroup = (d) => {
    const made = [...d.entries].map(({ resource }) => (resource as GPUBufferBinding).buffer.label).join();
    fake.log.push(`createBindGroup ${d.label} ${made}`);
    return { label: `${d.label}(${made})` };
  };
  const executor = new WebGpuExecutor({
    device: fake.device,
    reader,
    surface: null,
    maxFramesInFlight: 2,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => errors.push(error as FencepostError),
    onReadback: () => {},
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
  let number = 0;
  const frame = (inPass: () => void, before: () => void = () => {}) => {
    rhi.beginFrame(++number);
    before();
    rhi.beginDrawingViewport(target, 8, 8);
    rhi.beginRenderPass(pass);
    inPass();
    rhi.endRenderPass();
    rhi.endDrawingViewport(target);
    rhi.endFrame();
  };
  const buffer = (
    label: string,
    usage: number = BufferUsage.vertex | BufferUsage.copyTarget,
    byteLength = 64,
  ) => rhi.createBuffer({ label, byteLength, usage });
  /** Creates a pipeline that needs a vertex buffer, and a bind group with `uniforms`. */
  const scene = async (uniforms: BufferHandle, dynamicOffsets = false) => {
    const module = rhi.createShaderModule({ label: 'shader', code: '' });
    const layout = rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 1, buffer: { hasDynamicOffset: dynamicOffsets } }],
    });
    const group = rhi.createBindGroup({
      label: 'group',
      layout,
      entries: [{ binding: 0, buffer: uniforms }],
    });
    const pipeline = rhi.createGraphicsPipeline({
      label: 'pipeline',
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'main', buffers: [{ arrayStride: 12, attributes: [] }] },
    });
    run();
    await fake.finishPipeline();
    return { pipeline, group, layout };
  };
  return { fake, executor, rhi, run, frame, buffer, scene, errors, frames };
}

const calls = (log: readonly string[]) =>
  log.filter((line) => /^(set|draw|createB|writeBuffer|clear|destroy|submit)/.test(line));

describe('M1 a renamed buffer', () => {
  it('is set again in the open pass as vertex and index buffer, and later draws read the new memory', async () => {
    const { rhi, run, frame, buffer, scene, errors } = setUp();
    const vertices = buffer('v');
    const uniforms = buffer('u', BufferUsage.uniform | BufferUsage.copyTarget);
    const { pipeline, group } = await scene(uniforms);
    frame(() => {
      rhi.setGraphicsPipeline(pipeline);
      rhi.setBindGroup(0, group);
      rhi.setVertexBuffer(0, vertices, 4, 32);
      rhi.setIndexBuffer(vertices, 'uint32', 8, 16);
      rhi.drawIndexed(3);
      rhi.renameBuffer(vertices);
      rhi.writeBufferUnordered(vertices, 0, new Uint8Array(64));
      rhi.drawIndexed(3);
      // The renamed buffer counts as set, so this call is redundant.
      rhi.setVertexBuffer(0, vertices, 4, 32);
      rhi.drawIndexed(3);
    });
    expect(calls(run())).toEqual(
      [
        'createBuffer upload page',
        'setPipeline pipeline',
        'setBindGroup 0 group(u)',
        'setVertexBuffer 0 v 4 32',
        'setIndexBuffer v uint32 8 16',
        'drawIndexed 3 1 0 0 0',
        "createBuffer v'",
        "setVertexBuffer 0 v' 4 32",
        "setIndexBuffer v' uint32 8 16",
        "writeBuffer v' 0 16",
        'drawIndexed 3 1 0 0 0',
        'drawIndexed 3 1 0 0 0',
        'submit 1',
      ].filter((line) => !line.includes('upload')),
    );
    expect(errors).toEqual([]);
  });

  it('is replaced in its bind groups: at once if a group is set, otherwise when the group is next set', async () => {
    const { rhi, run, frame, buffer, scene, errors } = setUp();
    const vertices = buffer('v');
    const uniforms = buffer('u', BufferUsage.uniform | BufferUsage.copyTarget, 512);
    const { pipeline, group, layout } = await scene(uniforms, true);
    const other = rhi.createBindGroup({
      label: 'other',
      layout,
      entries: [{ binding: 0, buffer: uniforms }],
    });
    const apart = rhi.createBindGroup({
      label: 'apart',
      layout,
      entries: [{ binding: 0, buffer: vertices }],
    });
    run();
    frame(() => {
      rhi.setGraphicsPipeline(pipeline);
      rhi.setVertexBuffer(0, vertices, 0, 64);
      rhi.setBindGroup(0, group, [256]);
      rhi.draw(3);
      rhi.renameBuffer(uniforms);
      rhi.draw(3);
      rhi.setBindGroup(0, group, [256]);
      rhi.draw(3);
    });
    const first = calls(run()).slice(2);
    expect(first.map((line) => line.replace(/data \d+/, 'data'))).toEqual([
      'setBindGroup 0 group(u) data 1',
      'draw 3 1 0 0',
      "createBuffer u'",
      "createBindGroup group u'",
      "setBindGroup 0 group(u') data 1",
      'draw 3 1 0 0',
      'draw 3 1 0 0',
      'submit 1',
    ]);
    frame(() => {
      rhi.setGraphicsPipeline(pipeline);
      rhi.setVertexBuffer(0, vertices, 0, 64);
      rhi.setBindGroup(0, apart, [0]);
      rhi.draw(3);
      rhi.setBindGroup(0, other, [0]);
      rhi.draw(3);
    });
    expect(
      calls(run())
        .filter((line) => /BindGroup/.test(line))
        .map((l) => l.replace(/data \d+/, 'data')),
    ).toEqual([
      'setBindGroup 0 apart(v) data 1',
      "createBindGroup other u'",
      "setBindGroup 0 other(u') data 1",
    ]);
    expect(errors).toEqual([]);
  });

  it('is replaced in a bind group whose layout and sampler were destroyed after the group was created', async () => {
    const { fake, rhi, run, frame, buffer, errors } = setUp();
    const uniforms = buffer('u', BufferUsage.uniform | BufferUsage.copyTarget);
    const device = fake.device as { createBindGroup(descriptor: GPUBindGroupDescriptor): unknown };
    device.createBindGroup = ({ label, layout, entries }) => {
      const [bound, sampler] = [...entries].map(({ resource }) => resource);
      const names = [layout, (bound as GPUBufferBinding).buffer, sampler as GPUSampler].map(
        (each) => each.label,
      );
      fake.log.push(`createBindGroup ${label} ${names.join()}`);
      return { label };
    };
    const layout = rhi.createBindGroupLayout({
      label: 'layout',
      entries: [
        { binding: 0, visibility: 1, buffer: {} },
        { binding: 1, visibility: 1, sampler: {} },
      ],
    });
    const sampler = rhi.createSampler({ label: 'sampler' });
    const group = rhi.createBindGroup({
      label: 'group',
      layout,
      entries: [
        { binding: 0, buffer: uniforms },
        { binding: 1, sampler },
      ],
    });
    rhi.destroy(layout);
    rhi.destroy(sampler);
    run();
    rhi.renameBuffer(uniforms);
    frame(() => rhi.setBindGroup(0, group));
    expect(calls(run()).filter((line) => /BindGroup/.test(line))).toEqual([
      "createBindGroup group layout,u',sampler",
      'setBindGroup 0 group',
    ]);
    expect(errors).toEqual([]);
  });

  it('is set again with the same dynamic offsets', async () => {
    const { fake, rhi, run, frame, buffer, scene } = setUp();
    const uniforms = buffer('u', BufferUsage.uniform | BufferUsage.copyTarget, 1024);
    const { pipeline, group } = await scene(uniforms, true);
    const offsets: number[][] = [];
    const create = fake.device.createCommandEncoder.bind(fake.device);
    (fake.device as { createCommandEncoder: unknown }).createCommandEncoder = () => {
      const encoder = create() as unknown as { beginRenderPass(d: object): { setBindGroup: unknown } };
      const begin = encoder.beginRenderPass;
      encoder.beginRenderPass = (d) => ({
        ...begin(d),
        setBindGroup: (_: number, __: object, data: Uint32Array, start: number, count: number) =>
          offsets.push([...data.subarray(start, start + count)]),
      });
      return encoder;
    };
    frame(() => {
      rhi.setGraphicsPipeline(pipeline);
      rhi.setBindGroup(3, group, [256, 512, 768]);
      rhi.renameBuffer(uniforms);
    });
    run();
    expect(offsets).toEqual([
      [256, 512, 768],
      [256, 512, 768],
    ]);
  });

  it('passes its old memory to the release queue; steady renaming reuses memory and creates none', async () => {
    const { fake, rhi, run, frame, buffer, frames } = setUp();
    const b = buffer('b');
    run();
    const rename = () =>
      frame(
        () => {},
        () => {
          rhi.renameBuffer(b);
          rhi.writeBufferUnordered(b, 0, new Uint8Array(64).fill(1));
        },
      );
    const logs: string[][] = [];
    for (let i = 0; i < 6; i++) {
      rename();
      logs.push(calls(run()).filter((line) => !line.endsWith('viewport')));
      await fake.completeWork();
      logs[i]?.push(...calls(fake.take()));
    }
    expect(logs).toEqual([
      // The first memory is destroyed, because the pool did not create it.
      ["createBuffer b'", "writeBuffer b' 0 16", 'submit 1', 'destroy b'],
      ["createBuffer b''", "writeBuffer b'' 0 16", 'submit 1'],
      ["clearBuffer b'", 'submit 1', "writeBuffer b' 0 16", 'submit 1'],
      ["clearBuffer b''", 'submit 1', "writeBuffer b'' 0 16", 'submit 1'],
      ["clearBuffer b'", 'submit 1', "writeBuffer b' 0 16", 'submit 1'],
      ["clearBuffer b''", 'submit 1', "writeBuffer b'' 0 16", 'submit 1'],
    ]);
    expect(frames.map(({ pendingReleases }) => pendingReleases)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('takes no memory that the current list or an unfinished list may read', async () => {
    const { fake, rhi, run, frame, buffer } = setUp();
    const b = buffer('b');
    run();
    frame(
      () => {},
      () => {
        for (let i = 0; i < 3; i++) rhi.renameBuffer(b);
      },
    );
    expect(calls(run()).filter((line) => /Buffer b/.test(line))).toEqual([
      "createBuffer b'",
      "createBuffer b''",
      "createBuffer b'''",
    ]);
    frame(
      () => {},
      () => rhi.renameBuffer(b),
    );
    expect(calls(run()).filter((line) => /Buffer b/.test(line))).toEqual(["createBuffer b''''"]);
    // Completion of the first list puts b' and b'' into the pool. One submission clears both.
    await fake.completeWork();
    fake.take();
    frame(
      () => {},
      () => {
        rhi.renameBuffer(b);
        rhi.renameBuffer(b);
      },
    );
    expect(calls(run())).toEqual(["clearBuffer b''", "clearBuffer b'", 'submit 1', 'submit 1']);
  });

  it('does not pool memory that can’t be cleared', async () => {
    const { fake, rhi, run, frame, buffer } = setUp();
    const b = buffer('b', BufferUsage.storage);
    run();
    for (let i = 0; i < 3; i++) {
      frame(
        () => {},
        () => rhi.renameBuffer(b),
      );
      run();
      await fake.completeWork();
    }
    expect(fake.take()).toContain("destroy b''");
  });

  it('frees pooled memory that stays unused, and the remaining memory when the executor is disposed of', async () => {
    const { fake, executor, rhi, run, frame, buffer } = setUp();
    const b = buffer('b');
    run();
    frame(
      () => {},
      () => {
        for (let i = 0; i < 4; i++) rhi.renameBuffer(b);
      },
    );
    const log: string[] = [];
    for (let i = 0; i < 140; i++) {
      frame(
        () => {},
        () => i % 60 === 0 && rhi.renameBuffer(b),
      );
      log.push(...run());
      await fake.completeWork();
      log.push(...fake.take());
    }
    expect(log.filter((line) => /^destroy b/.test(line))).toEqual([
      'destroy b',
      "destroy b'",
      "destroy b''",
      "destroy b'''",
    ]);
    rhi.destroy(b);
    run();
    expect(executor.dispose().leaks.length).toBe(0);
    expect(fake.take().filter((line) => /^destroy b/.test(line)).length).toBe(2);
  });

  it('fails if the GPU has no memory left: an error names the buffer, and its draws are skipped', async () => {
    const { fake, rhi, run, frame, buffer, scene, errors, frames } = setUp();
    const vertices = buffer('v');
    const uniforms = buffer('u', BufferUsage.uniform | BufferUsage.copyTarget);
    const { pipeline, group } = await scene(uniforms);
    const draw = () => {
      rhi.setGraphicsPipeline(pipeline);
      rhi.setBindGroup(0, group);
      rhi.setVertexBuffer(0, vertices, 0, 64);
      rhi.draw(3);
    };
    frame(draw);
    run();
    fake.failNextScope('none left', 'out-of-memory');
    frame(
      () => {},
      () => rhi.renameBuffer(uniforms),
    );
    run();
    await fake.completeWork();
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['out-of-memory', 'The buffer "u" could not be renamed: none left Commands that use it are left out.'],
    ]);
    frame(draw);
    run();
    expect(frames.map(({ drawCalls, skippedDraws }) => [drawCalls, skippedDraws])).toEqual([
      [1, 0],
      [0, 0],
      [0, 1],
    ]);
  });

  it('refuses a write past its end, and a rename of an unknown handle, with typed errors', () => {
    const { rhi, run, buffer, errors } = setUp();
    const b = buffer('b');
    rhi.writeBufferUnordered(b, 32, new Uint8Array(64));
    rhi.renameBuffer(99 as BufferHandle);
    run();
    expect(errors.map(({ code }) => code)).toEqual(['out-of-range', 'wrong-handle-kind']);
  });
});
