// Unit tests: plain Node, beside the files they test. Pixels belong to the end-to-end tests.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { basisTranscoder } from './scripts/lib/basis-transcoder.mjs';
import { timeLimit } from './scripts/lib/time-limits.mjs';
import { zstdDecoder } from './scripts/lib/zstd-decoder.mjs';

/** These tests leave nothing behind in the modules that they load, so that those are loaded once per worker, and not once per file. */
const SHARED = ['core', 'proxy', 'graph', 'rhi', 'render', 'assets'].map(
  (folder) => `src/${folder}/**/*.test.ts`,
);
/** Puts other modules in the place of some. */
const MOCKING = 'src/rhi/one-command-more.test.ts';

/** The lists of the end-to-end tests import the package; here they get the sources, so that nothing has to be built. */
const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

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
    // A busy machine must not decide a test: these only end what hangs.
    testTimeout: timeLimit(60_000),
    hookTimeout: timeLimit(60_000),
    projects: [
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: SHARED, exclude: [MOCKING] },
      },
      { extends: true, test: { name: 'mocking', include: [MOCKING] } },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: [
            'src/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'bench/**/*.test.{ts,mjs}',
            'demo/**/*.test.ts',
          ],
          exclude: SHARED,
        },
      },
    ],
  },
});
