// `npm run build`: the library, into dist/. Everything it uses is bundled, so that it works without a bundler.
//
//   src/threads/*.ts: workers and their parts     one file each: no imports, no top-level await (DESIGN §9 Workers);
//                                                 parts take from worker.js what it lends them
//   src/index.ts  ──► index.js ──┐
//   src/rhi.ts    ──► rhi.js   ──┤
//   src/tasks.ts  ──► tasks.js ──┼─► chunk-*.js           esbuild's code splitting: a module that several entries or
//   src/inline.ts ──► inline.js ─┘                        `import()`s need is in a chunk for exactly these
//   src/threads/control/import-by-address.ts ──► a file of its own, not minified: its comments are for bundlers
//   src/testing/index.ts ──► testing.js                   Node, beside Playwright
//   tsc ──► types/                                        without @webgpu/types (scripts/lib/declarations.mjs)
//
// `inline.js` contains the text of all worker files, so the workers are built first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { finishDeclarations } from './lib/declarations.mjs';
import {
  chunkPlugin,
  importByAddressPlugin,
  sourcePlugins,
  workerLiteralPlugin,
  workerSourcePlugin,
} from './lib/esbuild-plugins.mjs';
import { projectRoot } from './lib/install.mjs';
import { borrowPlugin, decoderParts } from './lib/lent-modules.mjs';
import { collectLicences } from './lib/licences.mjs';

