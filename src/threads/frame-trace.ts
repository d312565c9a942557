/**
 * A record of when each thread worked on which frame: a ring of spans per thread, written only while tracing,
 * and turned into Chrome trace events (the format of `chrome://tracing` and Perfetto) when it stops.
 *
 *   game     │ 7 │ 8 │   │ 9 │
 *   render       │ 7   │ 8   │ 9        the game is in N while the render thread is in N − 1
 *   RHI                │7│   │8│
 *
 * Times are milliseconds since the epoch (`performance.timeOrigin` + `now`), the one clock threads share.
 */
export type TraceLane = 'game' | 'render' | 'RHI';

/** Numbers per span: frame, begin, end. */
const SPAN_NUMBERS = 3;
const SPAN_CAPACITY = 4096;

/** The spans of one thread, safe for `postMessage`. */
export interface TracedSpans {
  readonly lane: TraceLane;
  /** frame, begin, end … oldest first */
  readonly spans: Float64Array;
}

export class FrameTrace {
  isOn = false;
  #spans = new Float64Array(0);
  #written = 0;
  readonly lane: TraceLane;

  constructor(lane: TraceLane) {
    this.lane = lane;
  }

  start(): void {
    this.#spans = new Float64Array(SPAN_CAPACITY * SPAN_NUMBERS);
    this.#written = 0;
    this.isOn = true;
  }

  /** Per frame: notes that this thread worked on `frame` from `began` to `ended` (both of `performance.now()`). */
  add(frame: number, began: number, ended: number): void {
    if (!this.isOn) return;
    const at = (this.#written++ % SPAN_CAPACITY) * SPAN_NUMBERS;
    this.#spans[at] = frame;
    this.#spans[at + 1] = performance.timeOrigin + began;
    this.#spans[at + 2] = performance.timeOrigin + ended;
  }

  /** Ends tracing; the newest spans, at most `SPAN_CAPACITY`. */
  stop(): TracedSpans {
    this.isOn = false;
    const count = Math.min(this.#written, SPAN_CAPACITY) * SPAN_NUMBERS;
    const oldest = this.#written > SPAN_CAPACITY ? (this.#written % SPAN_CAPACITY) * SPAN_NUMBERS : 0;
    const spans = new Float64Array(count);
    spans.set(this.#spans.subarray(oldest, count));
    spans.set(this.#spans.subarray(0, oldest), count - oldest);
    this.#spans = new Float64Array(0);
    return { lane: this.lane, spans };
  }
}

/** A Chrome trace event; times in microseconds. */
export interface ChromeTraceEvent {
  readonly name: string;
  readonly ph: 'X' | 'M';
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ChromeTrace {
  readonly traceEvents: readonly ChromeTraceEvent[];
  readonly displayTimeUnit: 'ms';
}

/** Joins the spans of all threads into one trace that begins at 0. */
export function chromeTrace(threads: readonly TracedSpans[]): ChromeTrace {
  const events: ChromeTraceEvent[] = [];
  const begins = threads.flatMap(({ spans }) => (spans.length > 0 ? [spans[1] as number] : []));
  const origin = Math.min(...begins);
  threads.forEach(({ lane, spans }, index) => {
    const tid = index + 1;
    events.push({ name: 'thread_name', ph: 'M', pid: 1, tid, args: { name: lane } });
    events.push({ name: 'thread_sort_index', ph: 'M', pid: 1, tid, args: { sort_index: index } });
    for (let at = 0; at < spans.length; at += SPAN_NUMBERS) {
      const frame = spans[at] as number;
      const began = spans[at + 1] as number;
      const ended = spans[at + 2] as number;
      events.push({
        name: `${lane} ${frame}`,
        ph: 'X',
        pid: 1,
        tid,
        ts: (began - origin) * 1000,
        dur: (ended - began) * 1000,
        args: { frame },
      });
    }
  });
  return { traceEvents: events, displayTimeUnit: 'ms' };
}
