// What esbuild must be told about this code: shaders as text, the workers' literal URLs, and the workers' source
// inside `fencepost/inline`.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { basisTranscoderPlugin } from './basis-transcoder.mjs';
import { bundleApart, withoutNodePlugin } from './bundle-apart.mjs';
import { projectRoot } from './install.mjs';
import { stripShader } from './wgsl.mjs';
import { zstdDecoderPlugin } from './zstd-decoder.mjs';

/** What every build of the sources needs. */
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

/** `import text from './x.ts?raw'`, as Vite does it. */
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
 * In the source the literals name `./worker.ts`, which Vite's development server finds; in dist/ the files are
 * `./worker.js` and `./asset-worker.js`, beside the code that starts them.
 */
export function workerLiteralPlugin() {
  return {
    name: 'worker-literals',
    setup(build) {
      build.onLoad(
        { filter: /src[\\/]threads[\\/]main[\\/]((task|asset)-)?worker-location\.ts$/ },
        ({ path }) => ({
          contents: readFileSync(path, 'utf8').replace(
            /new URL\('\.\.\/([a-z-]*worker[a-z0-9-]*)\.ts'/g,
            "new URL('./$1.js'",
          ),
          loader: 'ts',
        }),
      );
    },
  };
}

/**
 * Says which modules share a file. esbuild makes a chunk of each set of modules that the same entries reach, and whatever
 * is loaded on demand is an entry: the kernel would be in twenty files, each compressed apart. So each module that is
 * loaded on demand is given an import of the kernel, which is loaded by then.
 *
 * Features are entries, which the barrels import from their files: bundlers that keep or drop whole files, as esbuild does
 * with those that are shared with what is loaded on demand, drop the features that a page doesn't import.
 *
 * @param {object} layout paths in the project
 * @param {readonly string[]} layout.kernel the modules that all of the kernel is reached from
 * @param {Readonly<Record<string, string>>} layout.features modules by their files' names
 * @param {readonly string[]} layout.barrels the modules that only export again what others export
 */
export function chunkPlugin({ kernel, features, barrels }) {
  const filesByFeature = new Map(
    Object.entries(features).map(([name, path]) => [join(projectRoot, path), `./${name}.js`]),
  );
  const barrelPaths = new Set(barrels.map((path) => join(projectRoot, path)));
  const withKernel = new Set([...filesByFeature.keys(), ...importedOnDemand()]);
  return {
    name: 'chunks',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ importer, path, resolveDir }) => {
        const module = resolve(resolveDir, path.replace(/\.js$/, '.ts'));
        const file = barrelPaths.has(importer) ? filesByFeature.get(module) : undefined;
        return file && { path: file, external: true, sideEffects: false };
      });
      build.onResolve({ filter: /^virtual:kernel$/ }, () => ({
        path: 'kernel',
        namespace: 'kernel',
        sideEffects: true,
      }));
      build.onLoad({ filter: /./, namespace: 'kernel' }, () => ({
        contents: kernel.map((path) => `import '${join(projectRoot, path)}';`).join('\n'),
        resolveDir: projectRoot,
      }));
      build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        withKernel.has(path)
          ? { contents: `${readFileSync(path, 'utf8')}\nimport 'virtual:kernel';\n`, loader: 'ts' }
          : undefined,
      );
    },
  };
}

/** Read before anything is built: a module may be met by another way first. Types of modules are no imports. */
function importedOnDemand() {
  const folder = join(projectRoot, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.ts$/.test(name),
  );
  return files.flatMap((name) => {
    const path = join(folder, name);
    const imports = readFileSync(path, 'utf8').matchAll(/(?<!typeof )\bimport\('(\.[^']+)\.js'\)/g);
    return Array.from(imports, ([, module]) => resolve(dirname(path), `${module}.ts`));
  });
}

/**
 * `importByAddress` is a file of its own in dist/, which is not minified: the comments in it are for bundlers.
 */
export function importByAddressPlugin() {
  return {
    name: 'import-by-address',
    setup(build) {
      build.onResolve({ filter: /\/import-by-address\.js$/ }, () => ({
        path: './import-by-address.js',
        external: true,
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

/** `import url from 'x.wasm?url&inline'`: the file as a `data:` URL, as Vite does it. */
function dataUrlPlugin() {
  return {
    name: 'data-urls',
    setup(build) {
      const suffix = '?url&inline';
      build.onResolve({ filter: /\?url&inline$/ }, async ({ path, resolveDir, kind }) => {
        const name = path.slice(0, -suffix.length);
        const found = await build.resolve(name, { resolveDir, kind });
        // Of a build that leaves packages where they are.
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

/** Draco's decoder is a script for CommonJS. */
function dracoPlugin() {
  return {
    name: 'draco',
    setup(build) {
      build.onLoad({ filter: /[\\/]draco_decoder_gltf_nodejs\.js$/ }, ({ path }) =>
        bundleApart(`export { default } from ${JSON.stringify(path)};`),
      );
    },
  };
}
