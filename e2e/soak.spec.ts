/**
 * Runs a short `npm run soak` with a fixed seed. `FENCEPOST_ALL_MODES=1` runs all rounds and actions, and runs them
 * without isolation, too. Only with all rounds are the heaps of workers compared. See docs/architecture/soak.md.
 */
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { runSoak, summaryOf } from '../scripts/soak/run.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { RUNS_ALL_MODES } from './threading-modes.js';

const MINUTES = 1;
const SEED = 20261121;

test('R9: after a soak an engine is like a fresh one', async () => {
  // 13 or 36 rounds of up to 70 s on a busy machine. A hanging round has an earlier deadline.
  test.setTimeout(timeLimit(45 * 60_000));
  const report = await runSoak({
    minutes: MINUTES,
    seed: SEED,
    ...(RUNS_ALL_MODES ? {} : { work: { actions: 30, rounds: 2, lastRounds: 7 } }),
    isolations: RUNS_ALL_MODES ? [true, false] : [true],
  });
  console.log(summaryOf(report));
  expect(report.failures, summaryOf(report)).toEqual([]);
});

test('R9: the number of workers depends only on the current mode, not on earlier ones', async ({
  page,
  isolatedURL,
}) => {
  await page.addInitScript(() => {
    const live = new Set<Worker>();
    const NativeWorker = Worker;
    window.Worker = class extends NativeWorker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        live.add(this);
      }
      override terminate(): void {
        live.delete(this);
        super.terminate();
      }
    };
    window.liveWorkers = live;
  });
  await openEnginePage(page, isolatedURL);
  const counts = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    await engine.step(0);
    const counts: number[] = [];
    for (const mode of [
      'render+rhi',
      'render',
      'render+rhi',
      'single',
      'render+rhi',
      'render',
      'single',
    ] as const) {
      await engine.setThreading(mode);
      counts.push(window.liveWorkers.size);
    }
    await engine.dispose();
    return counts;
  });
  expect(counts).toEqual([2, 1, 2, 0, 2, 1, 0]);
});
