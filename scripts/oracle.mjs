// `npm run oracle`: this engine beside the Khronos sample renderer and three.js, drawn here and now (`e2e/khronos.spec.ts`).
// `npm test` compares with the pictures that the sample renderer drew in such a run: it takes minutes without a GPU.
import { spawnSync } from 'node:child_process';
import { readCommandLine } from './lib/command-line.mjs';
import { projectRoot } from './lib/install.mjs';

const { values } = readCommandLine('Usage: npm run oracle [-- --match PATTERN] [--moments N]', {
  options: {
    // Only what the regular expression matches, by name and file.
    match: { type: 'string', default: '' },
    // At how many moments of each clip.
    moments: { type: 'string', default: '1' },
  },
});
const result = spawnSync(process.execPath, ['scripts/test.mjs', '--only', 'e2e', 'e2e/khronos.spec.ts'], {
  cwd: projectRoot,
  stdio: 'inherit',
  env: {
    ...process.env,
    FENCEPOST_ORACLE: 'on',
    FENCEPOST_ORACLE_MATCH: values.match,
    FENCEPOST_ORACLE_MOMENTS: values.moments,
  },
});
process.exitCode = result.status ?? 1;
