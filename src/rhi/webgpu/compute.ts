/** Compute passes and their dispatches. */
import type { ComputePassDescriptor } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import type { ExecutorParts, Handler } from './parts.js';

export const computeHandlers = {
  beginComputePass: (parts, { words, fields }) => {
    if (parts.host.mustWaitForPipelines()) return;
    parts.endForgottenPass();
    const { pass, list } = parts;
    pass.beginCompute(null);
    const descriptor = jsonAt<ComputePassDescriptor>(words, fields);
    const timestampWrites = timestampsOf(descriptor, parts);
    if (timestampWrites === null) return;
    pass.beginCompute(list.current.beginComputePass({ label: descriptor.label, timestampWrites }));
  },
  endComputePass: ({ pass }) => pass.end(),
  setComputePipeline: ({ host, pass, resources }, { words, fields }) => {
    if (host.mustWaitForPipelines()) return;
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
} satisfies Record<string, Handler>;

/** Those that the pass asks for, else the frame's own; null when their query set has failed. */
function timestampsOf(
  { label, timestampWrites }: ComputePassDescriptor,
  { resources, seldom }: ExecutorParts,
): GPUComputePassTimestampWrites | undefined | null {
  if (!timestampWrites) return seldom?.timer.passWrites(label);
  const querySet = resources.querySets.get(timestampWrites.querySet).gpu;
  return querySet && { ...timestampWrites, querySet };
}
