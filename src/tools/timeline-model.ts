/**
 * The timeline as lanes of bars, built from what threads noted, batch by batch: one model for the view in the page and
 * for trace files. Batches of different threads come in any order; a frame's bars find each other by its number.
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

/** Of fences of the page: as in their queue's logs, a value that one had, and entries that were lost. */
type FenceBarName = 'WAIT_UNBLOCKED' | 'SIGNAL_EXECUTED' | 'WAIT_QUEUED' | 'SIGNAL_QUEUED' | 'value' | 'LOST';

/** Times are milliseconds since the epoch. */
export interface Bar {
  readonly lane: Lane;
  /** The type of event; `gpu` is a whole list on the GPU. */
  readonly name: EventName | 'gpu' | FenceBarName;
  /** Of the game; 0: of none. */
  readonly frame: number;
  /** Moves back where it shows that a fence had the value earlier. */
  begin: number;
  /** Grows where something is not over: a fence's value until the next signal. */
  end: number;
  readonly extra: number;
  /** Name of a `task`, as `module.task`, where it is known; `thread.run` of a `runnable`. */
  readonly task: string | null;
  /** The page's fence that it is about. */
  readonly fence: { readonly key: string; readonly name: string; readonly value: bigint } | null;
}

export type LaneKind =
  | 'thread'
  | 'wait'
  | 'passing'
  | 'gpu'
  | 'queue'
  /** What a queue's logs say, and what a CPU asked it for. */
  | 'fenceLog'
  | 'fenceCall'
  | 'fence';

/** What people read of a bar: "record 7", "release 7", "WAIT_UNBLOCKED go 1", "drawn 2", "waves.fill". */
export function labelOf({ name, frame, fence, extra, task }: Bar): string {
  if (task !== null) return task;
  if (name === 'LOST') return `${extra} entries lost`;
  if (fence) return `${name === 'value' ? '' : `${name} `}${fence.name} ${fence.value}`;
  const shown = shownName(name as EventName | 'gpu');
  return frame > 0 ? `${shown} ${frame}` : shown;
}

export interface Lane {
  /** "render · waits": unique. */
  readonly name: string;
  readonly kind: LaneKind;
  /** The thread that noted it. */
  readonly thread: string;
  readonly bars: Bar[];
}

/** A frame's way: the bars that it goes through, in this order. */
const CHAIN = ['update', 'record', 'submit', 'gpu', 'completed', 'purge'] as const;
const STEPS = new Map<string, number>(CHAIN.map((step, index) => [step, index]));

const COMPLETED = CHAIN.indexOf('completed');

/** The declared queues (SYSTEMS H6), by `QueueHint`. */
const QUEUE_NAMES = ['3D', 'compute', 'copy'] as const;

/** A list between submission and release. */
interface ListOnGpu {
  readonly frame: number;
  /** When its submission began. */
  readonly submitted: number;
  /** When `submit` had returned. */
  readonly given: number;
  /** begin, end, queue … of the GPU's clock */
  readonly passes: number[];
}

const THREAD_NAMES: Readonly<Record<string, string>> = {
  main: 'main thread',
  render: 'render worker',
  RHI: 'RHI worker',
  assets: 'asset worker',
};

