// Plugins of esbuild for this code. They import shaders as text, replace the URLs of workers, and put the text of
// workers into `fencepost/inline`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { basisTranscoderPlugin } from './basis-transcoder.mjs';
import { bundleSeparately, withoutNodePlugin } from './bundle-apart.mjs';
import { stripShader } from './wgsl.mjs';
import { zstdDecoderPlugin } from './zstd-decoder.mjs';

/** Returns the plugins that every build of the sources needs. */
export function sourcePlugins() {
  return [
    shaderPlugin(),
    dataUrlPlugin(),
    basisTranscoderPlugin(),
    zstdDecoderPlugin(),
    dracoPlugin(),
    withoutNodePlugin(),
  ];
}

/** Resolves `import text from './x.wgsl?raw'` like Vite, without comments and indentation. */
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

/** Resolves `import text from './x.ts?raw'` like Vite. */
export function sourceTextPlugin() {
  return {
    name: 'source-texts',
    setup(build) {
      build.onResolve({ filter: /\.ts\?raw$/ }, ({ path, resolveDir }) => ({
        path: resolve(resolveDir, path.slice(0, -'?raw'.length)),
        namespace: 'source-text',
      }));
      build.onLoad({ filter: /./, namespace: 'source-text' }, ({ path }) => ({
        contents: readFileSync(path, 'utf8'),
        loader: 'text',
      }));
    },
  };
}

/**
 * Replaces the addresses of workers. The source names `../worker.ts`, which Vite's development server finds; dist/ has
 * `./worker.js`.
 */
export function workerLiteralPlugin() {
  return {
    name: 'worker-literals',
    setup(build) {
      build.onLoad(
        { filter: /src[\\/](threads[\\/]library-files[\\/]worker-location|inline)\.ts$/ },
        ({ path }) => ({
          contents: readFileSync(path, 'utf8').replace(
            /new URL\('[./]+\/(?:threads\/)?([a-z0-9-]+)\.ts'/g,
            "new URL('./$1.js'",
          ),
          loader: 'ts',
        }),
      );
    },
  };
}

/** Name of the function that `importByAddressFooter` declares in each file. */
const IMPORT = 'fencepostImport';

/** `importByAddress` for pages, declared by a footer, because minifiers drop the comments that bundlers need. */
export const importByAddressFooter = `function ${IMPORT}(url){return import(/* webpackIgnore: true *//* turbopackIgnore: true *//* @vite-ignore */\`\${url}\`)}`;

export function importByAddressPlugin() {
  return {
    name: 'import-by-address',
    setup(build) {
      build.onLoad({ filter: /[\\/]import-by-address\.ts$/ }, () => ({
        contents: `export const importByAddress = (url) => ${IMPORT}(url);`,
      }));
    },
  };
}

/** Resolves `virtual:worker-source/<name>` to the text of `<name>.js`, which has been built into `outdir`. */
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

/** Resolves `import url from 'x.wasm?url&inline'` to a `data:` URL, like Vite. */
function dataUrlPlugin() {
  return {
    name: 'data-urls',
    setup(build) {
      const suffix = '?url&inline';
      build.onResolve({ filter: /\?url&inline$/ }, async ({ path, resolveDir, kind }) => {
        const name = path.slice(0, -suffix.length);
        const found = await build.resolve(name, { resolveDir, kind });
        // In builds with external packages, the path has not been resolved yet.
        if (found.external) found.path = createRequire(join(resolveDir, 'importer.js')).resolve(name);
        return { path: found.path, namespace: 'data-url', errors: found.errors };
      });
      build.onLoad({ filter: /./, namespace: 'data-url' }, ({ path }) => ({
        contents: readFileSync(path),
        loader: 'dataurl',
      }));
    },
  };
}

/** Converts Draco's decoder, which is a CommonJS script. */
function dracoPlugin() {
  return {
    name: 'draco',
    setup(build) {
      build.onLoad({ filter: /[\\/]draco_decoder_gltf_nodejs\.js$/ }, ({ path }) =>
        bundleSeparately(`export { default } from ${JSON.stringify(path)};`),
      );
    },
  };
}
