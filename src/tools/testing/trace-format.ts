/**
 * Checks a file against the Trace Event Format, a document published by the Chromium project, as far as the
 * engine's traces use it. The check is stricter where viewers fail silently. Perfetto drops a flow that is
 * not joined at both ends, and draws overlapping bars wrongly unless one contains the other. Test-only.
 */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  readonly bp?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface TraceContents {
  readonly lanes: ReadonlyMap<string, string>;
  readonly bars: readonly TraceEvent[];
  /** Events of flows by id, in the order of time. */
  readonly flows: ReadonlyMap<number, readonly TraceEvent[]>;
  /** Violations, one sentence each. */
  readonly problems: readonly string[];
}

const NAMES_OF_METADATA = ['process_name', 'thread_name', 'process_sort_index', 'thread_sort_index'];

export const laneOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`;
const endOf = ({ ts = 0, dur = 0 }: TraceEvent): number => ts + dur;

export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

/** Checks a trace file. @param text contents of the file */
export function checkTrace(text: string): TraceContents {
  const problems: string[] = [];
  const lanes = new Map<string, string>();
  const bars: TraceEvent[] = [];
  const flows = new Map<number, TraceEvent[]>();
  const complain = (condition: boolean, problem: string): void => {
    if (!condition) problems.push(problem);
  };
  const file = JSON.parse(text) as { traceEvents: TraceEvent[]; displayTimeUnit: string };
  complain(Array.isArray(file.traceEvents), 'There is no array "traceEvents".');
  complain(['ms', 'ns'].includes(file.displayTimeUnit), `displayTimeUnit is "${file.displayTimeUnit}".`);
  const metadata = new Set<string>();
  for (const event of file.traceEvents) {
    const { name, ph, cat, pid, tid, ts, dur, id, bp, args = {} } = event;
    const where = `${ph} "${name}" at ${ts}`;
    complain(typeof name === 'string' && name !== '', `${where} has no name.`);
    complain(Number.isInteger(pid) && Number.isInteger(tid), `${where} has no whole pid and tid.`);
    if (ph !== 'M') complain(typeof ts === 'number' && Number.isFinite(ts) && ts >= 0, `${where}: bad ts.`);
    switch (ph) {
      case 'M': {
        complain(NAMES_OF_METADATA.includes(name), `${where} is not metadata that viewers know.`);
        const key = `${name} ${pid}/${tid}`;
        complain(!metadata.has(key), `${key} comes twice.`);
        metadata.add(key);
        if (name.endsWith('sort_index')) complain(Number.isInteger(args.sort_index), `${key} has no index.`);
        else complain(typeof args.name === 'string' && args.name !== '', `${key} has no name.`);
        if (name === 'thread_name') lanes.set(`${pid}/${tid}`, String(args.name));
        break;
      }
      case 'X':
        complain(typeof dur === 'number' && Number.isFinite(dur) && dur >= 0, `${where}: bad dur ${dur}.`);
        bars.push(event);
        break;
      case 'C':
        complain(Object.keys(args).length > 0, `${where} counts nothing.`);
        for (const value of Object.values(args))
          complain(Number.isFinite(value), `${where} counts ${value}.`);
        break;
      case 's':
      case 't':
      case 'f':
        complain(Number.isInteger(id) && typeof cat === 'string', `${where} has no id or no category.`);
        if (ph === 'f') complain(bp === 'e', `${where} does not bind to the bar around it.`);
        flows.set(id ?? -1, [...(flows.get(id ?? -1) ?? []), event]);
        break;
      default:
        problems.push(`${where} is of a kind that these traces don't have.`);
    }
  }
  const byLane = groupBy(bars, laneOf);
  for (const [lane, own] of byLane) {
    for (const needed of ['thread_name', 'thread_sort_index']) {
      complain(metadata.has(`${needed} ${lane}`), `Lane ${lane} has no ${needed}.`);
    }
    complain(metadata.has(`process_name ${lane.split('/')[0]}/0`), `Lane ${lane} is in no named group.`);
    checkNesting(lanes.get(lane) ?? lane, own, problems);
  }
  for (const [id, points] of flows) checkFlow(id, points, byLane, problems);
  return { lanes, bars, flows, problems };
}

/** Checks that every bar lies within the bar around it, or after the bar before it. */
function checkNesting(lane: string, bars: readonly TraceEvent[], problems: string[]): void {
  const open: TraceEvent[] = [];
  const sorted = [...bars].sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0) || (b.dur ?? 0) - (a.dur ?? 0));
  for (const bar of sorted) {
    while (open.length > 0 && endOf(open.at(-1) as TraceEvent) <= (bar.ts ?? 0) + ROUNDING) open.pop();
    const parent = open.at(-1);
    if (parent && endOf(bar) > endOf(parent) + ROUNDING)
      problems.push(
        `In "${lane}", "${bar.name}" (${bar.ts} + ${bar.dur}) sticks out of "${parent.name}" (${parent.ts} + ${parent.dur}).`,
      );
    open.push(bar);
  }
}

/** Tolerance for sums of floating-point microseconds since the epoch. */
const ROUNDING = 0.5;

/** Checks that a flow has one begin and one end, in order, and every point within a bar. */
function checkFlow(
  id: number,
  points: readonly TraceEvent[],
  bars: ReadonlyMap<string, readonly TraceEvent[]>,
  problems: string[],
): void {
  const kinds = points.map(({ ph }) => ph).join('');
  if (!/^st*f$/.test(kinds)) problems.push(`Flow ${id} is "${kinds}": not joined at both ends.`);
  const first = points[0];
  for (const [index, point] of points.entries()) {
    if (point.name !== first?.name || point.cat !== first?.cat)
      problems.push(`Flow ${id} is "${first?.name}" and "${point.name}".`);
    const ts = point.ts ?? 0;
    if (ts < (points[index - 1]?.ts ?? 0)) problems.push(`Flow ${id} goes back in time at ${ts}.`);
    const isInBar = (bars.get(laneOf(point)) ?? []).some(
      (bar) => (bar.ts ?? 0) <= ts + ROUNDING && ts <= endOf(bar) + ROUNDING,
    );
    if (!isInBar) problems.push(`Flow ${id} has its point at ${ts} in no bar of its lane.`);
  }
}
