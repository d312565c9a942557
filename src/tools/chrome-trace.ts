/**
 * Writes a timeline as a file in the Trace Event Format, which Perfetto and `chrome://tracing` open. Threads, the GPU
 * with its queues, and fences are three groups of lanes. Flow arrows connect the bars of a frame.
 *
 *   X  bars, nested where a thread does one thing within another     C  counters
 *   s → t → … → f   update N → record N → submit N → GPU N → completed N → release N
 *   s → f           a signal → the wait that it ended                M  names and order of the lanes
 *
 * Times are microseconds since the first bar.
 */
import { KIND_BY_NAME } from './event-kinds.js';
import { counterOf } from './page-lanes.js';
import { type Bar, type Lane, type LaneKind, labelOf, type TimelineModel } from './timeline-model.js';

/** An event of the Trace Event Format; times in microseconds. */
export interface ChromeTraceEvent {
  readonly name: string;
  /** X complete, M metadata, C counter; s, t, f: begin, step and end of a flow. */
  readonly ph: 'X' | 'M' | 'C' | 's' | 't' | 'f';
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  /** Id of the event's flow. */
  readonly id?: number;
  /** Binds the end of a flow to the bar around it. */
  readonly bp?: 'e';
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ChromeTrace {
  readonly traceEvents: readonly ChromeTraceEvent[];
  readonly displayTimeUnit: 'ms';
  /** Notes on how times were aligned, and on missing entries. */
  readonly otherData: Readonly<Record<string, string | number>>;
}

const GROUPS = ['threads', 'GPU', 'fences'] as const;
const GROUP_BY_KIND: Readonly<Record<LaneKind, number>> = {
  thread: 1,
  wait: 1,
  passing: 1,
  counter: 1,
  gpu: 2,
  queue: 2,
  fenceLog: 3,
  fenceCall: 3,
  fence: 3,
};

const GPU_CLOCKS = {
  true: 'timestamps of the GPU, aligned so that no list begins before its submission or ends after its completion was observed',
  false:
    'seen from the CPU: a list begins at the end of its submission or at the completion of the previous list, whichever is later, and ends at its own completion',
  null: 'no list was completed',
};

export function chromeTrace(model: TimelineModel): ChromeTrace {
  return new TraceFile(model).build();
}

class TraceFile {
  readonly #model: TimelineModel;
  readonly #events: ChromeTraceEvent[] = [];
  readonly #tids = new Map<Lane, number>();
  readonly #origin: number;
  #flows = 0;

  constructor(model: TimelineModel) {
    this.#model = model;
    this.#origin = Math.min(...model.lanes.map(({ bars }) => earliest(bars)));
  }

  build(): ChromeTrace {
    const { lanes, hasGpuTimes, lost, newest } = this.#model;
    this.#nameLanes();
    for (const lane of lanes) {
      // `#counters` writes the values of counters, which are not bars in the file.
      if (lane.kind === 'counter') continue;
      // The current value of a fence lasts until the trace ends. The model stays in use, so its bar is not changed.
      const last = lane.kind === 'fence' ? lane.bars.at(-1) : undefined;
      for (const bar of lane.bars) this.#bar(bar, bar === last ? Math.max(bar.end, newest) : bar.end);
      const currentStage = this.#model.currentStage(lane);
      if (currentStage) this.#bar(currentStage, currentStage.end);
    }
    for (const [frame, chain] of this.#model.chains) this.#frameFlow(frame, chain);
    for (const { kind, bars } of lanes) {
      if (kind === 'wait' || kind === 'fenceLog') for (const wait of bars) this.#waitFlow(wait);
    }
    this.#counters();
    return {
      traceEvents: this.#events,
      displayTimeUnit: 'ms',
      otherData: {
        source: 'Fencepost',
        clock:
          'performance.timeOrigin + performance.now() of each thread; browsers round it to 0.005 ms, or to 0.1 ms where the page is not cross-origin isolated',
        gpuClock: GPU_CLOCKS[`${hasGpuTimes}`],
        lostEvents: lost,
        ...this.#fenceNotes(),
        beganMillisecondsSinceEpoch: Number.isFinite(this.#origin) ? this.#origin : 0,
      },
    };
  }

  /** Returns notes on the source of the page's fence times; empty when the page has no fences. */
  #fenceNotes(): Readonly<Record<string, string | number>> {
    const { isTraced, lost } = this.#model.fences;
    if (!isTraced) return {};
    return {
      fenceClock: 'CPU-observed: WebGPU gives no time of the GPU per fence',
      fenceLogs: lost > 0 ? 'lossy: entries were overwritten before they were read' : 'complete',
      lostFenceEntries: lost,
    };
  }

  #nameLanes(): void {
    const named = (name: string, pid: number, tid: number, args: Record<string, unknown>): void => {
      this.#events.push({ name, ph: 'M', pid, tid, args });
    };
    const { lanes, hasGpuTimes } = this.#model;
    for (const [index, group] of GROUPS.entries()) {
      const isSeen = group === 'GPU' && hasGpuTimes === false;
      named('process_name', index + 1, 0, { name: isSeen ? 'GPU (seen from the CPU)' : group });
      named('process_sort_index', index + 1, 0, { sort_index: index });
    }
    for (const [index, lane] of lanes.entries()) {
      if (lane.kind === 'counter') continue;
      const tid = index + 1;
      this.#tids.set(lane, tid);
      named('thread_name', GROUP_BY_KIND[lane.kind], tid, { name: lane.name });
      named('thread_sort_index', GROUP_BY_KIND[lane.kind], tid, { sort_index: index });
    }
  }

