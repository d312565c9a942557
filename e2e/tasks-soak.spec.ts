/**
 * Runs `npm run soak -- --tasks N` briefly. The results of random graphs of tasks are compared with a
 * sequential run.
 */
import { expect, test } from './fixtures.js';
import type * as Soak from './pages/soak-tasks.js';

for (const { isolation, ...options } of [
  { isolation: 'isolated', tasks: 40_000, workers: 3, nodes: 1000 },
  { isolation: 'not isolated', tasks: 300, workers: 2, nodes: 40 },
  { isolation: 'without workers', tasks: 1000, workers: 0, nodes: 60 },
] as const) {
  test(`T1 T3 T9: random graphs of ${options.tasks} tasks equal a sequential run: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await page.goto(`${isolation === 'isolated' ? isolatedURL : plainURL}/e2e/pages/blank.html`);
    const report = await page.evaluate(async (options) => {
      const [library, program] = ['/dist/tasks.js', '/bundled/e2e/pages/soak-tasks.ts'];
      const { soakTasks } = (await import(program)) as typeof Soak;
      return soakTasks(await import(library), { seed: 20261124, limit: 60_000, ...options });
    }, options);
    console.log(`${report.tasks} tasks in ${report.rounds} graphs.`);
    expect(report).toMatchObject({ difference: null, isShared: isolation === 'isolated' });
    expect(report.tasks).toBeGreaterThanOrEqual(options.tasks);
  });
}
