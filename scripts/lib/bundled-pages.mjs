// A Vite plugin for the servers of pages under test. Pages run on the package as it ships: their imports of the library
// refer to dist/, which is served byte for byte. Their own scripts are bundled. A fresh page would otherwise fetch
// dozens of modules one by one, and Playwright would intercept each of them in tests with a route.
//
//   /e2e/pages/engine.html            <script src="/bundled/e2e/pages/engine.ts">
//   /bundled/e2e/pages/engine.ts      that module with all it imports; `import()` refers to /bundled/chunks/…,
//                                     `import 'fencepost'` to /dist/index.js
//   /dist/index.js, /dist/worker.js   the files of `npm run build`
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { sourceTextPlugin } from './esbuild-plugins.mjs';
import { projectRoot } from './install.mjs';

const ROUTE = '/bundled/';
const DIST = '/dist/';

/** Files of the package that pages import, by their source module. */
const ENTRIES = {
  'src/index.ts': 'index.js',
  'src/inline.ts': 'inline.js',
  'src/rhi.ts': 'rhi.js',
  'src/tasks.ts': 'tasks.js',
  'src/element/index.ts': 'element.js',
  'src/react/index.ts': 'react.js',
  'src/math.ts': 'math.js',
  'src/shaders.ts': 'shaders.js',
};

/**
 * Pages whose function names must not be kept. three.js passes the text of its functions to workers, which
 * lack esbuild's helper for names.
 */
const WITHOUT_NAMES = ['e2e/pages/khronos.ts'];

/** Creates the plugin. @returns {import('vite').Plugin} */
export function bundledPages() {
  /**
   * Bundles by their module's path.
   *
   * @type {Map<string, Promise<string>>}
   */
  const bundles = new Map();
  /**
   * Texts of chunks by address.
   *
   * @type {Map<string, string>}
   */
  const chunks = new Map();
  const textOf = (path) => {
    const chunk = chunks.get(path);
    if (chunk !== undefined) return chunk;
    const source = path.slice(ROUTE.length);
    if (!/^(src|e2e|demo)\/[\w/-]+\.ts$/.test(source) || !existsSync(join(projectRoot, source))) return null;
    if (!bundles.has(source)) bundles.set(source, bundleModule(source, chunks));
    return bundles.get(source);
  };
  return {
    name: 'bundled-pages',
    configureServer(server) {
      if (!existsSync(join(projectRoot, DIST, 'index.js')))
        throw new Error('Pages under test run on the built package, and dist/ is missing: npm run build.');
      // Playwright's `route.fetch` reuses idle connections. Node's server closes a connection after five idle seconds.
      // If both happen at the same moment, `route.fetch` fails with ECONNRESET.
      if (server.httpServer) server.httpServer.keepAliveTimeout = 0;
      server.middlewares.use(async (request, response, next) => {
        try {
          const { pathname } = new URL(request.url ?? '/', 'http://localhost');
          const isPage = pathname.endsWith('.html');
          const text = pathname.startsWith(ROUTE)
            ? await textOf(pathname)
            : pathname.startsWith(DIST)
              ? builtFile(pathname)
              : isPage && request.method === 'GET'
                ? pageOf(pathname)
                : null;
          if (text === null) return next();
          const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
          for (const [name, value] of Object.entries(server.config.server.headers ?? {})) {
            response.setHeader(name, value);
          }
          response.setHeader('Content-Type', isPage ? 'text/html' : 'text/javascript');
          // Scripts don't change while the server runs, so a browser context fetches each of them only once.
          response.setHeader('Cache-Control', isPage ? 'no-cache' : 'max-age=3600, immutable');
          response.setHeader('ETag', tag);
          response.statusCode = request.headers['if-none-match'] === tag ? 304 : 200;
          response.end(response.statusCode === 304 ? undefined : text);
        } catch (error) {
          next(error);
        }
      });
    },
  };
}

/** Returns a script of the built package, or null when it does not exist. */
function builtFile(pathname) {
  const name = pathname.slice(DIST.length);
  const file = join(projectRoot, DIST, name);
  return /^[\w-]+\.js$/.test(name) && existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/**
 * Returns the page with the address of its bundle. Returns null for a missing page, and for a page that the development
 * server has to transform.
 */
function pageOf(pathname) {
  const file = join(projectRoot, pathname);
  if (relative(projectRoot, file).startsWith('..') || !existsSync(file)) return null;
  const html = readFileSync(file, 'utf8');
  const bundled = html.replace(
    /(<script type="module" src=")(\.\/[\w/-]+\.ts)"/g,
    (_, before, source) => `${before}${posix.join(ROUTE, posix.dirname(pathname), source)}"`,
  );
  // A page under test is not reloaded after changes, so it needs no client of the server.
  return bundled === html && html.includes('<script') ? null : bundled;
}

/**
 * Bundles a module.
 *
 * @param {string} source path in the project
 * @param {Map<string, string>} chunks receives the chunks that are loaded on demand
 */
async function bundleModule(source, chunks) {
  const { outputFiles } = await build({
    define: { 'globalThis.FENCEPOST_DEVELOPMENT': 'false' },
    absWorkingDir: projectRoot,
    entryPoints: [source],
    outbase: projectRoot,
    outdir: join(projectRoot, ROUTE),
    chunkNames: 'chunks/[name]-[hash]',
    write: false,
    bundle: true,
    splitting: true,
    keepNames: !WITHOUT_NAMES.includes(source),
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    logLevel: 'error',
    plugins: [sourceTextPlugin(), builtPackage(), moduleAddresses()],
  });
  let entry = '';
  for (const { path, text } of outputFiles) {
    const address = `/${relative(projectRoot, path).split(sep).join('/')}`;
    if (address === `${ROUTE}${source.replace(/\.ts$/, '.js')}`) entry = text;
    else chunks.set(address, text);
  }
  return entry;
}

/** Redirects imports of the library to dist/, both by the package's name and by source module. */
function builtPackage() {
  return {
    name: 'built-package',
    setup(build) {
      build.onResolve({ filter: /^fencepost(\/\w+)?$/ }, ({ path }) => ({
        path: `${DIST}${path.split('/')[1] ?? 'index'}.js`,
        external: true,
      }));
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const module = relative(projectRoot, join(resolveDir, path)).split(sep).join('/');
        const file = ENTRIES[module.replace(/\.js$/, '.ts')];
        return file && { path: `${DIST}${file}`, external: true };
      });
    },
  };
}

/**
 * Replaces the relative path before `import.meta.url` by an absolute one in addresses of workers, because a bundled
 * module no longer lies beside the worker.
 */
function moduleAddresses() {
  return {
    name: 'module-addresses',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const folder = relative(projectRoot, dirname(path)).split(sep).join('/');
        const text = readFileSync(path, 'utf8');
        const contents = text.replace(
          /new URL\('(\.{1,2}\/[\w-]+\.ts)', import\.meta\.url\)/g,
          (_, name) => `new URL('${posix.join(ROUTE, folder, name)}', import.meta.url)`,
        );
        return contents === text ? undefined : { contents, loader: 'ts' };
      });
    },
  };
}
