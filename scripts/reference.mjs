// `npm run reference -- NAME …`: draws the named reference pictures anew (`e2e/reference.spec.ts`). Look at each before
// it is committed: `git diff` shows which have changed. `--all` draws all of them.
import { spawnSync } from 'node:child_process';
import { readCommandLine, refuse } from './lib/command-line.mjs';
import { projectRoot } from './lib/install.mjs';

const USAGE = 'Usage: npm run reference -- NAME … | --all';
const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false } },
});
const names = values.all ? ['*'] : positionals;
if (names.length === 0) refuse('No picture is named.', USAGE);
const result = spawnSync(
  process.execPath,
  ['scripts/test.mjs', '--only', 'e2e', '--', 'e2e/reference.spec.ts', '-g', 'every feature of the picture'],
  {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, FENCEPOST_REMADE_REFERENCES: names.join(' ') },
  },
);
process.exitCode = result.status ?? 1;
