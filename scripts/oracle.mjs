// `npm run oracle`: compares this engine with new pictures of the Khronos sample renderer and of three.js
// (`e2e/khronos.spec.ts`). `npm test` uses recorded pictures of the sample renderer instead, because drawing new
// pictures takes minutes without a GPU.
import { spawnSync } from 'node:child_process';
import { readCommandLine } from './lib/command-line.mjs';
import { projectRoot } from './lib/install.mjs';

const { values } = readCommandLine('Usage: npm run oracle [-- --match PATTERN] [--moments N]', {
  options: {
    // A regular expression that selects models by name and file.
    match: { type: 'string', default: '' },
    // Number of moments of each clip.
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
