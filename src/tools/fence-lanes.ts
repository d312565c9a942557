/**
 * Fences of the page in the timeline (SYSTEMS F9, F10): of each queue a lane of what its logs say and one of what a CPU asked
 * it for, and of each fence a lane of its values. Everything here was observed by a CPU.
 *
 *   queue GPU               │ WAIT_UNBLOCKED go 1 ░░░░░░░ │ SIGNAL_EXECUTED drawn 2      held from … until …
 *   queue GPU · CPU events  WAIT_QUEUED go 1   SIGNAL_QUEUED drawn 2
 *   fence drawn (4)         ─ 1 ────────────────────────────┤─ 2 ──
 */
import type { FenceTraceReading, TracedFence, TracedQueue } from '../sync/fences/logs/fence-trace.js';
import type { Bar, Lane, TimelineModel } from './timeline-model.js';

export class FenceLanes {
  readonly #model: TimelineModel;
  /** Entries of logs that were overwritten before they were read. */
  lost = 0;
  /** Whether there were fences to be read. */
  isTraced = false;
  /** By key of the fence. */
  readonly #values = new Map<string, Lane>();
  /** By number of the queue: when its last wait ended. One holds the queue at a time. */
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

  /** The signal that let a queue go on, where it is known. */
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

  /** A wait that has ended tells that the value was there, perhaps before anybody else had seen it. */
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
    // Two have seen it, or a later value came first.
    if (before?.fence && before.fence.value >= value) return;
    const begin = Math.max(time, before?.begin ?? 0);
    if (before) before.end = begin;
    this.#model.bar(lane, 'value', 0, begin, begin, 0, { key, name, value });
  }
}

/** The first bar of a fence's lane whose value is as large; its length where there is none. Values only grow. */
function reachedAt(bars: readonly Bar[], value: bigint): number {
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle]?.fence?.value ?? 0n) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
