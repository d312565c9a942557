/**
 * BROWSERS: frames per second, a pick and a capture in Chromium and in Firefox on the same software adapter. Firefox
 * reports finished GPU work late (see `docs/guide/browsers.md`). Firefox is skipped when it is not installed.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { findChromium } from '../../scripts/find-chromium.mjs';
import { findFirefox } from '../../scripts/find-firefox.mjs';
import { firefoxLaunchOptions, softwareDriverOf } from '../../src/testing/firefox-launch-options.js';
import { buildPage } from '../lib/build-pages.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import type { SceneName, SceneRun } from '../pages/browsers.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const SCENES: readonly SceneName[] = ['cube', 'environment', 'shadows', 'forty lights', 'deferred'];
const MILLISECONDS = 3000;
const PAGE = 'browsers';

interface OpenBrowser {
  readonly version: string;
  run(scene: SceneName): Promise<SceneRun>;
  close(): Promise<void>;
}

export async function runBrowsers(context: SuiteContext): Promise<SuiteOutcome> {
  await copyFile(join(context.root, 'public/island.glb'), join(context.outFolder, 'model.glb'));
  await buildPage(context, { page: PAGE, entry: { file: 'pages/browsers.ts' } });
  const address = `${context.server.origin}/isolated/${PAGE}/index.html`;
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const [engine, open] of Object.entries({ chromium: openChromium, firefox: openFirefox })) {
    if (!context.isWanted(engine)) continue;
    const browser = await open(context, address);
    if (!browser) continue;
    try {
      for (const scene of SCENES) {
        const run = await browser.run(scene);
        results.push({ id: 'BROWSERS', engine, version: browser.version, scene, ...run });
        context.log(`BROWSERS ${engine}, ${scene}: ${formatNumber(run.framesPerSecond)} frames/s`);
      }
    } catch (error) {
      failures.push(`BROWSERS ${engine}: ${String(error)}`);
    } finally {
      await browser.close();
    }
  }
  return {
    results,
    failures,
    targets: [],
    table: [
      'BROWSERS · 160 × 90, the model turns',
      formatTable(
        ['browser', 'scene', 'frames/s', 'pick ms', 'capture ms'],
        results.map(({ engine, scene, framesPerSecond, pick, capture }) => [
          engine,
          String(scene),
          ...[framesPerSecond, pick, capture].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}

async function openChromium(context: SuiteContext, address: string): Promise<OpenBrowser> {
  const tab = await context.browser.newPage();
  await tab.goto(address);
  await tab.waitForFunction(() => window.browserScenes !== undefined);
  return {
    version: context.browser.version(),
    run: (scene) =>
      tab.evaluate(([name, milliseconds]) => window.browserScenes.run(name, milliseconds), [
        scene,
        MILLISECONDS,
      ] as const),
    close: () => tab.close(),
  };
}

async function openFirefox(_context: SuiteContext, address: string): Promise<OpenBrowser | null> {
  const executablePath = findFirefox();
  const chromium = findChromium();
  if (!executablePath || !chromium) return null;
  const driver = softwareDriverOf(chromium);
  const browser = await puppeteer.launch(firefoxLaunchOptions({ executablePath, driver }));
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(() => window.browserScenes !== undefined);
  return {
    version: await browser.version(),
    run: (scene) =>
      page.evaluate(
        (name, milliseconds) => window.browserScenes.run(name, milliseconds),
        scene,
        MILLISECONDS,
      ),
    close: () => browser.close(),
  };
}
