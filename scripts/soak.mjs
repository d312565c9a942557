// `npm run soak`: runs an engine through a random sequence of all events that may happen to it. At the end the engine
// has to behave like a fresh engine. The seed is printed, and the same seed repeats the sequence. The exit status is 1
// after a failure.
//
//   npm run soak -- [--minutes 30] [--seed N] [--isolation on|off|both] [--json FILE] [--log FILE]
//   npm run soak -- --tasks 10000000 [--minutes 30] [--seed N] [--workers 2] [--isolation on|off]
//                   random graphs of tasks instead, each compared with a sequential run
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './lib/install.mjs';

const usage =
  'Usage: npm run soak -- [--minutes 30] [--seed N] [--isolation on|off|both] [--json FILE] [--log FILE]\n' +
  '       npm run soak -- --tasks N [--minutes 30] [--seed N] [--workers 2] [--isolation on|off]';

process.exitCode = await main();

async function main() {
  const options = parse();
  if (!options) {
    console.error(usage);
    return 2;
  }
  const { minutes, seed, isolation, json, log, tasks, workers } = options;
  ensureInstalled();
  if (tasks !== null) {
    const { runTaskSoak, taskSummaryOf } = await import('./soak/tasks.mjs');
    const report = await runTaskSoak({ tasks, workers, minutes, seed, isolated: isolation !== 'off' });
    console.log(taskSummaryOf(report));
    if (json) write(json, `${JSON.stringify(report, null, 2)}\n`);
    return report.difference === null && report.errors.length === 0 ? 0 : 1;
  }
  console.log(`Seed ${seed}, ${minutes} minutes.`);
  const { runSoak, summaryOf } = await import('./soak/run.mjs');
  const lines = [];
  const report = await runSoak({
    minutes,
    seed,
    isolations: isolation === 'both' ? [true, false] : [isolation === 'on'],
    onProgress: (line) => console.log(line),
    onAction: (line) => log && lines.push(line),
  });
  if (json) write(json, `${JSON.stringify(report, null, 2)}\n`);
  if (log) write(log, `${lines.join('\n')}\n`);
  console.log(`\n${summaryOf(report)}`);
  return report.failures.length > 0 ? 1 : 0;
}

/** Parses the command line. @returns the options, or null when one is invalid */
function parse() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '30' },
        seed: { type: 'string' },
        isolation: { type: 'string', default: 'both' },
        tasks: { type: 'string' },
        workers: { type: 'string', default: '2' },
        json: { type: 'string' },
        log: { type: 'string' },
      },
    });
    const { isolation, json, log } = values;
    const minutes = Number(values.minutes);
    const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
    const isRight = minutes > 0 && Number.isInteger(seed) && ['on', 'off', 'both'].includes(isolation);
    const tasks = values.tasks === undefined ? null : Number(values.tasks);
    const workers = Number(values.workers);
    const areTasksRight =
      tasks === null || (Number.isInteger(tasks) && tasks > 0 && Number.isInteger(workers));
    return isRight && areTasksRight ? { minutes, seed, isolation, json, log, tasks, workers } : null;
  } catch {
    return null;
  }
}

function write(file, content) {
  const path = resolve(file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  console.log(`Wrote ${file}.`);
}
