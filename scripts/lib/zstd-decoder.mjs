// `virtual:zstd-decoder`: Zstandard's decoder as WebAssembly in base64. The package three contains it, but wraps it in
// a class with two drawbacks. The class fetches a `data:` URL, which a page's policy may forbid, and it never frees its
// memory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './install.mjs';

const NAME = 'virtual:zstd-decoder';
const path = join(projectRoot, 'node_modules/three/examples/jsm/libs/zstddec.module.js');

function readModule() {
  const [, base64] = /="(AGFzbQ[\w+/=]+)"/.exec(readFileSync(path, 'utf8')) ?? [];
  if (!base64)
    throw new Error(
      `${path} has no WebAssembly in the expected form. Update the pattern in zstd-decoder.mjs.`,
    );
  return `export default ${JSON.stringify(base64)};\n`;
}

/** Plugin for esbuild. */
export function zstdDecoderPlugin() {
  return {
    name: 'zstd-decoder',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${NAME}$`) }, () => ({ path, namespace: 'zstd-decoder' }));
      build.onLoad({ filter: /./, namespace: 'zstd-decoder' }, () => ({ contents: readModule() }));
    },
  };
}

/** Plugin for Vite and Vitest. */
export function zstdDecoder() {
  return {
    name: 'zstd-decoder',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? readModule() : undefined),
  };
}
