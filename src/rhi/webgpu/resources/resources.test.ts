import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../../../core/streams/page-stream.js';
import { rhiCommands } from '../../commands/commands.js';
import { BufferUsage } from '../../commands/descriptors.js';
import { ResourceKind } from '../../commands/handles.js';
import { FenceTable } from '../../execute/fence-table.js';
import { ImmediateContext } from '../../record/immediate-context.js';
import { createFakeDevice } from '../fake-device.test-support.js';
import { handlersByName } from '../handlers.js';
import type { WebGpuBackend } from '../webgpu-backend.js';
import { Resources } from './resources.js';

function setUp() {
  const fake = createFakeDevice();
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const resources = new Resources(fake.device, reader, () => {});
  const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
  const host = { release: () => {} };
  const backend = { resources, host, renaming: { noteUses: () => {} } } as unknown as WebGpuBackend;
  /** Executes the recorded creations and destroys, and returns the words of each record in the stream. */
  const run = (): number[][] => {
    rhi.publish();
    const records: number[][] = [];
    while (reader.next()) {
      records.push([...reader.words.slice(reader.fields - 1, reader.fields + reader.fieldWords)]);
      const name = rhiCommands.names[reader.opcode]!;
      if (/^(create(?!Fence)|destroy)/.test(name)) handlersByName[name](backend, reader);
    }
    return records;
  };
  return { fake, resources, rhi, run };
}

describe('a live resource', () => {
  it('keeps a copy of the record that created it, header included', () => {
    const { resources, rhi, run } = setUp();
    const handles = [
      rhi.createBuffer({ label: 'b', byteLength: 16, usage: BufferUsage.vertex }),
      rhi.createTexture({ label: 't', width: 1, height: 1, format: 'rgba8unorm', usage: 4 }),
      rhi.createSampler({ label: 's' }),
      rhi.createShaderModule({ label: 'm', code: 'code of m' }),
      rhi.createBindGroupLayout({ label: 'l', entries: [] }),
    ];
    const records = run();
    // These writes overwrite the stream's pages, so a kept record has to be a copy.
    for (let i = 0; i < 40; i++) rhi.writeBuffer(handles[0] as never, 0, new Uint32Array(4000).fill(9));
    run();
    const live = resources.tables.flatMap((table) => [...(table?.values() ?? [])]);
    expect(live.map(({ handle }) => handle)).toEqual(handles);
    expect(live.map((resource) => [...(resources.creationOf(resource) ?? [])])).toEqual(records);
    const creation = resources.creationOf(resources.shaderModules.get(handles[3] as number));
    expect(creation?.[0]).toBe(records[3]?.[0]);
    expect((creation?.[0] ?? 0) & 0xff).toBe(rhiCommands.opcodes.createShaderModule);
    expect((creation?.[0] ?? 0) >>> 9).toBe(creation?.length);
    expect(creation?.[1]).toBe(handles[3]);
  });
});

describe('a live fence', () => {
  it('has no record, and is not among the resources that records create again', () => {
    const { resources, rhi, run } = setUp();
    const fences = new FenceTable();
    resources.addTable(ResourceKind.fence, fences);
    fences.create(rhi.createFence('done'), 0, 'done', 0);
    const handles = [
      rhi.createBindGroupLayout({ label: 'l', entries: [] }),
      rhi.createBuffer({ label: 'b', byteLength: 16, usage: BufferUsage.vertex }),
    ];
    rhi.publish();
    run();
    const created = resources.inOrderOfCreation();
    expect(created.map(({ handle }) => handle)).toEqual(handles);
  });
});

describe('the epoch of the resources', () => {
  it('rises when a pipeline is ready or has failed, and when the GPU refuses a resource', async () => {
    const { fake, resources, rhi, run } = setUp();
    const module = rhi.createShaderModule({ label: 'm', code: '' });
    const pipeline = (label: string) =>
      rhi.createGraphicsPipeline({ label, bindGroupLayouts: [], vertex: { module, entryPoint: 'main' } });
    pipeline('first');
    pipeline('second');
    run();
    expect(resources.epoch).toBe(0);
    await fake.finishPipeline();
    expect(resources.epoch).toBe(1);
    await fake.finishPipeline(new Error('no'));
    expect(resources.epoch).toBe(2);
    rhi.createBuffer({ label: 'b', byteLength: 16, usage: BufferUsage.vertex });
    fake.failNextScope('no memory');
    run();
    expect(resources.epoch).toBe(2);
    await Promise.resolve();
    await Promise.resolve();
    expect(resources.epoch).toBe(3);
  });
});

describe('pipeline layouts', () => {
  it('are shared by pipelines with the same bind group layouts, and dropped with any of those layouts', async () => {
    const { fake, resources, rhi, run } = setUp();
    const module = rhi.createShaderModule({ label: 'm', code: '' });
    const entries = [{ binding: 0, visibility: 1, buffer: {} }];
    const kept = rhi.createBindGroupLayout({ label: 'kept', entries });
    const pipeline = (label: string, bindGroupLayouts: (typeof kept)[]) =>
      rhi.createGraphicsPipeline({ label, bindGroupLayouts, vertex: { module, entryPoint: 'main' } });
    pipeline('first', [kept]);
    pipeline('second', [kept]);
    run();
    expect(resources.pipelineLayouts.size).toBe(1);
    for (let i = 0; i < 50; i++) {
      const layout = rhi.createBindGroupLayout({ label: 'short', entries });
      const user = pipeline('user', [kept, layout]);
      run();
      expect(resources.pipelineLayouts.size).toBe(2);
      rhi.destroy(user);
      rhi.destroy(layout);
      run();
    }
    expect(resources.pipelineLayouts.size).toBe(1);
    expect(fake.take().filter((line) => line.startsWith('createPipelineAsync'))).toHaveLength(52);
  });
});
