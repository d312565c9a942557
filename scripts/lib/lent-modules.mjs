// What worker.js lends to its parts. Each part is one file, which would have a copy of every module that it needs; the
// modules that `src/threads/control/lent-modules.ts` names are in worker.js anyway, and a part takes them from there.
//
//   worker.js ── lendModules() ──► globalThis[symbol] ──► worker-captures.js: import { rhiCommands } from '…/commands.js'
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from './install.mjs';

const TABLE = join(projectRoot, 'src/threads/control/lent-modules.ts');

/** Path by the name under which it is lent. */
function lentModules() {
  const lines = readFileSync(TABLE, 'utf8').matchAll(/^import \* as (\w+) from '(\..+)\.js';$/gm);
  return new Map(Array.from(lines, ([, name, path]) => [resolve(dirname(TABLE), `${path}.ts`), name]));
}

/** Names of the files that asset workers load, by the table of their places. */
export function decoderParts() {
  const table = readFileSync(join(projectRoot, 'src/threads/main/asset-worker-location.ts'), 'utf8');
  return Array.from(table.matchAll(/new URL\('\.\.\/(worker-[a-z0-9]+)\.ts'/g), ([, name]) => name);
}

/** @param {import('esbuild').BuildOptions} options of the workers' build */
async function exportsOf(path, options) {
  const { metafile } = await build({ ...options, entryPoints: [path], outdir: 'unused', write: false });
  const [output] = Object.values(metafile.outputs);
  return output.exports;
}

/**
 * For the build of parts that only worker.js loads.
 *
 * @param {import('esbuild').BuildOptions} options of the workers' build
 */
export function borrowPlugin(options) {
  const modules = lentModules();
  return {
    name: 'lent-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const module = resolve(resolveDir, path.replace(/\.js$/, '.ts'));
        return modules.has(module) ? { path: module, namespace: 'lent', sideEffects: false } : undefined;
      });
      onLoad({ filter: /./, namespace: 'lent' }, async ({ path }) => ({
        contents: `import { borrowed } from './borrowed-modules.js';
export const { ${(await exportsOf(path, options)).join(', ')} } = borrowed().${modules.get(path)};`,
        loader: 'ts',
        resolveDir: dirname(TABLE),
      }));
    },
  };
}