/** Files of dist/ by name. */
const pageEntries = {
  index: 'src/index.ts',
  rhi: 'src/rhi.ts',
  tasks: 'src/tasks.ts',
  element: 'src/element/index.ts',
  math: 'src/math.ts',
  inline: 'src/inline.ts',
};
/** What takes the place of two of them where a page is built for development. */
const developmentEntries = {
  development: 'src/development.ts',
  'development-inline': 'src/development-inline.ts',
};
/** Which modules share a file (`chunkPlugin`): what each page of `fencepost` needs, and what many pages do without. */
const chunkLayout = {
  kernel: ['src/threads/main/compose-engine.ts', 'src/game/shapes.ts'],
  features: {
    geometries: 'src/game/geometry.ts',
    keyframes: 'src/game/motion-keyframes.ts',
    'material-motions': 'src/game/motion-material.ts',
    'orbit-controls': 'src/game/orbit-controls.ts',
    textures: 'src/game/texture.ts',
    'render-textures': 'src/game/render-texture.ts',
    turns: 'src/game/motion-turns.ts',
  },
  barrels: ['src/index.ts', 'src/game/index.ts'],
};
/** Every script of src/threads/: the workers, and a file for each of their parts (`control/thread-parts.ts`). */
const workerEntries = Object.fromEntries(
  readdirSync(join(projectRoot, 'src/threads'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => [name.replace(/\.ts$/, ''), `src/threads/${name}`]),
);
/** Bytes of a file from which on Vite copies it. */
const INLINED_BELOW = 4096;

/** Parts that only worker.js loads take from it what it lends; those of asset workers, and of helpers that cull, don't. */
const partsOfSeveral = ['worker-crowds', ...decoderParts()];
const nodeEntries = { testing: 'src/testing/index.ts' };

const browserOptions = {
  absWorkingDir: projectRoot,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Builds the library.
 *
 * @param {{ outdir?: string, types?: boolean, build?: string }} [options] `types: false` leaves out the declarations,
 *   which take most of the time; `build` is the id by which threads know each other (`src/core/build-id.ts`)
 */
export async function buildLibrary({
  outdir = join(projectRoot, 'dist'),
  types = true,
  build: buildId = findBuildId(),
} = {}) {
  rmSync(outdir, { recursive: true, force: true });
  const define = { FENCEPOST_BUILD: JSON.stringify(buildId) };
  const workerOptions = { ...browserOptions, outdir, define, plugins: sourcePlugins() };
  const isBorrower = ([name]) => name.startsWith('worker-') && !partsOfSeveral.includes(name);
  const workers = await build({
    ...workerOptions,
    entryPoints: entriesThat((entry) => !isBorrower(entry)),
  });
  const parts = await build({
    ...workerOptions,
    entryPoints: entriesThat(isBorrower),
    plugins: [borrowPlugin(workerOptions), ...sourcePlugins()],
  });
  for (const { metafile } of [workers, parts]) checkSelfContained(metafile);
  const pages = await build({
    ...browserOptions,
    entryPoints: { ...pageEntries, ...developmentEntries, ...chunkLayout.features },
    outdir,
    define,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    // `chunkPlugin` imports for the sake of the chunks alone.
    logOverride: { 'ignored-bare-import': 'silent' },
    plugins: [
      chunkPlugin(chunkLayout),
      ...sourcePlugins(),
      importByAddressPlugin(),
      workerLiteralPlugin(),
      workerSourcePlugin(outdir),
    ],
  });
  await build({
    absWorkingDir: projectRoot,
    entryPoints: { 'import-by-address': 'src/threads/control/import-by-address.ts' },
    outdir,
    format: 'esm',
    target: 'es2022',
  });
  checkWorkerLiterals(outdir);
  // After `inline.js` has read them.
  padSmallWorkers(outdir);
  await build({
    absWorkingDir: projectRoot,
    entryPoints: nodeEntries,
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: ['@playwright/test'],
    logLevel: 'warning',
  });
  const licences = collectLicences([workers.metafile, parts.metafile, pages.metafile], ['@webgpu/types']);
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licences);
  if (types) {
    emitDeclarations();
    finishDeclarations(join(projectRoot, 'dist/types'), publicDeclarations());
  }
}

/** @param {(entry: [string, string]) => boolean} isWanted of the workers' files */
function entriesThat(isWanted) {
  return Object.fromEntries(Object.entries(workerEntries).filter(isWanted));
}

/** The version, and a hash of what is built: other sources are another build. */
function findBuildId() {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const hash = createHash('sha256');
  for (const folder of ['src', 'shaders']) {
    for (const name of readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (/\.(ts|wgsl)$/.test(name) && !/\.test\./.test(name))
        hash.update(readFileSync(join(projectRoot, folder, name)));
    }
  }
  return `${version}+${hash.digest('hex').slice(0, 8)}`;
}

/** Builds dist/ for the pages of a runner, once; a test run has built it before its servers start. */
export async function ensureBuilt() {
  if (process.env.FENCEPOST_IS_BUILT === '1') return;
  await buildLibrary({ types: false });
  process.env.FENCEPOST_IS_BUILT = '1';
}

function publicDeclarations() {
  return Object.values({ ...pageEntries, ...nodeEntries }).map((source) =>
    source.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'),
  );
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

/**
 * Vite puts files that are smaller than its `assetsInlineLimit` (4 KiB by default) into the bundle, as `data:` addresses.
 * A Content-Security-Policy with `script-src 'self'` refuses to import those: a part of the render worker would be missing.
 */
function padSmallWorkers(outdir) {
  for (const name of Object.keys(workerEntries)) {
    const file = join(outdir, `${name}.js`);
    const text = readFileSync(file, 'utf8');
    const missing = INLINED_BELOW - Buffer.byteLength(text);
    if (missing > 0) writeFileSync(file, `${text}//${' '.repeat(missing)}\n`);
  }
}

/** Consumers' bundlers find the workers by exactly this form. */
function checkWorkerLiterals(outdir) {
  const files = readdirSync(outdir).filter((name) => /^(index|tasks|chunk-.*)\.js$/.test(name));
  const text = files.map((name) => readFileSync(join(outdir, name), 'utf8')).join('');
  for (const name of Object.keys(workerEntries)) {
    const literal = `new URL("./${name}.js",import.meta.url)`;
    if (!text.includes(literal)) throw new Error(`${outdir} lacks the literal ${literal}.`);
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
