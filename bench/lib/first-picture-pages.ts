/**
 * Builds FIRST_PICTURE's pages like a user's project. They lie in a folder outside of this project, with the engines
 * installed.
 *
 *   <work>/node_modules/fencepost, three
 *   <work>/<site>/main.ts ──esbuild or Vite, with its defaults──► <work>/<site>/dist/   served
 *                         ──unchanged, in an HTML with an import map──► the same, packages beside it
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build as esbuild, transform } from 'esbuild';
import { build as vite } from 'vite';
import { skyImage } from './sky-image.js';
import { texturedModel } from './textured-model.js';

export const ENGINES = ['fencepost', 'three'] as const;
export type Engine = (typeof ENGINES)[number];
export const BUILDS = ['esbuild', 'vite', 'import map'] as const;
export type Build = (typeof BUILDS)[number];
/** Ingredients of the typical page's complete picture. */
export const INGREDIENTS = ['model', 'environment', 'shadows'] as const;
export type Ingredient = (typeof INGREDIENTS)[number];

export interface Site {
  readonly engine: Engine;
  readonly page: 'first picture' | 'hello cube';
  readonly build: Build;
  /** The ingredient that the page omits, to check that its picture needs it. */
  readonly lacking?: Ingredient;
}

/** Size of the canvas in CSS pixels. */
const CANVAS_SIZE = { width: 160, height: 120 };

const SOURCES: Readonly<Record<Site['page'], Readonly<Record<Engine, string>>>> = {
  'first picture': { fencepost: 'bench/first-picture/fencepost.ts', three: 'bench/first-picture/three.ts' },
  'hello cube': { fencepost: 'e2e/packaging/example.ts', three: 'bench/hello/three.ts' },
};

/** Addresses by import specifier, for pages without a bundler. */
const IMPORT_MAPS: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  fencepost: { fencepost: './fencepost/dist/index.js' },
  three: {
    three: './three/build/three.webgpu.js',
    'three/webgpu': './three/build/three.webgpu.js',
    'three/addons/': './three/examples/jsm/',
  },
};

export class FirstPicturePages {
  readonly #root: string;
  readonly #work: string;
  readonly #model = texturedModel();
  /** The sky is small, because a software adapter takes seconds to filter a large environment. */
  readonly #sky = skyImage(256, 128);

  /**
   * Installs the engines in the work folder.
   * @param root folder of this project
   * @param work an empty folder outside of it
   * @param library folder of the built library
   */
  constructor(root: string, work: string, library: string) {
    this.#root = root;
    // Bundlers resolve links, and compare the results with this path.
    this.#work = realpathSync(work);
    const installed = join(this.#work, 'node_modules');
    cpSync(library, join(installed, 'fencepost/dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(installed, 'fencepost/package.json'));
    symlinkSync(realpathSync(join(root, 'node_modules/three')), join(installed, 'three'));
  }

  /** Builds a site. @returns the folder to serve */
  async build(site: Site): Promise<string> {
    const { engine, page, lacking = '' } = site;
    const name = [page, engine, site.build, lacking].filter(Boolean).join('-').replaceAll(' ', '-');
    const folder = join(this.#work, name);
    const served = join(folder, 'dist');
    mkdirSync(served, { recursive: true });
    const source = readFileSync(join(this.#root, SOURCES[page][engine]), 'utf8');
    const define = { LACKING: JSON.stringify(lacking) };
    writeFileSync(join(folder, 'main.ts'), source);
    if (site.build === 'esbuild') {
      // esbuild keeps a worker's address unchanged, so its users copy the package's files beside the bundle.
      if (engine === 'fencepost')
        cpSync(join(this.#work, 'node_modules/fencepost/dist'), served, { recursive: true });
      await esbuild({
        absWorkingDir: folder,
        entryPoints: ['main.ts'],
        outdir: served,
        bundle: true,
        splitting: true,
        minify: true,
        format: 'esm',
        define,
        logLevel: 'error',
      });
      writeFileSync(join(served, 'index.html'), pageWith('<script type="module" src="main.js"></script>'));
    } else if (site.build === 'vite') {
      writeFileSync(join(folder, 'index.html'), pageWith('<script type="module" src="main.ts"></script>'));
      await vite({
        root: folder,
        configFile: false,
        logLevel: 'error',
        define,
        build: { target: 'es2022', chunkSizeWarningLimit: 10_000 },
      });
    } else {
      if (engine === 'fencepost')
        symlinkSync(join(this.#work, 'node_modules/fencepost'), join(served, engine));
      else await this.#minifyThree(join(served, engine));
      const { code } = await transform(source, { loader: 'ts', format: 'esm', define, minifySyntax: true });
      const imports = JSON.stringify({ imports: IMPORT_MAPS[engine] });
      const head = `<script type="importmap">${imports}</script><script type="module">${code}</script>`;
      writeFileSync(join(served, 'index.html'), pageWith(head));
    }
    // Written last, because Vite empties its output folder.
    writeFileSync(join(served, 'model.glb'), this.#model);
    writeFileSync(join(served, 'sky.hdr'), this.#sky);
    return served;
  }

  /** Minifies each file of three.js by itself, as a CDN does. The npm package has no minified WebGPU renderer. */
  async #minifyThree(outdir: string): Promise<void> {
    const three = join(this.#work, 'node_modules/three');
    const addons = ['controls', 'loaders', 'utils'].flatMap((folder) =>
      readdirSync(join(three, 'examples/jsm', folder))
        .filter((name) => name.endsWith('.js'))
        .map((name) => `examples/jsm/${folder}/${name}`),
    );
    await esbuild({
      absWorkingDir: three,
      entryPoints: ['core', 'tsl', 'webgpu'].map((name) => `build/three.${name}.js`).concat(addons),
      outbase: '.',
      outdir,
      minify: true,
      format: 'esm',
      logLevel: 'error',
    });
  }
}

function pageWith(script: string): string {
  const { width, height } = CANVAS_SIZE;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>First picture</title><link rel="icon" href="data:,"></head>
<body><canvas style="width: ${width}px; height: ${height}px"></canvas>${script}</body>
</html>`;
}
