/**
 * Turns what the threads have traced into Chrome trace events, the format of `chrome://tracing` and Perfetto: a row
 * per thread, a bar per frame. The module is loaded when the first trace ends.
 */
import type { TracedSpans } from './frame-trace.js';

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
    for (let at = 0; at < spans.length; at += 3) {
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
