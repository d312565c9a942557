/**
 * Events of a runnable for the timeline: `init`, `run` and `exit`, each to its end, promises included.
 *
 *   events       init ├──┤ run ├───────────────┤ exit ├─┤     by the times that the thread tells with each end
 *   breadcrumb   init      run                   exit          when this thread hears of the begin
 */
import {
  EVENT_HEADER_NUMBERS,
  EVENT_NUMBERS,
  EventRing,
  RUNNABLE_STAGES,
  type RunnableStage,
  TimelineEvent,
} from '../core/events/event-ring.js';
import type { RanTimes } from './task-messages.js';

/** A runnable has three events; more follow where others of its name come after it. A power of two. */
const CAPACITY = 64;
const RING_BYTES = (EVENT_HEADER_NUMBERS + CAPACITY * EVENT_NUMBERS) * Float64Array.BYTES_PER_ELEMENT;

export class RunnableEvents {
  readonly ring = new EventRing(new ArrayBuffer(RING_BYTES));
  /** The thread has not ended. */
  isOpen = true;
  #stage: RunnableStage | null = null;
  #began = 0;

  begin(stage: RunnableStage): void {
    this.#stage = stage;
    this.#began = this.ring.begin(TimelineEvent.runnable, numberOf(stage));
  }

  /** The thread has told when it began and ended. */
  end(stage: RunnableStage, [began, ended]: RanTimes): void {
    const { timeOrigin } = performance;
    this.ring.add(TimelineEvent.runnable, numberOf(stage), began - timeOrigin, ended - timeOrigin, 0);
    this.#stage = null;
  }

  /** The thread has ended. @param isKilled in the middle of something, which ends now */
  close(isKilled: boolean): void {
    if (isKilled && this.#stage) this.ring.end(TimelineEvent.runnable, numberOf(this.#stage), this.#began);
    this.#stage = null;
    this.isOpen = false;
    // Nothing is under way any more.
    this.ring.begin(0, 0);
  }
}

const numberOf = (stage: RunnableStage): number => RUNNABLE_STAGES.indexOf(stage) + 1;
