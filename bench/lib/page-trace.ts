/**
 * Reads Chromium's trace of the page's own thread between two marks, `load-begins` and `load-ends`. The length of a
 * task is its processor time, which excludes other programs.
 */
import type { Browser, Page } from 'playwright';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Begin, in microseconds. */
  readonly ts: number;
  /** Processor time, in microseconds; missing for events without a duration. */
  readonly tdur?: number;
}

export interface TracedLoad {
  /** Id of the page's process. */
  readonly process: number;
  readonly longestTaskMs: number;
}

/**
 * Traces a load, and returns its result with the longest task. @throws Error when the trace has no marks or no
 * tasks
 */
export async function traceLoad<T>(
  browser: Browser,
  tab: Page,
  load: () => Promise<T>,
): Promise<TracedLoad & { readonly result: T }> {
  await browser.startTracing(tab, { categories: ['toplevel', 'blink.user_timing'] });
  let result: T;
  let bytes: Buffer;
  try {
    result = await load();
  } finally {
    bytes = await browser.stopTracing();
  }
  return { ...readTrace(bytes), result };
}

function readTrace(bytes: Buffer): TracedLoad {
  const { traceEvents } = JSON.parse(bytes.toString()) as { traceEvents: readonly TraceEvent[] };
  const begin = traceEvents.find(({ name }) => name === 'load-begins');
  const end = traceEvents.find(({ name }) => name === 'load-ends');
  if (!begin || !end) throw new Error('The trace lacks the marks of the load.');
  const tasks = traceEvents.filter(
    ({ name, pid, tid, ts, tdur }) =>
      name.endsWith('RunTask') &&
      pid === begin.pid &&
      tid === begin.tid &&
      ts > begin.ts &&
      ts < end.ts &&
      tdur !== undefined,
  );
  if (tasks.length === 0) throw new Error('The trace has no tasks.');
  return { process: begin.pid, longestTaskMs: Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000 };
}
