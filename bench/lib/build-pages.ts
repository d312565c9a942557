/**
 * Bundles each page for production: one folder per page, ES modules, minified, split where the engine imports
 * lazily, an index.html beside it.
 *
 *   entry (TypeScript) ──esbuild──► <out>/<page>/index.js + chunks + index.html
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Vite's `?raw`: the file's text as a module. */
const rawText: Plugin = {
  name: 'raw-text',
  setup(builder) {
    builder.onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.slice(0, -'?raw'.length)),
      namespace: 'raw',
    }));
    builder.onLoad({ filter: /.*/, namespace: 'raw' }, async ({ path }) => ({
      contents: await readFile(path, 'utf8'),
      loader: 'text',
    }));
  },
};

export interface PageSource {
  readonly page: string;
  /** TypeScript of the entry, whose imports are relative to the bench folder. */
  readonly code: string;
}

export async function buildPage(benchFolder: string, outFolder: string, source: PageSource): Promise<void> {
  const folder = join(outFolder, source.page);
  await mkdir(folder, { recursive: true });
  const lite = JSON.parse(
    await readFile(join(benchFolder, '../node_modules/@babylonjs/lite/package.json'), 'utf8'),
  ) as { version: string };
  await build({
    stdin: { contents: source.code, resolveDir: benchFolder, loader: 'ts', sourcefile: `${source.page}.ts` },
    entryNames: 'index',
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
    define: {
      'process.env.NODE_ENV': '"production"',
      'import.meta.env.DEV': 'false',
      'import.meta.env.PROD': 'true',
      BABYLON_LITE_VERSION: JSON.stringify(lite.version),
    },
    plugins: [rawText],
  });
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><style>body{margin:0;background:#000}</style><body><script type="module" src="index.js"></script></body>\n',
  );
}
