// `npm run soak`: an engine lives through a random sequence of everything that may happen to it; at the end it has to
// be as a fresh one. The seed is printed, and a seed does the same again. The exit status is 1 where anything failed.
//
//   npm run soak -- [--minutes 30] [--seed N] [--isolation on|off|both] [--json FILE] [--log FILE]
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './lib/install.mjs';

const usage =
  'Usage: npm run soak -- [--minutes 30] [--seed N] [--isolation on|off|both] [--json FILE] [--log FILE]';

process.exitCode = await main();

async function main() {
  const options = parse();
  if (!options) {
    console.error(usage);
    return 2;
  }
  const { minutes, seed, isolation, json, log } = options;
  ensureInstalled();
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

/** @returns the options, or null where something is wrong with them */
function parse() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '30' },
        seed: { type: 'string' },
        isolation: { type: 'string', default: 'both' },
        json: { type: 'string' },
        log: { type: 'string' },
      },
    });
    const { isolation, json, log } = values;
    const minutes = Number(values.minutes);
    const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
    const isRight = minutes > 0 && Number.isInteger(seed) && ['on', 'off', 'both'].includes(isolation);
    return isRight ? { minutes, seed, isolation, json, log } : null;
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
