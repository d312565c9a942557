// Unit tests: plain Node, beside the files they test. Pixels belong to the end-to-end tests.
//
// Most files share processes and the modules in them, which take longer to load than most tests to run. A file that
// changes what all modules see (globals, timers, mocked modules) has a process of its own. These come first: a process
// that is shared ends when a file with one of its own follows.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { basisTranscoder } from './scripts/lib/basis-transcoder.mjs';
import { zstdDecoder } from './scripts/lib/zstd-decoder.mjs';

/** The lists of the end-to-end tests import the package; here they get the sources, so that nothing has to be built. */
const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

const TESTS = ['src/**/*.test.ts', 'scripts/**/*.test.mjs', 'bench/**/*.test.{ts,mjs}', 'demo/**/*.test.ts'];
const CHANGES_WHAT_ALL_SEE =
  /\bvi\.(mock|doMock|stub|spyOn|useFakeTimers|resetModules)|globalThis(\.\w+ =|, )|\bprocess\.(env\.\w+ =|chdir)/;
const alone = ['src', 'scripts', 'bench', 'demo']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, String(file))))
  .filter((file) => /\.test\.(ts|mjs)$/.test(file) && CHANGES_WHAT_ALL_SEE.test(readFileSync(file, 'utf8')));

export default defineConfig({
  plugins: [basisTranscoder(), zstdDecoder()],
  resolve: {
    alias: [
      { find: 'fencepost/rhi', replacement: source('rhi.ts') },
      { find: 'fencepost/testing', replacement: source('testing/index.ts') },
    ],
  },
  test: {
    environment: 'node',
    setupFiles: ['./vitest.setup.ts'],
    // Vitest leaves a core for itself, and hardly uses it once the modules are transformed.
    maxWorkers: availableParallelism(),
    retry: 0,
    // A busy machine must not decide a test: this only ends what hangs.
    testTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: TESTS,
          exclude: [...configDefaults.exclude, ...alone],
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, sequence: { groupOrder: 0 } } },
    ],
  },
});
