/**
 * Decodes KTX2 files of Basis Universal (ETC1S and UASTC) with Binomial's transcoder, which three.js carries: to blocks that the
 * device reads, which take a quarter or an eighth of the memory, else to RGBA8.
 *
 *   UASTC ─► ASTC │ BC7 │ ETC2 │ RGBA8        ETC1S ─► ETC2 │ BC7 │ ASTC │ RGBA8        the first that the device reads
 */

import createTranscoder from 'virtual:basis-transcoder';
import wasm from 'three/examples/jsm/libs/basis/basis_transcoder.wasm?url&inline';
import type { DecodedImage } from '../../proxy/decode-image.js';
import { featureOf, levelSizeOf, packTexels, type TexelFormat } from '../../proxy/texels.js';
import { bytesOfDataUrl } from './data-url.js';
import { DamagedData, unlessBlocked } from './decoders.js';

/** The transcoder's numbers of formats; its 32 bits per pixel are not multiplied by alpha. */
const TARGETS: Readonly<Partial<Record<TexelFormat, number>>> = {
  'etc2-rgb8unorm': 0,
  'etc2-rgba8unorm': 1,
  'bc7-rgba-unorm': 6,
  'astc-4x4-unorm': 10,
  rgba8unorm: 13,
};
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
  getLevels(): number;
  getHasAlpha(): boolean | number;
  isUASTC(): boolean | number;
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

type Place = readonly [layer: number, face: number];

/**
 * All levels of one image.
 * @param deviceFeatures of the device that is to show it, by WebGPU's names
 * @throws Error for bytes that are no such file; WasmBlocked. What stops the transcoder itself ends its memory with it: the
 * next file has a new one.
 */
export async function decodeBasis(
  bytes: Uint8Array,
  deviceFeatures: readonly string[] = [],
  place: Place = [0, 0],
): Promise<DecodedImage> {
  compiling ??= unlessBlocked(createTranscoder({ wasmBinary: bytesOfDataUrl(wasm) })).then((transcoder) => {
    transcoder.initializeBasis();
    return transcoder;
  });
  try {
    return decodeWith(await compiling, bytes, deviceFeatures, place);
  } catch (error) {
    if (!(error instanceof DamagedData)) compiling = null;
    throw error;
  }
}

function decodeWith(
  { KTX2File }: BasisTranscoder,
  bytes: Uint8Array,
  deviceFeatures: readonly string[],
  place: Place,
): DecodedImage {
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
    const format = formatFor(file, deviceFeatures);
    const givenLevels = file.getLevels();
    if (givenLevels > 1 + Math.floor(Math.log2(Math.max(width, height)))) {
      throw new DamagedData(
        `it has ${givenLevels} levels, which are too many for ${width} × ${height} pixels.`,
      );
    }
    // One level of RGBA8 is what the others are drawn from.
    const texels = format === 'rgba8unorm' && givenLevels <= 1 ? 0 : packTexels(format, givenLevels);
    const levels: Uint8Array[] = [];
    for (let level = 0; level < Math.max(1, givenLevels); level++) {
      const { byteLength } = levelSizeOf(format, width, height, level);
      levels.push(transcodeLevel(file, format, byteLength, level, place));
    }
    return { image: joined(levels), width, height, texels };
  } finally {
    file.close();
    file.delete();
  }
}

/** A device takes blocks only where they make up the whole image. */
function formatFor(file: BasisFile, deviceFeatures: readonly string[]): TexelFormat {
  if ((file.getWidth() | file.getHeight()) % 4 !== 0) return 'rgba8unorm';
  const etc2 = file.getHasAlpha() ? 'etc2-rgba8unorm' : 'etc2-rgb8unorm';
  const wanted: readonly TexelFormat[] = file.isUASTC()
    ? ['astc-4x4-unorm', 'bc7-rgba-unorm', etc2]
    : [etc2, 'bc7-rgba-unorm', 'astc-4x4-unorm'];
  return wanted.find((format) => deviceFeatures.includes(featureOf(format) ?? '')) ?? 'rgba8unorm';
}

function transcodeLevel(
  file: BasisFile,
  format: TexelFormat,
  byteLength: number,
  level: number,
  [layer, face]: Place,
): Uint8Array {
  const target = TARGETS[format] as number;
  const texels = new Uint8Array(byteLength);
  const given = file.getImageTranscodedSizeInBytes(level, layer, face, target);
  if (given !== byteLength || !file.transcodeImage(texels, level, layer, face, target, 0, -1, -1)) {
    throw new DamagedData('its data is damaged.');
  }
  return texels;
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
