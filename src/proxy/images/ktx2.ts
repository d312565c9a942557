/** Recognises KTX2 files, on the main thread and in the asset worker. */

/** MIME type of a Blob that holds a KTX2 file. */
export const KTX2 = 'image/ktx2';

const IDENTIFIER = [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a];

/** Returns whether the bytes begin with KTX2's identifier. */
export const isKtx2 = (bytes: Uint8Array): boolean =>
  IDENTIFIER.every((value, index) => bytes[index] === value);
