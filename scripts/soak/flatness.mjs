// Checks that figures stay constant over a soak. A mark holds the figures of the same empty scene while no work is
// pending. The threading mode changes from mark to mark. Marks of the same mode are compared with each other.
//
//   bytes   ▁▃▄▅ │ ▆▅▆▅ │ ▅▆▅▆     the median of the last third is compared with the median of the second third
//          first    second  last      caches fill in the first third; fewer than nine marks are not compared
//
// A change of the mode and a hang replace workers, and new workers have empty caches. So heaps of workers are compared
// only among marks of the same workers. A soak ends with many marks of the same workers.
//
//   bytes   ▁▃▄ │ ▁▃ │ ▁▃▄▅▅▆▆▆▆▆▆▆

/**
 * Growth per mark that the page and Chromium themselves cause, in bytes. A leaked scene is far larger. Ports of ended
 * connections must not remain.
 */
const PER_MARK = { pageHeap: 8 * 1024, workerHeap: 6 * 1024, ports: 0 };
/**
 * Absolute tolerance. The page's heap grows when the first file that needs a decoder loads it. The tolerance of ports
 * is below the 10 ports of a single connection.
 */
const NOISE = { pageHeap: 256 * 1024, workerHeap: 64 * 1024, ports: 6 };
const MARKS_TO_JUDGE = 9;
/**
 * Limit of cached objects that a round adds to a new device. Most are pipelines, shader modules, layouts and
 * samplers (59 of 68, for instance): one for each kind of mesh, material and pass. A round with many files shows twice as
 * many kinds.
 */
const MAXIMUM_CACHED = 192;
/**
 * Limit of resources that a second showing of the scene adds. A per-frame buffer may grow late. A leak adds a resource
 * per mesh, light or view.
 */
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
 * }} Mark heaps in bytes without compiled code, workers added up; `workers`: identifies the set of living workers;
 * other figures are `MarkFigures` of e2e/pages/soak.ts
 */

/**
 * Judges the marks of a soak.
 *
 * @param {readonly Mark[]} marks marks in order
 * @returns {string[]} a sentence for each figure that is not constant
 */
export function judgeMarks(marks) {
  const problems = [];
  for (const [index, mark] of marks.entries()) {
    for (const figure of ['pendingReleases', 'framesInFlight']) {
      if (mark[figure] !== 0)
        problems.push(`Mark ${index}: ${figure} is ${mark[figure]} although no work is pending.`);
    }
  }
  for (const [index, { cached, grown, threading, engineWorkers }] of marks.entries()) {
    if (engineWorkers !== WORKERS[threading])
      problems.push(
        `Mark ${index}: ${engineWorkers} workers of the engine are alive in the mode ${threading}.`,
      );
    if (grown > MAXIMUM_GROWN)
      problems.push(
        `Mark ${index}: Showing the scene a second time added ${grown} resources; at most ${MAXIMUM_GROWN} may be added.`,
      );
    if (cached > MAXIMUM_CACHED)
      problems.push(
        `Mark ${index}: ${cached} resources are kept for later; at most ${MAXIMUM_CACHED} may be kept.`,
      );
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
 * Compares the last third of the marks with the second.
 *
 * @param {string} where place for messages
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