export class TimelineModel {
  /** Events that began before are left out. */
  from = Number.NEGATIVE_INFINITY;
  /** Bars that a lane keeps. */
  capacity = Number.POSITIVE_INFINITY;
  /** The signal that lets the game go on. */
  gameAwaits: 'rendered' | 'submitted' = 'rendered';
  /** The name of a task by the number that rings have for it. */
  taskOf: (task: number) => string | null = () => null;
  /** What comes is not kept: somebody looks at what is there. */
  isPaused = false;
  /** When it was last added to, in milliseconds since the epoch. */
  readAt = 0;
  /** After each reading. */
  onRead: (() => void) | null = null;
  readonly lanes: Lane[] = [];
  /** By frame, the bars of `CHAIN` that have come. */
  readonly chains = new Map<number, (Bar | undefined)[]>();
  /** Of the page's fences and the queues that they are used by. */
  readonly fences = new FenceLanes(this);
  /** Bytes of memory by subsystem (SYSTEMS M8), as they were at some moments. */
  readonly memory: { readonly time: number; readonly bytes: Readonly<Record<string, number>> }[] = [];
  /** Newest time of any bar. */
  newest = Number.NEGATIVE_INFINITY;
  /** Events that were overwritten before they were read. */
  lost = 0;
  /** Whether the GPU's own times are known; null: nothing was completed yet. */
  hasGpuTimes: boolean | null = null;
  /** What each thread began last, with the begin in milliseconds since the epoch. */
  readonly begun = new Map<string, ThreadEvents['begun']>();
  readonly #lanes = new Map<string, Lane>();
  /** By fence and value: "completed 7"; and by list, "list 9". */
  readonly #signals = new Map<string, Bar>();
  readonly #lists = new Map<number, ListOnGpu>();
  /** Of the device that executes now. */
  #clock = new GpuClock();
  /** When the ring of the thread of the device was made, and the last list that it submitted. */
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
      // Threads of a program's own live longer than a trace.
      else if (type === TimelineEvent.runnable && end > this.from)
        this.#event(thread, type, frame, this.from, end, extra);
    }
    // The current stage is shown before its first event is over.
    if (begun[0] === TimelineEvent.runnable) this.lane(thread, 'thread', thread);
  }

  /** Another device, whose lists begin anew, has another clock; what the one before had in work never ends. */
  #submittedBy(ring: number, list: number): void {
    if (ring !== this.#deviceRing || list <= this.#lastList) {
      this.#clock = new GpuClock();
      this.#lists.clear();
      this.#gpuFree = 0;
    }
    this.#deviceRing = ring;
    this.#lastList = list;
  }

  /** From the begin of the last `count` frames that the GPU has completed until now, in milliseconds; null: not so many. */
  spanOfFrames(count: number): number | null {
    const done = [...this.chains.values()].filter((chain) => chain[COMPLETED] !== undefined).slice(-count);
    if (done.length < count) return null;
    const begins = done.flatMap((chain) => chain.map((bar) => bar?.begin ?? this.newest));
    return this.newest - begins.reduce((least, begin) => Math.min(least, begin), this.newest);
  }

  /** Returns the stage that a runnable is in now, as a bar until the last reading, which no lane keeps; null where there is none. */
  underWay(lane: Lane): Bar | null {
    const [type, stage, begin] = this.begun.get(lane.thread) ?? [0, 0, 0];
    if (type !== TimelineEvent.runnable || lane.kind !== 'thread') return null;
    const times = { begin: Math.max(begin, this.from), end: this.readAt };
    const task = stageLabel(lane.thread, stage);
    return { lane, name: 'runnable', frame: 0, ...times, extra: 0, task, fence: null };
  }

  /** The signal that ended a wait, where it is known. */
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
    const lane = kind.isWork
      ? this.lane(thread, 'thread', thread)
      : this.#freeLane(
          `${thread} · ${laneOf(thread, stage, kind.isWait)}`,
          kind.isWait ? 'wait' : 'passing',
          thread,
          begin,
        );
    const isPurge = name === 'purge';
    // Tasks have their number, and runnables their stage, where others have the frame.
    const isTask = name === 'task' || name === 'runnable';
    const task =
      name === 'task' ? this.taskOf(frame) : name === 'runnable' ? stageLabel(thread, frame) : null;
    const ofFrame = isPurge ? (this.#lists.get(extra)?.frame ?? 0) : isTask ? 0 : frame;
    if (isPurge) this.#forgetLists(extra);
    const bar = this.bar(lane, name, ofFrame, begin, end, extra, null, task);
    if (name === 'submit') this.#submit = bar;
  }

  /** Up to that one: a purge whose event was lost is caught up by the next. */
  #forgetLists(last: number): void {
    for (const list of this.#lists.keys()) {
      if (list > last) return;
      this.#lists.delete(list);
    }
  }

  /** A fence's lane shows its value: each signal ends the bar of the value before. */
  #signal(thread: string, name: EventName, frame: number, time: number, list: number): void {
    const lane = this.lane(`fence ${name}`, 'fence', thread);
    const before = lane.bars.at(-1);
    // Failing fences signal nothing new, and further lists of a frame don't either.
    const isNew = before?.frame !== frame;
    if (before && isNew) before.end = Math.max(before.begin, time);
    if (name === 'submitted' && this.#submit) {
      const { begin, end } = this.#submit;
      this.#lists.set(list, { frame, submitted: begin, given: end, passes: [] });
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
    const { frame, submitted, given, passes } = list;
    this.hasGpuTimes = passes.length > 0;
    if (passes.length === 0) {
      // Nothing tells when the GPU began: not before it had the list, and not before it was done with the one before.
      const begin = Math.min(time, Math.max(given, this.#gpuFree));
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
      this.#freeLane('GPU', 'gpu', thread, first + offset),
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
      const lane = this.#freeLane(`GPU · ${queue} queue`, 'queue', thread, begin);
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
      // A frame's further lists are motion that went on: the first one is what the game is waiting for.
      chain[step] ??= bar;
    }
    return bar;
  }

  /** @internal @param key where the name is not enough to tell it from others */
  lane(name: string, kind: LaneKind, thread: string, key = name): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { name: kind === 'thread' ? (THREAD_NAMES[name] ?? name) : name, kind, thread, bars: [] };
      this.#lanes.set(key, lane);
      this.lanes.push(lane);
      this.lanes.sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1));
    }
    return lane;
  }

  /** What overlaps gets lanes side by side: the first in which nothing lasts until `begin`. */
  #freeLane(name: string, kind: LaneKind, thread: string, begin: number): Lane {
    for (let index = 1; ; index++) {
      const lane = this.lane(index === 1 ? name : `${name} ${index}`, kind, thread);
      const last = lane.bars.at(-1);
      if (!last || last.end <= begin || index === MOST_SIDE_BY_SIDE) return lane;
    }
  }
}

