// `npm run oracle`: this engine beside the Khronos sample renderer and three.js, drawn here and now (`e2e/khronos.spec.ts`).
// `npm test` compares with the pictures that the sample renderer drew in such a run: it takes minutes without a GPU.
import { spawnSync } from 'node:child_process';
import { readCommandLine } from './lib/command-line.mjs';
import { projectRoot } from './lib/install.mjs';

readCommandLine('Usage: npm run oracle', {});
const result = spawnSync(process.execPath, ['scripts/test.mjs', '--only', 'e2e', 'e2e/khronos.spec.ts'], {
  cwd: projectRoot,
  stdio: 'inherit',
  env: { ...process.env, FENCEPOST_ORACLE: 'on' },
});
process.exitCode = result.status ?? 1;
