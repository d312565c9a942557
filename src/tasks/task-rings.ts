/**
 * Events of a task system's threads for the timeline, in one ring per thread.
 *
 *   shared memory       worker ─ writes ─► ring ◄─ reads ─ page
 *   copied memory       worker ─ answer, with its times ─► page ─ writes ─► ring
 */
import {
  EVENT_HEADER_NUMBERS,
  EVENT_NUMBERS,
  EVENT_RING_BYTES,
  EventRing,
  RUNNABLE_LANE,
  RUNNABLE_STAGES,
  type RunnableStage,
  TimelineEvent,
} from '../core/events/event-ring.js';
import { canShare } from './arguments/shared-array.js';
import type { RanTimes } from './task-messages.js';
import type { ModuleAddress } from './task-module.js';

export class TaskRings {
  /** Ring of this thread, which runs tasks if there are no workers. */
  readonly own: EventRing;
  readonly #workers: Record<string, EventRing> = {};
  /** Events of runnables (the program's own threads) by the name of their lane in the timeline, the oldest first. */
  readonly #runnables = new Map<string, RunnableEvents>();
  readonly #modules = new Map<number, NumberedModule>();

  constructor(own: EventRing) {
    this.own = own;
  }

  /** Rings of workers by the name of their lane. */
  get workers(): Readonly<Record<string, EventRing>> {
    return this.#workers;
  }

  /** Rings of runnables by the name of their lane. */
  get runnables(): Readonly<Record<string, EventRing>> {
    return Object.fromEntries([...this.#runnables].map(([lane, { ring }]) => [lane, ring]));
  }

  /** Registers a loaded module. Events refer to its tasks by number. */
  register(module: NumberedModule): void {
    this.#modules.set(module.number, module);
  }

  /**
   * Returns the name for a number of `taskNumberOf`, such as `waves.fill` of the module `…/waves.js`; `null` if
   * unknown.
   */
  nameOf(task: number): string | null {
    const module = this.#modules.get(Math.floor(task / MOST_TASKS));
    const name = module?.names[(task % MOST_TASKS) - 1];
    if (!module || name === undefined) return null;
    const file = new URL(module.url).pathname.split('/').at(-1) ?? '';
    return `${file.replace(/\.\w+$/, '')}.${name}`;
  }

  /** Creates the ring of a worker that has started. It replaces the ring of an earlier worker with the same number. */
  open(place: number): EventRing {
    const ring = new EventRing(canShare() ? new SharedArrayBuffer(EVENT_RING_BYTES) : undefined);
    this.#workers[`task worker ${place}`] = ring;
    return ring;
  }

  /**
   * Opens the events of a runnable. Threads that run at the same time have different lanes, even if their names are
   * equal.
   */
  openRunnable(name: string): RunnableEvents {
    let lane = `${RUNNABLE_LANE}${name}`;
    for (let number = 2; this.#runnables.get(lane)?.isOpen; number++)
      lane = `${RUNNABLE_LANE}${name} ${number}`;
    const events = this.#runnables.get(lane) ?? new RunnableEvents();
    events.isOpen = true;
    this.#runnables.set(lane, events);
    for (const [each, { isOpen }] of this.#runnables) {
      if (this.#runnables.size <= MOST_RUNNABLES) break;
      if (!isOpen) this.#runnables.delete(each);
    }
    return events;
  }
}

/** Maximum number of lanes for runnables. Lanes of ended threads are kept up to this number, for later readers. */
const MOST_RUNNABLES = 256;

/**
 * Adds an event with the times that a worker without shared memory has reported.
 * @param task a number of `taskNumberOf`
 */
export function addReported(ring: EventRing, [began, ended]: RanTimes, task: number, indices: number): void {
  const { timeOrigin } = performance;
  ring.add(TimelineEvent.task, task, began - timeOrigin, ended - timeOrigin, indices);
}

/** The part of a module that is needed to name its tasks. */
type NumberedModule = Pick<ModuleAddress, 'number' | 'names' | 'url'>;

/** A number larger than the number of tasks of any module. */
const MOST_TASKS = 2 ** 20;

/** Returns the number of a module's task, from 1. Task events store it where other events have the frame. */
export function taskNumberOf({ number, names }: Omit<NumberedModule, 'url'>, task: string): number {
  return number * MOST_TASKS + names.indexOf(task) + 1;
}

/**
 * Number of events in the ring, a power of two. A runnable has three; later runnables of the same name use the same
 * ring.
 */
const CAPACITY = 64;
const RING_BYTES = (EVENT_HEADER_NUMBERS + CAPACITY * EVENT_NUMBERS) * Float64Array.BYTES_PER_ELEMENT;

/**
 * Events of a runnable (a program on a thread of its own) for the timeline: `init`, `run` and `exit`. An event ends
 * when the function's promise has settled.
 *
 *   events       init ├──┤ run ├───────────────┤ exit ├─┤     by the times that the thread reports at each end
 *   breadcrumb   init      run                   exit          when this thread learns of the begin
 */
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
