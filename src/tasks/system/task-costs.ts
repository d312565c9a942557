/**
 * Measured costs of a task per index, and the batches of its next `parallelFor` (SYSTEMS T12).
 *
 *   cost per index ─┬─ the whole loop is worth one worker ──► one call: small jobs are merged
 *                   ├─ the loop is worth n workers ─────────► no more than n are woken
 *                   └─ a call would be too short ───────────► larger batches
 */
import { canShare } from '../arguments/shared-array.js';

/** Least work for another worker, in milliseconds: a wake-up and the message at the end take tens of microseconds. */
const WORTH = 0.1;
/** Least duration of a task's call, in milliseconds. */
const CALL = 0.05;
/** Number of loops of a task that are remembered. All have the same weight. */
const LOOPS = 8;
/**
 * A loop that costs this many times as much as most other loops is an outlier: its thread was preempted, or its code
 * was compiled. At most a quarter of the loops, rounded up, count as outliers. If more loops are so
 * expensive, the task itself is expensive.
 */
const STANDS_OUT = 4;

/** The last loops of one task. Each counts as a whole, because indices may differ much in cost. */
class RecentLoops {
  readonly #milliseconds = new Float64Array(LOOPS);
  readonly #indices = new Float64Array(LOOPS);
  /** Positions of the loops in the arrays, the cheapest loop per index first. */
  readonly #order: number[] = [];
  #next = 0;

  add(milliseconds: number, indices: number): void {
    this.#milliseconds[this.#next] = milliseconds;
    this.#indices[this.#next] = indices;
    if (this.#order.length < LOOPS) this.#order.push(this.#next);
    this.#order.sort((a, b) => this.#costOf(a) - this.#costOf(b));
    this.#next = (this.#next + 1) % LOOPS;
  }

  /**
   * Returns the cost in milliseconds per index.
   * @param tick resolution of the clock in milliseconds; the loops together count as at least one tick
   */
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
    // Times below the clock's resolution count as one tick: a cost of 0 would merge even the largest loop.
    return Math.max(milliseconds, tick) / indices;
  }

  #costOf(place: number): number {
    return (this.#milliseconds[place] as number) / (this.#indices[place] as number);
  }
}

export class TaskCosts {
  /** Recent loops by module and task. */
  readonly #loops = new Map<string, RecentLoops>();

  /**
   * Records a loop.
   * @param milliseconds total time of all threads in the loop
   * @param indices number of indices in the loop
   */
  note(task: string, milliseconds: number, indices: number): void {
    if (!(indices > 0 && milliseconds >= 0)) return;
    const loops = this.#loops.get(task) ?? new RecentLoops();
    loops.add(milliseconds, indices);
    this.#loops.set(task, loops);
  }

  /** Returns the cost in milliseconds per index; undefined before the task's first loop. */
  of(task: string): number | undefined {
    return this.#loops.get(task)?.cost(canShare() ? 0.005 : 0.1);
  }
}

/**
 * Chooses the batch size and the number of workers for a loop.
 * @param workers most workers
 * @param callsPerWorker calls per worker, so that a slow call does not delay the end for long
 * @param cost milliseconds per index, or undefined
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
  // One worker gets the whole loop in one call. If there are no workers, smaller calls let the page's event loop turn.
  if (takers === 1 && workers > 0 && cost * count < WORTH * 2) return { batch: Math.max(1, count), takers };
  const batch = Math.max(count / (takers * callsPerWorker), CALL / cost);
  return { batch: atLeastOne(Math.min(batch, count / takers)), takers };
}

const atLeastOne = (batch: number): number => Math.max(1, Math.ceil(batch));
