/**
 * What an index of a task costs, as measured by whoever has run it, and what follows for the next `parallelFor` (SYSTEMS T12).
 *
 *   cost per index ─┬─ the whole loop is worth one worker ──► one call: small jobs are merged
 *                   ├─ worth so many of them ───────────────► no more are woken
 *                   └─ a call would be too short ───────────► larger batches
 */
import { canShare } from '../arguments/shared-array.js';

/** Work below this is not worth another worker: a wake-up and the end's message take tens of microseconds. Milliseconds. */
const WORTH = 0.1;
/** A call of a task should take that long at least. Milliseconds. */
const CALL = 0.05;
/** Loops of a task that are remembered, and count the same. */
const LOOPS = 8;
/**
 * A loop this many times as dear as most others says what happened to its thread, not what the task costs: that was preempted, or it compiled.
 * One in four may be so; where more are, they are the task's.
 */
const STANDS_OUT = 4;

/** The last loops of one task, each as a whole: in one whose indices cost very different times no part tells the mean. */
class RecentLoops {
  readonly #milliseconds = new Float64Array(LOOPS);
  readonly #indices = new Float64Array(LOOPS);
  /** Places of the loops, the cheapest per index first. */
  readonly #order: number[] = [];
  #next = 0;

  add(milliseconds: number, indices: number): void {
    this.#milliseconds[this.#next] = milliseconds;
    this.#indices[this.#next] = indices;
    if (this.#order.length < LOOPS) this.#order.push(this.#next);
    this.#order.sort((a, b) => this.#costOf(a) - this.#costOf(b));
    this.#next = (this.#next + 1) % LOOPS;
  }

  /** @param tick of the clock: of many short loops it tells the mean alone @returns milliseconds per index */
  cost(tick: number): number {
    const loops = this.#order.length;
    const usual = loops === 1 ? 1 : loops - Math.ceil(loops / 4);
    let milliseconds = 0;
    let indices = 0;
    let limit = Number.POSITIVE_INFINITY;
    for (let rank = 0; rank < loops; rank++) {
      const place = this.#order[rank] as number;
      const spent = this.#milliseconds[place] as number;
      const count = this.#indices[place] as number;
      if (rank === usual) limit = (STANDS_OUT * milliseconds) / indices;
      if (rank >= usual && spent > limit * count + 2 * tick) continue;
      milliseconds += spent;
      indices += count;
    }
    // What the clock can't tell counts as one tick of it: a cost of nothing would merge the largest loop.
    return Math.max(milliseconds, tick) / indices;
  }

  #costOf(place: number): number {
    return (this.#milliseconds[place] as number) / (this.#indices[place] as number);
  }
}

export class TaskCosts {
  /** By module and task. */
  readonly #loops = new Map<string, RecentLoops>();

  /** @param milliseconds that one loop of the task has had threads for, all in all, over so many indices */
  note(task: string, milliseconds: number, indices: number): void {
    if (!(indices > 0 && milliseconds >= 0)) return;
    const loops = this.#loops.get(task) ?? new RecentLoops();
    loops.add(milliseconds, indices);
    this.#loops.set(task, loops);
  }

  /** Milliseconds per index; undefined: nobody has run it yet. */
  of(task: string): number | undefined {
    return this.#loops.get(task)?.cost(canShare() ? 0.005 : 0.1);
  }
}

/**
 * @param workers at most
 * @param callsPerWorker so that one that is slow holds nobody up for long
 * @param cost milliseconds per index; undefined: not known yet
 */
export function fitBatch(
  count: number,
  workers: number,
  callsPerWorker: number,
  cost: number | undefined,
): { readonly batch: number; readonly takers: number } {
  const most = Math.max(1, workers);
  if (cost === undefined) return { batch: atLeastOne(count / (most * callsPerWorker)), takers: most };
  const takers = Math.min(most, Math.max(1, Math.floor((cost * count) / WORTH)));
  // One worker gets all of it at once; on the page, where there is none, slices keep the event loop alive.
  if (takers === 1 && workers > 0 && cost * count < WORTH * 2) return { batch: Math.max(1, count), takers };
  const batch = Math.max(count / (takers * callsPerWorker), CALL / cost);
  return { batch: atLeastOne(Math.min(batch, count / takers)), takers };
}

const atLeastOne = (batch: number): number => Math.max(1, Math.ceil(batch));
