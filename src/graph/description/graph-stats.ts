import type { CompiledGraph } from '../compile.js';
import type { ShapeResource } from '../graph-shape.js';

/** Results of compiling a graph. */
interface GraphStats {
  readonly passes: number;
  /** Declared passes that are left out because nothing needs them. */
  readonly culledPasses: number;
  /** Bytes that the transient resources would take if each had its own memory. */
  readonly unsharedBytes: number;
  readonly sharedBytes: number;
}

export function graphStats({ passes, shape, allocations }: CompiledGraph): GraphStats {
  return {
    passes: passes.length,
    culledPasses: shape.passes.length - passes.length,
    unsharedBytes: sumOfBytes(allocations.flatMap(({ residents }) => residents)),
    sharedBytes: sumOfBytes(allocations.map(({ like }) => like)),
  };
}

function sumOfBytes(resources: readonly ShapeResource[]): number {
  return resources.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}
