// `npm run size`: what the ten-line example costs a page, in bytes as fetched: bundled with esbuild against dist/,
// minified, then gzip (level 9). The main thread's part is what loads at once; the worker is one file; chunks that
// load only on demand (`threading: 'single'`) and the asset worker are shown apart.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildLibrary } from './build.mjs';
import { readCommandLine } from './lib/command-line.mjs';
import { projectRoot } from './lib/install.mjs';

/**
 * Measures the hello cube; builds the library into a temporary folder unless one is given.
 *
 * @param {{ dist?: string }} [options]
 * @returns {Promise<{ main: Size, worker: Size, total: Size, lazy: Size, assetWorker: Size }>}
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
    const lazy = sum(sizesOf((path) => !atOnce.has(path)));
    const worker = sizeOf(readFileSync(join(library, 'worker.js')));
    const assetPath = join(library, 'asset-worker.js');
    const assetWorker = existsSync(assetPath) ? sizeOf(readFileSync(assetPath)) : sum([]);
    return { main, worker, total: sum([main, worker]), lazy, assetWorker };
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  readCommandLine('Usage: npm run size', {});
  const sizes = await measureHelloCube();
  const rows = [
    ['main thread', sizes.main, 'ceiling 26.0 kB'],
    ['render worker', sizes.worker, ''],
    ['hello cube in all', sizes.total, 'ceiling 75.0 kB'],
    ['on demand', sizes.lazy, "threading: 'single'"],
    ['asset worker', sizes.assetWorker, 'with the first load()'],
  ];
  console.log(`${''.padEnd(20)}${'minified'.padStart(12)}${'min+gzip'.padStart(12)}`);
  for (const [name, size, note] of rows) {
    console.log(`${name.padEnd(20)}${kilobytes(size.minifiedBytes)}${kilobytes(size.gzipBytes)}   ${note}`);
  }
}

/** 1 kB is 1,000 bytes. */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`.padStart(12);
}
