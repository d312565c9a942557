import type { CompiledGraph } from '../compile.js';
import type { GraphPass } from '../graph-pass.js';
import { isWrite, type ShapeAccess, type ShapeResource } from '../graph-shape.js';
import { resourceUses } from '../resource-uses.js';
import type { GraphPicture, PictureAccess } from './graph-picture.js';

/**
 * Describes a compiled graph as plain data. `withTimes` adds GPU times.
 * @param passes the passes of the frame, in the order of set-up
 */
export function pictureOf(graph: CompiledGraph, passes: readonly GraphPass[]): GraphPicture {
  const { unsharedBytes, sharedBytes } = graphStats(graph);
  const executed = new Map(graph.passes.map((compiled) => [compiled.pass, compiled]));
  const nameAt = (place: number): string => graph.passes[place]?.pass.name ?? '';
  const describe = (access: ShapeAccess): PictureAccess => ({
    resource: access.resource.name,
    use: resourceUses[access.use]?.name ?? '',
    isStored: isWrite(access) && graph.isNeeded(access),
  });
  return {
    passes: graph.shape.passes.map((pass) => {
      const compiled = executed.get(pass);
      return {
        name: pass.name,
        kind: pass.kind,
        queue: compiled?.queue ?? pass.queue,
        isCulled: compiled === undefined,
        isChecked: passes[pass.index]?.isChecked ?? false,
        reads: pass.accesses.filter((access) => !isWrite(access)).map(describe),
        writes: pass.accesses.filter(isWrite).map(describe),
        gpuMs: null,
      };
    }),
    resources: graph.shape.resources.map((resource) => {
      const life = graph.resources[resource.index];
      const { texture } = resource;
      return {
        name: resource.name,
        description: texture
          ? `texture ${texture.width} × ${texture.height}${texture.layers > 1 ? ` × ${texture.layers}` : ''} ${texture.format}${texture.sampleCount > 1 ? `, ${texture.sampleCount} samples` : ''}${texture.mipLevelCount > 1 ? `, ${texture.mipLevelCount} levels` : ''}`
          : 'buffer',
        bytes: resource.byteLength,
        isImported: resource.isImported,
        lives: life ? [nameAt(life.bornBefore), nameAt(life.diesAfter)] : null,
        memory: life?.allocation ?? null,
      };
    }),
    unsharedBytes,
    sharedBytes,
  };
}

/** Counts of passes and bytes of a compiled graph. */
interface GraphStats {
  readonly passes: number;
  /** Declared passes that are left out because nothing needs them. */
  readonly culledPasses: number;
  /** Bytes that the transient resources would take if each had its own memory. */
  readonly unsharedBytes: number;
  /** Bytes that the transient resources take with sharing. */
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
