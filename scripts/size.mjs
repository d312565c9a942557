// `npm run size`: what the ten-line example costs a page, in bytes as fetched: bundled with esbuild against dist/,
// minified, then gzip (level 9). The main thread's part is what loads at once; the worker is one file. Then what Chromium
// fetches, per page and feature (`fetched-pages.mjs`).
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildLibrary } from './build.mjs';
import { fetchedPages } from './fetched-pages.mjs';
import { readCommandLine } from './lib/command-line.mjs';
import { measureFetched } from './lib/fetched-bytes.mjs';
import { projectRoot } from './lib/install.mjs';

/**
 * Measures the hello cube; builds the library into a temporary folder unless one is given.
 *
 * @param {{ dist?: string }} [options]
 * @returns {Promise<{ main: Size, worker: Size, total: Size }>}
 *   `total` is main + worker: all that a hello cube fetches
 * @typedef {{ minifiedBytes: number, gzipBytes: number }} Size
 */
export async function measureHelloCube({ dist } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-size-'));
  try {
    const installed = join(folder, 'node_modules/fencepost');
    const library = join(installed, 'dist');
    if (dist) cpSync(dist, library, { recursive: true });
    else await buildLibrary({ outdir: library, types: false });
    cpSync(join(projectRoot, 'package.json'), join(installed, 'package.json'));
    const result = await build({
      stdin: {
        contents: readFileSync(join(projectRoot, 'e2e/packaging/example.ts'), 'utf8'),
        loader: 'ts',
        resolveDir: folder,
      },
      bundle: true,
      splitting: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      outdir: join(folder, 'site'),
      write: false,
      metafile: true,
      absWorkingDir: folder,
    });
    if (result.warnings.length > 0) throw new Error(`A page's bundler warns: ${result.warnings[0].text}`);
    const outputs = new Map(
      Object.entries(result.metafile.outputs).map(([path, meta]) => [
        path,
        { meta, text: result.outputFiles.find((file) => file.path === join(folder, path))?.contents },
      ]),
    );
    const entry = [...outputs].find(([, { meta }]) => meta.entryPoint === '<stdin>')?.[0];
    if (!entry) throw new Error('esbuild made no bundle of the example.');
    const atOnce = new Set();
    const visit = (path) => {
      if (atOnce.has(path)) return;
      atOnce.add(path);
      for (const each of outputs.get(path)?.meta.imports ?? []) {
        if (each.kind === 'import-statement') visit(each.path);
      }
    };
    visit(entry);
    const sizesOf = (wanted) =>
      [...outputs].filter(([path]) => wanted(path)).map(([, { text }]) => sizeOf(text ?? new Uint8Array()));
    const main = sum(sizesOf((path) => atOnce.has(path)));
    const worker = sizeOf(readFileSync(join(library, 'worker.js')));
    return { main, worker, total: sum([main, worker]) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeOf(bytes) {
  return { minifiedBytes: bytes.length, gzipBytes: gzipSync(bytes, { level: 9 }).length };
}

function sum(sizes) {
  return {
    minifiedBytes: sizes.reduce((total, size) => total + size.minifiedBytes, 0),
    gzipBytes: sizes.reduce((total, size) => total + size.gzipBytes, 0),
  };
}

/**
 * Measures the table of `fetched-pages.mjs` in Chromium.
 *
 * @param {{ dist: string, browser: import('@playwright/test').Browser }} options
 */
export async function measurePages({ dist, browser }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fencepost-pages-')));
  try {
    const installed = join(folder, 'node_modules/fencepost');
    cpSync(dist, join(installed, 'dist'), { recursive: true });
    cpSync(join(projectRoot, 'package.json'), join(installed, 'package.json'));
    return await measureFetched({ folder, browser, pages: fetchedPages });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  readCommandLine('Usage: npm run size', {});
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-dist-'));
  try {
    await buildLibrary({ outdir: folder, types: false });
    const sizes = await measureHelloCube({ dist: folder });
    const rows = [
      ['main thread', sizes.main, 'ceiling 26.0 kB'],
      ['render worker', sizes.worker, ''],
      ['hello cube in all', sizes.total, 'ceiling 75.0 kB'],
    ];
    console.log(`${''.padEnd(32)}${'minified'.padStart(12)}${'min+gzip'.padStart(12)}`);
    for (const [name, size, note] of rows) {
      console.log(`${name.padEnd(32)}${kilobytes(size.minifiedBytes)}${kilobytes(size.gzipBytes)}   ${note}`);
    }
    await printPages(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What Chromium fetches, min+gzip, per page. */
async function printPages(dist) {
  const { chromium } = await import('playwright');
  const { ensureChromium } = await import('./find-chromium.mjs');
  const { chromiumLaunchOptions } = await (await import('./lib/test-kit.mjs')).loadTestKit();
  const browser = await chromium.launch(chromiumLaunchOptions({ executablePath: ensureChromium() }));
  try {
    console.log(
      `\n${'fetched, min+gzip'.padEnd(32)}${['page', 'workers', 'in all', 'ceiling'].map((title) => title.padStart(12)).join('')}`,
    );
    const pages = await measurePages({ dist, browser });
    for (const [index, { name, page, workers, total, workerFiles }] of pages.entries()) {
      const columns = [page, workers, total, fetchedPages[index].ceiling].map(kilobytes).join('');
      console.log(`${name.padEnd(32)}${columns}   ${workerFiles.join(' ')}`);
    }
  } finally {
    await browser.close();
  }
}

/** 1 kB is 1,000 bytes. */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`.padStart(12);
}
