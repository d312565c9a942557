/**
 * Fences of the page in the timeline (SYSTEMS F9, F10): of each queue a lane of what its logs say and one of what a CPU asked
 * it for, and of each fence a lane of its values. Everything here was observed by a CPU.
 *
 *   queue GPU               │ WAIT_UNBLOCKED go 1 ░░░░░░░ │ SIGNAL_EXECUTED drawn 2      held from … until …
 *   queue GPU · CPU events  WAIT_QUEUED go 1   SIGNAL_QUEUED drawn 2
 *   fence drawn (4)         ─ 1 ────────────────────────────┤─ 2 ──
 */
import type { FenceTraceReading, TracedFence, TracedQueue } from '../sync/monitored/fence-trace.js';
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
    for (const queue of queues) this.#addQueue(queue);
    const { from } = this.#model;
    for (const { fence, value, time } of values) {
      if (time >= from) this.#addValue(fence, value, time);
    }
  }

  /** The signal that let a queue go on, where it is known. */
  signalOf({ name, fence, end }: Bar): Bar | undefined {
    if (name !== 'WAIT_UNBLOCKED' || !fence) return undefined;
    const signal = this.#values.get(fence.key)?.bars.find((bar) => (bar.fence?.value ?? -1n) >= fence.value);
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
      if (operation === 'WAIT_UNBLOCKED') this.#free.set(queue, timeFinished);
      const figure = { key: fence.key, name: fence.name, value };
      model.bar(isCall ? calls() : lane(), operation, 0, begin, timeFinished, 0, figure);
    }
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
