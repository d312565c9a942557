// A Vite plugin for unit tests that puts React 18 in the place of React 19. The packages are installed under other names
// (`react-18` and so on), and require each other by their usual names. So they are bundled together, as ES modules that
// share one React.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from './install.mjs';

const require = createRequire(import.meta.url);
const folder = join(projectRoot, 'node_modules/.cache/react-18');
const installed = {
  react: 'react-18',
  'react-dom': 'react-dom-18',
  'react-reconciler': 'react-reconciler-18',
};

/** Files of the bundle by the modules that the tests import. */
const files = {
  react: 'react',
  'react-dom/server': 'server',
  'react-reconciler': 'reconciler',
  'react-reconciler/constants.js': 'constants',
};

/** Named exports of each module. Bundles of CommonJS modules have only a default export. */
const exportsOf = {
  react: Object.keys(require('react-18')),
  'react-dom/server': ['renderToString'],
  'react-reconciler': [],
  'react-reconciler/constants.js': Object.keys(require('react-reconciler-18/constants.js')),
};

/** Returns a module that exports the members of a CommonJS module by name. */
function wrapperOf(module) {
  const names = exportsOf[module].join(', ');
  return `import whole from '${module}';\nexport default whole;\nexport const { ${names} } = whole;\n`;
}

async function bundle() {
  await build({
    absWorkingDir: projectRoot,
    entryPoints: Object.entries(files).map(([module, out]) => ({ in: `react-18-entry:${module}`, out })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    alias: installed,
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);",
    },
    plugins: [
      {
        name: 'entries',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^react-18-entry:/ }, ({ path }) => ({ path, namespace: 'entry' }));
          onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
            contents: wrapperOf(path.slice('react-18-entry:'.length)),
            resolveDir: projectRoot,
          }));
        },
      },
    ],
    logLevel: 'error',
  });
}

/** Creates the plugin. @returns {import('vite').Plugin} */
export function react18() {
  let bundled;
  return {
    name: 'react-18',
    enforce: 'pre',
    async resolveId(id) {
      if (!Object.hasOwn(files, id)) return undefined;
      bundled ??= bundle();
      await bundled;
      return join(folder, `${files[id]}.mjs`);
    },
  };
}
