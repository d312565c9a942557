import { type Placing, placeOnQueues } from './graph-queues.js';
import type { GraphShape, ShapeAccess, ShapePass, ShapeResource } from './graph-shape.js';
import { isAlike, isWrite, usageOf, versionNeeded } from './graph-shape.js';

/** An executed pass, and the queue that it runs on. */
export interface CompiledPass {
  readonly pass: ShapePass;
  /** The queue to run on. `automatic` has been replaced by a choice. */
  readonly queue: 'graphics' | 'compute' | 'copy';
  /**
   * Range of executed passes: this pass, and the passes that may run beside it. Undefined if no other pass may run
   * beside it.
   */
  readonly overlap: readonly [first: number, last: number] | undefined;
}

/** A resource that at least one executed pass uses. */
interface CompiledResource {
  readonly resource: ShapeResource;
  /** Index of the first executed pass that uses the resource. */
  readonly firstUse: number;
  /** Index of the last executed pass that uses the resource. */
  readonly lastUse: number;
  /**
   * Index of the pass at which the lifetime begins. It is before `firstUse` if a pass that uses the resource may
   * overlap earlier passes.
   */
  readonly bornBefore: number;
  /**
   * Index of the pass at which the lifetime ends. It is after `lastUse` if a pass that uses the resource may overlap
   * later passes.
   */
  readonly diesAfter: number;
  /** Usage bits of all uses of the resource. */
  readonly usage: number;
  /** Index in `CompiledGraph.allocations`; undefined for imported resources. */
  readonly allocation: number | undefined;
}

/** A texture or buffer of the pool, and the resources that occupy it, one after the other. */
export interface Allocation {
  readonly like: ShapeResource;
  readonly usage: number;
  readonly residents: readonly ShapeResource[];
}

export interface CompiledGraph {
  readonly shape: GraphShape;
  /** Executed passes, in the order of set-up. */
  readonly passes: readonly CompiledPass[];
  /** Resources by index; undefined if no executed pass uses the resource. */
  readonly resources: readonly (CompiledResource | undefined)[];
  readonly allocations: readonly Allocation[];
  /**
   * Returns whether an executed pass, or code outside the graph, needs the contents that this access writes. The answer
   * selects the store operation: `store` or `discard`.
   */
  isNeeded(access: ShapeAccess): boolean;
}

/**
 * Compiles the declarations of a frame to the passes that are executed. It creates no GPU resource.
 *
 *   declared     A ─writes─► x      B ─reads─► x, ─writes─► y      C ─writes─► z       canvas ◄─ D reads y
 *   culled       the canvas needs A, B and D; no pass reads z, so C and z are left out
 *   queues       a compute pass may overlap with the passes from its producers to its consumers (`graph-queues.ts`)
 *   lifetimes    x: A to B     y: B to D
 *   sharing      two transients share a texture if they are alike and their lifetimes do not overlap
 */
export function compileGraph(shape: GraphShape): CompiledGraph {
  const producers = findProducers(shape);
  const live = cull(shape, producers);
  const order = shape.passes.filter(({ index }) => live.has(index));
  const places = placeOnQueues(order);
  const passes = order.map((pass, place) => ({ pass, ...(places[place] as Placing) }));
  const lives = findLives(shape, passes);
  const { allocations, allocationOf } = allocate(lives);
  const needed = findNeeded(order);
  return {
    shape,
    passes,
    resources: lives.map((life) => life && { ...life, allocation: allocationOf.get(life.resource) }),
    allocations,
    isNeeded: (access) =>
      (access.resource.isResult && access.resource.isImported) ||
      needed.has(versionKey(access.resource, access.version)),
  };
}

function versionKey({ index }: ShapeResource, version: number): string {
  return `${index}.${version}`;
}

/** Maps each version of a resource to the pass that writes it. */
function findProducers({ passes }: GraphShape): ReadonlyMap<string, ShapePass> {
  const producers = new Map<string, ShapePass>();
  for (const pass of passes) {
    for (const access of pass.accesses) {
      if (isWrite(access)) producers.set(versionKey(access.resource, access.version), pass);
    }
  }
  return producers;
}

/**
 * Returns the indices of the needed passes. Kept passes and passes that write to a result are needed, and so is each
 * pass whose output a needed pass reads.
 */
function cull({ passes }: GraphShape, producers: ReadonlyMap<string, ShapePass>): ReadonlySet<number> {
  const live = new Set<number>();
  const isRoot = ({ isKept, accesses }: ShapePass): boolean =>
    isKept || accesses.some((access) => isWrite(access) && access.resource.isResult);
  const pending = passes.filter(isRoot);
  for (let pass = pending.pop(); pass !== undefined; pass = pending.pop()) {
    if (live.has(pass.index)) continue;
    live.add(pass.index);
    for (const access of pass.accesses) {
      const version = versionNeeded(access);
      const producer =
        version === undefined ? undefined : producers.get(versionKey(access.resource, version));
      if (producer !== undefined && producer !== pass) pending.push(producer);
    }
  }
  return live;
}

type Life = Omit<CompiledResource, 'allocation'>;

function findLives(
  { resources }: GraphShape,
  passes: readonly CompiledPass[],
): readonly (Life | undefined)[] {
  const lives: (Life | undefined)[] = resources.map(() => undefined);
  for (const [place, { pass, overlap = [place, place] }] of passes.entries()) {
    for (const access of pass.accesses) {
      const { resource } = access;
      const life = lives[resource.index];
      lives[resource.index] = {
        resource,
        firstUse: life?.firstUse ?? place,
        lastUse: place,
        bornBefore: Math.min(life?.bornBefore ?? place, overlap[0]),
        diesAfter: Math.max(life?.diesAfter ?? place, overlap[1]),
        usage: (life?.usage ?? 0) | usageOf(access),
      };
    }
  }
  return lives;
}

interface Sharing {
  readonly allocations: readonly Allocation[];
  readonly allocationOf: ReadonlyMap<ShapeResource, number>;
}

/**
 * Assigns memory in order of `bornBefore`: each transient gets the first free texture or buffer like it, or a new one.
 */
function allocate(lives: readonly (Life | undefined)[]): Sharing {
  const allocations: { like: ShapeResource; usage: number; residents: ShapeResource[]; freeAfter: number }[] =
    [];
  const allocationOf = new Map<ShapeResource, number>();
  const transients = lives
    .filter((life): life is Life => life !== undefined && !life.resource.isImported)
    .sort(
      (first, second) => first.bornBefore - second.bornBefore || first.resource.index - second.resource.index,
    );
  for (const { resource, usage, bornBefore, diesAfter } of transients) {
    let index = allocations.findIndex(
      ({ like, freeAfter }) => freeAfter < bornBefore && isAlike(like, resource),
    );
    if (index < 0) index = allocations.push({ like: resource, usage: 0, residents: [], freeAfter: -1 }) - 1;
    const allocation = allocations[index] as (typeof allocations)[number];
    allocation.usage |= usage;
    allocation.residents.push(resource);
    allocation.freeAfter = diesAfter;
    allocationOf.set(resource, index);
  }
  return { allocations, allocationOf };
}

/** Returns the versions whose contents an executed pass needs. */
function findNeeded(order: readonly ShapePass[]): ReadonlySet<string> {
  const needed = new Set<string>();
  for (const { accesses } of order) {
    for (const access of accesses) {
      const version = versionNeeded(access);
      if (version !== undefined) needed.add(versionKey(access.resource, version));
    }
  }
  return needed;
}
