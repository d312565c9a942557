// Uses the packed library in webpack 5. packaging.spec.ts tests Vite, esbuild and pages without a bundler.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import webpack from 'webpack';
import { timeLimit } from '../../scripts/lib/time-limits.mjs';
import { expect, test } from '../fixtures.js';
import { createSandbox, type Sandbox } from './consumer.js';
import { expectSite, mainJavaScript, pageWith } from './site.js';

test.describe.configure({ timeout: timeLimit(600_000) });

const ENTRIES = { 'through-fencepost': 'fencepost', 'through-inline': 'fencepost/inline' };

let sandbox: Sandbox;
let site: string;
test.beforeAll(async () => {
  // The file's time limit applies to tests only. A hook has two minutes by default, and webpack needs that long
  // on a busy machine.
  test.setTimeout(timeLimit(600_000));
  sandbox = createSandbox();
  // One project has two pages. webpack then minifies their shared files once, which takes most of its time.
  site = await buildSite(ENTRIES);
});
test.afterAll(() => sandbox?.dispose());

for (const [name, entry] of Object.entries(ENTRIES)) {
  test(`a fresh webpack page draws the cube, through ${entry}`, async ({ page }) => {
    writeFileSync(join(site, 'index.html'), pageWith(`<script type="module" src="./${name}.js"></script>`));
    await expectSite(page, site);
  });
}

/**
 * Builds the site with webpack.
 * @param entries entry points of the package, by the names of the pages' scripts
 * @returns the folder with the scripts
 */
async function buildSite(entries: Readonly<Record<string, string>>): Promise<string> {
  const sources = Object.entries(entries).map(([name, entry]) => [
    `${name}.js`,
    mainJavaScript.replace("'fencepost'", `'${entry}'`).replace('"fencepost"', `"${entry}"`),
  ]);
  const root = sandbox.createConsumer('webpack', Object.fromEntries(sources));
  const path = join(root, 'public');
  const outcome = await runWebpack({
    context: root,
    mode: 'production',
    entry: Object.fromEntries(Object.keys(entries).map((name) => [name, `./${name}.js`])),
    output: { path, filename: '[name].js' },
    // packaging.spec.ts tests sizes.
    performance: false,
  });
  expect(outcome).toEqual({ errors: [], warnings: [] });
  return path;
}

async function runWebpack(configuration: webpack.Configuration) {
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) =>
    webpack(configuration, (error, result) => (error ? reject(error) : resolve(result))),
  );
  const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
  return {
    errors: errors.map(({ message }) => message),
    warnings: warnings.map(({ message }) => message),
  };
}
