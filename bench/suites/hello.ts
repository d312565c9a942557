/** The hello cubes of B5 (size) and B6 (time): one page per engine, and functions that build and time the pages. */
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright';
import { buildPage } from '../lib/build-pages.js';
import type { SuiteContext } from './context.js';

export interface Hello {
  readonly engine: string;
  readonly file: string;
  /** Name of the page that B6 opens instead of B5's. The file `pages/<name>.ts` explains the reason. */
  readonly timedPage?: string;
}

export const HELLOS: readonly Hello[] = [
  { engine: 'webgpu (by hand)', file: 'webgpu' },
  { engine: 'fencepost', file: 'fencepost', timedPage: 'first-frame-fencepost' },
  { engine: 'babylon-lite', file: 'babylon-lite' },
  { engine: 'three', file: 'three' },
  { engine: 'playcanvas', file: 'playcanvas' },
  { engine: 'babylon', file: 'babylon' },
];

export const REFERENCE = 'webgpu (our shaders)';
/** B6's pages: those of B5, and as reference a hand-written page with Fencepost's shaders. */
export const TIMED_HELLOS: readonly Hello[] = [
  { engine: REFERENCE, file: 'webgpu', timedPage: 'first-frame-webgpu' },
  ...HELLOS,
];

/** Side of the canvas in pixels. */
export const HELLO_CANVAS_SIZE = 64;

/** Builds the hello cube alone, as a user would. Returns the page's name. */
export async function buildHello(context: SuiteContext, hello: Hello): Promise<string> {
  const page = `hello-${hello.file}`;
  await buildPage(context, {
    page,
    entry: { file: `hello/${hello.file}.ts` },
    canvasSize: HELLO_CANVAS_SIZE,
  });
  return page;
}

/** Builds the page that reports its first frame. Returns the page's name. */
export async function buildTimedHello(context: SuiteContext, hello: Hello): Promise<string> {
  if (!hello.timedPage) return buildHello(context, hello);
  const page = `${hello.timedPage}`;
  await buildPage(context, {
    page,
    entry: { file: `pages/${hello.timedPage}.ts` },
    canvasSize: HELLO_CANVAS_SIZE,
  });
  return page;
}

/** Returns the script for `page.addInitScript` that watches for the first frame. */
export async function buildProbe(context: SuiteContext): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(context.root, 'bench/pages/first-frame-probe.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
  });
  return outputFiles[0]?.text ?? '';
}

/** Returns the time of the first frame in milliseconds since the navigation began. */
export function firstFrame(tab: Page): Promise<number> {
  return tab.evaluate(() =>
    Promise.race([
      window.firstFrame,
      new Promise<number>((_, reject) => setTimeout(() => reject(new Error('No frame in 20 s.')), 20_000)),
    ]),
  );
}
