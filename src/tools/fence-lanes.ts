/**
 * Lanes for the page's fences (SYSTEMS F9, F10). Each queue has a lane with the entries of its logs, and a lane with
 * the requests of CPUs. Each fence has a lane with its values. All times were observed by a CPU.
 *
 *   queue GPU               │ WAIT_UNBLOCKED go 1 ░░░░░░░ │ SIGNAL_EXECUTED drawn 2      ░ the queue waits
 *   queue GPU · CPU events  WAIT_QUEUED go 1   SIGNAL_QUEUED drawn 2
 *   fence drawn (4)         ─ 1 ────────────────────────────┤─ 2 ──
 */
import type { FenceTraceReading, TracedFence, TracedQueue } from '../sync/fences/logs/fence-trace.js';
import type { Bar, Lane, TimelineModel } from './timeline-model.js';

export class FenceLanes {
  readonly #model: TimelineModel;
  /** Number of log entries that were overwritten before they were read. */
  lost = 0;
  /** Whether the page has had fences to read. */
  isTraced = false;
  /** Lanes of fences by key. */
  readonly #values = new Map<string, Lane>();
  /** End of the last wait of each queue, by queue number. One wait blocks the queue at a time. */
  readonly #free = new Map<number, number>();

  constructor(model: TimelineModel) {
    this.#model = model;
  }

  add({ queues, values }: FenceTraceReading): void {
    this.isTraced = true;
    const { from } = this.#model;
    for (const { fence, value, time } of values) {
      if (time >= from) this.#addValue(fence, value, time);
    }
    for (const queue of queues) this.#addQueue(queue);
  }

  /** Returns the signal that unblocked a queue, if it is known. */
  signalOf({ name, fence, end }: Bar): Bar | undefined {
    if (name !== 'WAIT_UNBLOCKED' || !fence) return undefined;
    const bars = this.#values.get(fence.key)?.bars ?? [];
    const signal = bars[reachedAt(bars, fence.value)];
    return signal && signal.begin <= end ? signal : undefined;
  }

  #addQueue({ queue, name, operations, lost }: TracedQueue): void {
    const model = this.#model;
    const lane = (): Lane => model.lane(`queue ${name} (${queue})`, 'fenceLog', 'queues');
    const calls = (): Lane => model.lane(`queue ${name} (${queue}) · CPU events`, 'fenceCall', 'queues');
    if (lost > 0) {
      this.lost += lost;
      const time = operations[0]?.timeFinished ?? model.readAt;
      model.bar(lane(), 'LOST', 0, time, time, lost);
    }
    for (const { operation, fence, value, timeObserved, timeFinished } of operations) {
      if (timeFinished < model.from) continue;
      const isCall = operation === 'WAIT_QUEUED' || operation === 'SIGNAL_QUEUED';
      const begin = Math.min(timeFinished, Math.max(timeObserved, this.#free.get(queue) ?? 0));
      if (operation === 'WAIT_UNBLOCKED') {
        this.#free.set(queue, timeFinished);
        this.#reachedBy(fence, value, timeFinished);
      }
      const figure = { key: fence.key, name: fence.name, value };
      model.bar(isCall ? calls() : lane(), operation, 0, begin, timeFinished, 0, figure);
    }
  }

  /**
   * Moves the beginning of a fence's value back to the end of a wait for it. The wait proves that the fence had the value
   * by then.
   */
  #reachedBy({ key }: TracedFence, value: bigint, time: number): void {
    const bars = this.#values.get(key)?.bars ?? [];
    const index = reachedAt(bars, value);
    const [before, bar] = [bars[index - 1], bars[index]];
    if (!bar || bar.begin <= time) return;
    bar.begin = Math.max(time, before?.begin ?? 0);
    if (before) before.end = bar.begin;
  }

  #addValue({ key, name, index }: TracedFence, value: bigint, time: number): void {
    const lane = this.#model.lane(`fence ${name} (${index})`, 'fence', 'page', key);
    this.#values.set(key, lane);
    const before = lane.bars.at(-1);
    // Another thread has reported the value already, or a later value was reported first.
    if (before?.fence && before.fence.value >= value) return;
    const begin = Math.max(time, before?.begin ?? 0);
    if (before) before.end = begin;
    this.#model.bar(lane, 'value', 0, begin, begin, 0, { key, name, value });
  }
}

/**
 * Returns the index of the first bar whose value is at least `value`, or the number of bars if there is none. Values
 * only grow.
 */
function reachedAt(bars: readonly Bar[], value: bigint): number {
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle]?.fence?.value ?? 0n) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
