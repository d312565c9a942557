/** Decodes KTX2 files of Basis Universal (ETC1S and UASTC) to RGBA8, with Binomial's transcoder, which three.js carries. */

import createTranscoder from 'virtual:basis-transcoder';
import wasm from 'three/examples/jsm/libs/basis/basis_transcoder.wasm?url&inline';
import type { DecodedImage } from '../../proxy/decode-image.js';
import { bytesOfDataUrl } from './data-url.js';
import { DamagedData, unlessBlocked } from './decoders.js';

/** Of the transcoder: 32 bits per pixel, not multiplied by alpha. */
const RGBA32 = 13;
/** The largest texture that every WebGPU device takes. */
const MAXIMUM_SIZE = 8192;

/** What is used of the transcoder. */
export interface BasisTranscoder {
  readonly KTX2File: new (bytes: Uint8Array) => BasisFile;
  initializeBasis(): void;
}

interface BasisFile {
  isValid(): boolean;
  getWidth(): number;
  getHeight(): number;
  startTranscoding(): boolean | number;
  getImageTranscodedSizeInBytes(level: number, layer: number, face: number, format: number): number;
  transcodeImage(
    target: Uint8Array,
    level: number,
    layer: number,
    face: number,
    format: number,
    flags: number,
    channel0: number,
    channel1: number,
  ): boolean | number;
  close(): void;
  delete(): void;
}

let compiling: Promise<BasisTranscoder> | null = null;

/**
 * The largest level of the first layer.
 * @throws Error for bytes that are no such file; WasmBlocked. What stops the transcoder itself ends its memory with it: the
 * next file has a new one.
 */
export async function decodeBasis(bytes: Uint8Array): Promise<DecodedImage> {
  compiling ??= unlessBlocked(createTranscoder({ wasmBinary: bytesOfDataUrl(wasm) })).then((transcoder) => {
    transcoder.initializeBasis();
    return transcoder;
  });
  try {
    return decodeWith(await compiling, bytes);
  } catch (error) {
    if (!(error instanceof DamagedData)) compiling = null;
    throw error;
  }
}

function decodeWith({ KTX2File }: BasisTranscoder, bytes: Uint8Array): DecodedImage {
  const file = new KTX2File(bytes);
  try {
    const width = file.getWidth();
    const height = file.getHeight();
    if (!file.isValid() || width * height === 0)
      throw new DamagedData('it is no KTX2 file of Basis Universal.');
    if (Math.max(width, height) > MAXIMUM_SIZE) {
      throw new DamagedData(`it has ${width} × ${height} pixels, and ${MAXIMUM_SIZE} each way are the most.`);
    }
    if (!file.startTranscoding()) throw new DamagedData('it can’t be transcoded.');
    const pixels = new Uint8Array(width * height * 4);
    const byteLength = file.getImageTranscodedSizeInBytes(0, 0, 0, RGBA32);
    if (byteLength !== pixels.length || !file.transcodeImage(pixels, 0, 0, 0, RGBA32, 0, -1, -1)) {
      throw new DamagedData('its data is damaged.');
    }
    return { image: pixels.buffer, width, height };
  } finally {
    file.close();
    file.delete();
  }
}
