// `npm run fuzz`: changes real RHI lists and captures at random, and passes them to all readers of such data. With
// `--what decoders` it changes and loads files compressed by Draco, meshopt and Basis Universal, textures and
// environments. The exit status is 1 after a finding. Findings are an error without a code, bytes read from behind a
// record, a fence that is never signalled, and an endless case. A case depends only on the seed and its number.
//
//   npm run fuzz -- [--what lists|decoders] [--cases N] [--seed S] [--threads T] [--from I] [--target NAME]     default: 20000 cases, seed 1, a thread per core
//   npm run fuzz -- --seed S --case I [--write FILE]     runs one case again, and writes its input to FILE
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ensureInstalled, projectRoot } from './lib/install.mjs';

const usage =
  'Usage: npm run fuzz -- [--what lists|decoders] [--cases N] [--seed S] [--threads T] [--from I] [--case I] [--write FILE] [--target draco|meshopt|basis|ktx2|radiance|environment-cube]';
/** Milliseconds after which a case counts as endless. Cases take less than one. */
const WATCHDOG = 60_000;
/** Findings printed in full. */
const MAXIMUM_PRINTED = 20;

process.exitCode = await main();

async function main() {
  const options = parse();
  if (options === null) {
    console.error(usage);
    return 2;
  }
  ensureInstalled();
  const file = await bundle();
  const { what, seed, from, cases, threads, target } = options;
  const began = performance.now();
  const totals = { targets: {}, codes: {}, sound: 0, findings: 0 };
  const end = from + cases;
  const workers = Array.from({ length: threads }, (_, thread) =>
    runThread(file, { what, seed, target, first: from + thread, end, step: threads }, totals, options),
  );
  const progress = setInterval(() => {
    const done = workers.reduce((sum, { count }) => sum + count(), 0);
    console.log(`${done} of ${cases} cases, ${totals.findings} with findings`);
  }, 30_000);
  await Promise.all(workers.map(({ ended }) => ended));
  clearInterval(progress);
  report(options, totals, (performance.now() - began) / 1000);
  return totals.findings > 0 ? 1 : 0;
}

function parse() {
  const number = { type: 'string' };
  try {
    const { values } = parseArgs({
      options: {
        what: number,
        cases: number,
        seed: number,
        threads: number,
        from: number,
        case: number,
        write: number,
        target: number,
      },
    });
    const whole = (text, otherwise) => {
      const value = text === undefined ? otherwise : Number(text);
      if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${text} is not a whole number.`);
      return value;
    };
    const { what = 'lists' } = values;
    if (what !== 'lists' && what !== 'decoders') throw new Error(`--what can't be "${what}".`);
    if (values.target !== undefined && what !== 'decoders')
      throw new Error('--target needs --what decoders.');
    const single = values.case !== undefined;
    return {
      what,
      seed: whole(values.seed, 1),
      from: single ? whole(values.case) : whole(values.from, 0),
      cases: single ? 1 : whole(values.cases, 20_000),
      threads: single ? 1 : Math.max(1, whole(values.threads, availableParallelism())),
      isSingle: single,
      write: values.write,
      target: values.target,
    };
  } catch (error) {
    console.error(error.message);
    return null;
  }
}

/** Bundles the fuzzer and the tested code into one file, which each thread loads. */
async function bundle() {
  const { build } = await import('esbuild');
  const { sourcePlugins } = await import('./lib/esbuild-plugins.mjs');
  const outfile = join(projectRoot, '.cache/fuzz/worker.mjs');
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ['scripts/fuzz/worker.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
    define: { 'import.meta.env.DEV': 'false', 'import.meta.env.PROD': 'true', __dirname: '"."' },
    // Some decoders are scripts that `require` Node's modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    // Keep imports of Node's modules, because the fuzzer itself runs in Node.
    plugins: sourcePlugins().filter(({ name }) => name !== 'without-node'),
  });
  return outfile;
}

function runThread(file, work, totals, options) {
  const progress = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
  const worker = new Worker(file, { workerData: { ...work, progress }, execArgv: ['--enable-source-maps'] });
  const ended = new Promise((settle) => {
    let seen = -1;
    const watchdog = setInterval(() => {
      const at = Atomics.load(progress, 0);
      if (at === seen && at >= 0) stop(`the case has not ended after ${WATCHDOG / 1000} s`);
      seen = at;
    }, WATCHDOG);
    const stop = (what) => {
      if (what) printFinding({ index: Atomics.load(progress, 0), findings: [what] }, totals, options);
      clearInterval(watchdog);
      worker.terminate();
      settle();
    };
    worker.on('message', (message) => {
      if (message.done) {
        add(totals, message.done);
        stop();
      } else if (message.findings) printCase(message, totals, options);
      else if (work.first === options.from) {
        const [some, others] = message.bases;
        const names =
          work.what === 'lists' ? ['lists', 'captures'] : ['compressed meshes', 'textures and environments'];
        console.log(`Changing ${some} ${names[0]} and ${others} ${names[1]}, seed ${options.seed}.`);
      }
    });
    worker.on('error', (error) => stop(`the thread ended: ${error.stack}`));
  });
  const count = () => Math.max(0, Math.ceil((Atomics.load(progress, 0) - work.first) / work.step));
  return { ended, count };
}

function add(totals, { targets, codes, sound }) {
  totals.sound += sound;
  for (const [name, count] of Object.entries(targets))
    totals.targets[name] = (totals.targets[name] ?? 0) + count;
  for (const [name, count] of Object.entries(codes)) totals.codes[name] = (totals.codes[name] ?? 0) + count;
}

function printCase(result, totals, options) {
  if (result.findings.length > 0) printFinding(result, totals, options);
  if (!options.isSingle) return;
  console.log(`Case ${result.index}: ${result.target}, from "${result.recording}"`);
  console.log(`Errors: ${result.codes.join(', ') || 'none'}`);
  if (options.write === undefined) return;
  const path = resolve(options.write);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, result.input);
  console.log(`Written to ${path}`);
}

function printFinding({ index, target = '?', recording = '?', findings }, totals, options) {
  const { what, seed } = options;
  if (++totals.findings > MAXIMUM_PRINTED) return;
  console.log(`\nFOUND in case ${index} (${target}, from "${recording}"):`);
  for (const finding of findings) console.log(`  ${finding}`);
  console.log(
    `  Again: npm run fuzz -- ${what === 'lists' ? '' : `--what ${what} `}${options.target ? `--target ${options.target} ` : ''}--seed ${seed} --case ${index}`,
  );
}

function report({ cases, seed }, { targets, codes, sound, findings }, seconds) {
  const list = (counts) =>
    Object.entries(counts)
      .sort((a, b) => b[1] - a[1])
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  console.log(`\n${cases} cases, seed ${seed}, in ${seconds.toFixed(1)} s`);
  console.log(`by target: ${list(targets)}`);
  console.log(`cases by error code: ${list(codes)}; without an error ${sound}`);
  console.log(findings === 0 ? 'Nothing was found.' : `${findings} cases with findings.`);
}
