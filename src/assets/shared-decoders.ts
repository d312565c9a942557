/**
 * Decoders that share large pieces with helpers, by the part `decoding`, which comes with the first of them. Small ones are
 * decoded at once, on this thread. Where the part can't be had, all are.
 */
import type { DecoderUrls } from './asset-protocol.js';
import type { Decoders, LoadDecoder } from './decoders/decoders.js';
import type { DecodingPiece, DecodingPool } from './decoding/decoding-pool.js';

/** Compressed. Decoding them takes about as long as a message there and back. */
const LARGE_BYTES = 4096;

/** What of a decoder decodes a piece; its first parameter is the bytes, or has them. */
const METHODS = {
  basis: 'decodeBasis',
  draco: 'decodeMesh',
  faces: 'decodeFace',
  ktx2: 'decodeKtx2',
  meshopt: 'decodeView',
} as const satisfies { readonly [Name in keyof Decoders]: keyof Decoders[Name] };

export type DecodedLoad = Pick<DecodingPiece, 'number' | 'file' | 'signal'>;

export interface DecodingPart {
  createDecodingPool(urls: DecoderUrls): DecodingPool;
}

type Decode = (...parameters: readonly unknown[]) => Promise<unknown>;

export class SharedDecoders {
  readonly #loadPart: () => Promise<DecodingPart>;
  #loading: Promise<DecodingPool | null> | null = null;
  #pool: DecodingPool | null = null;

  constructor(loadPart: () => Promise<DecodingPart>) {
    this.#loadPart = loadPart;
  }

  /** Of one load. */
  of(load: DecodedLoad, loadDecoder: LoadDecoder, urls: DecoderUrls): LoadDecoder {
    return async (name) => {
      const module = await loadDecoder(name);
      const method = METHODS[name];
      const decode = (module as unknown as Readonly<Record<string, Decode>>)[method] as Decode;
      const shared: Decode = async (...parameters) => {
        const [first] = parameters as [Uint8Array | { readonly bytes: Uint8Array }];
        const { byteLength } = first instanceof Uint8Array ? first : first.bytes;
        const run = (): Promise<unknown> => decode(...parameters);
        const pool = byteLength < LARGE_BYTES ? null : await this.#load(urls);
        return pool ? pool.run({ ...load, decoder: name, method, parameters, byteLength, run }) : run();
      };
      return { ...module, [method]: shared };
    };
  }

  /** Resolves when all helpers that are at work have answered. */
  async answers(): Promise<void> {
    await this.#pool?.answers();
  }

  #load(urls: DecoderUrls): Promise<DecodingPool | null> {
    this.#loading ??= this.#loadPart().then(
      ({ createDecodingPool }) => {
        this.#pool = createDecodingPool(urls);
        return this.#pool;
      },
      () => {
        this.#loading = null;
        return null;
      },
    );
    return this.#loading;
  }
}
