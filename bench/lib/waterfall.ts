/**
 * The waterfall of a page load, from the requests that its server has recorded. If a request begins just after a
 * response, the response has most likely caused it.
 *
 *   trip 0        1          2              3
 *   page ─────────► main.js ─► worker.js ───► picture      three responses in sequence
 *                            ► model.glb ───►
 */
import type { ServedRequest } from './delayed-server.js';
import { formatTable } from './report.js';

export interface Load {
  /** Milliseconds from the first request to the complete picture. */
  readonly completeMs: number;
  /** Requests answered before the complete picture, by their start. */
  readonly requests: readonly ServedRequest[];
}

/** Returns the number of responses that were awaited one after the other, counted from the picture back to the page. */
export function answersInSequence({ completeMs, requests }: Load): number {
  let count = 0;
  let last = lastAnswerBefore(completeMs, requests);
  while (last) {
    count++;
    last = lastAnswerBefore(last.startMs, requests);
  }
  return count;
}

/** Returns a table with a line per request: its start in round trips, its referrer, and the last response before it. */
export function waterfall({ completeMs, requests }: Load, delayMs: number): string {
  const row = (startMs: number, name: string, ...others: readonly string[]): string[] => {
    const last = lastAnswerBefore(startMs, requests);
    const waited = last ? `${nameOf(last.path)} + ${Math.round(startMs - last.endMs)} ms` : '–';
    return [(startMs / delayMs).toFixed(2), name, ...others, waited];
  };
  return formatTable(
    ['trip', 'request', 'kB', 'asked for by', 'last answer before it'],
    [
      ...requests.map(({ startMs, path, bytes, askedBy }) =>
        row(startMs, nameOf(path), kilobytes(bytes), askedBy === null ? '–' : nameOf(askedBy)),
      ),
      row(completeMs, 'complete picture', '', ''),
    ],
  );
}

export function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

/**
 * @param milliseconds a moment since the first request
 * @returns the request with the last response before that moment
 */
export function lastAnswerBefore(
  milliseconds: number,
  requests: readonly ServedRequest[],
): ServedRequest | undefined {
  const before = requests.filter(({ endMs }) => endMs <= milliseconds);
  return before.sort((a, b) => b.endMs - a.endMs)[0];
}

function nameOf(path: string): string {
  return path.split('/').at(-1) || 'the page';
}
