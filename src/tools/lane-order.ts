/**
 * The order of a timeline's lanes, from top to bottom:
 *
 *   main · render · RHI · assets · task workers by number   each with its bars, waits and loads
 *   GPU · queues · fence logs · the engine's fences         rendered, submitted, completed
 *   the page's fences
 */
import type { Lane, LaneKind } from './timeline-model.js';

const THREADS = ['main', 'render', 'RHI', 'assets'];
const KINDS: readonly LaneKind[] = [
  'thread',
  'wait',
  'passing',
  'counter',
  'gpu',
  'queue',
  'fenceLog',
  'fenceCall',
  'fence',
];
const FENCES = ['fence rendered', 'fence submitted', 'fence completed'];

/** Compares names by their text and the numbers in it: "task worker 2" comes before "task worker 10". */
const { compare } = new Intl.Collator('en', { numeric: true });

/** Compares two lanes for `Array.sort`. */
export function compareLanes(a: Lane, b: Lane): number {
  return (
    groupOf(a) - groupOf(b) ||
    compare(a.thread, b.thread) ||
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    compare(a.name, b.name)
  );
}

/** Returns whether the bars of a lane are values, each of which lasts until the next. */
export const hasValues = ({ kind }: Lane): boolean => kind === 'fence' || kind === 'counter';

/** Returns the group of a lane. Lanes of one group are sorted by thread, kind and name. */
function groupOf({ kind, thread, name }: Lane): number {
  const kindIndex = KINDS.indexOf(kind);
  if (kindIndex < KINDS.indexOf('gpu')) {
    const index = THREADS.indexOf(thread);
    return index < 0 ? THREADS.length : index;
  }
  if (thread === 'page') return 1000;
  return 100 + kindIndex * 10 + Math.max(0, FENCES.indexOf(name));
}
