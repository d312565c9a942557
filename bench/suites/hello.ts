/** The hello cubes that B5 weighs and B6 times: one page per engine, and how to open one. */
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright';
import { buildPage } from '../lib/build-pages.js';
import type { SuiteContext } from './context.js';

export interface Hello {
  readonly engine: string;
  readonly file: string;
  /** Draws in a worker and therefore tells of its first frame itself. */
  readonly reportsItself?: boolean;
}

export const HELLOS: readonly Hello[] = [
  { engine: 'webgpu (by hand)', file: 'webgpu' },
  { engine: 'fencepost', file: 'fencepost', reportsItself: true },
  { engine: 'babylon-lite', file: 'babylon-lite' },
  { engine: 'three', file: 'three' },
  { engine: 'playcanvas', file: 'playcanvas' },
  { engine: 'babylon', file: 'babylon' },
];

/** Pixels. */
export const HELLO_CANVAS_SIZE = 64;

/** Builds the hello cube alone, as its user would. Returns the page's name. */
export async function buildHello(context: SuiteContext, hello: Hello): Promise<string> {
  const page = `hello-${hello.file}`;
  await buildPage(context, {
    page,
    entry: { file: `hello/${hello.file}.ts` },
    canvasSize: HELLO_CANVAS_SIZE,
  });
  return page;
}

/** Builds the page that tells of its first frame. Returns the page's name. */
export async function buildTimedHello(context: SuiteContext, hello: Hello): Promise<string> {
  if (!hello.reportsItself) return buildHello(context, hello);
  const page = `timed-${hello.file}`;
  await buildPage(context, {
    page,
    entry: { file: `pages/first-frame-${hello.file}.ts` },
    canvasSize: HELLO_CANVAS_SIZE,
  });
  return page;
}

/** The script that `page.addInitScript` takes to watch for the first frame. */
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

/** Milliseconds since the navigation began. */
export function firstFrame(tab: Page): Promise<number> {
  return tab.evaluate(() =>
    Promise.race([
      window.firstFrame,
      new Promise<number>((_, reject) => setTimeout(() => reject(new Error('No frame in 20 s.')), 20_000)),
    ]),
  );
}
