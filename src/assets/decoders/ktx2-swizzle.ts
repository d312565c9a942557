/**
 * Applies `KTXswizzle`, which names the source of each channel of a KTX2 file. For example, `rrr1` shows one channel as
 * grey. WebGPU has no swizzles, so texels are reordered. Compressed blocks can't be reordered.
 */
import { blockOf, featureOf, type TexelFormat } from '../../proxy/images/texels.js';
import { invalidKtx2, type Ktx2File, textValueOf } from './ktx2-container.js';
import type { Ktx2Format } from './ktx2-formats.js';

const KEY = 'KTXswizzle';
const CHANNELS = 'rgba';
const ABSENT = '0001';
const HALF_ONE = 0x3c00;

/** Returns the file's swizzle; undefined if it has none. @throws AssetError `ktx2-invalid` */
export function swizzleOf(ktx2: Pick<Ktx2File, 'bytes' | 'file'>): string | undefined {
  const swizzle = textValueOf(ktx2, KEY);
  if (swizzle === undefined || /^[rgba01]{4}$/.test(swizzle)) return swizzle;
  throw invalidKtx2(ktx2.file, `Its ${KEY} is "${swizzle}"; it should be four of r, g, b, a, 0 and 1.`);
}

/**
 * Returns a format whose conversion applies the swizzle.
 * @throws AssetError `ktx2-invalid` if the format can't be reordered
 */
export function swizzled(stored: Ktx2Format, swizzle: string, file: string): Ktx2Format {
  const { format } = stored;
  const count = channelCount(format);
  /** The channels that a shader reads if the file has no swizzle. */
  const own = Array.from(CHANNELS, (channel, place) => (place < count ? channel : ABSENT[place]));
  const asked = Array.from(swizzle, (channel) => own[CHANNELS.indexOf(channel)] ?? channel);
  if (asked.join() === own.join()) return stored;
  // Encoders write `rgb1` for blocks of opaque pictures, whose alpha is 1 anyway.
  if (featureOf(format) !== null && asked.join('') === 'rgb1') return stored;
  const isBytes = format.endsWith('8unorm');
  if (featureOf(format) !== null || !(isBytes || format.endsWith('16float'))) {
    throw invalidKtx2(
      file,
      `Its ${KEY} is "${swizzle}", and texels of ${format} can't be reordered. Export it in that order, or as RGBA8.`,
    );
  }
  const wide = isBytes ? 'rgba8unorm' : 'rgba16float';
  const places = asked.map((channel) => CHANNELS.indexOf(channel as string));
  const ones = asked.map((channel) => (channel === '1' ? (isBytes ? 255 : HALF_ONE) : 0));
  const step = blockOf(format).bytes;
  return {
    format: wide,
    bytes: stored.bytes ?? step,
    convert: (from, to, texels) => {
      const plain = stored.convert ? new DataView(new ArrayBuffer(texels * step)) : from;
      stored.convert?.(from, plain, texels);
      for (let texel = 0; texel < texels; texel++) {
        for (let channel = 0; channel < 4; channel++) {
          const place = places[channel] as number;
          const at = texel * 4 + channel;
          if (isBytes) {
            to.setUint8(at, place < 0 ? (ones[channel] as number) : plain.getUint8(texel * step + place));
          } else {
            const value =
              place < 0 ? (ones[channel] as number) : plain.getUint16(texel * step + place * 2, true);
            to.setUint16(at * 2, value, true);
          }
        }
      }
    },
  };
}

/** Returns the count of channels of a supported format. */
function channelCount(format: TexelFormat): number {
  if (/^(bc4|eac-r11|r8|r16)/.test(format)) return 1;
  if (/^(bc5|eac-rg11|rg8|rg16)/.test(format)) return 2;
  return /^(bc6h|etc2-rgb8unorm|rg11b10|rgb9e5)/.test(format) ? 3 : 4;
}
