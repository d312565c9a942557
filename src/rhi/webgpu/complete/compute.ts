/**
 * Compute passes and what only they and queries need created. Answers false when the command is not one of these.
 */
import type { StreamReader } from '../../../core/stream.js';
import { RhiOpcode } from '../../commands/commands.js';
import type { ComputePassDescriptor } from '../../commands/descriptors.js';
import { descriptorAt, jsonAt } from '../../commands/record-fields.js';
import type { ExecutorParts } from '../extension.js';

export function executeCompute(reader: StreamReader, parts: ExecutorParts): boolean {
  const { words, fields } = reader;
  const { resources, pass, list } = parts;
  const first = words[fields];
  switch (reader.opcode) {
    case RhiOpcode.createComputePipeline:
      resources.createComputePipeline(first, descriptorAt(words, fields));
      break;
    case RhiOpcode.createQuerySet:
      resources.createQuerySet(first, descriptorAt(words, fields));
      break;
    case RhiOpcode.beginComputePass: {
      if (parts.mustWaitForPipelines()) break;
      parts.endForgottenPass();
      pass.beginCompute(null);
      const descriptor = jsonAt<ComputePassDescriptor>(words, fields);
      const timestampWrites = timestampsOf(descriptor, parts);
      if (timestampWrites === null) break;
      pass.beginCompute(list.current.beginComputePass({ label: descriptor.label, timestampWrites }));
      break;
    }
    case RhiOpcode.endComputePass:
      pass.end();
      break;
    case RhiOpcode.setComputePipeline: {
      if (parts.mustWaitForPipelines()) break;
      const gpu = pass.usePipeline(resources.computePipelines, first, pass.compute);
      if (gpu !== null) pass.compute?.setPipeline(gpu);
      break;
    }
    default:
      return false;
  }
  return true;
}

/** Those that the pass asks for, else the frame's own; null when their query set has failed. */
function timestampsOf(
  { timestampWrites }: ComputePassDescriptor,
  { resources, timer }: ExecutorParts,
): GPUComputePassTimestampWrites | undefined | null {
  if (!timestampWrites) return timer?.passWrites();
  const querySet = resources.querySets.get(timestampWrites.querySet).gpu;
  return querySet && { ...timestampWrites, querySet };
}
