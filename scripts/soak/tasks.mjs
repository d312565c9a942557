// A soak of the task system: random graphs of tasks in a page, each compared with a sequential run
// (e2e/pages/soak-tasks.ts).
import { ensureChromium } from '../find-chromium.mjs';
import { loadTestKit } from '../lib/test-kit.mjs';
import { startServer } from './run.mjs';

/**
 * Runs the soak in a page.
 *
 * @param {{ tasks: number, workers: number, minutes: number, seed: number, isolated: boolean }} options
 * @returns {Promise<import('../../e2e/pages/soak-tasks.js').TaskSoakReport & { seed: number, workers: number, errors: string[] }>}
 */
export async function runTaskSoak({ tasks, workers, minutes, seed, isolated }) {
  const { chromium } = await import('playwright');
  const kit = await loadTestKit();
  const server = await startServer({ isolated });
  const browser = await chromium.launch(kit.chromiumLaunchOptions({ executablePath: ensureChromium() }));
  const errors = [];
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => errors.push(String(error)));
    const origin = server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '';
    await page.goto(`${origin}/e2e/pages/blank.html`);
    const report = await page.evaluate(
      async (options) => {
        const [tasking, { soakTasks }] = await Promise.all([
          import('/dist/tasks.js'),
          import('/bundled/e2e/pages/soak-tasks.ts'),
        ]);
        return soakTasks(tasking, options);
      },
      { tasks, workers, seed, limit: minutes * 60_000 },
    );
    return { ...report, seed, workers, errors };
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Returns the summary of a run, a few lines. */
export function taskSummaryOf({
  tasks,
  rounds,
  milliseconds,
  kinds,
  isShared,
  seed,
  workers,
  difference,
  errors,
}) {
  const parts = Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`);
  return [
    `${tasks} tasks in ${rounds} graphs, ${(milliseconds / 1000).toFixed(1)} s, ${workers} workers, memory ${isShared ? 'shared' : 'copied'}, seed ${seed}.`,
    `By kind: ${parts.join(', ')}.`,
    difference ?? 'Every cell, state and count is as in the sequential run.',
    ...errors,
  ].join('\n');
}
