/**
 * Creates, uses and destroys resources through `fencepost/rhi`, frame after frame, and counts the living resources. The
 * executor's own figures count objects. Calls of the device that create and destroy resources count GPU memory.
 *
 *   frame   4 × buffer + write + bind group + draw, 1 × renaming, 3 × dynamic buffer, 2 × texture + write + copy
 */
import {
  BufferMapping,
  BufferUsage,
  createRhi,
  DynamicBuffers,
  openDevice,
  ShaderStage,
  TextureUsage,
} from '../../src/rhi.js';

// 10 cycles per frame:
const BUFFERS = 4;
const RENAMES = 1;
const TRANSIENT = 3;
const TEXTURES = 2;
const BYTES = 4096;

export interface MemorySample {
  readonly liveResources: number;
  readonly gpuBytes: number;
  readonly pendingReleases: number;
  readonly handleCount: number;
}

export interface MemoryRun {
  /** Figures after the frames are complete. */
  readonly end: MemorySample;
  /** Maximum of each figure during the run. */
  readonly peak: MemorySample;
  readonly errors: readonly string[];
}

declare global {
  interface Window {
    openMemory(): Promise<void>;
    runMemory(frames: number): Promise<MemoryRun>;
    /** Ends the run. Returns the labels of resources that were never destroyed. */
    closeMemory(): string[];
  }
}

/** Counts the bytes of buffers and textures from their creation to their destruction. */
function countBytes(device: GPUDevice): () => number {
  let bytes = 0;
  const counted = <T extends { destroy(): void }>(object: T, byteLength: number): T => {
    const destroy = object.destroy.bind(object);
    let isAlive = true;
    bytes += byteLength;
    object.destroy = () => {
      if (isAlive) bytes -= byteLength;
      isAlive = false;
      return destroy() as undefined;
    };
    return object;
  };
  const { createBuffer, createTexture } = device;
  device.createBuffer = (descriptor) => counted(createBuffer.call(device, descriptor), descriptor.size);
  device.createTexture = (descriptor) => {
    const texture = createTexture.call(device, descriptor);
    return counted(texture, texture.width * texture.height * 4);
  };
  return () => bytes;
}

window.openMemory = async () => {
  const { device } = await openDevice(navigator.gpu);
  const gpuBytes = countBytes(device);
  const errors: string[] = [];
  const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
  const { context, executor } = rhi;
  const mapping = new BufferMapping(rhi);
  const dynamic = new DynamicBuffers(context);
  const module = context.createShaderModule({
    label: 'shader',
    code: /* wgsl */ `
      @group(0) @binding(0) var<uniform> color: vec4f;
      @vertex fn corner(@location(0) place: vec4f) -> @builtin(position) vec4f { return place; }
      @fragment fn paint() -> @location(0) vec4f { return color; }`,
  });
  const layout = context.createBindGroupLayout({
    label: 'color',
    entries: [{ binding: 0, visibility: ShaderStage.fragment, buffer: {} }],
  });
  const pipeline = context.createGraphicsPipeline({
    label: 'paint',
    bindGroupLayouts: [layout],
    vertex: {
      module,
      entryPoint: 'corner',
      buffers: [{ arrayStride: 16, attributes: [{ format: 'float32x4', offset: 0, shaderLocation: 0 }] }],
    },
    fragment: { module, entryPoint: 'paint', targets: [{ format: 'rgba8unorm' }] },
  });
  const texture = (label: string, usage: number) =>
    context.createTexture({ label, width: 32, height: 32, format: 'rgba8unorm', usage });
  const { renderAttachment, copySource, copyTarget } = TextureUsage;
  const target = texture('target', renderAttachment | copyTarget);
  const bufferUsage = BufferUsage.uniform | BufferUsage.vertex | BufferUsage.copyTarget;
  const renamed = context.createBuffer({ label: 'renamed', byteLength: BYTES, usage: bufferUsage });
  const data = new Uint8Array(BYTES);
  const texels = new Uint8Array(32 * 32 * 4);
  const region = { width: 32, height: 32, bytesPerRow: 128 };
  const pass = {
    label: 'target',
    colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
  } as const;

  const sample = (): MemorySample => ({
    liveResources: executor.stats.liveResources,
    pendingReleases: executor.stats.pendingReleases,
    gpuBytes: gpuBytes(),
    handleCount: context.handles.liveCount,
  });

  const record = (): void => {
    const created: (typeof target | typeof renamed | ReturnType<typeof dynamic.bindGroup>)[] = [];
    for (let i = 0; i < TEXTURES; i++) {
      const copied = texture(`texture ${i}`, copySource | copyTarget);
      context.writeTexture(copied, region, texels);
      context.copyTextureToTexture(copied, target, { width: 32, height: 32 });
      created.push(copied);
    }
    const buffers = Array.from({ length: BUFFERS }, (_, i) => {
      const buffer = context.createBuffer({ label: `buffer ${i}`, byteLength: BYTES, usage: bufferUsage });
      context.writeBuffer(buffer, 0, data);
      return buffer;
    });
    context.beginRenderPass(pass);
    context.setGraphicsPipeline(pipeline);
    const draw = (buffer: typeof renamed, byteOffset: number) => {
      const entries = [{ binding: 0, buffer, byteOffset, byteLength: 16 }];
      const group = dynamic.bindGroup({ label: 'color', layout, entries });
      context.setBindGroup(0, group);
      context.setVertexBuffer(0, buffer, byteOffset, 48);
      context.draw(3);
    };
    for (const buffer of buffers) draw(buffer, 0);
    for (let i = 0; i < RENAMES; i++) {
      mapping.map(renamed, 'write-discard').unmap();
      draw(renamed, 0);
    }
    for (let i = 0; i < TRANSIENT; i++) {
      const allocation = dynamic.allocate(BYTES);
      allocation.commit();
      draw(allocation.buffer, allocation.byteOffset);
    }
    context.endRenderPass();
    for (const handle of [...created, ...buffers]) context.destroy(handle);
  };

  let frame = 0;
  window.runMemory = async (frames) => {
    let peak = sample();
    for (let i = 0; i < frames; i++, frame++) {
      context.beginFrame(frame);
      record();
      context.endFrame();
      context.publish();
      const now = sample();
      peak = {
        liveResources: Math.max(peak.liveResources, now.liveResources),
        gpuBytes: Math.max(peak.gpuBytes, now.gpuBytes),
        pendingReleases: Math.max(peak.pendingReleases, now.pendingReleases),
        handleCount: Math.max(peak.handleCount, now.handleCount),
      };
      // One frame ahead of the GPU, so that releases have to wait.
      if (frame > 0) await rhi.whenCompleted(frame - 1);
    }
    await rhi.flush();
    return { end: sample(), peak, errors: errors.splice(0) };
  };
  window.closeMemory = () => {
    mapping.dispose();
    dynamic.dispose();
    for (const handle of [module, layout, pipeline, target, renamed]) context.destroy(handle);
    const { leaks } = rhi.dispose();
    device.destroy();
    return leaks.map(({ label }) => label);
  };
};
