import type { CompiledGraph } from '../compile.js';
import type { ShapeResource } from '../graph-shape.js';

/** What compiling a graph has come to. */
interface GraphStats {
  readonly passes: number;
  /** Declared, and needed by nobody. */
  readonly culledPasses: number;
  /** Bytes of the transient resources if each had memory of its own. */
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
