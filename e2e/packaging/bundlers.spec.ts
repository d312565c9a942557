// The packed library in webpack 5. Vite, esbuild and pages without a bundler are in packaging.spec.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import webpack from 'webpack';
import { expect, test } from '../fixtures.js';
import { createSandbox, type Sandbox } from './consumer.js';
import { expectSite, mainJavaScript, pageWith } from './site.js';

test.describe.configure({ timeout: 600_000 });

let sandbox: Sandbox;
test.beforeAll(() => {
  sandbox = createSandbox();
});
test.afterAll(() => sandbox?.dispose());

for (const entry of ['fencepost', 'fencepost/inline']) {
  test(`from a fresh webpack page, through ${entry}`, async ({ page }) => {
    const root = sandbox.createConsumer(`webpack-${entry.replace('/', '-')}`, {
      'main.js': mainJavaScript.replace("'fencepost'", `'${entry}'`).replace('"fencepost"', `"${entry}"`),
    });
    const outcome = await runWebpack({
      context: root,
      mode: 'production',
      entry: './main.js',
      output: { path: join(root, 'public'), filename: 'main.js' },
      // Sizes are measured elsewhere.
      performance: false,
    });
    expect(outcome).toEqual({ errors: [], warnings: [] });
    writeFileSync(
      join(root, 'public/index.html'),
      pageWith('<script type="module" src="./main.js"></script>'),
    );
    await expectSite(page, join(root, 'public'));
  });
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
