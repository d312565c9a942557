/**
 * Runs `npm run soak` for a minute and at least 42 rounds, with a fixed seed, isolated and not, in all modes.
 * See docs/architecture/soak.md.
 */
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { runSoak, summaryOf } from '../scripts/soak/run.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const MINUTES = 1;
const SEED = 20261121;

test('R9: after a soak an engine is like a fresh one', async () => {
  // The last round runs to its end, and a busy machine is slow. Hangs have shorter deadlines.
  test.setTimeout(timeLimit(15 * 60_000));
  const report = await runSoak({ minutes: MINUTES, seed: SEED });
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
