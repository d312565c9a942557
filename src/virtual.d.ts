/** Source of a built worker, inserted by the build (scripts/lib/esbuild-plugins.mjs). */
declare module 'virtual:worker-source/*' {
  const source: string;
  export default source;
}

/** A file of a package as a base64 `data:` URL. Vite defines this form of import, and the build follows it. */
declare module '*.wasm?url&inline' {
  const url: string;
  export default url;
}

/** Names of the imports and exports of Binomial's transcoder (scripts/lib/basis-transcoder.mjs). */
declare module 'virtual:basis-transcoder' {
  import type { EmbindNames } from './assets/decoders/embind.js';

  const names: EmbindNames;
  export default names;
}

/** Zstandard's decoder, WebAssembly in base64 (scripts/lib/zstd-decoder.mjs). */
declare module 'virtual:zstd-decoder' {
  const base64: string;
  export default base64;
}

/** The decoder that `draco3dgltf` exports as `createDecoderModule`, without its encoder. */
declare module 'draco3dgltf/draco_decoder_gltf_nodejs.js' {
  export { createDecoderModule as default } from 'draco3dgltf';
}

/** Types of single files of gl-matrix. An import of one file lets bundlers omit the rest of gl-matrix. */
declare module 'gl-matrix/quat' {
  import { quat } from 'gl-matrix';

  export = quat;
}
declare module 'gl-matrix/vec3' {
  import { vec3 } from 'gl-matrix';

  export = vec3;
}
