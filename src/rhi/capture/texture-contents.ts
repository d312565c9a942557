/**
 * Decides which textures are captured with their texels, and writes the texels back in a replay.
 *
 *   colours, 16-bit depth ─► queue.writeTexture
 *   32-bit depth          ─► r32float texture, layer by layer ─► drawn into the texture as `frag_depth`
 *
 * WebGPU copies 32-bit depth out of textures, but not into them. Shadow maps that persist between frames have to be in
 * the capture, because frames read them without drawing them.
 */
import { ShaderStage, type TextureDescriptor, TextureUsage } from '../commands/descriptors.js';
import { type LevelLayout, levelLayout, levelSize } from '../commands/texel-levels.js';

/** Bytes of a texel, by depth format. WebGPU can't copy depth of 24 bits. */
const DEPTH_BYTES: ReadonlyMap<string, number> = new Map([
  ['depth16unorm', 2],
  ['depth32float', 4],
]);
const READ_AND_DRAWN = TextureUsage.textureBinding | TextureUsage.renderAttachment;

/**
 * Returns the layout of a mip level's texels in a capture.
 * @returns null if the capture omits the texels: for multisampled and stencil textures, 24-bit depth, depth that is
 *   not both readable in shaders and drawable, unknown formats, and missing mip levels
 */
export function capturedLayout(
  texture: Omit<TextureDescriptor, 'label'>,
  mipLevel: number,
): LevelLayout | null {
  const bytes = DEPTH_BYTES.get(texture.format);
  if (bytes === undefined) return levelLayout(texture, mipLevel);
  if ((texture.usage & READ_AND_DRAWN) !== READ_AND_DRAWN) return null;
  return levelLayout(texture, mipLevel, { bytes, width: 1, height: 1 });
}

/** Writes texels in the layout of `capturedLayout`, in order with the queue's submissions. */
export function writeContents(
  device: GPUDevice,
  texture: GPUTexture,
  mipLevel: number,
  bytes: Uint8Array<ArrayBuffer>,
): void {
  const layout = capturedLayout(texture, mipLevel);
  if (layout === null) return;
  if (texture.format === 'depth32float') drawDepth(device, texture, mipLevel, bytes, layout);
  else device.queue.writeTexture({ texture, mipLevel }, bytes, layout, layout);
}

const SHADER = /* wgsl */ `
@group(0) @binding(0) var depths: texture_2d<f32>;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i / 2) * 4 - 1, f32(i % 2) * 4 - 1, 0, 1);
}
@fragment fn depth(@builtin(position) position: vec4f) -> @builtin(frag_depth) f32 {
  return textureLoad(depths, vec2u(position.xy), 0).r;
}`;

function drawDepth(
  device: GPUDevice,
  texture: GPUTexture,
  baseMipLevel: number,
  bytes: Uint8Array<ArrayBuffer>,
  { bytesPerRow, rowsPerImage, depthOrArrayLayers }: LevelLayout,
): void {
  const label = 'depth of a capture';
  const size = [levelSize(texture.width, baseMipLevel), levelSize(texture.height, baseMipLevel)];
  const layout = device.createBindGroupLayout({
    label,
    entries: [
      { binding: 0, visibility: ShaderStage.fragment, texture: { sampleType: 'unfilterable-float' } },
    ],
  });
  const module = device.createShaderModule({ label, code: SHADER });
  const pipeline = device.createRenderPipeline({
    label,
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    vertex: { module, entryPoint: 'corner' },
    fragment: { module, entryPoint: 'depth', targets: [] },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' },
  });
  const source = device.createTexture({
    label,
    size,
    format: 'r32float',
    usage: TextureUsage.textureBinding | TextureUsage.copyTarget,
  });
  const group = device.createBindGroup({
    layout,
    entries: [{ binding: 0, resource: source.createView() }],
  });
  for (let layer = 0; layer < depthOrArrayLayers; layer++) {
    const offset = layer * bytesPerRow * rowsPerImage;
    device.queue.writeTexture({ texture: source }, bytes, { offset, bytesPerRow }, size);
    const encoder = device.createCommandEncoder({ label });
    const view = texture.createView({
      dimension: '2d',
      baseMipLevel,
      mipLevelCount: 1,
      baseArrayLayer: layer,
      arrayLayerCount: 1,
    });
    const pass = encoder.beginRenderPass({
      label,
      colorAttachments: [],
      depthStencilAttachment: { view, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'store' },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  source.destroy();
}
