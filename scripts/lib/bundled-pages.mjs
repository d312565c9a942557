// A Vite plugin for servers that pages under test come from: each page's script and each worker is one file and what
// it loads on demand, instead of a hundred modules that every fresh page and every fresh worker fetches one by one
// (and that Playwright looks at one by one, where a test has put a route). The code is the same.
//
//   /e2e/pages/engine.html            <script src="/bundled/e2e/pages/engine.ts">
//   /bundled/e2e/pages/engine.ts      that module with all it imports; `import()` refers to /bundled/chunks/…
//   /bundled/src/threads/worker.ts    the worker, of which worker-location.ts there knows by this address
//   /e2e/pages/engine.html?modules    as Vite serves it, for tests that change a single module on its way
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from './install.mjs';

const ROUTE = '/bundled/';

/** @returns {import('vite').Plugin} */
export function bundledPages() {
  /** Bundles by their module's path, and their chunks' text by address. @type {Map<string, Promise<string>>} */
  const bundles = new Map();
  /** @type {Map<string, string>} */
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
      server.middlewares.use(async (request, response, next) => {
        try {
          const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
          const isPage = pathname.endsWith('.html') && !searchParams.has('modules');
          const text = pathname.startsWith(ROUTE)
            ? await textOf(pathname)
            : isPage && request.method === 'GET'
              ? pageOf(pathname)
              : null;
          if (text === null) return next();
          const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
          for (const [name, value] of Object.entries(server.config.server.headers ?? {})) {
            response.setHeader(name, value);
          }
          response.setHeader('Content-Type', isPage ? 'text/html' : 'text/javascript');
          response.setHeader('Cache-Control', 'no-cache');
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

/** The page with the address of its bundle; null where it has no module, or is not there. */
function pageOf(pathname) {
  const file = join(projectRoot, pathname);
  if (relative(projectRoot, file).startsWith('..') || !existsSync(file)) return null;
  const html = readFileSync(file, 'utf8');
  const bundled = html.replace(
    /(<script type="module" src=")(\.\/[\w/-]+\.ts)"/g,
    (_, before, source) => `${before}${posix.join(ROUTE, posix.dirname(pathname), source)}"`,
  );
  return bundled === html ? null : bundled;
}

/**
 * @param {string} source path in the project
 * @param {Map<string, string>} chunks gets what it loads on demand
 */
async function bundleModule(source, chunks) {
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [source],
    outbase: projectRoot,
    outdir: join(projectRoot, ROUTE),
    chunkNames: 'chunks/[name]-[hash]',
    write: false,
    bundle: true,
    splitting: true,
    keepNames: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    logLevel: 'error',
    plugins: [shaderTexts(), moduleAddresses()],
  });
  let entry = '';
  for (const { path, text } of outputFiles) {
    const address = `/${relative(projectRoot, path).split(sep).join('/')}`;
    if (address === `${ROUTE}${source.replace(/\.ts$/, '.js')}`) entry = text;
    else chunks.set(address, text);
  }
  return entry;
}

/** `import text from './x.wgsl?raw'`, as Vite does it. */
function shaderTexts() {
  return {
    name: 'shader-texts',
    setup(build) {
      build.onResolve({ filter: /\.wgsl\?raw$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, path.slice(0, -'?raw'.length)),
        namespace: 'shader',
      }));
      build.onLoad({ filter: /./, namespace: 'shader' }, ({ path }) => ({
        contents: readFileSync(path, 'utf8'),
        loader: 'text',
      }));
    },
  };
}

/** Workers are found beside the module that names them, also where that has become a part of a bundle; Node's modules are empty. */
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
      build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'without-node' }));
      build.onLoad({ filter: /./, namespace: 'without-node' }, () => ({ contents: 'export default {}' }));
    },
  };
}
