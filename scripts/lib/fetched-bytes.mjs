// Measures the bytes that pages fetch of the package. Each page is bundled in the way in which a user of the package
// would bundle it. A plain static host serves it, and Chromium opens it. The host records the requested scripts. Sizes
// are compressed by gzip, level 9, file by file, as a host would send them.
//
//   script ── esbuild, with the installed package ──► site/<page>/ + worker files ── host ──► Chromium
//                                                                                     └ requested scripts and their sizes
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.wasm': 'application/wasm' };

const code = ['.js', '.wasm'];

/**
 * @typedef {object} MeasuredPage
 * @property {string} name
 * @property {string} script TypeScript that uses the package; it ends when all measured files have been loaded
 * @property {readonly string[]} [fetchesLater] files of the package that the page requests after its script has ended
 *
 * @typedef {object} Fetched
 * @property {string} name
 * @property {number} bytes gzip bytes of all scripts and WebAssembly that the page fetches
 * @property {readonly string[]} packageFiles fetched files outside of its bundle: workers, by their names in the
 *   package
 */

/**
 * Measures one page after the other.
 *
 * @param {object} options
 * @param {string} options.folder a project that has the package installed; `site/` is created in it
 * @param {import('@playwright/test').Browser} options.browser
 * @param {readonly MeasuredPage[]} options.pages
 * @returns {Promise<readonly Fetched[]>}
 */
export async function measureFetched({ folder, browser, pages }) {
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'empty.html'), '<!doctype html><link rel="icon" href="data:,">');
  const dist = join(folder, 'node_modules/fencepost/dist');
  for (const { name, fetchesLater = [] } of pages) {
    const missing = fetchesLater.find((file) => !existsSync(join(dist, file)));
    if (missing) throw new Error(`Page "${name}" names ${missing} in fetchesLater, which dist/ lacks.`);
  }
  await Promise.all(pages.map(({ script }, index) => writePage(folder, join(site, String(index)), script)));
  const host = await serve(site, dist);
  // A small viewport, because the time of a software adapter depends on the pixels. All pages can share a tab: each has
  // addresses of its own, so the browser's cache has no file from an earlier page.
  const context = await browser.newContext({ viewport: { width: 160, height: 120 } });
  const measured = [];
  try {
    // Disables the engine's check of its threads, which runs once a second. On a busy machine the check would ask
    // threads for a sign of life, and load code for that purpose.
    await context.addInitScript(() => {
      const { setInterval } = globalThis;
      globalThis.setInterval = (task, milliseconds) =>
        milliseconds === 1000 ? 0 : setInterval(task, milliseconds);
    });
    const tab = await context.newPage();
    for (const [index, page] of pages.entries()) {
      // Discards late requests of the previous page.
      await tab.goto(`${host.origin}/empty.html`);
      const { scripts } = host;
      scripts.clear();
      let fail;
      const failed = new Promise((_, reject) => {
        fail = reject;
      });
      failed.catch(() => {}); // The failure may come after the race.
      tab.on('pageerror', fail);
      await tab.goto(`${host.origin}/${index}/`);
      const done = tab.waitForFunction(() => 'isDone' in globalThis);
      await Promise.race([done, failed]);
      await Promise.race([host.whenAsked(page.fetchesLater ?? []), failed]);
      tab.off('pageerror', fail);
      measured.push({ name: page.name, ...sumUp(scripts) });
    }
  } finally {
    await context.close();
    await host.close();
  }
  return measured;
}

/**
 * Returns the bytes of a page's scripts, and the package's files among them.
 *
 * @param {ReadonlyMap<string, { text: Buffer, isOfPackage: boolean }>} scripts scripts by path
 */
function sumUp(scripts) {
  let bytes = 0;
  const packageFiles = [];
  for (const [path, { text, isOfPackage }] of scripts) {
    bytes += compressedSize(text);
    if (isOfPackage) packageFiles.push(basename(path));
  }
  return { bytes, packageFiles: packageFiles.sort() };
}

/**
 * Compressed sizes by hash, because many pages fetch the package's workers.
 *
 * @type {Map<string, number>}
 */
const compressedSizes = new Map();

/** Returns the gzip size of a text in bytes. @param {Buffer} text */
function compressedSize(text) {
  const key = createHash('sha256').update(text).digest('base64');
  const size = compressedSizes.get(key) ?? gzipSync(text, { level: 9 }).length;
  compressedSizes.set(key, size);
  return size;
}

async function writePage(folder, outdir, script) {
  await build({
    stdin: {
      contents: `${script}\nglobalThis.isDone = true;`,
      loader: 'ts',
      resolveDir: folder,
      sourcefile: 'main.ts',
    },
    absWorkingDir: folder,
    outdir,
    entryNames: 'main',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
  writeFileSync(
    join(outdir, 'index.html'),
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,"></head>
<body><canvas style="width: 128px; height: 96px"></canvas><script type="module" src="./main.js"></script></body></html>`,
  );
}

/**
 * Starts the host of the pages.
 *
 * @param {string} site folder of the pages; workers are not copied into it
 * @param {string} dist folder of the package, which serves the workers
 */
async function serve(site, dist) {
  const scripts = new Map();
  let notify = () => {};
  /** Resolves when each of the files has been requested. */
  const whenAsked = async (names) => {
    const isMissing = (name) => ![...scripts.keys()].some((path) => path.endsWith(name));
    while (names.some(isMissing)) {
      await new Promise((resolve) => {
        notify = resolve;
      });
    }
  };
  const host = { scripts, origin: '', whenAsked, close: async () => {} };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = normalize(decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    const bundled = read(join(site, path));
    const body = bundled ?? read(join(dist, basename(path)));
    if (!body) return response.writeHead(404).end();
    if (code.includes(extname(path))) {
      scripts.set(path, { text: body, isOfPackage: bundled === null });
      notify();
    }
    response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream');
    return response.end(body);
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  host.origin = `http://localhost:${server.address().port}`;
  host.close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return host;
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
