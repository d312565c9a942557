// What pages fetch of the package, in bytes: each page is bundled as a stranger's would be, served by a plain static host
// and opened in Chromium, and the host notes which scripts it was asked for. Compressed sizes are gzip's, level 9, file by
// file, as a host would send them.
//
//   script ── esbuild, with the installed package ──► site/<page>/ + worker files ── host ──► Chromium
//                                                                                     └ which scripts, how large
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { sourceTextPlugin } from './esbuild-plugins.mjs';
import { projectRoot } from './install.mjs';

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/**
 * @typedef {object} MeasuredPage
 * @property {string} name
 * @property {string} [script] TypeScript that uses the package; it ends when everything that is to be fetched is there
 * @property {string} [html] address of a page of this project instead, which puts its engine in `window.engine`, or has none
 * @property {readonly string[]} [fetchesLater] files that it asks for when its script has ended already
 * @property {boolean} [isIsolated] served with the headers that let threads share memory
 *
 * @typedef {object} Fetched
 * @property {string} name
 * @property {number} page gzip bytes of the page's own scripts, the package's code in them included
 * @property {number} workers gzip bytes of the package's worker files
 * @property {readonly string[]} workerFiles their names
 * @property {readonly string[]} files every script, as `name bytes`, in the order of the requests
 * @property {number} total
 */

/**
 * Measures one page after the other.
 *
 * @param {object} options
 * @param {string} options.folder a project that has the package installed; `site/` is made in it
 * @param {import('@playwright/test').Browser} options.browser
 * @param {readonly MeasuredPage[]} options.pages
 * @returns {Promise<readonly Fetched[]>}
 */
export async function measureFetched({ folder, browser, pages }) {
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'empty.html'), '<!doctype html><link rel="icon" href="data:,">');
  await Promise.all(pages.map((page, index) => writePage(folder, join(site, String(index)), page)));
  const host = await serve(site, distOf(folder));
  // Small, as a software adapter's time goes by the pixels. All pages in one tab: none has an address that another had.
  const context = await browser.newContext({ viewport: { width: 160, height: 120 } });
  const measured = [];
  try {
    // On a busy machine the engine would ask its threads whether they live, once a second, and load the code for that.
    await context.addInitScript(() => {
      const { setInterval } = globalThis;
      globalThis.setInterval = (task, milliseconds) =>
        milliseconds === 1000 ? 0 : setInterval(task, milliseconds);
    });
    const tab = await context.newPage();
    for (const [index, page] of pages.entries()) {
      // What the page before has asked for by now is not of this one.
      await tab.goto(`${host.origin}/empty.html`);
      const { scripts } = host;
      scripts.clear();
      host.isIsolated = page.isIsolated ?? false;
      let fail;
      const failed = new Promise((_, reject) => {
        fail = reject;
      });
      failed.catch(() => {}); // It may come when nobody waits any more.
      tab.on('pageerror', fail);
      const { search } = new URL(page.html ?? '', host.origin);
      await tab.goto(`${host.origin}/${index}/${search}`, {
        waitUntil: page.script ? 'load' : 'networkidle',
      });
      const done = page.script
        ? tab.waitForFunction(() => 'isDone' in globalThis)
        : tab.evaluate(() => globalThis.engine?.whenReady());
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

/** @param {ReadonlyMap<string, Buffer>} scripts by path */
function sumUp(scripts) {
  let page = 0;
  let workers = 0;
  const workerFiles = [];
  const files = [];
  for (const [path, text] of scripts) {
    const bytes = compressedSize(text);
    const name = /(asset-worker|worker(-\w+)?)\.js$/.exec(path)?.[0];
    files.push(`${name ?? basename(path)} ${bytes}`);
    if (name === undefined) page += bytes;
    else {
      workers += bytes;
      workerFiles.push(name);
    }
  }
  return { page, workers, workerFiles: workerFiles.sort(), files, total: page + workers };
}

/** Of texts that many pages fetch: the package's workers. @type {Map<string, number>} */
const compressedSizes = new Map();

/** @param {Buffer} text */
function compressedSize(text) {
  const key = createHash('sha256').update(text).digest('base64');
  const size = compressedSizes.get(key) ?? gzipSync(text, { level: 9 }).length;
  compressedSizes.set(key, size);
  return size;
}

async function writePage(folder, outdir, { script, html }) {
  const dist = distOf(folder);
  mkdirSync(outdir, { recursive: true });
  const address = html?.split('?')[0];
  const text = address && readFileSync(join(projectRoot, address), 'utf8');
  const source = text?.match(/<script type="module" src="(.*\.ts)">/)?.[1];
  const entry = source
    ? { entryPoints: { main: join(projectRoot, address, '..', source) } }
    : {
        stdin: {
          contents: `${script}\nglobalThis.isDone = true;`,
          loader: 'ts',
          resolveDir: folder,
          sourcefile: 'main.ts',
        },
      };
  await build({
    ...entry,
    absWorkingDir: folder,
    outdir,
    entryNames: 'main',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
    plugins: [sourceTextPlugin(), installedPackage(dist)],
  });
  // What else a page of this project refers to is no script.
  const page =
    text?.replace(source, './main.js').replace(/<link rel="stylesheet"[^>]*>/g, '') ??
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,"></head>
<body><canvas style="width: 128px; height: 96px"></canvas><script type="module" src="./main.js"></script></body></html>`;
  writeFileSync(join(outdir, 'index.html'), page);
}

const distOf = (folder) => join(folder, 'node_modules/fencepost/dist');

/** Pages of this project import the source of the package's entries. */
function installedPackage(dist) {
  return {
    name: 'installed-package',
    setup({ onResolve }) {
      onResolve({ filter: /\/src\/(index|inline|rhi)\.js$/ }, ({ path }) => ({
        path: join(dist, path.slice(path.lastIndexOf('/') + 1)),
        sideEffects: false,
      }));
    },
  };
}

/**
 * @param {string} site what it lacks are workers, which pages copy from the package as they are, and assets of this project's pages
 * @param {string} dist of the package
 */
async function serve(site, dist) {
  const scripts = new Map();
  let heard = () => {};
  /** Resolves when each of the files has been asked for. */
  const whenAsked = async (names) => {
    const isMissing = (name) => ![...scripts.keys()].some((path) => path.endsWith(name));
    while (names.some(isMissing)) {
      await new Promise((resolve) => {
        heard = resolve;
      });
    }
  };
  const host = { scripts, isIsolated: false, origin: '', whenAsked, close: async () => {} };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = normalize(decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    const body =
      read(join(site, path)) ??
      (/worker.*\.js$/.test(path) ? read(join(dist, basename(path))) : null) ??
      read(join(projectRoot, 'public', basename(path)));
    if (!body) return response.writeHead(404).end();
    if (extname(path) === '.js') {
      scripts.set(path, body);
      heard();
    }
    response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream');
    for (const [name, value] of Object.entries(host.isIsolated ? isolation : {}))
      response.setHeader(name, value);
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
