// `npm run hardware`: draws the scenes of the reference pictures on this machine's own GPU. Chromium draws
// each on the software adapter with both renderers, and keeps a capture of every drawing. Dawn in Node (the
// package `webgpu`) draws the captures on the GPU, and the pictures are compared. The exit status is 1 when a
// picture differs, 2 without a GPU.
//
//   npm run hardware                        records the captures and replays them
//   npm run hardware -- --record FOLDER     only records the captures, for another machine
//   npm run hardware -- --replay FOLDER     only replays the captures of a folder
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { readCommandLine, refuse } from './lib/command-line.mjs';
import { ensureInstalled, projectRoot } from './lib/install.mjs';

const USAGE = 'Usage: npm run hardware -- [--record FOLDER | --replay FOLDER]';
const { values } = readCommandLine(USAGE, {
  options: { record: { type: 'string' }, replay: { type: 'string' } },
});
if (values.record && values.replay) refuse('--record and --replay exclude each other.', USAGE);
const folder = resolve(values.record ?? values.replay ?? `${projectRoot}/test-results/captures`);

if (!values.replay) {
  const { status } = spawnSync(
    process.execPath,
    ['scripts/test.mjs', '--only', 'e2e', '--', 'e2e/reference.spec.ts', '-g', 'captured for other adapters'],
    {
      cwd: projectRoot,
      stdio: 'inherit',
      env: { ...process.env, FENCEPOST_CAPTURED_REFERENCES: folder },
    },
  );
  process.exitCode = status ?? 1;
}
if (!values.record && !process.exitCode) {
  ensureInstalled();
  const { replayCaptures } = await import('./hardware/replay-captures.mjs');
  process.exitCode = await replayCaptures(folder);
}
