// Configures the unit tests, which run in Node. End-to-end tests check pixels.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { basisTranscoder } from './scripts/lib/basis-transcoder.mjs';
import { react18 } from './scripts/lib/react-18.mjs';
import { timeLimit } from './scripts/lib/time-limits.mjs';
import { zstdDecoder } from './scripts/lib/zstd-decoder.mjs';

/** Tests that leave no state in modules. Vitest loads their modules once per worker, instead of once per test file. */
const SHARED = ['core', 'proxy', 'graph', 'rhi', 'render', 'assets'].map(
  (folder) => `src/${folder}/**/*.test.ts`,
);
/** The test in these folders that mocks modules. Its modules must not be shared with other tests. */
const MOCKING = 'src/rhi/one-command-more.test.ts';

/**
 * Returns the path of a source file that replaces an entry of the package. Some unit tests run command lists of the
 * end-to-end tests, which import the package. With the sources no build is needed.
 */
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
    // Use all cores. By default Vitest reserves one for itself, which is idle once the modules are transformed.
    maxWorkers: availableParallelism(),
    retry: 0,
    // These limits only end tests that hang. They are long, so that no test fails on a busy machine.
    testTimeout: timeLimit(60_000),
    hookTimeout: timeLimit(60_000),
    projects: [
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: SHARED, exclude: [MOCKING] },
      },
      { extends: true, test: { name: 'mocking', include: [MOCKING] } },
      // The same tests as with React 19, which are among the isolated ones.
      {
        extends: true,
        plugins: [react18()],
        test: { name: 'react-18', include: ['src/react/**/*.test.ts'] },
      },
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
