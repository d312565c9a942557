// The demo's development server and build. Pages are index.html and every demo/*.html. The server isolates its
// pages (COOP/COEP), so that memory can be shared between threads; FENCEPOST_ISOLATION=off serves them without,
// as a plain static host would. Tests set FENCEPOST_TESTS: nothing then reloads a page under a running test.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { basisTranscoder } from './scripts/lib/basis-transcoder.mjs';
import { bundledPages } from './scripts/lib/bundled-pages.mjs';
import { zstdDecoder } from './scripts/lib/zstd-decoder.mjs';

const root = fileURLToPath(new URL('./', import.meta.url));
const isIsolated = process.env.FENCEPOST_ISOLATION !== 'off';
const isTestServer = process.env.FENCEPOST_TESTS === '1';
const port = Number(process.env.FENCEPOST_PORT ?? (isIsolated ? 5173 : 5174));

const headers: Record<string, string> = isIsolated
  ? {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }
  : {};

/** Every HTML page of the demo. */
function findPages(): string[] {
  const inDemo = readdirSync(`${root}demo`).filter((name) => name.endsWith('.html'));
  return ['index.html', ...inDemo.map((name) => `demo/${name}`)].map((page) => `${root}${page}`);
}

export default defineConfig({
  base: './',
  define: { 'globalThis.FENCEPOST_DEVELOPMENT': 'false' },
  plugins: [basisTranscoder(), zstdDecoder(), ...(isTestServer ? [bundledPages()] : [])],
  // A missing file is a 404, not the index page: loaders must be told.
  appType: 'mpa',
  // Two servers, isolated and not, may run in one checkout: each keeps its own dependency cache.
  cacheDir: `node_modules/.vite-${isTestServer ? 'tests' : 'demo'}-${isIsolated ? 'isolated' : 'plain'}`,
  server: {
    host: 'localhost',
    port,
    strictPort: isTestServer,
    headers,
    ...(isTestServer ? { hmr: false, watch: null } : {}),
  },
  preview: { host: 'localhost', port, headers },
  worker: { format: 'es', plugins: () => [basisTranscoder(), zstdDecoder()] },
  optimizeDeps: {
    // Tests get bundles: there is nothing to prepare.
    noDiscovery: isTestServer,
    entries: isTestServer ? [] : ['index.html', 'demo/*.html', 'src/threads/*.ts'],
  },
  build: {
    outDir: 'dist-demo',
    target: 'es2022',
    rolldownOptions: { input: findPages() },
  },
});
