// Unit tests: plain Node, beside the files they test. Pixels belong to the end-to-end tests.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { basisTranscoder } from './scripts/lib/basis-transcoder.mjs';
import { zstdDecoder } from './scripts/lib/zstd-decoder.mjs';

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
    include: ['src/**/*.test.ts', 'scripts/**/*.test.mjs', 'bench/**/*.test.{ts,mjs}', 'demo/**/*.test.ts'],
    setupFiles: ['./vitest.setup.ts'],
    // Vitest leaves a core for itself, and hardly uses it once the modules are transformed.
    maxWorkers: availableParallelism(),
    retry: 0,
    // A busy machine must not decide a test: this only ends what hangs.
    testTimeout: 60_000,
  },
});
