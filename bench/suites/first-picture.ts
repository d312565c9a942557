/**
 * FIRST_PICTURE: the loading of a page over a network, beside three.js. There are two pages: a typical page (a glTF
 * model with an image, a `.hdr`, a sun with shadows, orbit controls) and the hello cube. Each page is built by esbuild,
 * built by Vite, and used unbuilt through an import map. The server delays every response by a second.
 *
 *   round trips = (time to the complete picture with the delay − without) ÷ the delay
 *
 * The machine's own time cancels out, except for work that it does while it waits for a response. The fastest of
 * several loads counts, because other programs can only add time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright';
import { type DelayedServer, startDelayedServer } from '../lib/delayed-server.js';
import {
  BUILDS,
  type Build,
  ENGINES,
  type Engine,
  FirstPicturePages,
  INGREDIENTS,
  type Site,
} from '../lib/first-picture-pages.js';
import { atMost, type BenchResult, type BenchTarget, formatTable } from '../lib/report.js';
import { answersInSequence, kilobytes, type Load, lastAnswerBefore, waterfall } from '../lib/waterfall.js';
import { versionOf } from './b5-size.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const DELAY_MS = 1000;
const MOST_RUNS = 3;
/** Time limit for a picture, from the navigation. */
const TIMEOUT_MS = 60_000;
/** Least mean difference of the channels, 0 to 255, by which a missing ingredient has to change the picture. */
const VISIBLE_DIFFERENCE = 1;

interface ServedSite extends Site {
  readonly server: DelayedServer;
}

interface MeasuredSite extends ServedSite {
  /** The complete picture; undefined for the cube, which turns. */
  readonly wanted: readonly number[] | undefined;
  readonly plain: Load[];
  readonly delayed: Load[];
}

interface Figures {
  readonly trips: number;
  /** Responses that were awaited in sequence: a whole number, independent of the machine's load. */
  readonly inSequence: number;
  /**
   * Time of the last delayed response, in round trips since the first request. It excludes the drawing of the picture.
   */
  readonly lastAnswerTrips: number;
  readonly requests: number;
  /** Bytes of scripts and WebAssembly as sent. */
  readonly codeBytes: number;
  readonly plainMs: number;
  readonly delayedMs: number;
  /** The fastest load with the delay. */
  readonly fastest: Load;
}

export async function runFirstPicture(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const measured: MeasuredSite[] = [];
  const work = mkdtempSync(join(tmpdir(), 'fencepost-first-picture-'));
  try {
    const probe = await buildProbe(context.root);
    const pages = new FirstPicturePages(context.root, work, await context.builtLibrary());
    for (const site of sitesWanted(context)) {
      try {
        measured.push(await prepare(context, pages, probe, site));
        context.log(`FIRST_PICTURE built ${nameOf(site)}`);
      } catch (error) {
        failures.push(`FIRST_PICTURE ${nameOf(site)}: ${String(error)}`);
      }
    }
    const runs = Math.min(context.runs, MOST_RUNS);
    for (let run = 0; run < runs; run++) {
      for (const site of measured) {
        try {
          site.plain.push(await load(context, probe, site, 0));
          site.delayed.push(await load(context, probe, site, DELAY_MS));
        } catch (error) {
          failures.push(`FIRST_PICTURE ${nameOf(site)}: ${String(error)}`);
        }
      }
      context.log(`FIRST_PICTURE run ${run + 1} of ${runs}`);
    }
  } finally {
    for (const { server } of measured) await server.close();
    rmSync(work, { recursive: true, force: true });
  }
  return report(context, measured, failures);
}

function sitesWanted(context: SuiteContext): Site[] {
  const pages = ['first picture', 'hello cube'] as const;
  return pages.flatMap((page) =>
    BUILDS.flatMap((build) =>
      ENGINES.filter((engine) => context.isWanted(engine)).map((engine) => ({ page, build, engine })),
    ),
  );
}

const nameOf = ({ page, build, engine }: Site): string => `${page}, ${build}, ${engine}`;

