import code from '../../../shaders/environment-reflectance.wgsl?raw';
import { type TextureHandle, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { CUBE_FORMAT } from './cube-format.js';

/** Texels each way; environment-reflectance.wgsl knows it, too. */
const SIZE = 64;

/** Outside passes: what surfaces reflect of uniform light, by angle and roughness. The same for every environment. */
export function recordReflectance(rhi: ImmediateContext): TextureHandle {
  const label = 'reflectance';
  const texture = rhi.createTexture({
    label,
    width: SIZE,
    height: SIZE,
    format: CUBE_FORMAT,
    usage: TextureUsage.textureBinding | TextureUsage.renderAttachment,
  });
  const module = rhi.createShaderModule({ label, code });
  const pipeline = rhi.createGraphicsPipeline({
    label,
    bindGroupLayouts: [],
    vertex: { module, entryPoint: 'coverTarget' },
    fragment: { module, entryPoint: 'integrate', targets: [{ format: CUBE_FORMAT }] },
  });
  rhi.beginRenderPass({
    label,
    colorAttachments: [{ view: { texture }, loadOp: 'clear', storeOp: 'store' }],
  });
  rhi.setGraphicsPipeline(pipeline);
  rhi.draw(3);
  rhi.endRenderPass();
  rhi.destroy(pipeline);
  rhi.destroy(module);
  return texture;
}
