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
/** How far a new measurement moves what is known. */
const WEIGHT = 0.3;

export class TaskCosts {
  /** Milliseconds per index, by module and task. */
  readonly #costs = new Map<string, number>();

  /** @param milliseconds that the task has had its thread for, over so many indices */
  note(task: string, milliseconds: number, indices: number): void {
    if (!(indices > 0 && milliseconds >= 0)) return;
    // What the clock can't tell counts as one tick of it: a cost of nothing would merge the largest loop.
    const tick = canShare() ? 0.005 : 0.1;
    const cost = Math.max(milliseconds, tick) / indices;
    const known = this.#costs.get(task);
    this.#costs.set(task, known === undefined ? cost : known + (cost - known) * WEIGHT);
  }

  of(task: string): number | undefined {
    return this.#costs.get(task);
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
