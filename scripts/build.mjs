// `npm run build`: the library, into dist/. Everything it uses is bundled, so that it works without a bundler.
//
//   src/index.ts ──► index.js + a chunk                       what a page loads at once, and nothing else
//        ╎ import()
//   src/threads/main/single-thread.ts ──► single-thread.js         complete in itself: see `apart`
//   src/rhi.ts ──► rhi.js                                     likewise
//   src/core/errors.ts ──► errors.js                          shared by all of them: `instanceof` must hold
//   src/threads/worker.ts, worker-features.ts, worker-images.ts, asset-worker.ts ──► one file each  no imports, no top-level await (DESIGN §9 Workers)
//   src/inline.ts ──► inline.js                               index.js and the text of all worker files
//   src/testing/index.ts ──► testing.js                       Node, beside Playwright
//   tsc ──► types/                                            without @webgpu/types (scripts/lib/declarations.mjs)
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { findPureModules, stripBareImports } from './lib/bare-imports.mjs';
import { compressModule } from './lib/compress.mjs';
import { finishDeclarations } from './lib/declarations.mjs';
import {
  atOncePlugin,
  constantsPlugin,
  recordTablePlugin,
  shaderPlugin,
  siblingPlugin,
  unusedCommandsPlugin,
  withoutNodePlugin,
  workerLiteralPlugin,
  workerSourcePlugin,
} from './lib/esbuild-plugins.mjs';
import { projectRoot } from './lib/install.mjs';
import { findInternalNames, shortNames } from './lib/internal-names.mjs';
import { collectLicences } from './lib/licences.mjs';

/**
 * Files of dist/ by name, each built apart from the others; parts not yet written are left out. Where one imports
 * another of them, it refers to the file. All else that two of them use is in both: common chunks would have the
 * page load at once what only `single` mode or `fencepost/rhi` needs, because a bundler moves whole modules.
 */
const browserEntries = {
  index: 'src/index.ts',
  rhi: 'src/rhi.ts',
  element: 'src/element/index.ts',
  errors: 'src/core/errors.ts',
  'level-loader': 'src/game/level-loader.ts',
  'single-thread': 'src/threads/main/single-thread.ts',
};
const publicNames = ['index', 'rhi', 'element'];
const inlineEntries = { inline: 'src/inline.ts' };
const workerEntries = {
  worker: 'src/threads/worker.ts',
  'worker-features': 'src/threads/worker-features.ts',
  'worker-images': 'src/threads/worker-images.ts',
  'asset-worker': 'src/threads/asset-worker.ts',
};
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
  // `atOncePlugin` imports for the sake of the chunks alone.
  logOverride: { 'ignored-bare-import': 'silent' },
  define: { 'import.meta.env.DEV': 'false', 'import.meta.env.PROD': 'true' },
};

/**
 * Blanks the names of RHI commands that the engine never records: messages name only what can come. Captures, traces
 * and validation, which name all of them, are other files.
 */
