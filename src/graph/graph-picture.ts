import type { CompiledGraph } from './compile.js';
import { isWrite, type ShapeAccess } from './graph-shape.js';
import { resourceUses } from './resource-uses.js';

/** A compiled graph as plain data: to print, to draw, to compare, and to send to another thread. */
export interface GraphPicture {
  /** In the order of set-up. */
  readonly passes: readonly PicturePass[];
  readonly resources: readonly PictureResource[];
  /** Of the transient resources, if each had memory of its own. */
  readonly unsharedBytes: number;
  readonly sharedBytes: number;
}

export interface PicturePass {
  readonly name: string;
  readonly kind: string;
  readonly queue: string;
  /** Nobody needs what it writes, so it isn't executed. */
  readonly isCulled: boolean;
  readonly reads: readonly PictureAccess[];
  readonly writes: readonly PictureAccess[];
  /** Of the GPU, in the last frame that was measured; null: not measured. */
  readonly gpuMs: number | null;
}

export interface PictureAccess {
  readonly resource: string;
  readonly use: string;
  /** Of a write: whether its contents are kept for somebody. */
  readonly isStored: boolean;
}

export interface PictureResource {
  readonly name: string;
  /** Such as `texture 640 × 360 rgba16float` or `buffer`. */
  readonly description: string;
  readonly bytes: number;
  readonly isImported: boolean;
  /** Names of the first and the last pass of its life; null: no executed pass uses it. */
  readonly lives: readonly [from: string, to: string] | null;
  /** Which piece of memory it lies in, from 0; resources with the same number share it. Null: imported or unused. */
  readonly memory: number | null;
}

/** GPU times are added where they are known. */
export function pictureOf(graph: CompiledGraph): GraphPicture {
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
    unsharedBytes: graph.unsharedBytes,
    sharedBytes: graph.sharedBytes,
  };
}

/** @param times of the GPU by names of passes, in milliseconds; null: not measured */
export function withTimes(picture: GraphPicture, times: ReadonlyMap<string, number> | null): GraphPicture {
  const passes = picture.passes.map((pass) => ({
    ...pass,
    gpuMs: pass.isCulled ? null : (times?.get(pass.name) ?? null),
  }));
  return { ...picture, passes };
}
