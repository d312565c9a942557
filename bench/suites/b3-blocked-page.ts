/**
 * B3: the page's main thread is blocked for two seconds. The suite compares the pictures per second with the two
 * seconds before, and checks whether movement continues. In Fencepost a declared motion turns the bar. In three.js
 * the page's own loop turns it, which is the only way that three.js offers.
 */

import { RATE } from '../lib/blocked.js';
import { buildPage } from '../lib/build-pages.js';
import { atLeast, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const BLOCK_MILLISECONDS = 2000;

const ENTRIES = [
  { engine: 'fencepost', scene: 'fencepost', make: "fencepost('render')", isolated: true },
  { engine: 'fencepost (not isolated)', scene: 'fencepost', make: "fencepost('render')", isolated: false },
  { engine: 'fencepost (render+rhi)', scene: 'fencepost', make: "fencepost('render+rhi')", isolated: true },
  { engine: 'three', scene: 'three', make: 'three()', isolated: true },
] as const;

export async function runBlockedPage(context: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const entry of ENTRIES) {
    if (!context.isWanted(entry.scene)) continue;
    try {
      const result = await measure(context, entry);
      results.push(result);
      context.log(`B3 ${entry.engine}: ${formatNumber(result.ratio)}`);
    } catch (error) {
      failures.push(`B3 ${entry.engine}: ${String(error)}`);
    }
  }
  const ours = results.find(({ engine }) => engine === 'fencepost');
  return {
    results,
    failures,
    targets: [
      atLeast(
        'B3',
        'frames presented while the main thread is busy for 2 s ÷ in the 2 s before',
        ours?.ratio as number | undefined,
        0.95,
      ),
      atLeast(
        'B3.motion',
        'rotation of the declared motion during the block ÷ expected rotation',
        ours?.moved as number | undefined,
        0.9,
      ),
    ],
    table: [
      `B3 · the main thread is busy for ${BLOCK_MILLISECONDS / 1000} s`,
      formatTable(
        ['engine', 'version', 'frames/s before', 'frames/s busy', 'ratio', 'motion'],
        results.map((result) => [
          result.engine,
          result.version,
          ...[result.before, result.during, result.ratio, result.moved].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}

async function measure(context: SuiteContext, entry: (typeof ENTRIES)[number]): Promise<BenchResult> {
  const page = `b3-${entry.engine.replace(/\W+/g, '-')}`;
  await buildPage(context, {
    page,
    entry: {
      code: `import { serve } from './pages/blocked.ts'; import { ${entry.scene} } from './scenes/blocked-${entry.scene}.ts'; serve(${entry.make});`,
    },
  });
  const tab = await context.browser.newPage({ viewport: { width: 256, height: 256 } });
  try {
    await tab.goto(`${context.server.origin}/${entry.isolated ? 'isolated' : 'plain'}/${page}/index.html`);
    await tab.waitForFunction(() => window.blocked !== undefined, undefined, { timeout: 20_000 });
    const run = await tab.evaluate((milliseconds) => window.blocked.run(milliseconds), BLOCK_MILLISECONDS);
    if (run.errors.length > 0) throw new Error(run.errors.slice(0, 3).join(' | '));
    return {
      id: 'B3',
      engine: entry.engine,
      version: run.version,
      before: run.framesPerSecondBefore,
      during: run.framesPerSecondDuring,
      ratio: run.framesPerSecondDuring / run.framesPerSecondBefore,
      moved: run.turnedRadians / ((RATE * run.blockedMilliseconds) / 1000),
      isolated: entry.isolated,
    };
  } finally {
    await tab.close();
  }
}
