// KTX2 files for tests in Node, and their contents: blocks of one colour, frames of Zstandard.
import { ktx2Bytes } from './ktx2-bytes.mjs';

/** Returns a KTX2 file as a Node buffer. @param {import('./ktx2-bytes.mjs').Ktx2Options} options */
export const ktx2File = (options) => Buffer.from(ktx2Bytes(options).buffer);

/**
 * Returns a Zstandard frame with one block that repeats a byte.
 *
 * @param {number} length
 */
export function repeatedZstandard(byte, length) {
  return zstandardFrame(length, Buffer.from([byte]), 1, length);
}

/**
 * Returns a Zstandard frame with one uncompressed block.
 *
 * @param {Uint8Array} bytes at most 128 KiB
 */
export function storedZstandard(bytes) {
  return zstandardFrame(bytes.length, bytes, 0, bytes.length);
}

/**
 * Returns a frame of RFC 8878: magic number, a descriptor (one segment, 4 bytes of length), the length, the last
 * block's header, the block.
 */
function zstandardFrame(length, block, type, size) {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head.writeUInt8(0xa0, 4);
  head.writeUInt32LE(length, 5);
  head.writeUIntLE((size << 3) | (type << 1) | 1, 9, 3);
  return Buffer.concat([head, block]);
}

/**
 * Functions that return a block of one colour, by family: Vulkan's number of the format, the edge in texels,
 * and the bytes.
 *
 * @param {readonly [number, number, number]} color
 */
export const solidBlocks = {
  bc: ([red, green, blue]) => {
    const color = ((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3);
    const block = Buffer.alloc(8);
    block.writeUInt16LE(color, 0);
    block.writeUInt16LE(color, 2);
    return { format: 131, edge: 4, block };
  },
  // Differences of 0 with the smallest table give values within 2 of the colour.
  etc2: ([red, green, blue]) => ({
    format: 147,
    edge: 4,
    block: Buffer.from([red & 0xf8, green & 0xf8, blue & 0xf8, 2, 0, 0, 0, 0]),
  }),
  // A void extent without coordinates is a block of one colour.
  astc: ([red, green, blue]) => {
    const block = Buffer.alloc(16, 0xff);
    block.set([0xfc, 0xfd]);
    [red, green, blue].forEach((value, channel) => void block.writeUInt16LE(value * 257, 8 + channel * 2));
    return { format: 157, edge: 4, block };
  },
};
