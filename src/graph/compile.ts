import type { GraphShape, ShapeAccess, ShapePass, ShapeResource } from './graph-shape.js';
import { isAlike, isWrite, usageOf, versionNeeded } from './graph-shape.js';

/**
 * From what passes declare to what is executed. Pure: nothing is created here.
 *
 *   declared     A ─writes─► x      B ─reads─► x, ─writes─► y      C ─writes─► z       canvas ◄─ D reads y
 *   culled       A, B, D are needed by the canvas; nobody reads z, so C and z are left out
 *   queues       a compute pass may overlap with what is between its last producer and its first consumer
 *   lifetimes    x: A to B     y: B to D
 *   sharing      two transients share a texture if they are alike and their lives don't overlap
 */
export interface CompiledPass {
  readonly pass: ShapePass;
  /** Not `automatic` any more. */
  readonly queue: 'graphics' | 'compute' | 'copy';
  /** Where it may overlap with others: the first and the last pass (of those executed) that may run beside it. */
  readonly overlap: readonly [first: number, last: number] | undefined;
}

/** A resource that at least one executed pass uses. */
export interface CompiledResource {
  readonly resource: ShapeResource;
  /** Passes by their place among those executed. */
  readonly firstUse: number;
  readonly lastUse: number;
  /** Its life: longer than its use where a pass on another queue uses it. */
  readonly bornBefore: number;
  readonly diesAfter: number;
  /** Usage bits of all its uses. */
  readonly usage: number;
  /** Which of `CompiledGraph.allocations` it lies in; undefined for imported ones. */
  readonly allocation: number | undefined;
}

/** A texture or buffer of the pool, and who lies in it, one after the other. */
export interface Allocation {
  readonly like: ShapeResource;
  readonly usage: number;
  readonly residents: readonly ShapeResource[];
}

export interface CompiledGraph {
  readonly shape: GraphShape;
  /** In the order of set-up. */
  readonly passes: readonly CompiledPass[];
  /** By index of the resource; undefined: no executed pass uses it. */
  readonly resources: readonly (CompiledResource | undefined)[];
  readonly allocations: readonly Allocation[];
  /** Of the transient resources, if each had memory of its own. */
  readonly unsharedBytes: number;
  readonly sharedBytes: number;
  /** By executed pass and access: whether somebody needs what it writes. Decides between `store` and `discard`. */
  isNeeded(access: ShapeAccess): boolean;
}

export function compileGraph(shape: GraphShape): CompiledGraph {
  const producers = findProducers(shape);
  const live = cull(shape, producers);
  const order = shape.passes.filter(({ index }) => live.has(index));
  const links = linkPasses(order);
  const passes = order.map((pass, place) => ({ pass, ...placeOnQueue(order, links, place) }));
  const lives = findLives(shape, passes);
  const { allocations, allocationOf } = allocate(lives);
  const needed = findNeeded(order);
  return {
    shape,
    passes,
    resources: lives.map((life) => life && { ...life, allocation: allocationOf.get(life.resource) }),
    allocations,
    unsharedBytes: sumOfBytes(allocations.flatMap(({ residents }) => residents)),
    sharedBytes: sumOfBytes(allocations.map(({ like }) => like)),
    isNeeded: (access) =>
      (access.resource.isResult && access.resource.isImported) ||
      needed.has(versionKey(access.resource, access.version)),
  };
}

function sumOfBytes(resources: readonly ShapeResource[]): number {
  return resources.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}

function versionKey({ index }: ShapeResource, version: number): string {
  return `${index}.${version}`;
}

/** The pass that makes a version. */
function findProducers({ passes }: GraphShape): ReadonlyMap<string, ShapePass> {
  const producers = new Map<string, ShapePass>();
  for (const pass of passes) {
    for (const access of pass.accesses) {
      if (isWrite(access)) producers.set(versionKey(access.resource, access.version), pass);
    }
  }
  return producers;
}

/** The passes that somebody needs: those kept, those that write to a result, and whatever these read. */
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

/** By place: the passes that it waits for, and those that wait for it. */
interface Links {
  readonly before: readonly ReadonlySet<number>[];
  readonly after: readonly ReadonlySet<number>[];
}

/** Reads wait for writes, and writes for the reads and writes before them. */
function linkPasses(order: readonly ShapePass[]): Links {
  const before = order.map(() => new Set<number>());
  const after = order.map(() => new Set<number>());
  const lastWriter = new Map<ShapeResource, number>();
  const readers = new Map<ShapeResource, number[]>();
  const link = (first: number | undefined, second: number): void => {
    if (first === undefined || first === second) return;
    before[second]?.add(first);
    after[first]?.add(second);
  };
  for (const [place, { accesses }] of order.entries()) {
    for (const { resource } of accesses) link(lastWriter.get(resource), place);
    for (const access of accesses) {
      const { resource } = access;
      const itsReaders = readers.get(resource) ?? [];
      readers.set(resource, itsReaders);
      if (!isWrite(access)) {
        itsReaders.push(place);
        continue;
      }
      for (const reader of itsReaders) link(reader, place);
      readers.set(resource, []);
      lastWriter.set(resource, place);
    }
  }
  return { before, after };
}

/**
 * A pass on another queue begins after the last pass that it waits for, and ends before the first that waits for it. An
 * automatic compute pass goes there if that leaves something to overlap with.
 */
function placeOnQueue(
  order: readonly ShapePass[],
  { before, after }: Links,
  place: number,
): Pick<CompiledPass, 'queue' | 'overlap'> {
  const pass = order[place] as ShapePass;
  const fork = Math.max(-1, ...(before[place] ?? []));
  const join = Math.min(order.length, ...(after[place] ?? []));
  const isAside = pass.queue === 'compute' || pass.queue === 'copy';
  const isCandidate = pass.queue === 'automatic' && pass.kind === 'compute';
  const others = join - fork - 2;
  if (!isAside && !(isCandidate && others > 0)) return { queue: 'graphics', overlap: undefined };
  return {
    queue: pass.queue === 'copy' ? 'copy' : 'compute',
    overlap: others > 0 ? [fork + 1, join - 1] : undefined,
  };
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

/** In order of birth, each transient gets the first texture or buffer like it that is free, or a new one. */
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

/** Versions whose contents an executed pass needs. */
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
