/**
 * Counts the bytes of the arrays that grow while a render thread works (SYSTEMS M8). Several engines may share a
 * thread. So code that works for one engine enters the engine's tally, as code in Unreal Engine enters a tag of its
 * memory tracker.
 *
 *   enter tally A ─ pump ─ grow: A + 4096, old array: A − 2048 ─ leave    an array that is dropped: collected, A − 4096
 */
export class ArrayTally {
  bytes = 0;

  /** Makes this tally count the arrays that grow from now on. @returns the previous tally, for `leaveTally` */
  enter(): ArrayTally | null {
    const before = current;
    current = this;
    return before;
  }
}

interface Counted {
  readonly tally: ArrayTally;
  readonly byteLength: number;
}

let current: ArrayTally | null = null;
const counted = new WeakMap<object, Counted>();
/** Stops counting arrays after their garbage collection. Arrays of dropped views and worlds get no `countDropped`. */
const collected = new FinalizationRegistry<Counted>(({ tally, byteLength }) => {
  tally.bytes -= byteLength;
});

export function leaveTally(before: ArrayTally | null): void {
  current = before;
}

/** Stops counting an array, because memory that is counted elsewhere replaces it. */
export function countDropped(array: ArrayBufferView): void {
  const old = counted.get(array);
  if (old === undefined) return;
  collected.unregister(array);
  counted.delete(array);
  old.tally.bytes -= old.byteLength;
}

/** Counts an array in the entered tally, if any, and stops counting the array that it replaces. Called per growth. */
export function countGrown(larger: ArrayBufferView, replaced: ArrayBufferView): void {
  countDropped(replaced);
  if (current === null) return;
  const entry = { tally: current, byteLength: larger.byteLength };
  current.bytes += larger.byteLength;
  counted.set(larger, entry);
  collected.register(larger, entry, larger);
}
