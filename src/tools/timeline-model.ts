/**
 * The timeline as lanes of bars, built from the events of threads, batch by batch. The panel in the page and trace
 * files share this model. Batches of different threads arrive in any order. The bars of a frame are matched by the
 * frame's number.
 *
 *   batches ─► bars in lanes             chains: frame 7 → update, record, submit, GPU, completed, release
 *              fences: a bar per value   waits: a bar, and the signal that ended it
 *              GPU: times aligned        (see gpu-clock.ts); fences of the page: see fence-lanes.ts
 */
import type { ThreadEvents } from '../core/events/event-reader.js';
import { EVENT_NUMBERS, RUNNABLE_LANE, RUNNABLE_STAGES, TimelineEvent } from '../core/events/event-ring.js';
import { EVENT_KINDS, type EventName, type Stage, shownName } from './event-kinds.js';
import { FenceLanes } from './fence-lanes.js';
import { GpuClock } from './gpu-clock.js';
import { compareLanes } from './lane-order.js';
import { PageLanes } from './page-lanes.js';

/** Bars of the page's fences: entries of queue logs, a value of a fence, and lost entries. */
type FenceBarName = 'WAIT_UNBLOCKED' | 'SIGNAL_EXECUTED' | 'WAIT_QUEUED' | 'SIGNAL_QUEUED' | 'value' | 'LOST';

/** Times are milliseconds since the epoch. */
export interface Bar {
  readonly lane: Lane;
  /** Type of the event; `gpu` is a whole list on the GPU. */
  readonly name: EventName | 'gpu' | FenceBarName;
  /** The game's frame; 0 for none. */
  readonly frame: number;
  /** The begin of the bar. It moves back if a later event proves that a fence had the value earlier. */
  begin: number;
  /** The end of the bar. It grows while the event continues: a fence's value lasts until the next signal. */
  end: number;
  readonly extra: number;
  /**
   * Name of a `task` as `module.task`, of a `runnable` as `thread.run`, or of a scope or measure of the page; name and
   * value of a counter; null if it is not known.
   */
  readonly task: string | null;
  /** The page's fence, if the event is about one. */
  readonly fence: { readonly key: string; readonly name: string; readonly value: bigint } | null;
}

export type LaneKind =
  | 'thread'
  | 'wait'
  | 'passing'
  | 'counter'
  | 'gpu'
  | 'queue'
  /** `fenceLog`: entries of a queue's logs. `fenceCall`: requests of CPUs to the queue. */
  | 'fenceLog'
  | 'fenceCall'
  | 'fence';

/** Returns the label of a bar: "record 7", "release 7", "WAIT_UNBLOCKED go 1", "drawn 2", "waves.fill". */
export function labelOf({ name, frame, fence, extra, task }: Bar): string {
  if (task !== null) return task;
  if (name === 'LOST') return `${extra} entries lost`;
  if (fence) return `${name === 'value' ? '' : `${name} `}${fence.name} ${fence.value}`;
  const shown = shownName(name as EventName | 'gpu');
  return frame > 0 ? `${shown} ${frame}` : shown;
}

export interface Lane {
  /** Unique name, such as "render · waits". */
  readonly name: string;
  readonly kind: LaneKind;
  /** The thread that recorded the events. */
  readonly thread: string;
  readonly bars: Bar[];
}

/** The bars of a frame, in their order. */
const CHAIN = ['update', 'record', 'submit', 'gpu', 'completed', 'purge'] as const;
const STEPS = new Map<string, number>(CHAIN.map((step, index) => [step, index]));

const COMPLETED = CHAIN.indexOf('completed');

/** Names of the declared queues (SYSTEMS H6), by `QueueHint`. */
const QUEUE_NAMES = ['3D', 'compute', 'copy'] as const;

/** A command list between submission and release. */
interface ListOnGpu {
  readonly frame: number;
  /** Begin of its submission. */
  readonly submitted: number;
  /** Time at which `submit` returned. */
  readonly submitReturned: number;
  /** Three numbers per pass: begin and end on the GPU's clock, and queue. */
  readonly passes: number[];
}

const THREAD_NAMES: Readonly<Record<string, string>> = {
  main: 'main thread',
  render: 'render worker',
  RHI: 'RHI worker',
  assets: 'asset worker',
};

