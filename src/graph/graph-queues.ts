import type { CompiledPass } from './compile.js';
import { isWrite, type ShapePass, type ShapeResource } from './graph-shape.js';

/** The queue of one pass, and the passes that may run beside it. */
export type Placing = Pick<CompiledPass, 'queue' | 'overlap'>;

/**
 * Finds the passes that may run beside other passes (SYSTEMS X4). A pass on the compute or copy queue begins after the
 * last pass on which it depends. It ends before the first pass that depends on it.
 *
 *   graphics   depth ─┬────► shadows ─► scene ─┬─► picture
 *   compute           └─► ··· occlusion ··· ───┘                overlap: shadows to scene
 *
 * @param order the executed passes
 */
export function placeOnQueues(order: readonly ShapePass[]): readonly Placing[] {
  const links = linkPasses(order);
  return order.map((pass, place) => placeOnQueue(pass, order.length, links, place));
}

/** Dependencies of executed passes by index: the passes on which each depends, and the passes that depend on it. */
interface Links {
  readonly before: readonly ReadonlySet<number>[];
  readonly after: readonly ReadonlySet<number>[];
}

/** Links the passes: reads wait for writes, and writes wait for earlier reads and writes. */
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
 * Returns the queue of a pass. An automatic compute pass gets the compute queue if at least one other pass can run
 * beside it.
 * @param end number of passes
 * @param place index of the pass
 */
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
