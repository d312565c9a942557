import { AssetError } from '../../core/errors.js';

/**
 * The decoders of compressed parts of files. The first file that needs a decoder loads it (`threads/library-files/`).
 */
export interface Decoders {
  /** EXT_meshopt_compression, KHR_meshopt_compression. */
  readonly meshopt: typeof import('./meshopt.js');
  /** KHR_texture_basisu. */
  readonly basis: typeof import('./basis.js');
  /** Textures of KTX2 files except Basis Universal, and data packed by Zstandard. */
  readonly ktx2: typeof import('./ktx2.js');
  /** Pictures of EXT_lights_image_based. */
  readonly 'environment-cube': typeof import('./environment-cube.js');
  /** KHR_draco_mesh_compression. */
  readonly draco: typeof import('./draco.js');
}

/** Loads a decoder. Rejects with a typed error if its file can't be loaded. */
export type LoadDecoder = <Name extends keyof Decoders>(name: Name) => Promise<Decoders[Name]>;

/** A decoder loader that throws at every call, for loads without decoders. */
export const noDecoder: LoadDecoder = (name) => {
  throw new AssetError(
    'extension-unsupported',
    `The file is compressed by ${name}, and this load has no decoder for it. Export the file without compression.`,
  );
};

const BLOCKED = 'WasmBlocked';

/** The error if the page's security policy forbids compiling WebAssembly. */
export class WasmBlocked extends Error {
  override readonly name = BLOCKED;
}

/** Returns whether an error is `WasmBlocked`. Names are compared, because each bundle has its own class. */
export const isWasmBlocked = (error: unknown): boolean => error instanceof Error && error.name === BLOCKED;

/** The error for data that a decoder rejects. The decoder itself stays usable. */
export class DamagedData extends Error {}

const BLOCKED_TEXT =
  "The page's Content-Security-Policy forbids WebAssembly, so no decoder can run. Add 'wasm-unsafe-eval' to the script-src of the page and of the library's files, or export the file without compression.";

/** Awaits a compilation, and converts the browser's policy error. @throws WasmBlocked */
export async function unlessBlocked<T>(compiled: Promise<T>): Promise<T> {
  try {
    return await compiled;
  } catch (cause) {
    const isBlocked = /unsafe-eval|Content Security Policy/i.test(String(cause));
    throw isBlocked ? new WasmBlocked(BLOCKED_TEXT, { cause }) : cause;
  }
}