export class TimelineModel {
  /** Milliseconds since the epoch. Events that began earlier are omitted, except stages of runnables, which are cut. */
  from = Number.NEGATIVE_INFINITY;
  /** Most bars that a lane keeps, and most frames in `chains`. */
  capacity = Number.POSITIVE_INFINITY;
  /** The signal that the game waits for. */
  gameAwaits: 'rendered' | 'submitted' = 'rendered';
  /** Returns the name of a task by its number in rings. */
  taskOf: (task: number) => string | null = () => null;
  /** Returns the name of a scope or counter of the page by its number in rings. */
  scopeOf: (scope: number) => string | null = () => null;
  /** True while the user examines the current events. New events are then discarded. */
  isPaused = false;
  /** Time of the last reading, in milliseconds since the epoch. */
  readAt = 0;
  /** Called after each reading. */
  onRead: (() => void) | null = null;
  readonly lanes: Lane[] = [];
  /** Bars of `CHAIN` by frame, as far as they have arrived. */
  readonly chains = new Map<number, (Bar | undefined)[]>();
  /** Lanes of the page's fences and of the queues that use them. */
  readonly fences = new FenceLanes(this);
  /** Lanes of measures and counters of the page. */
  readonly page = new PageLanes(this);
  /** Bytes of memory by subsystem (SYSTEMS M8), at the times of samples. */
  readonly memory: { readonly time: number; readonly bytes: Readonly<Record<string, number>> }[] = [];
  /** Latest time of any bar. */
  newest = Number.NEGATIVE_INFINITY;
  /** Number of events that were overwritten before they were read. */
  lost = 0;
  /** Whether the GPU reports times of its own; `null` until the first list has completed. */
  hasGpuTimes: boolean | null = null;
  /** The event that each thread has begun last, with its begin in milliseconds since the epoch. */
  readonly begun = new Map<string, ThreadEvents['begun']>();
  readonly #lanes = new Map<string, Lane>();
  /** Bars of signals by fence and value ("completed 7") and by list ("list 9"). */
  readonly #signals = new Map<string, Bar>();
  readonly #lists = new Map<number, ListOnGpu>();
  /** Clock of the current device. */
  #clock = new GpuClock();
  /** Creation time of the ring of the device's thread, and the last list that it submitted. */
  #deviceRing = 0;
  #lastList = 0;
  #submit: Bar | undefined;
  #gpuFree = 0;

  add({ thread, ring, events, lost, begun }: ThreadEvents): void {
    this.lost += lost;
    this.readAt = performance.timeOrigin + performance.now();
    this.begun.set(thread, begun);
    for (let at = 0; at < events.length; at += EVENT_NUMBERS) {
      const type = events[at] as number;
      const frame = events[at + 1] as number;
      const begin = events[at + 2] as number;
      const end = events[at + 3] as number;
      const extra = events[at + 4] as number;
      if (type === TimelineEvent.gpuPass) {
        this.#lists.get(Math.floor(extra / 4))?.passes.push(begin, end, extra % 4);
        continue;
      }
      if (type === TimelineEvent.submitted) this.#submittedBy(ring, extra);
      if (begin >= this.from) this.#event(thread, type, frame, begin, end, extra);
      // A stage of a runnable may have begun long before the trace.
      else if (type === TimelineEvent.runnable && end > this.from)
        this.#event(thread, type, frame, this.from, end, extra);
    }
    // Create the lane before the first event of a runnable has ended, so that the current stage is visible.
    if (begun[0] === TimelineEvent.runnable) this.lane(thread, 'thread', thread);
  }