function forgetUnusedNames(file) {
  const contexts = readFileSync(join(projectRoot, 'src/rhi/record/immediate-context.ts'), 'utf8');
  const renderer = readdirSync(join(projectRoot, 'src/render'))
    .filter((name) => name.endsWith('.ts') && !name.includes('.test'))
    .map((name) => readFileSync(join(projectRoot, 'src/render', name), 'utf8'))
    .join('\n');
  // `reserveBufferWrite` is how buffers are written.
  const isRecorded = (name) =>
    name === 'writeBuffer' || contexts.includes(`RhiOpcode.${name}`) || renderer.includes(`.${name}(`);
  const text = readFileSync(file, 'utf8');
  const found = / createBuffer [\w ]+(?=["'`]\.split)/.exec(text)?.[0];
  if (!found) throw new Error(`${file} has no names of RHI commands where the build looks for them.`);
  const kept = found
    .split(' ')
    .map((name) => (isRecorded(name) ? name : ''))
    .join(' ');
  writeFileSync(file, text.replace(found, kept));
}

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
    plugins: [
      shaderPlugin(),
      recordTablePlugin(),
      constantsPlugin(),
      unusedCommandsPlugin(),
      withoutNodePlugin(),
    ],
  });
  checkSelfContained(workers.metafile);
  const names = shortNames(
    findInternalNames({
      entries: Object.values({ ...present({ ...workerEntries, ...browserEntries, ...inlineEntries }) }),
      publicEntries: Object.values(present({ index: browserEntries.index, element: browserEntries.element })),
      ambient: ['src/virtual.d.ts'],
      packageFiles: bundledPackageFiles(workers.metafile),
    }),
  );
  forgetUnusedNames(join(outdir, 'worker.js'));
  await compress(workers, names); // before inline.js takes their text
  const apart = Object.entries(present({ ...browserEntries, ...inlineEntries }));
  const mains = await Promise.all(
    apart.map(([name, source]) =>
      build({
        ...shared,
        entryPoints: { [name]: source },
        outdir,
        splitting: true,
        chunkNames: 'chunk-[hash]',
        platform: 'browser',
        plugins: [
          siblingPlugin(Object.fromEntries(apart.filter(([each]) => each !== name))),
          ...(name === 'index' ? [atOncePlugin(join(projectRoot, source))] : []),
          shaderPlugin(),
          ...(name === 'rhi' ? [] : [recordTablePlugin(), constantsPlugin(), unusedCommandsPlugin()]),
          withoutNodePlugin(),
          workerLiteralPlugin(),
          workerSourcePlugin(outdir),
        ],
      }),
    ),
  );
  const chunks = mains.flatMap(({ metafile }) =>
    Object.keys(metafile.outputs).filter((file) => basename(file).startsWith('chunk-')),
  );
  const pureModules = await findPureModules(chunks.map((file) => join(projectRoot, file)));
  // `fencepost/rhi` shows to its users what is internal to the engine, and shares nothing with it but errors.
  for (const [index, main] of mains.entries()) {
    const [name] = apart[index];
    const isEngine = name !== 'rhi';
    if (isEngine) checkPackages(main.metafile, workers.metafile);
    // Node prints the line of an error that nobody catches, and `fencepost/rhi` is what runs there.
    await compress(main, isEngine ? names : {}, isEngine ? false : 160);
    stripBareImports(main.metafile, `${name}.js`, pureModules);
  }
  await build({
    ...shared,
    minify: false, // read by people, in Node; its size matters to nobody
    entryPoints: present(nodeEntries),
    outdir,
    platform: 'node',
    external: ['@playwright/test'],
  });
  checkWorkerLiterals(outdir);
  const licences = collectLicences(
    [workers, ...mains].map((result) => result.metafile),
    ['@webgpu/types'],
  );
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licences);
  if (types) {
    emitDeclarations();
    finishDeclarations(join(projectRoot, 'dist/types'), publicDeclarations());
  }
}

/**
 * @param {import('esbuild').BuildResult} result of a build with a metafile
 * @param {Record<string, string>} names
 * @param {number | false} [lineLength]
 */
async function compress({ metafile }, names, lineLength) {
  for (const file of Object.keys(metafile.outputs))
    await compressModule(join(projectRoot, file), names, lineLength);
}

const bundledPackageFiles = ({ inputs }) =>
  Object.keys(inputs).filter((file) => /node_modules[\\/]/.test(file));

/** The names in packages are kept; those of the workers' are known before anything is made smaller. */
function checkPackages(metafile, known) {
  const others = bundledPackageFiles(metafile).filter((file) => !known.inputs[file]);
  if (others.length > 0)
    throw new Error(
      `${others.join(', ')} is in no worker, so its names would be lost; see internal-names.mjs.`,
    );
}

function present(entries) {
  return Object.fromEntries(
    Object.entries(entries).filter(([, source]) => existsSync(join(projectRoot, source))),
  );
}

function publicDeclarations() {
  return Object.values({
    ...present(Object.fromEntries(publicNames.map((name) => [name, browserEntries[name]]))),
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
  const files = readdirSync(outdir).filter((name) => /^(index|chunk-.*)\.js$/.test(name));
  const text = files.map((name) => readFileSync(join(outdir, name), 'utf8')).join('');
  for (const name of Object.keys(present(workerEntries))) {
    const literal = `new Worker(new URL("./${name}.js",import.meta.url),{type:"module"})`;
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
