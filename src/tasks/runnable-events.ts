/**
 * Events of a runnable (a program on a thread of its own) for the timeline: `init`, `run` and `exit`. An event ends
 * when the function's promise has settled.
 *
 *   events       init ├──┤ run ├───────────────┤ exit ├─┤     by the times that the thread reports at each end
 *   breadcrumb   init      run                   exit          when this thread learns of the begin
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

/**
 * Number of events in the ring, a power of two. A runnable has three; later runnables of the same name use the same
 * ring.
 */
const CAPACITY = 64;
const RING_BYTES = (EVENT_HEADER_NUMBERS + CAPACITY * EVENT_NUMBERS) * Float64Array.BYTES_PER_ELEMENT;

export class RunnableEvents {
  readonly ring = new EventRing(new ArrayBuffer(RING_BYTES));
  /** True until the thread has ended. */
  isOpen = true;
  #stage: RunnableStage | null = null;
  #began = 0;

  begin(stage: RunnableStage): void {
    this.#stage = stage;
    this.#began = this.ring.begin(TimelineEvent.runnable, numberOf(stage));
  }

  /** Records a stage with the times that the thread has reported. */
  end(stage: RunnableStage, [began, ended]: RanTimes): void {
    const { timeOrigin } = performance;
    this.ring.add(TimelineEvent.runnable, numberOf(stage), began - timeOrigin, ended - timeOrigin, 0);
    this.#stage = null;
  }

  /**
   * Closes the events of a thread that has ended.
   * @param isKilled whether the thread was killed, which ends its stage now
   */
  close(isKilled: boolean): void {
    if (isKilled && this.#stage) this.ring.end(TimelineEvent.runnable, numberOf(this.#stage), this.#began);
    this.#stage = null;
    this.isOpen = false;
    // Clear the breadcrumb: no stage is running any more.
    this.ring.begin(0, 0);
  }
}

const numberOf = (stage: RunnableStage): number => RUNNABLE_STAGES.indexOf(stage) + 1;
