// A soak: rounds of random actions on one engine. After each round the engine finishes all pending work, and its
// picture is compared with that of a fresh engine in another page. Then a mark is taken. e2e/pages/soak-actions.ts has
// the actions.
//
//   page      ▓▓ round ▓▓│ rest: snapshot, pixels  │ empty scene: mark │▓▓ round ▓▓│ …      one engine all the time
//   fresh page           └► the same scene ► pixels         │
//   here                            equal?                  └► live resources, releases, heaps: flat?
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../build.mjs';
import { addressOf, FILES_ROUTE, findModels, serveFolder } from '../conformance/model-folder.mjs';
import { ensureChromium } from '../find-chromium.mjs';
import { bundledPages } from '../lib/bundled-pages.mjs';
import { projectRoot } from '../lib/install.mjs';
import { loadTestKit } from '../lib/test-kit.mjs';
import { timeLimit } from '../lib/time-limits.mjs';
import { writeTestAssets } from '../make-test-assets.mjs';
import { judgeMarks } from './flatness.mjs';
import { SoakTab } from './tab.mjs';

const MODES = ['single', 'render', 'render+rhi'];
/**
 * The work of a soak. `actions`: per round. `rounds`: rounds of each mode, of which the last is calm. `lastRounds`: rounds
 * at the end, all of them calm and in one mode, so that the workers stay alive and their heaps become constant.
 */
const WORK = { actions: 60, rounds: 3, lastRounds: 9 };
/** Lines of the log that are printed after a failure. */
const LAST_ACTIONS = 50;
/** Limit for pending work to end, in milliseconds. Software GPUs and busy machines are slow. */
const SETTLE_LIMIT = 120_000;
/** Limit of a round in milliseconds. The page's own waits have earlier deadlines. */
const ROUND_LIMIT = 400_000;

/**
 * @typedef {import('./flatness.mjs').Mark} Mark
 * @typedef {{
 *   minutes: number, seed: number, date: string,
 *   halves: { isolated: boolean, rounds: number, marks: Mark[], counts: Record<string, number> }[],
 *   failures: string[],
 *   lastActions: string[],
 * }} Report `lastActions`: actions of the failed half
 *
 * @param {{
 *   minutes: number,
 *   seed: number,
 *   isolations?: readonly boolean[],
 *   work?: { actions: number, rounds: number, lastRounds: number },
 *   assets?: string,
 *   onProgress?: (line: string) => void,
 *   onAction?: (line: string) => void,
 * }} options `isolations`: the time is divided among them; `assets`: a folder with more models
 * @returns {Promise<Report>}
 */
