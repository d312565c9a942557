// `npm test`: runs all checks, even in a fresh clone. It installs missing parts (including Chromium), then runs all of
// the sections below, even when one of them fails. The last line counts the unit and end-to-end tests. A failing
// section without a count of tests counts as one failure.
//
//   types ─ lint ─ tidy ─ layers ─ build ┐
//   unit ────────────────────────────────┴ e2e     each of the first keeps one core busy; the browsers use all cores
//
//   npm test                            all sections
//   npm test -- --only types,unit       some of them
//   npm test -- --only e2e e2e/frames   arguments after the flags go to the test runner
//   FENCEPOST_TIME_SCALE=4 npm test     every time limit four times as long: for a busy machine
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from './lib/command-line.mjs';
import { addCounts, countPlaywright, countVitest } from './lib/count-tests.mjs';
import { ensureInstalled, projectRoot } from './lib/install.mjs';
import { packLibrary } from './lib/packed-library.mjs';

const sections = {
  types: { title: 'Type check', run: (output) => runTool('typescript/bin/tsc', ['-p', '.'], output) },
  lint: {
    title: 'Lint and format',
    run: (output) => runTool('@biomejs/biome/bin/biome', ['ci', '.'], output),
  },
  tidy: { title: 'Tidy check', run: (output) => runNode(['scripts/check-tidy.mjs'], output) },
  layers: { title: 'Layer check', run: (output) => runNode(['scripts/check-layers.mjs'], output) },
  unit: { title: 'Unit tests', run: runUnitTests },
  build: { title: 'Build', run: (output) => runNode(['scripts/build.mjs'], output) },
  e2e: { title: 'End-to-end tests', run: runEndToEndTests },
};

const usage = `Usage: npm test -- [--only ${Object.keys(sections).join(',')}] [test files]`;
const { values, positionals } = readCommandLine(usage, {
  options: { only: { type: 'string' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
const asked = values.only ? values.only.split(',') : Object.keys(sections);
// End-to-end tests need the build, because they run on the package as it ships.
const names = Object.keys(sections).filter(
  (name) => asked.includes(name) || (name === 'build' && asked.includes('e2e')),
);
const unknown = asked.filter((name) => !(name in sections));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no section "${unknown.join('", "')}".`);
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

const resultsFolder = join(projectRoot, 'test-results');
const started = performance.now();
mkdirSync(resultsFolder, { recursive: true });

heading('Set-up');
ensureInstalled();
const environment = { ...process.env };
if (names.includes('e2e')) {
  const { ensureChromium } = await import('./find-chromium.mjs');
  try {
    environment.CHROMIUM_PATH = ensureChromium();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
  console.log(`Chromium: ${environment.CHROMIUM_PATH}`);
}
if (!environment.FENCEPOST_ASSETS) {
  console.log('FENCEPOST_ASSETS is not set: tests on a folder of sample models are skipped.');
}

/** Stages, which run one after the other. The lanes of a stage run side by side. */
const STAGES = [[['types', 'lint', 'tidy', 'layers', 'build'], ['unit']], [['e2e']]];

let total = { passed: 0, failed: 0, skipped: 0 };
const outcomes = new Map();
for (const stage of STAGES) {
  const lanes = stage
    .map((lane) => lane.filter((name) => names.includes(name)))
    .filter((lane) => lane.length);
  if (lanes.length === 0) continue;
  // Mixed output of several sections would be unreadable, so each section's output is printed at its end.
  const isShared = lanes.length > 1;
  if (isShared) console.log(`\nSide by side: ${lanes.flat().map(titleOf).join(', ')}`);
  await Promise.all(lanes.map((lane) => runLane(lane, isShared)));
}

heading('Summary');
for (const name of names) console.log(outcomes.get(name));
if (total.skipped > 0) console.log(`${total.skipped} skipped`);
console.log(`All in ${seconds(started)}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** Runs sections one after the other. */
async function runLane(lane, isShared) {
  for (const name of lane) {
    const output = isShared ? [] : null;
    if (!isShared) heading(titleOf(name));
    const begun = performance.now();
    const { status, counts = { passed: 0, failed: 0, skipped: 0 } } = await sections[name].run(output);
    if (output) {
      heading(titleOf(name));
      process.stdout.write(Buffer.concat(output));
    }
    const hasFailed = status !== 0;
    if (hasFailed && counts.failed === 0) counts.failed = 1;
    total = addCounts(total, counts);
    outcomes.set(name, `${hasFailed ? 'FAILED' : 'ok    '}  ${titleOf(name).padEnd(18)} ${seconds(begun)}`);
  }
}

function titleOf(name) {
  return sections[name].title;
}

async function runUnitTests(output) {
  const file = join(resultsFolder, 'unit.json');
  rmSync(file, { force: true });
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
  const status = await runTool(
    'vitest/vitest.mjs',
    ['run', ...reporters, ...(asked.length === 1 ? positionals : [])],
    output,
  );
  return { ...status, counts: existsSync(file) ? countVitest(readJson(file)) : undefined };
}

async function runEndToEndTests(output) {
  if (outcomes.get('build')?.startsWith('FAILED')) return { status: 1 };
  environment.FENCEPOST_IS_BUILT = '1';
  // Outside of test-results/, which Playwright empties when it starts.
  const file = join(projectRoot, '.cache', 'e2e.json');
  rmSync(file, { force: true });
  const [isolatedPort, plainPort] = await findFreePorts(2);
  environment.FENCEPOST_ISOLATED_PORT = String(isolatedPort);
  environment.FENCEPOST_PLAIN_PORT = String(plainPort);
  environment.FENCEPOST_E2E_JSON = file;
  const files = asked.length === 1 ? positionals : [];
  // Several test files use the packed library, so it is packed once. If only some files run, they pack it themselves.
  const packed = files.length === 0 ? packOnce() : null;
  if (packed) environment.FENCEPOST_PACKED = packed;
  const status = await runTool('@playwright/test/cli.js', ['test', ...files], output);
  if (packed) rmSync(packed, { recursive: true, force: true });
  return { ...status, counts: existsSync(file) ? countPlaywright(readJson(file)) : undefined };
}

/**
 * Returns a folder with the packed library, or null when packing fails. Tests that need it then pack it themselves, and
 * report the failure.
 */
function packOnce() {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-packed-'));
  try {
    packLibrary(folder);
    return folder;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
}

/** Returns unused ports, so that two checkouts can be tested at once. */
async function findFreePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, 'localhost'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function runTool(script, args, output) {
  return runNode([join('node_modules', script), ...args], output);
}

/** Runs a script in Node. @param output receives the output; null prints it at once */
function runNode(args, output) {
  const stdio = output ? ['inherit', 'pipe', 'pipe'] : 'inherit';
  const child = spawn(process.execPath, args, { cwd: projectRoot, stdio, env: environment });
  child.stdout?.on('data', (bytes) => output.push(bytes));
  child.stderr?.on('data', (bytes) => output.push(bytes));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve({ status: 1 });
    });
    child.once('close', (status) => resolve({ status: status ?? 1 }));
  });
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function heading(title) {
  console.log(`\n── ${title} ${'─'.repeat(Math.max(0, 76 - title.length))}`);
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
