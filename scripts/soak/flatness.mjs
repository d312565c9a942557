// Whether figures stay as they are over a soak. They are taken at marks: the same empty scene, everything done, in one
// threading mode after the other; marks of one mode are compared with one another.
//
//   bytes   ▁▃▄▅ │ ▆▅▆▅ │ ▅▆▅▆     caches fill; then the median of the last third against that of the second;
//          first    second  last      of fewer than nine marks nobody can tell what is warm-up
//
// Workers are replaced (by another mode, or when they hang), and new ones have empty caches: their heaps are compared
// within a life of the same workers. A soak ends with a life that is long enough.
//
//   bytes   ▁▃▄ │ ▁▃ │ ▁▃▄▅▅▆▆▆▆▆▆▆

/**
 * What a page and Chromium itself still add, in bytes per mark; a leaked scene is far more. Ports of connections that
 * have ended may not stay.
 */
const PER_MARK = { pageHeap: 8 * 1024, workerHeap: 6 * 1024, ports: 0 };
/** A page loads a decoder when the first file needs it. A connection has 10 ports and more. */
const NOISE = { pageHeap: 256 * 1024, workerHeap: 64 * 1024, ports: 6 };
const MARKS_TO_JUDGE = 9;
/** Pipelines and layouts of all kinds of materials and passes, and buffers that have grown. */
const MAXIMUM_CACHED = 128;
/** A buffer of the frames' own may come late; a leak leaves something of each mesh, light or view. */
const MAXIMUM_GROWN = 2;

const WORKERS = { single: 0, render: 1, 'render+rhi': 2 };

/**
 * @typedef {{
 *   threading: string,
 *   liveResources: number,
 *   cached: number,
 *   grown: number,
 *   pendingReleases: number,
 *   framesInFlight: number,
 *   retainedBytes: number,
 *   pageHeap: number,
 *   workerHeap: number,
 *   workers: string,
 *   engineWorkers: number,
 *   ports: number,
 * }} Mark  heaps in bytes without compiled code, of all workers together; `workers`: a name of those that live; the rest is `MarkFigures` of e2e/pages/soak.ts
 */

/**
 * @param {readonly Mark[]} marks in order
 * @returns {string[]} what is not flat, a sentence each
 */
export function judgeMarks(marks) {
  const problems = [];
  for (const [index, mark] of marks.entries()) {
    for (const figure of ['pendingReleases', 'framesInFlight']) {
      if (mark[figure] !== 0)
        problems.push(`Mark ${index}: ${figure} is ${mark[figure]}, and nothing is under way.`);
    }
  }
  for (const [index, { cached, grown, threading, engineWorkers }] of marks.entries()) {
    if (engineWorkers !== WORKERS[threading])
      problems.push(`Mark ${index}: ${engineWorkers} workers of the engine live in the mode ${threading}.`);
    if (grown > MAXIMUM_GROWN)
      problems.push(
        `Mark ${index}: ${grown} resources of a scene that was shown once more have stayed; ${MAXIMUM_GROWN} may.`,
      );
    if (cached > MAXIMUM_CACHED)
      problems.push(`Mark ${index}: ${cached} resources are kept for later; ${MAXIMUM_CACHED} are plenty.`);
  }
  for (const threading of new Set(marks.map((mark) => mark.threading))) {
    const series = marks.filter((mark) => mark.threading === threading);
    for (const figure of ['liveResources', 'retainedBytes']) {
      const [first] = series;
      const other = series.find((mark) => mark[figure] !== first[figure]);
      if (other) {
        const values = series.map((mark) => mark[figure]).join(', ');
        problems.push(`${threading}: ${figure} is not the same in the same scene: ${values}.`);
      }
    }
    problems.push(...judgeGrowth(threading, series, ['pageHeap', 'ports']));
  }
  for (const workers of new Set(marks.map((mark) => mark.workers))) {
    const life = marks.filter((mark) => mark.workers === workers);
    problems.push(...judgeGrowth(`${life[0].threading}, the same workers`, life, ['workerHeap']));
  }
  return problems;
}

/**
 * @param {string} where for messages
 * @param {readonly Mark[]} marks
 * @param {readonly ('pageHeap' | 'workerHeap' | 'ports')[]} figures
 */
function judgeGrowth(where, marks, figures) {
  if (marks.length < MARKS_TO_JUDGE) return [];
  const third = Math.floor(marks.length / 3);
  const problems = [];
  for (const figure of figures) {
    const values = marks.map((mark) => mark[figure]);
    const growth = median(values.slice(-third)) - median(values.slice(-2 * third, -third));
    if (growth > NOISE[figure] + PER_MARK[figure] * third)
      problems.push(`${where}: ${figure} has grown by ${growth}: ${values.join(', ')}.`);
  }
  return problems;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
