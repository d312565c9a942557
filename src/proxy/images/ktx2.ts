/** How KTX2 files are told from others, on either thread. */

/** As what a Blob of one says it is. */
export const KTX2 = 'image/ktx2';

const IDENTIFIER = [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a];

/** Whether a file begins as KTX2 does. */
export const isKtx2 = (bytes: Uint8Array): boolean =>
  IDENTIFIER.every((value, index) => bytes[index] === value);
