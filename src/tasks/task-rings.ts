/**
 * What the threads of a task system run, and when, for the timeline: a ring for each worker.
 *
 *   memory is shared    worker ─ writes ─► ring ◄─ reads ─ page
 *   elsewhere           worker ─ answer, with its times ─► page ─ writes ─► ring
 */
import { EVENT_RING_BYTES, EventRing, TimelineEvent } from '../core/event-ring.js';
import { canShare } from './shared-array.js';

/** Begin and end, in milliseconds since the epoch: threads have one clock by that. */
export type RanTimes = readonly [began: number, ended: number];

export class TaskRings {
  /** Of this thread, which runs tasks where there are no workers. */
  readonly own: EventRing;
  readonly #workers: Record<string, EventRing> = {};

  constructor(own: EventRing) {
    this.own = own;
  }

  /** By the name of the lane. */
  get workers(): Readonly<Record<string, EventRing>> {
    return this.#workers;
  }

  /** A worker has started, perhaps in the place of another one, whose clock was its own. */
  open(place: number): EventRing {
    const ring = new EventRing(canShare() ? new SharedArrayBuffer(EVENT_RING_BYTES) : undefined);
    this.#workers[`task worker ${place}`] = ring;
    return ring;
  }
}

/** A worker that shares no memory has told when it ran a task. */
export function addTold(ring: EventRing, [began, ended]: RanTimes, indices: number): void {
  const { timeOrigin } = performance;
  ring.add(TimelineEvent.task, 0, began - timeOrigin, ended - timeOrigin, indices);
}
