/**
 * What the threads of a task system run, and when, for the timeline: a ring for each worker.
 *
 *   memory is shared    worker ─ writes ─► ring ◄─ reads ─ page
 *   elsewhere           worker ─ answer, with its times ─► page ─ writes ─► ring
 */
import { EVENT_RING_BYTES, EventRing, RUNNABLE_LANE, TimelineEvent } from '../core/events/event-ring.js';
import { canShare } from './arguments/shared-array.js';
import { RunnableEvents } from './runnable-events.js';
import type { RanTimes } from './task-messages.js';
import type { ModuleAddress } from './worker-modules.js';

export class TaskRings {
  /** Of this thread, which runs tasks where there are no workers. */
  readonly own: EventRing;
  readonly #workers: Record<string, EventRing> = {};
  /** Of threads of the program's own, by the name of the lane; the oldest first. */
  readonly #runnables = new Map<string, RunnableEvents>();
  readonly #modules = new Map<number, NumberedModule>();

  constructor(own: EventRing) {
    this.own = own;
  }

  /** By the name of the lane. */
  get workers(): Readonly<Record<string, EventRing>> {
    return this.#workers;
  }

  /** By the name of the lane. */
  get runnables(): Readonly<Record<string, EventRing>> {
    return Object.fromEntries([...this.#runnables].map(([lane, { ring }]) => [lane, ring]));
  }

  /** A module was loaded, whose tasks the rings tell of by number. */
  know(module: NumberedModule): void {
    this.#modules.set(module.number, module);
  }

  /** `waves.fill` of a number of `taskNumberOf`, where the module is `…/waves.js`; null: there is none. */
  nameOf(task: number): string | null {
    const module = this.#modules.get(Math.floor(task / MOST_TASKS));
    const name = module?.names[(task % MOST_TASKS) - 1];
    if (!module || name === undefined) return null;
    const file = new URL(module.url).pathname.split('/').at(-1) ?? '';
    return `${file.replace(/\.\w+$/, '')}.${name}`;
  }

  /** A worker has started, perhaps in the place of another one, whose clock was its own. */
  open(place: number): EventRing {
    const ring = new EventRing(canShare() ? new SharedArrayBuffer(EVENT_RING_BYTES) : undefined);
    this.#workers[`task worker ${place}`] = ring;
    return ring;
  }

  /** A thread of the program's own starts. Those that live at once have lanes of their own, also where they share a name. */
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

/** Lanes of threads that have ended, which are kept for who looks later. */
const MOST_RUNNABLES = 256;

/** A worker that shares no memory has told when it ran a task. @param task of `taskNumberOf` */
export function addTold(ring: EventRing, [began, ended]: RanTimes, task: number, indices: number): void {
  const { timeOrigin } = performance;
  ring.add(TimelineEvent.task, task, began - timeOrigin, ended - timeOrigin, indices);
}

/** What rings of events know of a module. */
type NumberedModule = Pick<ModuleAddress, 'number' | 'names' | 'url'>;

/** More tasks than a module has. */
const MOST_TASKS = 2 ** 20;

/** Where events of frames have the frame: which task of which module it was, from 1 on. */
export function taskNumberOf({ number, names }: Omit<NumberedModule, 'url'>, task: string): number {
  return number * MOST_TASKS + names.indexOf(task) + 1;
}