async function buildProbe(root: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'bench/pages/first-picture-probe.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
  });
  return outputFiles[0]?.text ?? '';
}

/** Builds and serves the page, and takes its complete picture. */
async function prepare(
  context: SuiteContext,
  pages: FirstPicturePages,
  probe: string,
  site: Site,
): Promise<MeasuredSite> {
  const server = await startDelayedServer(await pages.build(site));
  const prepared = { ...site, server, plain: [], delayed: [] };
  if (site.page === 'hello cube') return { ...prepared, wanted: undefined };
  try {
    const wanted = await takePicture(context, probe, prepared);
    if (site.build === 'esbuild') await checkIngredients(context, pages, probe, site, wanted);
    return { ...prepared, wanted };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** @throws Error if the picture would be the same without its model, its environment or its shadows */
async function checkIngredients(
  context: SuiteContext,
  pages: FirstPicturePages,
  probe: string,
  site: Site,
  wanted: readonly number[],
): Promise<void> {
  for (const lacking of INGREDIENTS) {
    const server = await startDelayedServer(await pages.build({ ...site, lacking }));
    try {
      const picture = await takePicture(context, probe, { ...site, lacking, server });
      const sum = wanted.reduce((total, value, index) => total + Math.abs(value - (picture[index] ?? 0)), 0);
      if (sum / wanted.length < VISIBLE_DIFFERENCE)
        throw new Error(
          `The picture looks the same without ${lacking}: a difference of ${sum / wanted.length}.`,
        );
    } finally {
      await server.close();
    }
  }
}

/** Returns the page's picture once everything is loaded and it has stopped changing, RGBA. */
function takePicture(context: SuiteContext, probe: string, site: ServedSite): Promise<number[]> {
  return withPage(context, probe, site, undefined, async (tab) => {
    const picture = await tab.evaluate(() => window.firstPicture.atRest());
    if (context.pictures) {
      await mkdir(context.pictures, { recursive: true });
      const name = `first-picture-${[site.engine, site.build, site.lacking].filter(Boolean).join('-')}.png`;
      await tab.screenshot({ path: join(context.pictures, name.replaceAll(' ', '-')) });
    }
    return picture;
  });
}

function load(context: SuiteContext, probe: string, site: MeasuredSite, delayMs: number): Promise<Load> {
  site.server.delayMs = delayMs;
  site.server.takeRequests();
  return withPage(context, probe, site, site.wanted, async (tab) => {
    const completeMs = await tab.evaluate(() => window.firstPicture.completeMs);
    return { completeMs, requests: site.server.takeRequests() };
  });
}

/** Opens the page in a new browser context with empty caches. */
async function withPage<T>(
  context: SuiteContext,
  probe: string,
  site: ServedSite,
  wanted: readonly number[] | undefined,
  use: (tab: Page) => Promise<T>,
): Promise<T> {
  const browserContext = await context.browser.newContext({ viewport: { width: 256, height: 192 } });
  let timer: NodeJS.Timeout | undefined;
  try {
    const tab = await browserContext.newPage();
    await tab.addInitScript({ content: `window.wantedPicture = ${JSON.stringify(wanted)};` });
    await tab.addInitScript({ content: probe });
    const failed = new Promise<never>((_, reject) => {
      tab.on('pageerror', reject);
      tab.on('response', (response) => {
        if (response.status() >= 400) reject(new Error(`${response.status()} ${response.url()}`));
      });
      timer = setTimeout(() => reject(new Error(`No complete picture in ${TIMEOUT_MS} ms.`)), TIMEOUT_MS);
    });
    const used = tab.goto(`${site.server.origin}/`, { waitUntil: 'commit' }).then(() => use(tab));
    return await Promise.race([used, failed]);
  } finally {
    clearTimeout(timer);
    await browserContext.close();
  }
}

async function report(
  context: SuiteContext,
  measured: readonly MeasuredSite[],
  failures: string[],
): Promise<SuiteOutcome> {
  const versions = new Map<Engine, string>();
  for (const engine of ENGINES) versions.set(engine, await versionOf(context.root, engine));
  const rows = measured
    .filter(({ plain, delayed }) => plain.length > 0 && delayed.length > 0)
    .map((site) => ({ site, version: versions.get(site.engine) ?? '', figures: figuresOf(site) }));
  const results: BenchResult[] = rows.map(({ site: { engine, page, build }, version, figures }) => {
    const { fastest, ...numbers } = figures;
    return { id: 'FIRST_PICTURE', engine, version, page, build, ...numbers };
  });
  const find = (page: Site['page'], build: Build, engine: Engine): Figures | undefined =>
    rows.find(({ site }) => site.page === page && site.build === build && site.engine === engine)?.figures;
  const summary = formatTable(
    [
      'page and build',
      'engine',
      'version',
      'round trips',
      'in sequence',
      'last answer',
      'requests',
      'code, kB',
      'ms',
      'ms, delayed',
    ],
    rows.map(({ site, version, figures }) => [
      `${site.page}, ${site.build}`,
      site.engine,
      version,
      figures.trips.toFixed(1),
      String(figures.inSequence),
      figures.lastAnswerTrips.toFixed(1),
      String(figures.requests),
      kilobytes(figures.codeBytes),
      ...[figures.plainMs, figures.delayedMs].map((milliseconds) => milliseconds.toFixed(0)),
    ]),
  );
  const waterfalls = rows.map(
    ({ site, figures }) => `Waterfall of ${nameOf(site)}\n${waterfall(figures.fastest, DELAY_MS)}`,
  );
  return {
    results,
    failures,
    targets: BUILDS.flatMap((build) => targetsOf(build, find)),
    table: [
      `FIRST_PICTURE · to the first complete picture, every answer delayed by ${DELAY_MS} ms, fastest of ${Math.min(context.runs, MOST_RUNS)} runs; code as sent, gzip`,
      [summary, ...waterfalls].join('\n\n'),
    ].join('\n'),
  };
}

function targetsOf(
  build: Build,
  find: (page: Site['page'], build: Build, engine: Engine) => Figures | undefined,
): BenchTarget[] {
  const id = (what: string) => `FIRST_PICTURE.${what} ${build}`;
  const [ours, three] = ENGINES.map((engine) => find('first picture', build, engine));
  const codeRatio = (page: Site['page']): number | undefined => {
    const [own, other] = ENGINES.map((engine) => find(page, build, engine)?.codeBytes);
    return own !== undefined && other !== undefined ? own / other : undefined;
  };
  const beside = three ? ` (three.js: ${three.trips.toFixed(1)})` : '';
  return [
    atMost(id('trips'), `round trips to the first complete picture${beside}`, ours?.trips, 3.2),
    atMost(id('requests'), 'requests until then', ours?.requests, 8),
    atMost(id('code'), 'code of that page ÷ three.js’s', codeRatio('first picture'), 0.85),
    atMost(id('hello'), 'code of the hello cube ÷ three.js’s', codeRatio('hello cube'), 0.85),
  ];
}

function figuresOf({ plain, delayed }: MeasuredSite): Figures {
  const fastestOf = (loads: readonly Load[]) =>
    loads.reduce((best, each) => (each.completeMs < best.completeMs ? each : best));
  const plainMs = fastestOf(plain).completeMs;
  const fastest = fastestOf(delayed);
  const delayedMs = fastest.completeMs;
  const code = fastest.requests.filter(({ path }) => /\.(js|wasm)$/.test(path));
  return {
    trips: (delayedMs - plainMs) / DELAY_MS,
    inSequence: answersInSequence(fastest),
    lastAnswerTrips: (lastAnswerBefore(fastest.completeMs, fastest.requests)?.endMs ?? Number.NaN) / DELAY_MS,
    requests: fastest.requests.length,
    codeBytes: code.reduce((sum, { bytes }) => sum + bytes, 0),
    plainMs,
    delayedMs,
    fastest,
  };
}
