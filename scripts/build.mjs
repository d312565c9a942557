// `npm run build`: the library, into dist/. Everything it uses is bundled, so that it works without a bundler.
//
//   src/index.ts, rhi.ts, element/ ► index.js, … + chunks      entries share chunks; `import()` stays lazy
//   src/threads/worker.ts, asset-worker.ts ──► one file each  no imports, no top-level await (DESIGN §9 Workers)
//   src/inline.ts ──► inline.js                               index.js and the text of both workers
//   src/testing/index.ts ──► testing.js                       Node, beside Playwright
//   tsc ──► types/                                            without @webgpu/types (scripts/lib/declarations.mjs)
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { finishDeclarations } from './lib/declarations.mjs';
import {
  shaderPlugin,
  withoutNodePlugin,
  workerLiteralPlugin,
  workerSourcePlugin,
} from './lib/esbuild-plugins.mjs';
import { projectRoot } from './lib/install.mjs';
import { collectLicences } from './lib/licences.mjs';

/** Entry points of the package by the name of their file in dist/; parts not yet written are left out. */
const browserEntries = {
  index: 'src/index.ts',
  rhi: 'src/rhi.ts',
  element: 'src/element/index.ts',
};
/** Refers to index.js as it stands in dist/, so that the worker literals stay there. */
const inlineEntries = { inline: 'src/inline.ts' };
const workerEntries = { worker: 'src/threads/worker.ts', 'asset-worker': 'src/threads/asset-worker.ts' };
const nodeEntries = { testing: 'src/testing/index.ts' };

const shared = {
  absWorkingDir: projectRoot,
  bundle: true,
  minify: true,
  format: 'esm',
  metafile: true,
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
  define: { 'import.meta.env.DEV': 'false', 'import.meta.env.PROD': 'true' },
};

/**
 * Builds the library.
 *
 * @param {{ outdir?: string, types?: boolean }} [options] `types: false` leaves out the declarations, which take
 *   most of the time
 */
export async function buildLibrary({ outdir = join(projectRoot, 'dist'), types = true } = {}) {
  rmSync(outdir, { recursive: true, force: true });
  const workers = await build({
    ...shared,
    entryPoints: present(workerEntries),
    outdir,
    platform: 'browser',
    plugins: [shaderPlugin(), withoutNodePlugin()],
  });
  checkSelfContained(workers.metafile);
  const main = await build({
    ...shared,
    entryPoints: present(browserEntries),
    outdir,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    platform: 'browser',
    plugins: [shaderPlugin(), withoutNodePlugin(), workerLiteralPlugin()],
  });
  await build({
    ...shared,
    entryPoints: present(inlineEntries),
    outdir,
    platform: 'browser',
    external: ['./index.js'],
    plugins: [workerSourcePlugin(outdir)],
  });
  await build({
    ...shared,
    minify: false, // read by people, in Node; its size matters to nobody
    entryPoints: present(nodeEntries),
    outdir,
    platform: 'node',
    external: ['@playwright/test'],
  });
  checkWorkerLiterals(outdir);
  const licences = collectLicences([workers.metafile, main.metafile], ['@webgpu/types']);
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licences);
  if (types) {
    emitDeclarations();
    finishDeclarations(join(projectRoot, 'dist/types'), publicDeclarations());
  }
}

function present(entries) {
  return Object.fromEntries(
    Object.entries(entries).filter(([, source]) => existsSync(join(projectRoot, source))),
  );
}

function publicDeclarations() {
  return Object.values({
    ...present(browserEntries),
    ...present(inlineEntries),
    ...present(nodeEntries),
  }).map((source) => source.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'));
}

function emitDeclarations() {
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  const result = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: projectRoot,
    stdio: 'inherit',
  });
  if (result.status !== 0) throw new Error('The type declarations could not be made; tsc says why above.');
}

/** A consumer's bundler copies the worker as one file: a chunk beside it would be lost, and it would die silently. */
function checkSelfContained(metafile) {
  for (const [file, { imports }] of Object.entries(metafile.outputs)) {
    const outside = imports.map((each) => each.path);
    if (outside.length > 0) throw new Error(`${file} imports ${outside.join(', ')}; a worker is one file.`);
  }
}

/** Consumers' bundlers find the workers by exactly this form. */
function checkWorkerLiterals(outdir) {
  const file = join(outdir, 'index.js');
  const text = readFileSync(file, 'utf8');
  for (const name of Object.keys(present(workerEntries))) {
    const literal = `new Worker(new URL("./${name}.js",import.meta.url),{type:"module"})`;
    if (!text.includes(literal)) throw new Error(`${file} lacks the literal ${literal}.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const begun = performance.now();
  try {
    await buildLibrary();
    console.log(`Built dist/ in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
