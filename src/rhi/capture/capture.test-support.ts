/** Captures for unit tests, made on the null backend, whose contents are put in by hand. */
import { createRhi, type Rhi } from '../create-rhi.js';
import { BufferUsage, TextureUsage } from '../descriptors.js';
import { type Capture, encodeCapture } from './capture-file.js';
import { decodeCapture } from './decode-capture.js';
import { RhiCapture } from './rhi-capture.js';

/** An RHI on the null backend with a capture prepared from the start. */
export function setUpNull(): { readonly rhi: Rhi; readonly capture: RhiCapture; readonly errors: unknown[] } {
  const errors: unknown[] = [];
  let capture: RhiCapture | undefined;
  const rhi = createRhi({
    device: null,
    onError: (error) => errors.push(error),
    wrapReader: (reader) => {
      capture = new RhiCapture({ reader, capabilities: NULL_CAPABILITIES });
      return reader;
    },
  });
  return { rhi, capture: capture as RhiCapture, errors };
}

export const NULL_CAPABILITIES = {
  backend: 'null',
  adapter: 'null',
  surfaceFormat: 'rgba8unorm',
  features: [],
  limits: {},
} as const;

/** Two frames with a bit of everything; buffers, a mip chain and both kinds of attachments. */
export async function makeTestCapture(): Promise<ArrayBuffer> {
  const { rhi, capture } = setUpNull();
  const { context } = rhi;
  const vertices = context.createBuffer({ label: 'vertices', byteLength: 24, usage: BufferUsage.vertex });
  const texture = context.createTexture({
    label: 'stones',
    width: 6,
    height: 4,
    mipLevelCount: 2,
    depthOrArrayLayers: 2,
    format: 'rgba8unorm',
    usage: TextureUsage.textureBinding | TextureUsage.copyTarget,
  });
  const module = context.createShaderModule({ label: 'shader', code: '@vertex fn main() {}' });
  const layout = context.createBindGroupLayout({ label: 'layout', entries: [] });
  const pipeline = context.createGraphicsPipeline({
    label: 'pipeline',
    bindGroupLayouts: [layout],
    vertex: { module, entryPoint: 'main', buffers: [{ arrayStride: 12, attributes: [] }] },
  });
  const group = context.createBindGroup({ label: 'group', layout, entries: [] });
  const viewport = context.createViewportTarget('canvas');
  context.destroy(module);
  capture.start();
  for (const frame of [7, 8]) {
    context.beginFrame(frame);
    context.writeBuffer(vertices, 4, Float32Array.of(1, 2, 3));
    if (frame === 8) {
      context.writeBufferFromAttachment(vertices, 0, Uint32Array.of(5, 6, 7).buffer);
      const bitmap = { close: () => {} } as ImageBitmap;
      context.copyExternalImage(bitmap, texture, { width: 6, height: 4 });
    }
    context.beginDrawingViewport(viewport, 32, 16);
    context.beginRenderPass({
      label: 'main',
      colorAttachments: [{ view: { texture: viewport }, loadOp: 'clear', storeOp: 'store' }],
    });
    context.setGraphicsPipeline(pipeline);
    context.setBindGroup(0, group);
    context.setVertexBuffer(0, vertices, 0, 24);
    context.draw(2);
    context.draw(1, 4);
    context.endRenderPass();
    context.endDrawingViewport(viewport);
    context.endFrame();
  }
  context.publish();
  rhi.executor.pump();
  const made = decodeCapture(await capture.stop());
  const bytes = (length: number, from: number): Uint8Array =>
    Uint8Array.from({ length }, (_, index) => (from + index) & 0xff);
  const filled: Capture = {
    ...made,
    contents: [
      { handle: vertices, mipLevel: 0, bytes: bytes(24, 1) },
      { handle: texture, mipLevel: 0, bytes: bytes(6 * 4 * 4 * 2, 50) },
      { handle: texture, mipLevel: 1, bytes: bytes(3 * 2 * 4 * 2, 90) },
    ],
    renderCommands: {
      names: ['', 'beginFrame', 'endFrame'],
      stream: Uint32Array.of(1 | (2 << 9), 7, 2 | (1 << 9)),
    },
  };
  return encodeCapture(filled);
}
