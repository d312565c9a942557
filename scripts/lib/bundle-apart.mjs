// Scripts that are no ES modules are bundled apart, before the build that wants them. What esbuild needs to make modules of them
// then lies in their own file; in a build with code splitting it would be a chunk, and each page would load that.
//
//   script ── esbuild ──► one ES module, helpers included ──► the build
import { build } from 'esbuild';
import { projectRoot } from './install.mjs';

/** By contents: the workers' build and the pages' want the same. */
const bundled = new Map();

/**
 * @param {string} contents a module that may import and require what is none
 * @returns {Promise<import('esbuild').OnLoadResult>}
 */
export async function bundleApart(contents) {
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

/** Node's modules, which libraries import for what only Node runs, are empty in browsers. */
export function withoutNodePlugin() {
  return {
    name: 'without-node',
    setup(build) {
      build.onResolve({ filter: /^(node:.*|fs|path)$/ }, ({ path }) => ({ path, namespace: 'without-node' }));
      build.onLoad({ filter: /./, namespace: 'without-node' }, () => ({ contents: 'export default {}' }));
    },
  };
}
