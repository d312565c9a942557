// `npm run build`: builds the library into dist/. Dependencies are bundled, so that it works without a bundler.
//
//   src/threads/*.ts: workers, decoders           one file each, no imports, no top-level await
//   src/index.ts ──► index.js ╌╌► single.js, tools.js    the engine on the page's thread; loaded when asked for
//     │ with the checks of development
//     └────────────► development.js                      in its place where a bundler builds for development
//   src/rhi.ts, src/tasks.ts, src/math.ts, src/shaders.ts   one file each
//   src/element, src/inline.ts, src/react         import index.js beside them; react.js also imports React
//   docs/guide/element.md ──► custom-elements.json    the element for editors
//   src/testing/index.ts ──► testing.js           Node, beside Playwright
//   tsc ──► types/                                without @webgpu/types (scripts/lib/declarations.mjs)
//
// `inline.js` contains the text of the worker files, so the workers are built first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { customElements } from './lib/custom-elements.mjs';
import { finishDeclarations } from './lib/declarations.mjs';
import {
  importByAddressFooter,
  importByAddressPlugin,
  sourcePlugins,
  workerLiteralPlugin,
  workerSourcePlugin,
} from './lib/esbuild-plugins.mjs';
import { projectRoot } from './lib/install.mjs';
import { collectLicences } from './lib/licences.mjs';

/** Entries of the package for pages, by their file in dist/. Each is one file without shared chunks. */
const pageEntries = {
  index: 'src/index.ts',
  rhi: 'src/rhi.ts',
  tasks: 'src/tasks.ts',
  math: 'src/math.ts',
  shaders: 'src/shaders.ts',
};
/** Files that `index.js` loads on demand, by the modules that it imports. */
const lazyEntries = {
  single: 'src/threads/connections/single-thread.ts',
  tools: 'src/engine/engine-tools.ts',
};
/** Entries that import the engine's file beside them. */
const entriesBesideEngine = [
  { name: 'element', source: 'src/element/index.ts', engine: './index.js' },
  { name: 'react', source: 'src/react/index.ts', engine: './index.js' },
  { name: 'development-react', source: 'src/react/index.ts', engine: './development.js' },
  { name: 'development-element', source: 'src/element/index.ts', engine: './development.js' },
  { name: 'inline', source: 'src/inline.ts', engine: './index.js' },
  { name: 'development-inline', source: 'src/inline.ts', engine: './development.js' },
];
/** All scripts of src/threads/: workers, their tools and decoders. */
const workerEntries = Object.fromEntries(
  readdirSync(join(projectRoot, 'src/threads'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => [name.replace(/\.ts$/, ''), `src/threads/${name}`]),
);
const nodeEntries = { testing: 'src/testing/index.ts' };

/** Packages that `react.js` imports, because a page has one copy of React. */
const reactPackages = ['react', 'react-reconciler', 'react-reconciler/constants.js'];
/** Tells bundlers of pages with server components that the components of `react.js` run in the browser. */
const clientDirective = '"use client";';

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
 * @param {{ outdir?: string, types?: boolean, build?: string }} [options] `types: false` omits the declarations, which
 *   take most of the time; `build` is the id by which threads recognise each other (`src/core/build.ts`)
 */
export async function buildLibrary({
  outdir = join(projectRoot, 'dist'),
  types = true,
  build: buildId = findBuildId(),
} = {}) {
  rmSync(outdir, { recursive: true, force: true });
  const define = { FENCEPOST_BUILD: JSON.stringify(buildId), 'globalThis.FENCEPOST_DEVELOPMENT': 'false' };
  const workerOptions = { ...browserOptions, outdir, define, plugins: sourcePlugins() };
  const workers = await build({ ...workerOptions, entryPoints: workerEntries });
  checkSelfContained(workers.metafile);
  const plugins = [
    ...sourcePlugins(),
    importByAddressPlugin(),
    workerLiteralPlugin(),
    workerSourcePlugin(outdir),
  ];
  const pageOptions = { ...browserOptions, outdir, define, footer: { js: importByAddressFooter } };
  const pages = await build({
    ...pageOptions,
    entryPoints: { ...pageEntries, ...lazyEntries },
    plugins: [siblingFilesPlugin(lazyEntries), ...plugins],
  });
  await build({
    ...pageOptions,
    define: { ...define, 'globalThis.FENCEPOST_DEVELOPMENT': 'true' },
    entryPoints: { development: pageEntries.index },
    plugins: [siblingFilesPlugin(lazyEntries), ...plugins],
  });
  for (const { name, source, engine } of entriesBesideEngine) {
    const isForDevelopment = String(engine === './development.js');
    await build({
      ...pageOptions,
      define: { ...define, 'globalThis.FENCEPOST_DEVELOPMENT': isForDevelopment },
      entryPoints: { [name]: source },
      external: reactPackages,
      ...(name.endsWith('react') && { banner: { js: clientDirective } }),
      plugins: [siblingFilesPlugin({ [engine.slice(2, -3)]: 'src/index.ts' }), ...plugins],
    });
  }
  checkWorkerLiterals(outdir);
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
  writeFileSync(join(outdir, 'custom-elements.json'), `${JSON.stringify(customElements(), null, 2)}\n`);
  const licences = collectLicences([workers.metafile, pages.metafile], ['@webgpu/types']);
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licences);
  if (types) {
    emitDeclarations();
    finishDeclarations(join(projectRoot, 'dist/types'), publicDeclarations());
  }
}