const MOST_SIGNALS = 20_000;
/** Loads at once that are still told apart. */
const MOST_SIDE_BY_SIDE = 16;

/** `physics.run` of the lane "runnable physics". @param stage from 1 on */
const stageLabel = (lane: string, stage: number): string =>
  `${lane.slice(RUNNABLE_LANE.length)}.${RUNNABLE_STAGES[stage - 1]}`;

function laneOf(thread: string, stage: Stage, isWait: boolean): string {
  if (!isWait) return stage;
  return stage === thread ? 'waits' : `${stage} waits`;
}

const THREAD_ORDER = ['main', 'render', 'RHI', 'assets'];
/** Of the render thread's loops; they stand in their order behind the others. */
const HELPER = /^helper \d+$/;
const KIND_ORDER: readonly LaneKind[] = [
  'thread',
  'wait',
  'passing',
  'gpu',
  'queue',
  'fenceLog',
  'fenceCall',
  'fence',
];

/** Threads with what belongs to them, then the GPU and its queues, then fences: the engine's, and the page's. */
function order({ kind, thread, name }: Lane): number {
  const kindOrder = KIND_ORDER.indexOf(kind);
  if (kindOrder < 3) return (HELPER.exec(thread) ? 4 : THREAD_ORDER.indexOf(thread)) * 10 + kindOrder;
  if (thread === 'page') return 1000;
  const fence = kind === 'fence' ? STEPS.get(name.slice(6)) : undefined;
  return 100 + kindOrder * 10 + (fence ?? (name === 'fence rendered' ? 0 : 1));
}

/** The older half: maps keep the order in which they were filled. */
function forgetHalf<K>(map: Map<K, unknown>): void {
  let left = map.size >> 1;
  for (const key of map.keys()) {
    if (left-- <= 0) return;
    map.delete(key);
  }
}
