import { type DecodedImage, decodeImage } from '../../proxy/images/decode-image.js';
import { KTX2 } from '../../proxy/images/ktx2.js';

/** Decodes a PNG, JPEG, WebP or AVIF file. Rejects if the file can't be decoded. */
export type ImageDecoder = (file: Blob) => Promise<DecodedImage>;

/** The browser's decoder. */
export const decodeWithBrowser: ImageDecoder = decodeImage;

/** Returns the MIME type by the file's first bytes; `declared` if they are unknown. */
export function imageMimeType(bytes: Uint8Array, declared: string): string {
  const starts = (offset: number, ...values: number[]) =>
    values.every((value, i) => bytes[offset + i] === value);
  if (starts(0, 0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50)) return 'image/webp';
  if (starts(4, 0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69)) return 'image/avif';
  if (starts(0, 0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb)) return KTX2;
  return declared;
}
