/**
 * Mistakes that WebGPU itself finds, one of each kind, and their errors with validation enabled: in Chromium
 * and, with Dawn, in Node. Every object has a label, because the messages must contain the labels.
 */
import { BufferUsage, createRhi, type Rhi, type RhiError, TextureUsage, validate } from 'fencepost/rhi';

export interface GpuSlip {
  readonly title: string;
  /** Parts that the message must contain: the command, and the names of objects. */
  readonly expectedParts: readonly string[];
  record(rhi: Rhi): void;
}

const SHADER = `
@group(0) @binding(0) var<uniform> size: vec4f;
@vertex fn vertex(@location(0) position: vec4f) -> @builtin(position) vec4f { return position * size; }
@vertex fn plain() -> @builtin(position) vec4f { return vec4f(0); }
@fragment fn fragment() -> @location(0) vec4f { return vec4f(1); }`;

const texture = ({ context }: Rhi, label: string, usage: number = TextureUsage.renderAttachment) =>
  context.createTexture({ label, width: 4, height: 4, format: 'rgba8unorm', usage });

const buffer = ({ context }: Rhi, label: string, usage: number, byteLength = 16) =>
  context.createBuffer({ label, byteLength, usage });

/** Records commands in a pass "main" of frame 7. */
function inPass(rhi: Rhi, record: () => void): void {
  const { context } = rhi;
  const view = { texture: texture(rhi, 'target') };
  context.beginFrame(7, 1);
  context.beginRenderPass({ label: 'main', colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
  record();
  context.endRenderPass();
  context.endFrame();
}

const uniforms = (rhi: Rhi, label: string, buffer: GPUBufferBindingLayout = {}) =>
  rhi.context.createBindGroupLayout({ label, entries: [{ binding: 0, visibility: 1, buffer }] });

/** Creates a pipeline that needs a bind group and a vertex buffer. */
function pipeline(rhi: Rhi, layout: ReturnType<typeof uniforms>, format: GPUTextureFormat = 'rgba8unorm') {
  const module = rhi.context.createShaderModule({ label: 'shader', code: SHADER });
  const attributes = [{ format: 'float32x4', offset: 0, shaderLocation: 0 }] as const;
  return rhi.context.createGraphicsPipeline({
    label: 'triangles',
    bindGroupLayouts: [layout],
    vertex: { module, entryPoint: 'vertex', buffers: [{ arrayStride: 16, attributes: [...attributes] }] },
    fragment: { module, entryPoint: 'fragment', targets: [{ format }] },
  });
}

export const gpuSlips: readonly GpuSlip[] = [
  {
    title: 'formats: a storage texture of an sRGB format',
    expectedParts: ['createTexture', '"sky"', 'frame 7'],
    record: (rhi) => {
      rhi.context.beginFrame(7);
      const usage = TextureUsage.storageBinding;
      rhi.context.createTexture({ label: 'sky', width: 4, height: 4, format: 'rgba8unorm-srgb', usage });
      rhi.context.endFrame();
    },
  },
  {
    title: 'bind groups: an entry that the layout lacks',
    expectedParts: ['createBindGroup', '"material"', 'frame 7'],
    record: (rhi) => {
      rhi.context.beginFrame(7);
      const layout = uniforms(rhi, 'layout');
      const entries = [{ binding: 3, buffer: buffer(rhi, 'numbers', BufferUsage.uniform) }];
      rhi.context.createBindGroup({ label: 'material', layout, entries });
      rhi.context.endFrame();
    },
  },
  {
    title: 'bind groups: a draw with a group of another layout',
    expectedParts: ['draw', 'pass "main"', 'frame 7', '"material"'],
    record: (rhi) => {
      const { context } = rhi;
      const other = uniforms(rhi, 'other', { type: 'read-only-storage' });
      const entries = [{ binding: 0, buffer: buffer(rhi, 'numbers', BufferUsage.storage) }];
      const group = context.createBindGroup({ label: 'material', layout: other, entries });
      const triangles = pipeline(rhi, uniforms(rhi, 'layout'));
      inPass(rhi, () => {
        context.setGraphicsPipeline(triangles);
        context.setBindGroup(0, group);
        context.setVertexBuffer(0, buffer(rhi, 'vertices', BufferUsage.vertex, 64), 0, 64);
        context.draw(3);
      });
    },
  },
  {
    title: 'pipelines: a target format that differs from the pass’s',
    expectedParts: ['setGraphicsPipeline', '"triangles"', 'pass "main"', 'frame 7'],
    record: (rhi) => {
      const triangles = pipeline(rhi, uniforms(rhi, 'layout'), 'r8unorm');
      inPass(rhi, () => rhi.context.setGraphicsPipeline(triangles));
    },
  },
  {
    title: 'usages: a uniform buffer bound as a vertex buffer',
    expectedParts: ['setVertexBuffer', '"numbers"', 'pass "main"', 'frame 7'],
    record: (rhi) => {
      const numbers = buffer(rhi, 'numbers', BufferUsage.uniform);
      inPass(rhi, () => rhi.context.setVertexBuffer(0, numbers, 0, 16));
    },
  },
  {
    title: 'usage scopes: a texture drawn into and sampled in one pass',
    expectedParts: ['refused the pass "main" of frame 7', '"target"'],
    record: (rhi) => {
      const { context } = rhi;
      const both = texture(rhi, 'target', TextureUsage.renderAttachment | TextureUsage.textureBinding);
      const layout = context.createBindGroupLayout({
        label: 'layout',
        entries: [{ binding: 0, visibility: 2, texture: {} }],
      });
      const entries = [{ binding: 0, view: { texture: both } }];
      const group = context.createBindGroup({ label: 'material', layout, entries });
      const attachment = { view: { texture: both }, loadOp: 'clear', storeOp: 'store' } as const;
      context.beginFrame(7);
      context.beginRenderPass({ label: 'main', colorAttachments: [attachment] });
      context.setBindGroup(0, group);
      context.endRenderPass();
      context.endFrame();
    },
  },
  {
    title: 'copies: a copy beyond a buffer’s end',
    expectedParts: ['copyBufferToBuffer', '"small"', 'frame 7'],
    record: (rhi) => {
      const { context } = rhi;
      const [large, small] = [
        buffer(rhi, 'large', BufferUsage.copySource, 64),
        buffer(rhi, 'small', BufferUsage.copyTarget),
      ];
      context.beginFrame(7);
      context.copyBufferToBuffer(large, 0, small, 8, 16);
      context.endFrame();
    },
  },
  {
    title: 'writes: a write into a buffer without copyTarget',
    expectedParts: ['writeBuffer', 'buffer "numbers"', 'frame 7'],
    record: (rhi) => {
      const numbers = buffer(rhi, 'numbers', BufferUsage.uniform);
      rhi.context.beginFrame(7);
      rhi.context.writeBuffer(numbers, 0, new Uint32Array(4));
      rhi.context.endFrame();
    },
  },
  {
    title: 'limits: more workgroups than the device allows',
    expectedParts: ['dispatch', 'pass "work"', 'frame 7'],
    record: (rhi) => {
      const { context } = rhi;
      const code = '@compute @workgroup_size(1) fn main() {}';
      const module = context.createShaderModule({ label: 'shader', code });
      const work = context.createComputePipeline({
        label: 'work',
        bindGroupLayouts: [],
        compute: { module, entryPoint: 'main' },
      });
      context.beginFrame(7, 1);
      context.beginComputePass({ label: 'work' });
      context.setComputePipeline(work);
      context.dispatch(2 ** 31 - 1);
      context.endComputePass();
      context.endFrame();
    },
  },
];

/** Returns the errors reported for a slip, as code and message, in order. */
export async function errorsOf(slip: GpuSlip, device: GPUDevice, isValidated: boolean): Promise<string[]> {
  const errors: string[] = [];
  const onError = (error: unknown): void => {
    const { code, message } = error as RhiError;
    errors.push(`${code}: ${message}`);
  };
  const rhi = createRhi({ device, onError, ...(isValidated && { validation: validate }) });
  slip.record(rhi);
  await rhi.flush();
  // Error scopes report in the order of their calls, so this scope reports last.
  device.pushErrorScope('validation');
  await device.popErrorScope();
  await device.queue.onSubmittedWorkDone();
  rhi.dispose();
  return errors;
}
