// Configures the demo's development server and build. The pages are index.html and every demo/*.html. The server
// isolates its pages (COOP/COEP), so that threads can share memory. With FENCEPOST_ISOLATION=off it sends no such
// headers, like a plain static host. With FENCEPOST_TESTS=1 it never reloads a page, because a test may be running.
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

/** Returns the paths of all HTML pages of the demo. */
function findPages(): string[] {
  const inDemo = readdirSync(`${root}demo`).filter((name) => name.endsWith('.html'));
  return ['index.html', ...inDemo.map((name) => `demo/${name}`)].map((page) => `${root}${page}`);
}

export default defineConfig({
  base: './',
  define: { 'globalThis.FENCEPOST_DEVELOPMENT': 'false' },
  plugins: [basisTranscoder(), zstdDecoder(), ...(isTestServer ? [bundledPages()] : [])],
  // Answer requests for missing files with 404 instead of the index page, so that loaders report them.
  appType: 'mpa',
  // Several servers may run in one checkout, so each kind of server has its own dependency cache.
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
    // The test server sends bundled pages, so Vite need not search them for dependencies.
    noDiscovery: isTestServer,
    entries: isTestServer ? [] : ['index.html', 'demo/*.html', 'src/threads/*.ts'],
  },
  build: {
    outDir: 'dist-demo',
    target: 'es2022',
    rolldownOptions: { input: findPages() },
  },
});
