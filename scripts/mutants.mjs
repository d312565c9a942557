// `npm run mutants`: removes one mechanism after the other from the engine. The tests in Chromium that show the removed
// mechanism have to fail. If no test notices a mutant, the mutant has survived, and the exit status is 1.
//
//   scripts/mutants/*.mjs ─► copy of the project ─► tests of the row: green ─► mutant applied ─► the same tests: red?
//
//   npm run mutants                          all mutants: an hour or two
//   npm run mutants -- --row F3              the mutants of a row of docs/systems.md, or of rows separated by commas
//   npm run mutants -- --id always-lag       one mutant, or several separated by commas
//   npm run mutants -- --sample 5 --seed 7   five mutants at random
//   npm run mutants -- --without-control     without the run before the mutant, when `npm test` has just passed
//   npm run mutants -- --list                their names
import { readCommandLine, refuse } from './lib/command-line.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { mutants } from './mutants/all.mjs';
import { chooseMutants } from './mutants/choose.mjs';

const usage =
  'Usage: npm run mutants -- [--row ROW] [--id ID] [--sample N] [--seed S] [--without-control] [--list]';
const { values } = readCommandLine(usage, {
  options: {
    row: { type: 'string' },
    id: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'without-control': { type: 'boolean' },
    list: { type: 'boolean' },
  },
});
const { row, id, list } = values;
const sample = values.sample === undefined ? null : Number(values.sample);
const seed = Number(values.seed);
if (!(sample === null || (Number.isInteger(sample) && sample > 0)) || !Number.isInteger(seed)) {
  refuse('--sample and --seed are whole numbers.', usage);
}
const chosen = chooseMutants(mutants, { row, id, sample, seed });
if (chosen.length === 0) refuse('No mutant has this row or id. See --list.', usage);

if (list) {
  for (const mutant of chosen) console.log(`${mutant.row.padEnd(4)} ${mutant.id.padEnd(36)} ${mutant.file}`);
} else {
  ensureInstalled();
  const { runMutants } = await import('./mutants/run.mjs');
  const hasControl = !values['without-control'];
  const results = await runMutants(chosen, { hasControl, onLine: (line) => console.log(line) });
  const killed = results.filter(({ outcome }) => outcome === 'killed').length;
  console.log('');
  for (const { mutant, outcome, detail } of results) {
    if (outcome !== 'killed')
      console.log(`${outcome}: ${mutant.row} ${mutant.id} (${mutant.file})  ${detail}`);
  }
  console.log(`${killed} of ${results.length} mutants killed`);
  process.exitCode = killed === results.length ? 0 : 1;
}
