/**
 * Builds each page for production with Vite, into one folder per page with an index.html. Pages are minified, and split
 * at the engine's lazy imports. This engine is imported from its library build, as from npm. Vite emits
 * the engine's worker files.
 *
 *   entry (TypeScript) ──vite──► <out>/<page>/index.js + chunks (+ worker) + index.html
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

export interface PageSource {
  readonly page: string;
  /** The entry: a file of the bench folder, or TypeScript whose imports are relative to that folder. */
  readonly entry: { readonly file: string } | { readonly code: string };
  /** Side of the canvas in the HTML, in pixels. Without it the script creates its own canvas. */
  readonly canvasSize?: number;
}

export interface PageWorkshop {
  readonly root: string;
  /** Folder of the built pages, which is the server's root. */
  readonly outFolder: string;
  /** Returns the folder of this engine's library build, as users get it. It is built at the first call. */
  builtLibrary(): Promise<string>;
}

export async function buildPage(workshop: PageWorkshop, source: PageSource): Promise<void> {
  const { root, outFolder } = workshop;
  const folder = join(outFolder, source.page);
  const lite = await versionIn(join(root, 'node_modules/@babylonjs/lite/package.json'));
  const ours = await versionIn(join(root, 'package.json'));
  const virtualEntry = join(root, 'bench', `${source.page}.entry.ts`);
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    base: './',
    plugins: [
      {
        name: 'bench-entry',
        enforce: 'pre',
        resolveId: async (id) => {
          if (id === virtualEntry) return virtualEntry;
          return /\/src\/index\.js$/.test(id) ? join(await workshop.builtLibrary(), 'index.js') : null;
        },
        load: (id) => (id === virtualEntry && 'code' in source.entry ? source.entry.code : null),
      },
    ],
    define: {
      BABYLON_LITE_VERSION: JSON.stringify(lite),
      FENCEPOST_VERSION: JSON.stringify(ours),
      'globalThis.FENCEPOST_DEVELOPMENT': 'false',
    },
    worker: { format: 'es' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsDir: '',
      target: 'es2022',
      modulePreload: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 10_000,
      rolldownOptions: {
        input: 'file' in source.entry ? join(root, 'bench', source.entry.file) : virtualEntry,
        output: { entryFileNames: 'index.js' },
      },
    },
  });
  const style = 'body{margin:0;background:#000}canvas{display:block}';
  const size = source.canvasSize;
  const canvas = size
    ? `<canvas width="${size}" height="${size}" style="width:${size}px;height:${size}px"></canvas>`
    : '';
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><style>${style}</style><body>${canvas}<script type="module" src="index.js"></script></body>\n`,
  );
}

async function versionIn(packageFile: string): Promise<string> {
  return (JSON.parse(await readFile(packageFile, 'utf8')) as { version: string }).version;
}