/**
 * Turns an import of a module that has its own file in dist/ into an import of that file.
 *
 * @param {Readonly<Record<string, string>>} files modules by the names of their files in dist/
 */
function siblingFilesPlugin(files) {
  const names = new Map(Object.entries(files).map(([name, path]) => [join(projectRoot, path), name]));
  return {
    name: 'beside',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ kind, resolveDir, path }) => {
        const name = names.get(join(resolveDir, path).replace(/\.js$/, '.ts'));
        return name && kind !== 'entry-point' ? { path: `./${name}.js`, external: true } : undefined;
      });
    },
  };
}

/** Returns the version and a hash of the sources, so that changed sources have another id. */
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

/** Builds dist/ for a script that opens pages. During a test run, dist/ has been built before the servers start. */
export async function ensureBuilt() {
  if (process.env.FENCEPOST_IS_BUILT === '1') return;
  await buildLibrary({ types: false });
  process.env.FENCEPOST_IS_BUILT = '1';
}

function publicDeclarations() {
  const entries = { ...pageEntries, ...nodeEntries };
  const beside = entriesBesideEngine.map(({ source }) => source);
  return [...new Set([...Object.values(entries), ...beside])].map((source) =>
    source.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'),
  );
}

function emitDeclarations() {
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  const result = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: projectRoot,
    stdio: 'inherit',
  });
  if (result.status !== 0) throw new Error('tsc could not emit the type declarations; see its output above.');
}

/**
 * Checks that a worker imports nothing. A consumer's bundler copies the worker as one file. A chunk beside it would be
 * lost, and the worker would fail silently.
 */
function checkSelfContained(metafile) {
  for (const [file, { imports }] of Object.entries(metafile.outputs)) {
    const outside = imports.map((each) => each.path);
    if (outside.length > 0) throw new Error(`${file} imports ${outside.join(', ')}; a worker is one file.`);
  }
}

/**
 * Checks the form of addresses of workers and of dynamic imports. Consumers' bundlers recognise workers only by exactly
 * this form. They would search all files for the target of an import() without a literal path.
 */
function checkWorkerLiterals(outdir) {
  const files = readdirSync(outdir).filter((name) => /^(index|tasks)\.js$/.test(name));
  const text = files.map((name) => readFileSync(join(outdir, name), 'utf8')).join('');
  if (/import\([^"'/]/.test(text))
    throw new Error(`${outdir} has an import() without the comments for bundlers.`);
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