  /**
   * Resets the clock and the lists for a new device, whose lists are numbered from the start. Unfinished lists of the
   * old device never end.
   */
  #submittedBy(ring: number, list: number): void {
    if (ring !== this.#deviceRing || list <= this.#lastList) {
      this.#clock = new GpuClock();
      this.#lists.clear();
      this.#gpuFree = 0;
    }
    this.#deviceRing = ring;
    this.#lastList = list;
  }

  /**
   * Returns the milliseconds from the beginning of the last `count` completed frames to the end of the newest bar; `null`
   * when fewer frames have completed.
   */
  spanOfFrames(count: number): number | null {
    const done = [...this.chains.values()].filter((chain) => chain[COMPLETED] !== undefined).slice(-count);
    if (done.length < count) return null;
    const begins = done.flatMap((chain) => chain.map((bar) => bar?.begin ?? this.newest));
    return this.newest - begins.reduce((least, begin) => Math.min(least, begin), this.newest);
  }

  /**
   * Returns the current stage of a runnable as a bar that ends at the last reading, or `null`. No lane keeps the bar.
   */
  currentStage(lane: Lane): Bar | null {
    const [type, stage, begin] = this.begun.get(lane.thread) ?? [0, 0, 0];
    if (type !== TimelineEvent.runnable || lane.kind !== 'thread') return null;
    const times = { begin: Math.max(begin, this.from), end: this.readAt };
    const task = stageLabel(lane.thread, stage);
    return { lane, name: 'runnable', frame: 0, ...times, extra: 0, task, fence: null };
  }

  /** Returns the signal that ended a wait, if it is known. */
  signalOf(bar: Bar): Bar | undefined {
    const { name, extra } = bar;
    if (name === 'gameWait') return this.#signals.get(`${this.gameAwaits} ${extra}`);
    if (name === 'renderWait' || name === 'rhiWait') return this.#signals.get(`list ${extra}`);
    return this.fences.signalOf(bar);
  }

  #event(thread: string, type: number, frame: number, begin: number, end: number, extra: number): void {
    const kind = EVENT_KINDS[type];
    if (!kind) return;
    const { name, stage } = kind;
    if (stage === 'fence') {
      this.#signal(thread, name, frame, begin, extra);
      return;
    }
    if (name === 'counter') {
      this.page.count(this.scopeOf(frame) ?? 'unnamed', begin, extra);
      return;
    }
    const lane = kind.isWork
      ? this.lane(thread, 'thread', thread)
      : this.freeLane(
          `${thread} · ${laneOf(thread, stage, kind.isWait)}`,
          kind.isWait ? 'wait' : 'passing',
          thread,
          begin,
        );
    const isPurge = name === 'purge';
    const isNamed = NAMED.has(name);
    const task = isNamed ? this.nameOf(name, thread, frame) : null;
    const ofFrame = isPurge ? (this.#lists.get(extra)?.frame ?? 0) : isNamed ? 0 : frame;
    if (isPurge) this.#forgetLists(extra);
    const bar = this.bar(lane, name, ofFrame, begin, end, extra, null, task);
    if (name === 'submit') this.#submit = bar;
  }

  /**
   * Returns the name of a task, a runnable's stage or a scope; null if it is not known, or for other events.
   * @param number value of the event's frame field, which holds the number of the task, stage or scope
   */
  nameOf(name: EventName, thread: string, number: number): string | null {
    if (name === 'task') return this.taskOf(number);
    if (name === 'runnable') return stageLabel(thread, number);
    return name === 'scope' || name === 'span' || name === 'counter' ? this.scopeOf(number) : null;
  }

  /** Forgets the lists up to `last`. A purge also covers the lists of an earlier purge whose event was lost. */
  #forgetLists(last: number): void {
    for (const list of this.#lists.keys()) {
      if (list > last) return;
      this.#lists.delete(list);
    }
  }

  /** Adds a signal to the lane of its fence. Each signal ends the bar of the previous value. */
  #signal(thread: string, name: EventName, frame: number, time: number, list: number): void {
    const lane = this.lane(`fence ${name}`, 'fence', thread);
    const before = lane.bars.at(-1);
    // A failing fence and further lists of a frame signal the same value again.
    const isNew = before?.frame !== frame;
    if (before && isNew) before.end = Math.max(before.begin, time);
    if (name === 'submitted' && this.#submit) {
      const { begin, end } = this.#submit;
      this.#lists.set(list, { frame, submitted: begin, submitReturned: end, passes: [] });
    }
    if (name === 'completed') this.#completed(thread, list, time);
    const bar = isNew || !before ? this.bar(lane, name, frame, time, time, list) : before;
    this.#signals.set(`${name} ${frame}`, bar);
    if (name === 'completed') this.#signals.set(`list ${list}`, bar);
    if (this.#signals.size > MOST_SIGNALS) forgetHalf(this.#signals);
  }

  #completed(thread: string, number: number, time: number): void {
    const list = this.#lists.get(number);
    if (!list) return;
    const { frame, submitted, submitReturned, passes } = list;
    this.hasGpuTimes = passes.length > 0;
    if (passes.length === 0) {
      // The begin is unknown. It is after the submission of this list and after the end of the previous list.
      const begin = Math.min(time, Math.max(submitReturned, this.#gpuFree));
      this.#gpuFree = time;
      this.bar(this.lane('GPU', 'gpu', thread), 'gpu', frame, begin, time, number);
      return;
    }
    let first = Number.POSITIVE_INFINITY;
    let last = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < passes.length; at += 3) {
      first = Math.min(first, passes[at] as number);
      last = Math.max(last, passes[at + 1] as number);
    }
    const offset = this.#clock.add(submitted, time, first, last);
    this.bar(
      this.freeLane('GPU', 'gpu', thread, first + offset),
      'gpu',
      frame,
      first + offset,
      last + offset,
      number,
    );
    for (let at = 0; at < passes.length; at += 3) {
      const begin = (passes[at] as number) + offset;
      const end = (passes[at + 1] as number) + offset;
      const queue = QUEUE_NAMES[passes[at + 2] as number] ?? QUEUE_NAMES[0];
      const lane = this.freeLane(`GPU · ${queue} queue`, 'queue', thread, begin);
      this.bar(lane, 'gpuPass', frame, begin, Math.max(begin, end), at / 3);
    }
  }

  /** @internal */
  bar(
    lane: Lane,
    name: Bar['name'],
    frame: number,
    begin: number,
    end: number,
    extra: number,
    fence: Bar['fence'] = null,
    task: Bar['task'] = null,
  ): Bar {
    const bar: Bar = { lane, name, frame, begin, end, extra, fence, task };
    const { bars } = lane;
    bars.push(bar);
    if (bars.length > this.capacity) bars.splice(0, bars.length >> 1);
    this.newest = Math.max(this.newest, end);
    const step = STEPS.get(name);
    if (step !== undefined && frame > 0) {
      let chain = this.chains.get(frame);
      if (!chain) {
        chain = [];
        this.chains.set(frame, chain);
        if (this.chains.size > this.capacity) forgetHalf(this.chains);
      }
      // Keep the bar of the frame's first list, for which the game waits. Further lists of the frame only continue
      // motion.
      chain[step] ??= bar;
    }
    return bar;
  }

  /**
   * @internal
   *
   * @param key key of the lane if its name is not unique
   */
  lane(name: string, kind: LaneKind, thread: string, key = name): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { name: kind === 'thread' ? (THREAD_NAMES[name] ?? name) : name, kind, thread, bars: [] };
      this.#lanes.set(key, lane);
      this.lanes.push(lane);
      this.lanes.sort(compareLanes);
    }
    return lane;
  }

  /** @internal Returns a lane without a bar at `begin`; the last lane if `MOST_PARALLEL_LANES` lanes have one. */
  freeLane(name: string, kind: LaneKind, thread: string, begin: number): Lane {
    for (let index = 1; ; index++) {
      const lane = this.lane(index === 1 ? name : `${name} ${index}`, kind, thread);
      const last = lane.bars.at(-1);
      if (!last || last.end <= begin || index === MOST_PARALLEL_LANES) return lane;
    }
  }
}

/** Events whose frame field holds the number of a task, stage or scope instead. */
const NAMED: ReadonlySet<EventName> = new Set(['task', 'runnable', 'scope', 'span']);

const MOST_SIGNALS = 20_000;
/** Most lanes of one kind of event, for bars that overlap. */
const MOST_PARALLEL_LANES = 16;

/**
 * Returns the label of a stage, such as `physics.run` for the lane "runnable physics".
 *
 * @param stage counted from 1
 */
const stageLabel = (lane: string, stage: number): string =>
  `${lane.slice(RUNNABLE_LANE.length)}.${RUNNABLE_STAGES[stage - 1]}`;

function laneOf(thread: string, stage: Stage, isWait: boolean): string {
  if (!isWait) return stage;
  return stage === thread ? 'waits' : `${stage} waits`;
}

/** Removes the older half of a map's entries. Maps keep the order of insertion. */
function forgetHalf<K>(map: Map<K, unknown>): void {
  let left = map.size >> 1;
  for (const key of map.keys()) {
    if (left-- <= 0) return;
    map.delete(key);
  }
}
