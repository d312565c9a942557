/** Runs the programs of a page of docs/guide/ in a browser, as printed. */

import { readFileSync } from 'node:fs';
import { type BrowserContext, expect, type Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { timeLimit } from '../scripts/lib/time-limits.mjs';

export interface GuidePrograms {
  /** Programs by file name. The name follows the language in the first line of a code block: ```js game.js. */
  readonly files: ReadonlyMap<string, string>;
  /** Returns the lines that a program prints according to its comments, such as `// prints 3`. */
  printsOf(file: string): readonly string[];
  /**
   * Serves the files below `/guide/`, with the name of the package replaced by its address.
   * @param shown a program whose `engine` becomes `window.engine`
   */
  serve(context: BrowserContext, shown?: string): Promise<void>;
}

export interface ShownProgram {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly origin: string;
  readonly file: string;
  /** Width of the view, in CSS pixels. Default: 64. */
  readonly width?: number;
  /** Height of the view, in CSS pixels. Default: 64. */
  readonly height?: number;
}

/** Reads the programs of a page. @param besides further files that the page places beside its programs */
export function readGuide(path: string, besides: Readonly<Record<string, string>> = {}): GuidePrograms {
  const printed = [...readFileSync(path, 'utf8').matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(
    ([, file = '', code = '']) => [file, code] as const,
  );
  const files = new Map([...printed, ...Object.entries(besides)]);
  return {
    files,
    printsOf: (file) =>
      [...(files.get(file) ?? '').matchAll(/\/\/ prints (.*)$/gm)].map(([, text = '']) => text),
    serve: async (context, shown) => {
      await context.route('**/guide/*.js', (route) => {
        const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
        const code = (files.get(name) ?? '')
          .replaceAll("'fencepost'", "'/dist/index.js'")
          .replace(/'fencepost\/(\w+)'/g, "'/dist/$1.js'");
        const body = name === shown ? `${code}window.engine = engine;` : code;
        const headers = { 'Cross-Origin-Embedder-Policy': 'require-corp' };
        return route.fulfill({ contentType: 'text/javascript', body, headers });
      });
    },
  };
}

/**
 * Runs a program that draws continuously, until it has printed the guide's lines. Its engine is `window.engine`.
 * @returns all printed lines, including later ones
 */
export async function showProgram(
  guide: GuidePrograms,
  { page, context, origin, file, width = 64, height = 64 }: ShownProgram,
): Promise<readonly string[]> {
  const printed: string[] = [];
  page.on('console', (message) => message.type() === 'log' && printed.push(message.text()));
  await guide.serve(context, file);
  await page.goto(`${origin}/e2e/pages/blank.html`);
  await page.evaluate(
    ([src, style]) => {
      const base = document.createElement('base');
      base.href = '/guide/';
      document.head.append(base);
      document.body.innerHTML = `<div id="view" style="${style}"></div>`;
      const script = document.createElement('script');
      script.type = 'module';
      script.src = src;
      document.body.append(script);
    },
    [file, `width: ${width}px; height: ${height}px`] as const,
  );
  await expect.poll(() => printed, { timeout: timeLimit(60_000) }).toEqual(guide.printsOf(file));
  await page.evaluate(() => (window as unknown as { engine: Engine }).engine.whenReady());
  return printed;
}

/** Imports a file of the guide in an open page, and returns the lines that it prints. */
export function runProgram(page: Page, file: string): Promise<string[]> {
  return page.evaluate(async (url) => {
    const lines: string[] = [];
    console.log = (...values: unknown[]) => lines.push(values.map(String).join(' '));
    const base = document.createElement('base');
    base.href = '/guide/';
    document.head.append(base);
    document.body.innerHTML = '<div id="view" style="width: 64px; height: 64px"></div>';
    await import(url);
    return lines;
  }, `/guide/${file}`);
}