  #place(lane: Lane): { readonly pid: number; readonly tid: number } {
    return { pid: GROUP_BY_KIND[lane.kind], tid: this.#tids.get(lane) ?? 0 };
  }

  #time(milliseconds: number): number {
    return Math.max(0, (milliseconds - this.#origin) * 1000);
  }

  #bar(bar: Bar, end: number): void {
    const { lane, frame, begin, extra, fence } = bar;
    const ts = this.#time(begin);
    const args: Record<string, unknown> = frame > 0 ? { frame } : {};
    const kind = KIND_BY_NAME.get(bar.name);
    const detail =
      bar.name === 'gpu' ? `list ${extra}` : bar.name === 'gpuPass' ? `pass ${extra}` : kind?.describe(extra);
    if (detail) args.detail = detail;
    if (fence) Object.assign(args, { fence: fence.name, value: `${fence.value}`, times: 'CPU-observed' });
    this.#events.push({
      name: labelOf(bar),
      cat: lane.kind,
      ph: 'X',
      ...this.#place(lane),
      ts,
      // Compute the duration from the rounded end, so that rounding can't push a bar out of the bar around it.
      dur: Math.max(0, this.#time(end) - ts),
      args,
    });
  }

  /** Adds an arrow from bar to bar. Its points lie within their bars, in order. */
  #flow(name: string, cat: string, bars: readonly Bar[], args: Record<string, unknown>): void {
    const id = ++this.#flows;
    let time = 0;
    for (const [index, bar] of bars.entries()) {
      const isLast = index === bars.length - 1;
      const begin = this.#time(bar.begin);
      const end = this.#time(bar.end);
      time = Math.min(
        end,
        Math.max(time, cat === 'wait' && isLast ? (Math.max(begin, time) + end) / 2 : begin),
      );
      this.#events.push({
        name,
        cat,
        ph: index === 0 ? 's' : isLast ? 'f' : 't',
        ...(isLast ? { bp: 'e' as const } : {}),
        ...this.#place(bar.lane),
        id,
        ts: time,
        args,
      });
    }
  }

  #frameFlow(frame: number, chain: readonly (Bar | undefined)[]): void {
    const bars = chain.filter((bar) => bar !== undefined);
    // Frames at the edges of the trace have only some of their bars.
    if (bars.length > 1) this.#flow(`frame ${frame}`, 'frame', bars, { frame });
  }

  #waitFlow(wait: Bar): void {
    const signal = this.#model.signalOf(wait);
    if (signal && signal.begin <= wait.end) this.#flow('signal', 'wait', [signal, wait], {});
  }

  #counters(): void {
    const counter = (name: string, time: number, value: number): void => {
      this.#events.push({ name, ph: 'C', pid: 1, tid: 0, ts: this.#time(time), args: { [name]: value } });
    };
    const extras: Partial<Record<Bar['name'], string>> = {
      update: 'render command bytes',
      record: 'RHI command bytes',
      execute: 'upload bytes',
      submit: 'live resources',
    };
    for (const lane of this.#model.lanes) {
      for (const { name, begin, end, extra } of lane.bars) {
        const figure = extras[name];
        if (figure !== undefined) counter(figure, end, extra);
        if (name === 'counter') counter(counterOf(lane), begin, extra);
      }
    }
    for (const { time, bytes } of this.#model.memory) {
      // Write all figures as one counter, because viewers stack the figures of a counter.
      const ts = this.#time(Math.max(time, this.#origin));
      this.#events.push({ name: 'memory', ph: 'C', pid: 1, tid: 0, ts, args: bytes });
    }
    const lists = (name: string, step: number): [time: number, step: number][] =>
      this.#model.lanes
        .filter((lane) => lane.name === name)
        .flatMap(({ bars }) => bars.map(({ begin }): [number, number] => [begin, step]));
    let inFlight = 0;
    const changes = [...lists('fence submitted', 1), ...lists('fence completed', -1)].sort(
      ([a, aStep], [b, bStep]) => a - b || bStep - aStep,
    );
    for (const [time, step] of changes) {
      inFlight = Math.max(0, inFlight + step);
      counter('frames in flight', time, inFlight);
    }
  }
}

function earliest(bars: readonly Bar[]): number {
  return bars.reduce((first, { begin }) => Math.min(first, begin), Number.POSITIVE_INFINITY);
}
