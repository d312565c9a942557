/**
 * Decodes KTX2 files of Basis Universal (ETC1S and UASTC) with Binomial's transcoder, which three.js ships. The result
 * is compressed blocks that the device reads. It is RGBA8 if the device reads none, or if the size is not a multiple of
 * 4. Blocks take a quarter or an eighth of the
 * memory of RGBA8.
 *
 *   UASTC ─► ASTC │ BC7 │ ETC2 │ RGBA8        ETC1S ─► ETC2 │ BC7 │ ASTC │ RGBA8        the first that the device reads
 */

import names from 'virtual:basis-transcoder';
import wasm from 'three/examples/jsm/libs/basis/basis_transcoder.wasm?url&inline';
import type { DecodedImage } from '../../proxy/images/decode-image.js';
import { featureOf, levelSizeOf, packTexels, type TexelFormat } from '../../proxy/images/texels.js';
import { bytesOfDataUrl } from './data-url.js';
import { DamagedData, unlessBlocked } from './decoders.js';
import { type EmbindModule, type EmbindObject, startEmbind } from './embind.js';

/** The transcoder's numbers of formats. Its RGBA8 is not premultiplied by alpha. */
const TARGETS: Readonly<Partial<Record<TexelFormat, number>>> = {
  'etc2-rgb8unorm': 0,
  'etc2-rgba8unorm': 1,
  'bc7-rgba-unorm': 6,
  'astc-4x4-unorm': 10,
  rgba8unorm: 13,
};
/** The largest texture size that every WebGPU device supports. */
const MAXIMUM_SIZE = 8192;

let compiling: Promise<WebAssembly.Module> | null = null;
let starting: Promise<EmbindModule> | null = null;

type Place = readonly [layer: number, face: number];

/**
 * Decodes all levels of one image. If the transcoder itself fails, its instance is discarded, and the next file gets a
 * new one.
 * @param deviceFeatures WebGPU names of the device's features
 * @throws DamagedData for bytes that are no Basis Universal file, are damaged or too large; WasmBlocked
 */
export async function decodeBasis(
  bytes: Uint8Array,
  deviceFeatures: readonly string[] = [],
  place: Place = [0, 0],
): Promise<DecodedImage> {
  starting ??= startTranscoder();
  try {
    return decodeWith(await starting, bytes, deviceFeatures, place);
  } catch (error) {
    if (!(error instanceof DamagedData)) starting = null;
    throw error;
  }
}

async function startTranscoder(): Promise<EmbindModule> {
  compiling ??= unlessBlocked(WebAssembly.compile(bytesOfDataUrl(wasm))).catch((error: unknown) => {
    compiling = null;
    throw error;
  });
  const transcoder = await startEmbind(await compiling, names);
  transcoder.call('initializeBasis');
  return transcoder;
}

/** A file that the transcoder has opened. */
class BasisFile {
  readonly #object: EmbindObject;

  constructor(transcoder: EmbindModule, bytes: Uint8Array) {
    this.#object = transcoder.create('KTX2File', bytes);
  }

  get isValid(): boolean {
    return this.#number('isValid') !== 0;
  }

  get width(): number {
    return this.#number('getWidth');
  }

  get height(): number {
    return this.#number('getHeight');
  }

  get levelCount(): number {
    return this.#number('getLevels');
  }

  get hasAlpha(): boolean {
    return this.#number('getHasAlpha') !== 0;
  }

  get isUastc(): boolean {
    return this.#number('isUASTC') !== 0;
  }

  /** Prepares the file for `transcode`. @returns false if its data is damaged */
  start(): boolean {
    return this.#number('startTranscoding') !== 0;
  }

  /** Transcodes a level. @returns its bytes; null if the data is damaged or has the wrong size */
  transcode(level: number, [layer, face]: Place, target: number, byteLength: number): Uint8Array | null {
    if (this.#number('getImageTranscodedSizeInBytes', level, layer, face, target) !== byteLength) return null;
    const texels = new Uint8Array(byteLength);
    const isDone = this.#number('transcodeImage', texels, level, layer, face, target, 0, -1, -1) !== 0;
    return isDone ? texels : null;
  }

  close(): void {
    this.#object.call('close');
    this.#object.destroy();
  }

  /** Calls a method that returns a number or a flag. */
  #number(method: string, ...values: readonly unknown[]): number {
    return Number(this.#object.call(method, ...values));
  }
}

function decodeWith(
  transcoder: EmbindModule,
  bytes: Uint8Array,
  deviceFeatures: readonly string[],
  place: Place,
): DecodedImage {
  const file = new BasisFile(transcoder, bytes);
  try {
    const { width, height } = file;
    if (!file.isValid || width * height === 0)
      throw new DamagedData('it is no KTX2 file of Basis Universal.');
    if (Math.max(width, height) > MAXIMUM_SIZE) {
      throw new DamagedData(
        `it has ${width} × ${height} pixels, and each side may have ${MAXIMUM_SIZE} at most.`,
      );
    }
    if (!file.start()) throw new DamagedData('it can’t be transcoded.');
    const format = formatFor(file, deviceFeatures);
    const givenLevels = file.levelCount;
    if (givenLevels > 1 + Math.floor(Math.log2(Math.max(width, height)))) {
      throw new DamagedData(
        `it has ${givenLevels} levels, which are too many for ${width} × ${height} pixels.`,
      );
    }
    // For a single level of RGBA8, a count of 0 lets the GPU generate the smaller levels.
    const texels = format === 'rgba8unorm' && givenLevels <= 1 ? 0 : packTexels(format, givenLevels);
    const levels: Uint8Array[] = [];
    for (let level = 0; level < Math.max(1, givenLevels); level++) {
      const { byteLength } = levelSizeOf(format, width, height, level);
      const transcoded = file.transcode(level, place, TARGETS[format] as number, byteLength);
      if (!transcoded) throw new DamagedData('its data is damaged.');
      levels.push(transcoded);
    }
    return { image: joined(levels), width, height, texels };
  } finally {
    file.close();
  }
}

/** Returns the format to transcode to. WebGPU accepts blocks only if the size is a multiple of the block size. */
function formatFor(file: BasisFile, deviceFeatures: readonly string[]): TexelFormat {
  if ((file.width | file.height) % 4 !== 0) return 'rgba8unorm';
  const etc2 = file.hasAlpha ? 'etc2-rgba8unorm' : 'etc2-rgb8unorm';
  const wanted: readonly TexelFormat[] = file.isUastc
    ? ['astc-4x4-unorm', 'bc7-rgba-unorm', etc2]
    : [etc2, 'bc7-rgba-unorm', 'astc-4x4-unorm'];
  return wanted.find((format) => deviceFeatures.includes(featureOf(format) ?? '')) ?? 'rgba8unorm';
}

function joined(parts: readonly Uint8Array[]): ArrayBuffer {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.buffer;
}
