/** Programs that a page of docs/guide/ prints, run in a browser as they stand. */
import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from '@playwright/test';

export interface GuidePrograms {
  /** Texts by the file's name, which stands behind the language: ```js game.js. */
  readonly files: ReadonlyMap<string, string>;
  /** What a program prints, as its comments say: `// prints 3`. */
  printsOf(file: string): readonly string[];
  /** Makes the files known below `/guide/`, with the package in the place of its name. */
  serve(context: BrowserContext): Promise<void>;
}

export function readGuide(path: string): GuidePrograms {
  const files = new Map(
    [...readFileSync(path, 'utf8').matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(
      ([, file = '', code = '']) => [file, code],
    ),
  );
  return {
    files,
    printsOf: (file) =>
      [...(files.get(file) ?? '').matchAll(/\/\/ prints (.*)$/gm)].map(([, text = '']) => text),
    serve: async (context) => {
      await context.route('**/guide/*.js', (route) => {
        const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
        const body = (files.get(name) ?? '')
          .replace("'fencepost'", "'/dist/index.js'")
          .replace(/'fencepost\/(\w+)'/, "'/dist/$1.js'");
        const headers = { 'Cross-Origin-Embedder-Policy': 'require-corp' };
        return route.fulfill({ contentType: 'text/javascript', body, headers });
      });
    },
  };
}

/** Imports a file of the guide in a page that is open, and returns the lines that it prints. */
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
