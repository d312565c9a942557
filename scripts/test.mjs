// `npm test`: everything that must hold, from a fresh clone. Installs what is missing (a Chromium included), then
// runs the sections below in order, all of them even when one fails. The last line counts the unit and end-to-end
// tests; a section that fails without saying which test did counts as one failure.
//
//   npm test                            all sections
//   npm test -- --only types,unit       some of them
//   npm test -- --only e2e e2e/frames   arguments after the flags go to the test runner
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readCommandLine } from './lib/command-line.mjs';
import { addCounts, countPlaywright, countVitest } from './lib/count-tests.mjs';
import { ensureInstalled, projectRoot } from './lib/install.mjs';

const sections = {
  types: { title: 'Type check', run: () => runTool('typescript/bin/tsc', ['-p', '.']) },
  lint: { title: 'Lint and format', run: () => runTool('@biomejs/biome/bin/biome', ['ci', '.']) },
  layers: { title: 'Layer check', run: () => runNode(['scripts/check-layers.mjs']) },
  unit: { title: 'Unit tests', run: runUnitTests },
  e2e: { title: 'End-to-end tests', run: runEndToEndTests },
};

const usage = `Usage: npm test -- [--only ${Object.keys(sections).join(',')}] [test files]`;
const { values, positionals } = readCommandLine(usage, {
  options: { only: { type: 'string' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
const names = values.only ? values.only.split(',') : Object.keys(sections);
const unknown = names.filter((name) => !(name in sections));
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

let total = { passed: 0, failed: 0, skipped: 0 };
const outcomes = [];
for (const name of names) {
  const { title, run } = sections[name];
  heading(title);
  const begun = performance.now();
  const { status, counts = { passed: 0, failed: 0, skipped: 0 } } = await run();
  const hasFailed = status !== 0;
  if (hasFailed && counts.failed === 0) counts.failed = 1;
  total = addCounts(total, counts);
  outcomes.push(`${hasFailed ? 'FAILED' : 'ok    '}  ${title.padEnd(18)} ${seconds(begun)}`);
}

heading('Summary');
for (const outcome of outcomes) console.log(outcome);
if (total.skipped > 0) console.log(`${total.skipped} skipped`);
console.log(`All in ${seconds(started)}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

function runUnitTests() {
  const file = join(resultsFolder, 'unit.json');
  rmSync(file, { force: true });
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
  const status = runTool('vitest/vitest.mjs', [
    'run',
    ...reporters,
    ...(names.length === 1 ? positionals : []),
  ]);
  return { ...status, counts: existsSync(file) ? countVitest(readJson(file)) : undefined };
}

async function runEndToEndTests() {
  // The tests run on the package as it ships.
  const built = runNode(['scripts/build.mjs']);
  if (built.status !== 0) return built;
  environment.FENCEPOST_IS_BUILT = '1';
  // Not inside test-results/, which Playwright empties when it starts.
  const file = join(projectRoot, '.cache', 'e2e.json');
  rmSync(file, { force: true });
  const [isolatedPort, plainPort] = await findFreePorts(2);
  environment.FENCEPOST_ISOLATED_PORT = String(isolatedPort);
  environment.FENCEPOST_PLAIN_PORT = String(plainPort);
  environment.FENCEPOST_E2E_JSON = file;
  const status = runTool('@playwright/test/cli.js', ['test', ...(names.length === 1 ? positionals : [])]);
  return { ...status, counts: existsSync(file) ? countPlaywright(readJson(file)) : undefined };
}

/** Ports nobody listens on, so that two checkouts can be tested at once. */
async function findFreePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, 'localhost'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function runTool(script, args) {
  return runNode([join('node_modules', script), ...args]);
}

function runNode(args) {
  const result = spawnSync(process.execPath, args, { cwd: projectRoot, stdio: 'inherit', env: environment });
  return { status: result.status ?? 1 };
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
