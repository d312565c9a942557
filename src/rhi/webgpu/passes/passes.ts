/**
 * Handlers of render and compute passes, dispatches, queries, debug groups and markers, and of the state that
 * belongs to a pass, such as its viewport. `draws.ts` has the handlers of draws and their state.
 */

import { jsonAt, stringAt } from '../../../core/records/record-fields.js';
import type { ComputePassDescriptor, RenderPassDescriptor } from '../../commands/descriptors.js';
import type { Handler, WebGpuBackend } from '../webgpu-backend.js';

/**
 * Number of open debug groups per pass encoder. An extra pop is ignored, because WebGPU would refuse the whole
 * submission for it.
 */
const openGroups = new WeakMap<GPUDebugCommandsMixin, number>();

const pushGroup: Handler = ({ pass, list }, { words, fields }) => {
  const { encoder, isOpen } = pass;
  const label = stringAt(words, fields);
  if (!isOpen) list.pushGroup(label);
  if (encoder === null) return;
  openGroups.set(encoder, (openGroups.get(encoder) ?? 0) + 1);
  encoder.pushDebugGroup(label);
};

const popGroup: Handler = ({ pass: { encoder, isOpen }, list }) => {
  if (!isOpen) list.popGroup();
  const count = encoder === null ? 0 : (openGroups.get(encoder) ?? 0);
  if (encoder === null || count === 0) return;
  openGroups.set(encoder, count - 1);
  encoder.popDebugGroup();
};

export const passHandlers = {
  beginRenderPass: (backend, { words, fields }) => {
    if (backend.mustWaitForPipelines()) return;
    const { pass, list } = backend;
    backend.endForgottenPass();
    // The pass begins before any call that can throw, so that the draws of a refused pass are counted as skipped.
    pass.beginRender(null);
    pass.source = null;
    const translated = backend.passDescriptors.renderPass(words, fields);
    if (translated === null) return;
    const { gpu, source } = translated;
    pass.source = source;
    backend.staleContents.passBegan(source);
    const timestampWrites = timestampsOf(source, backend);
    if (timestampWrites === null) return;
    gpu.timestampWrites = timestampWrites;
    pass.beginRender(list.current.beginRenderPass(gpu));
  },
  endRenderPass: ({ pass }) => pass.end(),

  setViewport: ({ pass: { render } }, { floats, fields }) => {
    const [x, y, width, height, minDepth, maxDepth] = floats.subarray(fields, fields + 6);
    render?.setViewport(x, y, width, height, minDepth, maxDepth);
  },
  setScissorRect: ({ pass: { render } }, { words, fields: at }) =>
    render?.setScissorRect(words[at], words[at + 1], words[at + 2], words[at + 3]),
  setStencilRef: ({ pass: { render } }, { words, fields }) => render?.setStencilReference(words[fields]),
  setBlendFactor: ({ pass: { render } }, { floats, fields }) =>
    render?.setBlendConstant(Array.from(floats.subarray(fields, fields + 4))),

  beginComputePass: (backend, { words, fields }) => {
    if (backend.mustWaitForPipelines()) return;
    backend.endForgottenPass();
    const { pass, list } = backend;
    pass.beginCompute(null);
    pass.source = null;
    const descriptor = jsonAt<ComputePassDescriptor>(words, fields);
    const timestampWrites = timestampsOf(descriptor, backend);
    if (timestampWrites === null) return;
    pass.beginCompute(list.current.beginComputePass({ label: descriptor.label, timestampWrites }));
  },
  endComputePass: ({ pass }) => pass.end(),
  setComputePipeline: (backend, { words, fields }) => {
    if (backend.mustWaitForPipelines()) return;
    const { pass, resources } = backend;
    const gpu = pass.usePipeline(resources.computePipelines, words[fields], pass.compute);
    if (gpu !== null) pass.compute?.setPipeline(gpu);
  },
  dispatch: ({ pass }, { words, fields }) => {
    if (pass.compute === null || !pass.canDraw) pass.skipDispatch();
    else pass.compute.dispatchWorkgroups(words[fields], words[fields + 1], words[fields + 2]);
  },
  dispatchIndirect: ({ pass, resources }, { words, fields }) => {
    const buffer = pass.find(resources.buffers, words[fields])?.gpu;
    if (pass.compute === null || !buffer || !pass.canDraw) pass.skipDispatch();
    else pass.compute.dispatchWorkgroupsIndirect(buffer, words[fields + 1]);
  },

  beginOcclusionQuery: ({ pass }, { words, fields }) => pass.render?.beginOcclusionQuery(words[fields]),
  endOcclusionQuery: ({ pass }) => pass.render?.endOcclusionQuery(),
  resolveQuerySet: (backend, { words, fields: at }) => {
    backend.outsidePass();
    const { resources, list } = backend;
    const querySet = resources.querySets.get(words[at]).gpu;
    const target = resources.buffers.get(words[at + 3]).gpu;
    if (!querySet || !target) return;
    list.current.resolveQuerySet(querySet, words[at + 1], words[at + 2], target, words[at + 4]);
  },

  beginScene: pushGroup,
  endScene: popGroup,
  pushDebugGroup: pushGroup,
  popDebugGroup: popGroup,
  insertDebugMarker: ({ pass, list }, { words, fields }) =>
    (pass.isOpen ? pass.encoder : list.current)?.insertDebugMarker(stringAt(words, fields)),
  debugBreak: () => {
    // biome-ignore lint/suspicious/noDebugger: stopping in the debugger is the purpose of this command
    debugger;
  },
  invalidateCachedState: ({ pass }) => {
    // All state counts as unset from here on, as at the start of a pass.
    if (pass.render !== null) pass.beginRender(pass.render);
    else if (pass.isOpen) pass.beginCompute(pass.compute);
  },
} satisfies Record<string, Handler>;

/**
 * Returns the timestamp writes of the pass's descriptor. If the descriptor has none, returns the timer's writes.
 * Returns null if the query set has failed.
 */
function timestampsOf(
  { label, timestampWrites }: ComputePassDescriptor | RenderPassDescriptor,
  { resources, rare }: WebGpuBackend,
): GPUComputePassTimestampWrites | undefined | null {
  if (!timestampWrites) return rare.timer.passWrites(label);
  const querySet = resources.querySets.get(timestampWrites.querySet).gpu;
  return querySet && { ...timestampWrites, querySet };
}
