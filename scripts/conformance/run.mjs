// Shows every model of a folder in headless Chromium, one after another, and collects the results.
//
//   folder ──► Vite server ──► page (e2e/pages/conformance.ts) ──► inspection ──┐
//                 Node: log, crash, deadline (browser-session.mjs) ──► failures ─┴──► results, contact sheet
//
// A rejected file is a result. A crash, hang, lost device, uncaptured GPU error or untyped exception is a failure.
// After a failure the next file gets a new browser.

import { ensureBuilt } from '../build.mjs';
import { ensureChromium } from '../find-chromium.mjs';
import { bundledPages } from '../lib/bundled-pages.mjs';
import { projectRoot } from '../lib/install.mjs';
import { loadTestKit } from '../lib/test-kit.mjs';
import { BrowserSession } from './browser-session.mjs';
import { addressOf, FILES_ROUTE, findModels, serveFolder } from './model-folder.mjs';

/**
 * @typedef {{
 *   file: string,
 *   status: 'ok' | 'warning' | 'error' | 'failed',
 *   warnings: string[],
 *   error: { name: string, code: string, message: string } | null,
 *   failures: import('./browser-session.mjs').Failure[],
 *   milliseconds: number,
 *   drawCalls: number,
 *   primitives: number,
 *   skippedDraws: number,
 *   coverage: number,
 *   leaks: number,
 * }} Result  `coverage`: part of the picture that is not background, 0 to 1
 *
 * @typedef {{
 *   summary: { files: number, ok: number, warnings: number, errors: number, failed: number, milliseconds: number },
 *   results: Result[],
 *   sheet: Buffer | null,
 *   halfSheet: Buffer | null,
 * }} Report  `sheet`: a PNG; `halfSheet`: a second PNG, which shows each clip at half its duration
 *
 * @param {{
 *   folder: string,
 *   threading?: 'single' | 'render' | 'render+rhi',
 *   isIsolated?: boolean,
 *   gpu?: 'software' | 'hardware',
 *   size?: number,
 *   limit?: number | ((file: string) => number),
 *   antialias?: boolean,
 *   sheet?: boolean,
 *   time?: boolean,
 *   onResult?: (result: Result) => void,
 *   prepare?: (context: import('playwright').BrowserContext) => Promise<void>,
 * }} options `size`: edge of a picture in pixels; `limit`: milliseconds for a file; `antialias`: smooth edges
 *   (default: true); `sheet`: make the contact sheet; `time`: show each clip at its start and at half its
 *   duration; `prepare`: called with every new browser context, for tests that provoke failures
 * @returns {Promise<Report>}
 */
export async function runConformance(options) {
  const { folder, threading = 'render', isIsolated = true, gpu = 'software', onResult } = options;
  const { size = 192, limit = 60_000, antialias = true, sheet = false, time = false, prepare } = options;
  const models = findModels(folder);
  const { chromium } = await import('playwright');
  const { chromiumLaunchOptions } = await loadTestKit();
  const server = await startServer(folder, isIsolated);
  const sessionOptions = {
    chromium,
    launchOptions: chromiumLaunchOptions({ executablePath: ensureChromium(), gpu }),
    origin: server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '',
    inspectOptions: { threading, size, antialias, time },
    prepare,
  };
  const started = performance.now();
  const results = [];
  const tiles = [];
  const halfTiles = [];
  /** @type {BrowserSession | null} */
  let session = null;
  // Messages name files without the server's address, which is meaningless to the reader.
  const filesAddress = `${sessionOptions.origin}${FILES_ROUTE}/`;
  const withoutAddress = (_key, value) =>
    typeof value === 'string' ? value.replaceAll(filesAddress, '') : value;
  try {
    for (const file of models) {
      session ??= await BrowserSession.open(sessionOptions);
      const begun = performance.now();
      const fileLimit = typeof limit === 'number' ? limit : limit(file);
      const inspection = await session.inspect(addressOf(file), fileLimit);
      const failures = [...(inspection?.failures ?? []), ...session.takeFailures()];
      const { picture = '', clips = [], ...figures } = inspection ?? {};
      const milliseconds = Math.round(performance.now() - begun);
      const result = JSON.parse(
        JSON.stringify(toResult(file, figures, failures, milliseconds), withoutAddress),
      );
      results.push(result);
      const { status } = result;
      if (clips.length === 0) tiles.push({ label: file, note: statusText(result), status, picture });
      for (const { name, half, beginPicture, halfPicture } of clips) {
        const label = `${file} ${name}`;
        tiles.push({ label, note: 'at 0 s', status, picture: beginPicture });
        halfTiles.push({ label, note: `at ${half.toFixed(2)} s`, status, picture: halfPicture });
      }
      onResult?.(result);
      if (result.status === 'failed') {
        await session.close();
        session = null;
      }
    }
    if (sheet) session ??= await BrowserSession.open(sessionOptions);
    const compose = (list) => (list.length > 0 && session ? session.composeSheet(list) : null);
    return {
      summary: summarize(results, Math.round(performance.now() - started)),
      results,
      sheet: sheet ? await compose(tiles) : null,
      halfSheet: sheet ? await compose(halfTiles) : null,
    };
  } finally {
    await session?.close();
    await server.close();
  }
}

function toResult(file, figures, failures, milliseconds) {
  const { warnings = [], error = null, drawCalls = 0, primitives = 0 } = figures;
  const { skippedDraws = 0, coverage = 0, leaks = 0 } = figures;
  const status = failures.length > 0 ? 'failed' : error ? 'error' : warnings.length > 0 ? 'warning' : 'ok';
  return {
    ...{ file, status, warnings, error, failures, milliseconds },
    ...{ drawCalls, primitives, skippedDraws, coverage, leaks },
  };
}

function summarize(results, milliseconds) {
  const count = (status) => results.filter((result) => result.status === status).length;
  return {
    files: results.length,
    ok: count('ok'),
    warnings: count('warning'),
    errors: count('error'),
    failed: count('failed'),
    milliseconds,
  };
}

/** Returns the printed text of a file: `ok`, `warning: …`, `error: <class> <code> …` or `failed: <kind> …`. */
export function statusText({ status, warnings, error, failures }) {
  const text = {
    ok: () => 'ok',
    warning: () => `warning: ${warnings.join(' ')}`,
    error: () => `error: ${error.name} ${error.code} ${error.message}`,
    failed: () => `failed: ${failures.map(({ kind, message }) => `${kind} ${message}`).join(' | ')}`,
  }[status]();
  return text.replace(/\s+/g, ' ');
}

/**
 * Starts a server for the project and the folder. It is independent of the servers of tests and of the demo, which may
 * run at the same time.
 */
async function startServer(folder, isIsolated) {
  await ensureBuilt();
  const { createServer } = await import('vite');
  const before = process.env.FENCEPOST_ISOLATION;
  // vite.config.ts reads this variable.
  process.env.FENCEPOST_ISOLATION = isIsolated ? 'on' : 'off';
  try {
    const server = await createServer({
      root: projectRoot,
      cacheDir: `node_modules/.vite-conformance-${isIsolated ? 'isolated' : 'plain'}`,
      logLevel: 'error',
      plugins: [serveFolder(folder), bundledPages()],
      server: { port: 0, strictPort: false, hmr: false, watch: null },
      optimizeDeps: { noDiscovery: true },
    });
    return await server.listen();
  } finally {
    if (before === undefined) delete process.env.FENCEPOST_ISOLATION;
    else process.env.FENCEPOST_ISOLATION = before;
  }
}