export async function runSoak(options) {
  const { minutes, seed, isolations = [true, false], work = WORK } = options;
  const { assets = process.env.FENCEPOST_ASSETS } = options;
  const { onProgress = () => {}, onAction = () => {} } = options;
  const { chromium } = await import('playwright');
  const kit = await loadTestKit();
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-soak-'));
  const report = { minutes, seed, date: new Date().toISOString(), halves: [], failures: [], lastActions: [] };
  try {
    writeTestAssets(folder);
    for (const isolated of isolations) {
      const server = await startServer({ folder, assets, isolated });
      const browser = await chromium.launch(kit.chromiumLaunchOptions({ executablePath: ensureChromium() }));
      const actions = [];
      const half = { isolated, rounds: 0, marks: [], counts: {} };
      report.halves.push(half);
      const log = (entry) => {
        actions.push(entry);
        if (actions.length > LAST_ACTIONS) actions.shift();
        onAction(entry);
      };
      try {
        const origin = server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '';
        const files = filesOf(folder, assets);
        const end = Date.now() + (minutes * 60_000) / isolations.length;
        await soakHalf({ browser, kit, origin, files, seed, half, end, work, log, onProgress });
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        report.failures.push(`${nameOf(half)}, round ${half.rounds + 1}: ${text}`);
        report.lastActions = actions;
        break;
      } finally {
        await browser.close();
        await server.close();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report;
}

/**
 * Runs the soak with or without isolation, one half of the report. The first failure ends it, because the first failure
 * may cause later ones.
 */
async function soakHalf({ browser, kit, origin, files, seed, half, end, work, log, onProgress }) {
  const { rounds, lastRounds } = work;
  const tab = await SoakTab.open(browser, origin);
  const fresh = await SoakTab.open(browser, origin);
  const check = (failures) => {
    const all = [...failures, ...tab.takeErrors(), ...fresh.takeErrors()];
    if (all.length > 0) throw new Error(all.join('\n'));
  };
  const ask = (call, argument = null) => tab.run(call, argument, ROUND_LIMIT);
  const takeActions = async () => {
    for (const entry of await tab.run(() => window.soak.takeActions(), null, 10_000)) log(entry);
  };
  try {
    await ask((options) => window.soak.open(options), {
      seed,
      settleLimit: timeLimit(SETTLE_LIMIT),
      ...files,
    });
    const runRound = async (threading, isCalm, isShownTwice) => {
      const begun = Date.now();
      check(await ask(([actions, calm]) => window.soak.round(actions, calm), [work.actions, isCalm]));
      const { pixels, ...shown } = await ask(() => window.soak.picture());
      const expected = await fresh.run(
        ([scene, mode]) => window.soak.show(scene, mode),
        [shown, MODES[half.rounds % MODES.length]],
        ROUND_LIMIT,
      );
      const difference = differenceOf(pixels, expected);
      if (difference) keepPictures(kit, { actual: pixels, expected, shown });
      check(
        difference ? [`The picture differs from that of a fresh engine: ${difference}See ${PICTURES}.`] : [],
      );
      const figures = await ask(
        ([mode, scene]) => window.soak.mark(mode, scene),
        [threading, isShownTwice ? shown.state : null],
      );
      const { page, workers, ports } = await tab.heap.measure();
      const workerHeap = [...workers.values()].reduce((sum, bytes) => sum + bytes, 0);
      const names = [...workers.keys()].join(' ');
      half.marks.push({ threading, ...figures, pageHeap: page, workerHeap, workers: names, ports });
      half.rounds++;
      half.counts = await ask(() => window.soak.counts());
      check([]);
      await takeActions();
      log(`── round ${half.rounds} ended ──`);
      const seconds = ((Date.now() - begun) / 1000).toFixed(1);
      onProgress(`${nameOf(half)}, round ${half.rounds}: ${seconds} s · ${markText(half.marks.at(-1))}`);
    };
    const begun = Date.now();
    // The last rounds are part of the time, and take as long as earlier ones.
    const isOver = () => {
      const now = Date.now();
      return now + (lastRounds * (now - begun)) / half.rounds >= end;
    };
    do {
      // Calm rounds lose no device: a lost device would hide the remains of earlier rounds.
      const isCalm = half.rounds % rounds === rounds - 1;
      await runRound(MODES[Math.floor(half.rounds / rounds) % MODES.length], isCalm, isCalm);
    } while (!isOver() || half.rounds < rounds * MODES.length);
    for (let round = 0; round < lastRounds; round++) await runRound('render+rhi', true, false);
    const leaks = await ask(() => window.soak.close());
    check([...leaks.map((label) => `Never destroyed: ${label}`), ...judgeMarks(half.marks)]);
  } catch (error) {
    // A hanging page can't report its actions; the seed repeats them.
    await takeActions().catch(() => {});
    throw error;
  }
}

const nameOf = ({ isolated }) => (isolated ? 'isolated' : 'not isolated');

function markText({ threading, liveResources, cached, grown, pageHeap, workerHeap, ports }) {
  const size = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  return `${threading}: ${liveResources} + ${cached} + ${grown} live, ${ports} ports, heap ${size(pageHeap)}, of workers ${size(workerHeap)}`;
}

const PICTURES = 'test-results/soak';

/** Saves the pictures and the scene for inspection. */
function keepPictures({ encodePng }, { actual, expected, shown }) {
  const folder = join(projectRoot, PICTURES);
  mkdirSync(folder, { recursive: true });
  for (const [name, { width, height, data }] of Object.entries({ actual, expected })) {
    const picture = { width, height, data: Buffer.from(data, 'base64') };
    writeFileSync(join(folder, `${name}.png`), encodePng(picture));
  }
  writeFileSync(join(folder, 'scene.json'), JSON.stringify(shown, null, 2));
}

/** Compares two pictures. @returns a sentence about the difference, or an empty text */
function differenceOf(actual, expected) {
  const sizes = [actual, expected].map(({ width, height }) => `${width} × ${height}`);
  if (sizes[0] !== sizes[1]) return `it has ${sizes[0]} pixels instead of ${sizes[1]}. `;
  const [a, b] = [actual, expected].map(({ data }) => Buffer.from(data, 'base64'));
  let different = 0;
  let most = 0;
  let first = -1;
  for (let index = 0; index < a.length; index++) {
    const by = Math.abs(a[index] - b[index]);
    if (by > 0 && first < 0) first = index >> 2;
    if (by > 0) different++;
    most = Math.max(most, by);
  }
  if (different === 0) return '';
  return `${different} of ${a.length} bytes differ, by ${most} at most, the first in pixel ${first % actual.width}, ${Math.floor(first / actual.width)} of ${sizes[0]}. `;
}

/** Returns the summary of a run, a few lines. */
export function summaryOf({ minutes, seed, date, halves, failures, lastActions }) {
  const lines = [`Soak of ${minutes} minutes, seed ${seed}, ${date.slice(0, 10)}`];
  for (const { isolated, rounds, marks, counts } of halves) {
    const actions = Object.entries(counts);
    lines.push(`${nameOf({ isolated })}: ${rounds} rounds`);
    lines.push(`  ${actions.map(([name, count]) => `${name} ${count}`).join(' · ')}`);
    for (const mode of MODES) {
      const series = marks.filter(({ threading }) => threading === mode);
      if (series.length > 0)
        lines.push(`  first ${markText(series[0])}`, `  last  ${markText(series.at(-1))}`);
    }
  }
  if (failures.length === 0) lines.push('Nothing failed.');
  else lines.push(...failures.map((text) => `FAILED ${text}`), 'The last actions:', ...lastActions);
  return lines.join('\n');
}

const ASSETS_ROUTE = '/more-models';

/**
 * Returns the files except files with many lights. Light adds up in the order of the lights, so a fresh engine may
 * round the sum differently.
 */
function filesOf(folder, assets) {
  const own = findModels(folder).filter((file) => !/^(lights|scenes)\.glb$/.test(file));
  const more = assets ? findModels(assets).filter((file) => !/many-cubes/.test(file)) : [];
  return {
    files: [
      ...own.filter((file) => !file.startsWith('broken/')).map(addressOf),
      ...more.map((file) => addressOf(file).replace(FILES_ROUTE, ASSETS_ROUTE)),
    ],
    refusedFiles: own.filter((file) => file.startsWith('broken/')).map(addressOf),
  };
}

/** Starts a server for the pages. @param {{ folder?: string, assets?: string, isolated: boolean }} options */
export async function startServer({ folder, assets, isolated }) {
  await ensureBuilt();
  const { createServer } = await import('vite');
  const before = process.env.FENCEPOST_ISOLATION;
  // vite.config.ts reads this variable.
  process.env.FENCEPOST_ISOLATION = isolated ? 'on' : 'off';
  try {
    const server = await createServer({
      root: projectRoot,
      cacheDir: `node_modules/.vite-soak-${isolated ? 'isolated' : 'plain'}`,
      logLevel: 'error',
      plugins: [
        bundledPages(),
        ...(folder ? [serveFolder(folder)] : []),
        ...(assets ? [serveFolder(assets, ASSETS_ROUTE)] : []),
      ],
      server: { port: 0, strictPort: false, hmr: false, watch: null },
      optimizeDeps: { noDiscovery: true },
    });
    return await server.listen();
  } finally {
    if (before === undefined) delete process.env.FENCEPOST_ISOLATION;
    else process.env.FENCEPOST_ISOLATION = before;
  }
}
