import { AssetError } from '../../core/errors.js';

/**
 * Decoders of the compressed parts of files. Each is loaded with the first file that needs it (`threads/library-files/`).
 */
export interface Decoders {
  /** EXT_meshopt_compression, KHR_meshopt_compression. */
  readonly meshopt: typeof import('./meshopt.js');
  /** KHR_texture_basisu. */
  readonly basis: typeof import('./basis.js');
  /** Textures of KTX2 files other than Basis Universal's, and Zstandard. */
  readonly ktx2: typeof import('./ktx2.js');
  /** Pictures of EXT_lights_image_based. */
  readonly 'environment-cube': typeof import('./environment-cube.js');
  /** KHR_draco_mesh_compression. */
  readonly draco: typeof import('./draco.js');
}

/** Rejects with a typed error where the decoder's file can't be loaded. */
export type LoadDecoder = <Name extends keyof Decoders>(name: Name) => Promise<Decoders[Name]>;

/** Of loads that are given no decoders. */
export const noDecoder: LoadDecoder = (name) => {
  throw new AssetError(
    'extension-unsupported',
    `The file is compressed by ${name}, and this load has no decoder for it. Export the file without compression.`,
  );
};

const BLOCKED = 'WasmBlocked';

/** The page's policy lets no WebAssembly be compiled. */
export class WasmBlocked extends Error {
  override readonly name = BLOCKED;
}

/** By its name: each file of a worker has a class of its own. */
export const isWasmBlocked = (error: unknown): boolean => error instanceof Error && error.name === BLOCKED;

/** Bytes that a decoder has found to be none of its own: it goes on as it was. */
export class DamagedData extends Error {}

const BLOCKED_TEXT =
  "The page's Content-Security-Policy lets no decoder run. Add 'wasm-unsafe-eval' to the script-src of the page and of the library's files, or export the file without compression.";

/** @throws WasmBlocked */
export async function unlessBlocked<T>(compiled: Promise<T>): Promise<T> {
  try {
    return await compiled;
  } catch (cause) {
    const isBlocked = /unsafe-eval|Content Security Policy/i.test(String(cause));
    throw isBlocked ? new WasmBlocked(BLOCKED_TEXT, { cause }) : cause;
  }
}
