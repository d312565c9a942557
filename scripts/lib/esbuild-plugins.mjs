// What esbuild must be told about this code: shaders as text, the workers' literal URLs, and the workers' source
// inside `fencepost/inline`.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripShader } from './wgsl.mjs';

/** `import text from './x.wgsl?raw'`, as Vite does it, without comments and indentation. */
export function shaderPlugin() {
  return {
    name: 'shaders',
    setup(build) {
      build.onResolve({ filter: /\.wgsl\?raw$/ }, ({ path, resolveDir }) => ({
        path: resolve(resolveDir, path.slice(0, -'?raw'.length)),
        namespace: 'shader',
      }));
      build.onLoad({ filter: /./, namespace: 'shader' }, ({ path }) => ({
        contents: stripShader(readFileSync(path, 'utf8')),
        loader: 'text',
        watchFiles: [path],
      }));
    },
  };
}

/**
 * In the source the literals name `./worker.ts`, which Vite's development server finds; in dist/ the files are
 * `./worker.js` and `./asset-worker.js`, beside the code that starts them.
 */
export function workerLiteralPlugin() {
  return {
    name: 'worker-literals',
    setup(build) {
      build.onLoad({ filter: /src[\\/]threads[\\/]main[\\/]worker-location\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(
          /new URL\('\.\.\/([a-z-]*worker[a-z-]*)\.ts'/g,
          "new URL('./$1.js'",
        ),
        loader: 'ts',
      }));
    },
  };
}

/** `virtual:worker-source/<name>` is the text of `<name>.js` as built before into `outdir`. */
export function workerSourcePlugin(outdir) {
  return {
    name: 'worker-source',
    setup(build) {
      build.onResolve({ filter: /^virtual:worker-source\// }, ({ path }) => ({
        path: path.slice('virtual:worker-source/'.length),
        namespace: 'worker-source',
      }));
      build.onLoad({ filter: /./, namespace: 'worker-source' }, ({ path }) => ({
        contents: readFileSync(join(outdir, `${path}.js`), 'utf8'),
        loader: 'text',
      }));
    },
  };
}

/** Node's modules, which @gltf-transform/core imports for a class that only Node uses, are empty in browsers. */
export function withoutNodePlugin() {
  return {
    name: 'without-node',
    setup(build) {
      build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'without-node' }));
      build.onLoad({ filter: /./, namespace: 'without-node' }, () => ({ contents: 'export default {}' }));
    },
  };
}
