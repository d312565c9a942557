import type { CompiledGraph } from '../compile.js';
import { isWrite, type ShapeAccess } from '../graph-shape.js';
import { resourceUses } from '../resource-uses.js';
import type { GraphPicture, PictureAccess } from './graph-picture.js';
import { graphStats } from './graph-stats.js';

/** Describes a compiled graph as plain data. `withTimes` adds GPU times. */
export function pictureOf(graph: CompiledGraph): GraphPicture {
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
