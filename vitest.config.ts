// Unit tests: plain Node, beside the files they test. Pixels belong to the end-to-end tests.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts', 'scripts/**/*.test.mjs', 'bench/**/*.test.{ts,mjs}', 'demo/**/*.test.ts'],
    setupFiles: ['./vitest.setup.ts'],
    retry: 0,
    // A busy machine must not decide a test: this only ends what hangs.
    testTimeout: 60_000,
  },
});
