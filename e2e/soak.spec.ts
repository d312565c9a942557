/** Two minutes of `npm run soak` with a fixed seed: isolated and not, in all modes; see docs/architecture/soak.md. */
import { runSoak, summaryOf } from '../scripts/soak/run.mjs';
import { expect, test } from './fixtures.js';

const MINUTES = 2;
const SEED = 20261121;

test('R9: an engine that has lived through everything is as a fresh one', async () => {
  // Rounds end where they end, and a full machine is slow: what hangs has deadlines of its own.
  test.setTimeout(15 * 60_000);
  const report = await runSoak({ minutes: MINUTES, seed: SEED });
  console.log(summaryOf(report));
  expect(report.failures, summaryOf(report)).toEqual([]);
});
