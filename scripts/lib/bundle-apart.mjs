// Bundles scripts that are not ES modules separately, before the build that uses them. The helpers that esbuild adds
// for such a script then lie in the script's own file. In a build with code splitting, the helpers would be a chunk
// that each page loads.
//
//   script ── esbuild ──► one ES module, helpers included ──► the build
import { build } from 'esbuild';
import { projectRoot } from './install.mjs';

/** Bundles by contents, because the builds of workers and of pages need the same bundles. */
const bundled = new Map();

/**
 * Bundles a module by itself.
 *
 * @param {string} contents a module that may import or require scripts that are not modules
 * @returns {Promise<import('esbuild').OnLoadResult>}
 */
export async function bundleSeparately(contents) {
  if (!bundled.has(contents)) bundled.set(contents, bundle(contents));
  return { contents: await bundled.get(contents), loader: 'js', resolveDir: projectRoot };
}

async function bundle(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: projectRoot },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
    plugins: [withoutNodePlugin()],
  });
  return outputFiles[0].text;
}

/** Replaces Node's modules by empty ones for browsers. Libraries import them for code that only Node runs. */
export function withoutNodePlugin() {
  return {
    name: 'without-node',
    setup(build) {
      build.onResolve({ filter: /^(node:.*|fs|path)$/ }, ({ path }) => ({ path, namespace: 'without-node' }));
      build.onLoad({ filter: /./, namespace: 'without-node' }, () => ({ contents: 'export default {}' }));
    },
  };
}
