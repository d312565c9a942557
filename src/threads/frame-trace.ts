/**
 * A record of when each thread worked on which frame: a ring of spans per thread, written only while tracing
 * (`chrome-trace.ts` turns it into a file).
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
