// `virtual:basis-transcoder`: the names of the imports and exports of Binomial's transcoder. Its WebAssembly has
// letters in place of these names, and the accompanying script maps the letters to the names. The script itself is not
// used, because it makes functions from text. A Content-Security-Policy without 'unsafe-eval' forbids that.
// `src/assets/decoders/embind.ts` replaces the script.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './install.mjs';

const NAME = 'virtual:basis-transcoder';
const path = join(projectRoot, 'node_modules/three/examples/jsm/libs/basis/basis_transcoder.js');

function readModule() {
  const script = readFileSync(path, 'utf8');
  const find = (pattern) => {
    const found = pattern.exec(script)?.[1];
    if (!found)
      throw new Error(`${path} has no match for ${pattern}. Look for the new form and update this pattern.`);
    return found;
  };
  const table = find(/\bwasmImports=\{([^{}]+)\}/);
  const names = {
    imports: Object.fromEntries(table.split(',').map((entry) => entry.split(':'))),
    memory: find(/\bwasmMemory=wasmExports\["(\w+)"\]/),
    table: find(/\bwasmTable=wasmExports\["(\w+)"\]/),
    initialize: find(/\baddOnInit\(wasmExports\["(\w+)"\]\)/),
  };
  return `export default ${JSON.stringify(names)};\n`;
}

/** Plugin for esbuild. */
export function basisTranscoderPlugin() {
  return {
    name: 'basis-transcoder',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${NAME}$`) }, () => ({ path, namespace: 'basis-transcoder' }));
      build.onLoad({ filter: /./, namespace: 'basis-transcoder' }, () => ({ contents: readModule() }));
    },
  };
}

/** Plugin for Vite and Vitest. */
export function basisTranscoder() {
  return {
    name: 'basis-transcoder',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? readModule() : undefined),
  };
}
