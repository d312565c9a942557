// `virtual:basis-transcoder`: Binomial's transcoder as a module. Its file is a script that gives itself to CommonJS, in a package
// (three) that says all its files are modules.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleApart } from './bundle-apart.mjs';
import { projectRoot } from './install.mjs';

const NAME = 'virtual:basis-transcoder';
const path = join(projectRoot, 'node_modules/three/examples/jsm/libs/basis/basis_transcoder.js');

function readModule() {
  const [script] = readFileSync(path, 'utf8').split("if (typeof exports === 'object'");
  return `${script}\nexport default BASIS;\n`;
}

/** For esbuild. */
export function basisTranscoderPlugin() {
  return {
    name: 'basis-transcoder',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${NAME}$`) }, () => ({ path, namespace: 'basis-transcoder' }));
      build.onLoad({ filter: /./, namespace: 'basis-transcoder' }, () => bundleApart(readModule()));
    },
  };
}

/** For Vite and Vitest. */
export function basisTranscoder() {
  return {
    name: 'basis-transcoder',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? readModule() : undefined),
  };
}
