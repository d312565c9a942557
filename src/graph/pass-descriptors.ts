import type {
  ColorAttachment,
  DepthStencilAttachment,
  RenderPassDescriptor,
  TextureHandle,
  TextureViewDescriptor,
} from '../rhi/commands/descriptors.js';
import type { CompiledGraph } from './compile.js';
import { type ShapeAccess, type ShapePass, versionNeeded } from './graph-shape.js';
import { Attachment } from './resource-uses.js';

/**
 * Describes the render pass of a raster pass. Load and store operations follow from the use of the contents. Contents
 * that no pass has written are cleared instead of loaded. Unneeded contents are discarded instead of stored or
 * resolved, so that they never leave the tile memory of a tiled GPU.
 */
export function describeRenderPass(
  graph: CompiledGraph,
  { name, accesses }: ShapePass,
  textureOf: (access: ShapeAccess) => TextureHandle,
): RenderPassDescriptor {
  const colorAttachments: (ColorAttachment | null)[] = [];
  let depthStencilAttachment: DepthStencilAttachment | undefined;
  for (const access of accesses) {
    const view = viewOf(access, textureOf);
    const storeOp = graph.isNeeded(access) ? 'store' : 'discard';
    const loadOp = access.clear === undefined && versionNeeded(access) !== undefined ? 'load' : 'clear';
    if (access.use === Attachment.color) {
      while (colorAttachments.length < access.slot) colorAttachments.push(null);
      const resolve = accesses.find(
        (other) => other.use === Attachment.resolve && other.slot === access.slot && graph.isNeeded(other),
      );
      colorAttachments[access.slot] = {
        view,
        loadOp,
        storeOp,
        clearValue: access.clear ?? [0, 0, 0, 0],
        ...(resolve && { resolveTarget: viewOf(resolve, textureOf) }),
      };
    } else if (access.use === Attachment.depth || access.use === Attachment.depthRead) {
      depthStencilAttachment = describeDepth(access, view, loadOp, storeOp);
    }
  }
  return { label: name, colorAttachments, ...(depthStencilAttachment && { depthStencilAttachment }) };
}

function describeDepth(
  { use, resource, clear }: ShapeAccess,
  view: TextureViewDescriptor,
  loadOp: GPULoadOp,
  storeOp: GPUStoreOp,
): DepthStencilAttachment {
  const withStencil = resource.texture?.format.includes('stencil');
  if (use === Attachment.depthRead) {
    return { view, depthReadOnly: true, ...(withStencil && { stencilReadOnly: true }) };
  }
  return {
    view,
    depthLoadOp: loadOp,
    depthStoreOp: storeOp,
    depthClearValue: clear?.[0] ?? 0,
    ...(withStencil && { stencilLoadOp: loadOp, stencilStoreOp: storeOp, stencilClearValue: 0 }),
  };
}

function viewOf(
  access: ShapeAccess,
  textureOf: (access: ShapeAccess) => TextureHandle,
): TextureViewDescriptor {
  const { resource, mipLevel, layer, viewFormat } = access;
  const texture = textureOf(access);
  const { mipLevelCount = 1, layers = 1 } = resource.texture ?? {};
  const format = viewFormat && { format: viewFormat };
  if (mipLevelCount === 1 && layers === 1) return { texture, ...format };
  return {
    texture,
    ...format,
    dimension: '2d',
    baseMipLevel: Math.max(0, mipLevel),
    mipLevelCount: 1,
    baseArrayLayer: Math.max(0, layer),
    arrayLayerCount: 1,
  };
}
