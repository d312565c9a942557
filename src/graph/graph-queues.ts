import type { CompiledPass } from './compile.js';
import { isWrite, type ShapePass, type ShapeResource } from './graph-shape.js';

/**
 * Which passes may run beside others (SYSTEMS X4). A pass on another queue begins after the last pass that it waits for, and
 * ends before the first that waits for it.
 *
 *   graphics   depth ─┬────► shadows ─► scene ─┬─► picture
 *   compute           └─► ··· occlusion ··· ───┘                overlap: shadows to scene
 *
 * Only passes of users are compute or copy passes, so it comes with their API (`threads/calls/module-calls.ts`).
 */
export type PlaceOnQueues = (order: readonly ShapePass[]) => readonly Placing[];

/** Of each pass. */
export type Placing = Pick<CompiledPass, 'queue' | 'overlap'>;

/** @param order the passes that are executed */
export const placeOnQueues: PlaceOnQueues = (order) => {
  const links = linkPasses(order);
  return order.map((pass, place) => placeOnQueue(pass, order.length, links, place));
};

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

/** An automatic compute pass goes to the other queue if that leaves something to overlap with. @param end of all passes */
function placeOnQueue(pass: ShapePass, end: number, { before, after }: Links, place: number): Placing {
  const fork = Math.max(-1, ...(before[place] ?? []));
  const join = Math.min(end, ...(after[place] ?? []));
  const isAside = pass.queue === 'compute' || pass.queue === 'copy';
  const isCandidate = pass.queue === 'automatic' && pass.kind === 'compute';
  const others = join - fork - 2;
  if (!isAside && !(isCandidate && others > 0)) return { queue: 'graphics', overlap: undefined };
  return {
    queue: pass.queue === 'copy' ? 'copy' : 'compute',
    overlap: others > 0 ? [fork + 1, join - 1] : undefined,
  };
}
