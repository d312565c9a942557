/** Wraps decoders so that the pool decodes large pieces. Small pieces are decoded at once on this thread. */

import type { Decoders, LoadDecoder } from '../decoders/decoders.js';
import type { DecoderUrls } from '../loading/asset-protocol.js';
import type { DecodedLoad } from '../loading/serve-assets.js';
import type { DecodingPool } from './decoding-pool.js';

/** Least compressed bytes of a large piece. Decoding these bytes takes about as long as a message and its answer. */
const LARGE_BYTES = 4096;

/** The decoding method of each decoder. Its first parameter is the bytes, or an object with the field `bytes`. */
const METHODS = {
  basis: 'decodeBasis',
  draco: 'decodeMesh',
  'environment-cube': 'decodeFace',
  ktx2: 'decodeKtx2',
  meshopt: 'decodeView',
} as const satisfies { readonly [Name in keyof Decoders]: keyof Decoders[Name] };

type Decode = (...parameters: readonly unknown[]) => Promise<unknown>;

export class SharedDecoders {
  readonly #createPool: (urls: DecoderUrls, helpers: number) => DecodingPool;
  #pool: DecodingPool | null = null;

  /** @param createPool creates the pool for the first large piece, with at most this many helpers */
  constructor(createPool: (urls: DecoderUrls, helpers: number) => DecodingPool) {
    this.#createPool = createPool;
  }

  /** Returns the decoder loader of one load. */
  of(load: DecodedLoad, loadDecoder: LoadDecoder, urls: DecoderUrls): LoadDecoder {
    return async (name) => {
      const module = await loadDecoder(name);
      const method = METHODS[name];
      const decode = (module as unknown as Readonly<Record<string, Decode>>)[method] as Decode;
      const shared: Decode = async (...parameters) => {
        const [first] = parameters as [Uint8Array | { readonly bytes: Uint8Array }];
        const { byteLength } = first instanceof Uint8Array ? first : first.bytes;
        const run = (): Promise<unknown> => decode(...parameters);
        if (byteLength < LARGE_BYTES) return run();
        this.#pool ??= this.#createPool(urls, load.helpers);
        return this.#pool.run({ ...load, decoder: name, method, parameters, byteLength, run });
      };
      return { ...module, [method]: shared };
    };
  }

  /** Resolves when all busy helpers have answered. */
  async answers(): Promise<void> {
    await this.#pool?.answers();
  }
}
