// Runs mutants one after the other, each built in a copy of the project under .cache/mutants. The tests are first run
// without the mutant, because tests that fail anyway would prove nothing.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { ensureChromium } from '../find-chromium.mjs';
import { countPlaywright } from '../lib/count-tests.mjs';
import { projectRoot } from '../lib/install.mjs';
import { timeLimit } from '../lib/time-limits.mjs';
import { mutatedFile, testPattern } from './mutant.mjs';
import { projectFiles } from './project-files.mjs';

const tree = join(projectRoot, '.cache/mutants/tree');

/**
 * @param {readonly import('./mutant.mjs').Mutant[]} chosen
 * @param {object} options
 * @param {boolean} options.hasControl whether the tests are first run without the mutant
 * @param {(line: string) => void} options.onLine receives a line per step
 * @returns {Promise<{ mutant: import('./mutant.mjs').Mutant, outcome: 'killed' | 'survived' | 'red before' | 'not run', detail: string }[]>}
 */
export async function runMutants(chosen, { hasControl, onLine }) {
  copyProject();
  const environment = { ...process.env, CHROMIUM_PATH: ensureChromium() };
  environment.FENCEPOST_IS_BUILT = '1';
  const ports = await findFreePorts(2);
  environment.FENCEPOST_ISOLATED_PORT = String(ports[0]);
  environment.FENCEPOST_PLAIN_PORT = String(ports[1]);
  const greens = new Map();
  const results = [];
  for (const [index, mutant] of chosen.entries()) {
    const key = `${mutant.spec} ${testPattern(mutant)}`;
    if (hasControl && !greens.has(key)) greens.set(key, await buildAndTest(mutant, environment));
    const before = greens.get(key);
    const isRed = before !== undefined && !before.isGreen;
    const result = isRed ? redBefore(before) : await runMutant(mutant, environment);
    results.push({ mutant, ...result });
    onLine(
      `${index + 1} of ${chosen.length}  ${mutant.row} ${mutant.id}: ${result.outcome}  ${result.detail}`,
    );
  }
  rmSync(dirname(tree), { recursive: true, force: true });
  return results;
}

const redBefore = ({ passed, failed, message }) => ({
  outcome: 'red before',
  detail: `without the mutant ${passed} tests pass and ${failed} fail: ${message}`,
});

/** Copies the files that git tracks or would add. The copy shares the installed packages. */
function copyProject() {
  rmSync(tree, { recursive: true, force: true });
  for (const file of projectFiles(projectRoot)) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(projectRoot, file), join(tree, file));
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(tree, 'node_modules'));
}

async function runMutant(mutant, environment) {
  const path = join(tree, mutant.file);
  const before = readFileSync(path, 'utf8');
  const text = mutatedFile(mutant, tree);
  try {
    writeFileSync(path, text);
    const { passed, failed, message } = await buildAndTest(mutant, environment);
    if (failed > 0) return { outcome: 'killed', detail: message };
    if (passed > 0) return { outcome: 'survived', detail: `${passed} tests pass` };
    return { outcome: 'not run', detail: message };
  } finally {
    writeFileSync(path, before);
  }
}

/** Builds the copy's library and runs the tests on it. A library that can't be built runs no test. */
async function buildAndTest(mutant, environment) {
  const build = "import('./scripts/build.mjs').then((module) => module.buildLibrary({ types: false }))";
  const { status, output } = await runNode(['--input-type=module', '--eval', build], environment);
  if (status !== 0) return { isGreen: false, passed: 0, failed: 0, message: lastLine(output) };
  return runTests(mutant, environment);
}

/**
 * Runs the tests that show a mutant's row, up to the first failure.
 * @returns {Promise<{ isGreen: boolean, passed: number, failed: number, message: string }>} the first line of the
 *   first error
 */
async function runTests(mutant, environment) {
  const report = join(tree, '..', 'report.json');
  rmSync(report, { force: true });
  const { output } = await runNode(
    [
      join(projectRoot, 'node_modules/@playwright/test/cli.js'),
      'test',
      mutant.spec,
      '--grep',
      testPattern(mutant),
      '--max-failures=1',
      `--timeout=${timeLimit(45_000)}`,
    ],
    { ...environment, FENCEPOST_E2E_JSON: report },
  );
  if (!existsSync(report)) return { isGreen: false, passed: 0, failed: 0, message: lastLine(output) };
  const content = JSON.parse(readFileSync(report, 'utf8'));
  const { passed, failed } = countPlaywright(content);
  const message = firstError(content) ?? lastLine(output);
  return { isGreen: passed > 0 && failed === 0, passed, failed, message };
}

function runNode(args, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: tree, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stderr.on('data', (data) => {
      output += data;
    });
    child.on('close', (status) => resolve({ status, output }));
  });
}

/** Returns the first line of the first failed test's error, with the test's name. */
function firstError({ suites = [] }) {
  for (const suite of suites) {
    for (const { title, tests } of suite.specs ?? []) {
      for (const { message } of tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors))) {
        return `"${title}": ${firstLine(message)}`;
      }
    }
    const inner = firstError(suite);
    if (inner) return inner;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals contain one
const firstLine = (text = '') => text.replace(/\u001b\[[0-9;]*m/g, '').split('\n')[0];
const lastLine = (output) => output.trim().split('\n').at(-1) ?? '';

function findFreePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  return Promise.all(
    servers.map(
      (server) =>
        new Promise((resolve) => {
          server.listen(0, () => {
            const { port } = server.address();
            server.close(() => resolve(port));
          });
        }),
    ),
  );
}
