/**
 * What an index of a task costs, as measured by whoever has run it, and what follows for the next `parallelFor` (SYSTEMS T12).
 *
 *   cost per index ─┬─ the whole loop is worth one worker ──► one call: small jobs are merged
 *                   ├─ worth so many of them ───────────────► no more are woken
 *                   └─ a call would be too short ───────────► larger batches
 */
import { canShare } from './shared-array.js';

/** Work below this is not worth another worker: a wake-up and the end's message take tens of microseconds. Milliseconds. */
const WORTH = 0.1;
/** A call of a task should take that long at least. Milliseconds. */
const CALL = 0.05;
/** What is left of older measurements with each new one: sums, because of many short calls a coarse clock tells the mean alone. */
const KEPT = 0.9;

export class TaskCosts {
  /** By module and task. */
  readonly #spent = new Map<string, { milliseconds: number; indices: number }>();

  /** @param milliseconds that the task has had its thread for, over so many indices */
  note(task: string, milliseconds: number, indices: number): void {
    if (!(indices > 0 && milliseconds >= 0)) return;
    const spent = this.#spent.get(task) ?? { milliseconds: 0, indices: 0 };
    spent.milliseconds = spent.milliseconds * KEPT + milliseconds;
    spent.indices = spent.indices * KEPT + indices;
    this.#spent.set(task, spent);
  }

  /** Milliseconds per index; undefined: nobody has run it yet. */
  of(task: string): number | undefined {
    const spent = this.#spent.get(task);
    if (!spent) return undefined;
    // What the clock can't tell counts as one tick of it: a cost of nothing would merge the largest loop.
    const tick = canShare() ? 0.005 : 0.1;
    return Math.max(spent.milliseconds, tick) / spent.indices;
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
