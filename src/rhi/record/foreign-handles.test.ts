/**
 * Calls refuse a handle of another RHI, in an error that names the handle. Without the check, a call would use this
 * RHI's own resource in the handle's slot.
 */
import { beforeEach, expect, it } from 'vitest';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  type TextureHandle,
  TextureUsage,
} from '../commands/descriptors.js';
import { handleIndex } from '../commands/handles.js';
import { createRhi, type Rhi } from '../host/create-rhi.js';
import { BufferMapping } from '../mapping/buffer-mapping.js';
import { CheckedDeferredContext as DeferredContext } from './checked-contexts.js';

interface Scene {
  readonly rhi: Rhi;
  readonly buffer: BufferHandle;
  readonly texture: TextureHandle;
  readonly layout: BindGroupLayoutHandle;
  readonly group: BindGroupHandle;
  readonly pipeline: GraphicsPipelineHandle;
}

function makeScene(label: string): Scene {
  const rhi = createRhi({ device: null, label });
  const { context } = rhi;
  const usage = Object.values(BufferUsage).reduce((sum, bit) => (bit < 4 ? sum : sum | bit), 0);
  const buffer = context.createBuffer({ label: `${label}’s`, byteLength: 256, usage });
  const texture = context.createTexture({
    label: `${label}’s`,
    width: 4,
    height: 4,
    format: 'rgba8unorm',
    usage: TextureUsage.renderAttachment | TextureUsage.copySource | TextureUsage.copyTarget,
  });
  const entry = { binding: 0, visibility: 1, buffer: {} };
  const layout = context.createBindGroupLayout({ label, entries: [entry] });
  const group = context.createBindGroup({ label, layout, entries: [{ binding: 0, buffer }] });
  const module = context.createShaderModule({ label, code: '' });
  const pipeline = context.createGraphicsPipeline({
    label,
    bindGroupLayouts: [layout],
    vertex: { module, entryPoint: 'main' },
  });
  return { rhi, buffer, texture, layout, group, pipeline };
}

let own: Scene;
let foreign: Scene;
beforeEach(() => {
  [own, foreign] = [makeScene('own'), makeScene('other')];
});

const bytes = new Uint8Array(4);
const region = { width: 1, height: 1 };

/**
 * Faulty calls by name: the field in the error, and the call on the RHI of `own` with a handle of `foreign`.
 */
const slips: Readonly<Record<string, [field: string, slip: (own: Scene, foreign: Scene) => unknown]>> = {
  writeBuffer: ['buffer', ({ rhi }, { buffer }) => rhi.context.writeBuffer(buffer, 0, bytes)],
  writeTexture: ['texture', ({ rhi }, { texture }) => rhi.context.writeTexture(texture, region, bytes)],
  writeBufferFromAttachment: [
    'buffer',
    ({ rhi }, { buffer }) => rhi.context.writeBufferFromAttachment(buffer, 0, new ArrayBuffer(4)),
  ],
  reserveBufferWrite: ['buffer', ({ rhi }, { buffer }) => rhi.context.reserveBufferWrite(buffer, 0, 4)],
  copyBufferToBuffer: [
    'target',
    ({ rhi, buffer }, other) => rhi.context.copyBufferToBuffer(buffer, 0, other.buffer, 0, 4),
  ],
  setVertexBuffer: ['buffer', ({ rhi }, { buffer }) => rhi.context.setVertexBuffer(0, buffer, 0, 4)],
  setIndexBuffer: ['buffer', ({ rhi }, { buffer }) => rhi.context.setIndexBuffer(buffer, 'uint16', 0, 4)],
  setBindGroup: ['bindGroup', ({ rhi }, { group }) => rhi.context.setBindGroup(0, group)],
  setGraphicsPipeline: ['pipeline', ({ rhi }, { pipeline }) => rhi.context.setGraphicsPipeline(pipeline)],
  destroy: ['handle', ({ rhi }, { buffer }) => rhi.context.destroy(buffer)],
  readBuffer: ['buffer', ({ rhi }, { buffer }) => rhi.context.readBuffer(0, buffer, 0, 4)],
  createBindGroup: [
    'entries[0].buffer',
    ({ rhi, layout }, { buffer }) =>
      rhi.context.createBindGroup({ label: 'mixed', layout, entries: [{ binding: 0, buffer }] }),
  ],
  createGraphicsPipeline: [
    'bindGroupLayouts[0]',
    ({ rhi }, { layout }) =>
      rhi.context.createGraphicsPipeline({
        label: 'mixed',
        bindGroupLayouts: [layout],
        vertex: { module: 4 as never, entryPoint: 'main' },
      }),
  ],
  beginRenderPass: [
    'colorAttachments[0].view.texture',
    ({ rhi }, { texture }) =>
      rhi.context.beginRenderPass({
        label: 'mixed',
        colorAttachments: [{ view: { texture }, loadOp: 'clear', storeOp: 'store' }],
      }),
  ],
  'in a draw bundle': [
    'pipeline',
    ({ rhi }, { pipeline }) =>
      rhi.context.createDrawBundle({ label: 'mixed' }, (draws) => draws.setGraphicsPipeline(pipeline)),
  ],
  'in a deferred list': [
    'buffer',
    ({ rhi }, { buffer }) => {
      const deferred = new DeferredContext();
      rhi.context.beginFrame(0);
      deferred.begin(rhi.context.openSubList('list'));
      deferred.writeBuffer(buffer, 0, bytes);
    },
  ],
};

it.each(Object.entries(slips))('refuses %s with a handle of another RHI', (name, [field, slip]) => {
  const call = name === 'reserveBufferWrite' ? 'writeBuffer' : name;
  // An error about a descriptor names the described resource by its label. Other errors name the call.
  const subject = /^(createB|createG|beginR)/.test(name)
    ? '"mixed" has'
    : name.startsWith('in a')
      ? ''
      : call;
  const before = own.rhi.context.writer.bytesWritten;
  const refusal = expect.objectContaining({
    code: 'foreign-handle',
    message: expect.stringMatching(`${field.replaceAll('[', '\\[').replaceAll(']', '\\]')} .*another RHI`),
  });
  expect(() => slip(own, foreign)).toThrow(refusal);
  expect(() => slip(foreign, own)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(subject) }),
  );
  if (!name.startsWith('in a')) expect(own.rhi.context.writer.bytesWritten).toBe(before);
});

it('rhi.read, readTexture and mapping refuse a handle of another RHI too', async () => {
  const refusal = expect.objectContaining({ code: 'foreign-handle' });
  expect(() => own.rhi.read(foreign.buffer)).toThrow(refusal);
  expect(() => own.rhi.readTexture(foreign.texture)).toThrow(refusal);
  const mapping = new BufferMapping(own.rhi);
  await expect(async () => mapping.map(foreign.buffer, { mode: 'read' } as never)).rejects.toThrow();
});

it('two RHIs use the same slots: only the mark distinguishes their handles, and records hold no mark', () => {
  expect(handleIndex(own.buffer)).toBe(handleIndex(foreign.buffer));
  expect(own.buffer >>> 0).toBe(foreign.buffer >>> 0);
  expect(own.buffer).not.toBe(foreign.buffer);
  const { context } = own.rhi;
  expect(context.descriptorOf(own.buffer)).toMatchObject({ label: 'own’s' });
  context.beginFrame(0);
  context.writeBuffer(own.buffer, 0, bytes);
  const { words } = context.writer;
  expect([...words].some((word) => word === own.buffer >>> 0)).toBe(true);
});
