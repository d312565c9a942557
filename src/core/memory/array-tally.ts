/**
 * Counts the bytes of the arrays that grow while a render thread works (SYSTEMS M8). Several engines may share a thread,
 * so the code that works for one of them enters its tally, as UE's memory tracker enters a tag.
 *
 *   enter tally A ─ pump ─ grow: A + 4096, old array: A − 2048 ─ leave      an array that is dropped: collected, A − 4096
 */
export class ArrayTally {
  bytes = 0;

  /** Makes this tally count. @returns the tally before, for `leaveTally` */
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
/** Stores are dropped with their views and worlds, without a call for each array. */
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

/** Counts an array, and no longer the one that it replaces. Called per growth. */
export function countGrown(larger: ArrayBufferView, replaced: ArrayBufferView): void {
  countDropped(replaced);
  if (current === null) return;
  const entry = { tally: current, byteLength: larger.byteLength };
  current.bytes += larger.byteLength;
  counted.set(larger, entry);
  collected.register(larger, entry, larger);
}
