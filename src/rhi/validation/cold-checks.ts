/** Which check looks at which command, of those that are not recorded per draw. */
import { RhiOpcode } from '../commands/commands.js';
import { createBindGroup } from './bind-groups.js';
import * as copies from './copies.js';
import { createDrawBundle } from './draw-bundles.js';
import { createBindGroupLayout } from './layouts.js';
import { assumeNotInUse, destroyResource } from './lifetimes.js';
import { signalFence, transition, waitFence } from './order.js';
import * as passes from './pass-state.js';
import { createComputePipeline, createGraphicsPipeline } from './pipelines.js';
import { setScissorRect, setViewport } from './raster-state.js';
import * as resources from './resources.js';
import { type Check, PassKind } from './state.js';

type CheckFunction = (check: Check) => boolean;

const checks: Readonly<Record<number, CheckFunction | undefined>> = {
  [RhiOpcode.beginFrame]: passes.beginFrame,
  [RhiOpcode.endFrame]: passes.endFrame,
  [RhiOpcode.beginScene]: passes.beginScene,
  [RhiOpcode.endScene]: passes.endScene,
  [RhiOpcode.beginDrawingViewport]: passes.beginDrawingViewport,
  [RhiOpcode.endDrawingViewport]: passes.endDrawingViewport,
  [RhiOpcode.outputVideoFrame]: passes.outputVideoFrame,
  [RhiOpcode.setQueue]: passes.setQueue,
  [RhiOpcode.createBuffer]: resources.createBuffer,
  [RhiOpcode.createTexture]: resources.createTexture,
  [RhiOpcode.createSampler]: resources.createSampler,
  [RhiOpcode.createShaderModule]: resources.createShaderModule,
  [RhiOpcode.createBindGroupLayout]: createBindGroupLayout,
  [RhiOpcode.createBindGroup]: createBindGroup,
  [RhiOpcode.createGraphicsPipeline]: createGraphicsPipeline,
  [RhiOpcode.createComputePipeline]: createComputePipeline,
  [RhiOpcode.createQuerySet]: resources.createQuerySet,
  [RhiOpcode.createFence]: resources.createFence,
  [RhiOpcode.createDrawBundle]: createDrawBundle,
  [RhiOpcode.destroyResource]: destroyResource,
  [RhiOpcode.assumeNotInUse]: assumeNotInUse,
  [RhiOpcode.writeBuffer]: (check) => copies.writeBuffer(check, false),
  [RhiOpcode.writeBufferUnordered]: (check) => copies.writeBuffer(check, true),
  [RhiOpcode.renameBuffer]: copies.renameBuffer,
  [RhiOpcode.writeBufferFromAttachment]: copies.writeBufferFromAttachment,
  [RhiOpcode.writeTexture]: (check) => copies.writeTexture(check, false),
  [RhiOpcode.writeTextureFromAttachment]: (check) => copies.writeTexture(check, true),
  [RhiOpcode.copyExternalImage]: copies.copyExternalImage,
  [RhiOpcode.clearBuffer]: copies.clearBuffer,
  [RhiOpcode.clearTexture]: copies.clearTexture,
  [RhiOpcode.copyBufferToBuffer]: copies.copyBufferToBuffer,
  [RhiOpcode.copyBufferToTexture]: (check) => copies.copyBufferAndTexture(check, true),
  [RhiOpcode.copyTextureToBuffer]: (check) => copies.copyBufferAndTexture(check, false),
  [RhiOpcode.copyTextureToTexture]: copies.copyTextureToTexture,
  [RhiOpcode.readBuffer]: copies.readBuffer,
  [RhiOpcode.transition]: transition,
  [RhiOpcode.signalFence]: signalFence,
  [RhiOpcode.waitFence]: waitFence,
  [RhiOpcode.beginRenderPass]: passes.beginRenderPass,
  [RhiOpcode.beginComputePass]: passes.beginComputePass,
  [RhiOpcode.endRenderPass]: passes.endPass,
  [RhiOpcode.endComputePass]: passes.endPass,
  [RhiOpcode.setViewport]: setViewport,
  [RhiOpcode.setScissorRect]: setScissorRect,
  [RhiOpcode.setStencilRef]: isInRenderPass,
  [RhiOpcode.setBlendFactor]: isInRenderPass,
  [RhiOpcode.beginOcclusionQuery]: (check) => isInRenderPass(check) && passes.beginOcclusionQuery(check),
  [RhiOpcode.endOcclusionQuery]: (check) => isInRenderPass(check) && passes.endOcclusionQuery(check),
  [RhiOpcode.resolveQuerySet]: passes.resolveQuerySet,
  [RhiOpcode.pushDebugGroup]: passes.pushDebugGroup,
  [RhiOpcode.popDebugGroup]: passes.popDebugGroup,
  // To the executor nothing is set any more.
  [RhiOpcode.invalidateCachedState]: ({ draws }) => {
    draws.reset();
    return true;
  },
  [RhiOpcode.insertDebugMarker]: ({ state }) => state.pass.kind === PassKind.none || !state.pass.isDropped,
};

function isInRenderPass({ draws }: Check): boolean {
  return draws.isIn(PassKind.render);
}

/** A command without a check is one that can be recorded anywhere. */
export function checkCold(check: Check): boolean {
  return checks[check.reader.opcode]?.(check) ?? true;
}
