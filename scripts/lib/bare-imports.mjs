// `import"./chunk-X.js";`: one file loads another for the sake of its effects alone. Between ours it does nothing but
// make a consumer's bundler warn (`ignored-bare-import`), so it is taken out of dist/ where one of two things is proved:
//
//   index.js ──► chunk A        A is there before anything is loaded on demand: `import"A"` in B does nothing
//      ╎ import()
//   chunk B ──► chunk C         esbuild leaves nothing of `import"C"`: C, and what it imports, has no effects
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from './install.mjs';

const BARE_IMPORT = /\bimport"\.\/(chunk-\w+\.js)";?/g;

/**
 * Which modules do nothing by being loaded: of such a module nothing is left of an import without names.
 *
 * @param {string[]} files absolute paths of ES modules; what they import lies beside them
 * @returns {Promise<Set<string>>} their names, without folders
 */
export async function findPureModules(files) {
  const { outputFiles } = await build({
    entryPoints: files.map((file) => ({ in: `bare:${file}`, out: basename(file, '.js') })),
    outdir: 'unwritten',
    bundle: true,
    treeShaking: true,
    minify: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
    plugins: [
      {
        name: 'bare-imports',
        setup(build) {
          build.onResolve({ filter: /^bare:/ }, ({ path }) => ({
            path: path.slice('bare:'.length),
            namespace: 'bare',
          }));
          build.onLoad({ filter: /./, namespace: 'bare' }, ({ path }) => ({
            contents: `import './${basename(path)}';`,
            resolveDir: dirname(path),
          }));
          // Whatever package.json promises: it is the promise that is looked at.
          build.onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) =>
            kind === 'dynamic-import'
              ? { path, external: true }
              : { path: join(resolveDir, path), sideEffects: true },
          );
        },
      },
    ],
  });
  return new Set(outputFiles.filter(({ text }) => text.trim() === '').map(({ path }) => basename(path)));
}

/**
 * Takes imports without names that do nothing out of the minified files of a build, in place.
 *
 * @param {import('esbuild').Metafile} metafile of a build with one entry point
 * @param {string} entry name of its file
 * @param {Set<string>} pureModules as `findPureModules` finds them
 * @throws Error for one that does something
 */
export function stripBareImports(metafile, entry, pureModules) {
  const atOnce = loadedAtOnce(metafile, entry);
  for (const path of Object.keys(metafile.outputs)) {
    const isIdle = (name) => pureModules.has(name) || (atOnce.has(name) && !atOnce.has(basename(path)));
    const file = join(projectRoot, path);
    const text = readFileSync(file, 'utf8');
    const stripped = withoutBareImports(text, isIdle);
    const [left] = stripped.match(BARE_IMPORT) ?? [];
    if (left)
      throw new Error(`${path} has ${left} for its effects, and importing ours has none. Take them out.`);
    if (stripped !== text) writeFileSync(file, stripped);
  }
}

/**
 * What is there before anything is loaded on demand: the entry, and what it imports statically.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {string} entry name of its file
 * @returns {Set<string>} names of files
 */
export function loadedAtOnce({ outputs }, entry) {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const found = new Set([entry]);
  for (const name of found) {
    for (const { path, kind } of byName.get(name)?.imports ?? []) {
      if (kind === 'import-statement') found.add(basename(path));
    }
  }
  return found;
}

/**
 * @param {string} text of a minified module
 * @param {(name: string) => boolean} isIdle whether it does nothing to load the file of this name here
 */
export function withoutBareImports(text, isIdle) {
  return text.replace(BARE_IMPORT, (statement, name) => (isIdle(name) ? '' : statement));
}
