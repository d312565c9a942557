/**
 * Bundles each page for production: one folder per page, ES modules, minified, split where the engine imports
 * lazily, an index.html beside it. This engine comes from its library build, with its worker file beside the
 * bundle, where the library's `new URL('./worker.js', import.meta.url)` finds it.
 *
 *   entry (TypeScript) ──esbuild──► <out>/<page>/index.js + chunks + worker.js + index.html
 */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

export interface PageSource {
  readonly page: string;
  /** The entry: a file of the bench folder, or TypeScript whose imports are relative to that folder. */
  readonly entry: { readonly file: string } | { readonly code: string };
  /** Side of the canvas that the HTML holds, in pixels; without it the script makes its own. */
  readonly canvasSize?: number;
}

export interface PageWorkshop {
  readonly root: string;
  /** Where built pages lie; the server's root. */
  readonly outFolder: string;
  /** This engine as its users get it: the folder of its library build, made at the first call. */
  library(): Promise<string>;
}

export async function buildPage(workshop: PageWorkshop, source: PageSource): Promise<void> {
  const { root, outFolder } = workshop;
  const folder = join(outFolder, source.page);
  await mkdir(folder, { recursive: true });
  const lite = JSON.parse(
    await readFile(join(root, 'node_modules/@babylonjs/lite/package.json'), 'utf8'),
  ) as { version: string };
  const ours = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  let library: string | undefined;
  const libraryBuild: Plugin = {
    name: 'library-build',
    setup(builder) {
      builder.onResolve({ filter: /\/src\/index\.js$/ }, async () => {
        library = await workshop.library();
        return { path: join(library, 'index.js') };
      });
    },
  };
  await build({
    ...('file' in source.entry
      ? { entryPoints: [join(root, 'bench', source.entry.file)] }
      : {
          stdin: {
            contents: source.entry.code,
            resolveDir: join(root, 'bench'),
            loader: 'ts' as const,
            sourcefile: `${source.page}.ts`,
          },
        }),
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
    loader: { '.wgsl': 'text' },
    define: {
      'process.env.NODE_ENV': '"production"',
      BABYLON_LITE_VERSION: JSON.stringify(lite.version),
      FENCEPOST_VERSION: JSON.stringify(ours.version),
    },
    plugins: [libraryBuild],
  });
  if (library) {
    for (const file of await readdir(library)) {
      if (file.endsWith('worker.js')) await copyFile(join(library, file), join(folder, file));
    }
  }
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
