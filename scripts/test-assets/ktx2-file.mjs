// KTX2 files of the formats that Vulkan numbers, written value by value: header, level index, levels from large to small.
//
//   header 80 bytes │ per level: offset, length, length unpacked │ levels

const HEADER_BYTES = 80;
const LEVEL_BYTES = 24;

/**
 * @param {{ format: number, width: number, height: number, depth?: number, layers?: number, faces?: number, scheme?: number,
 *   levels: readonly Uint8Array[], pack?: (level: Uint8Array) => Uint8Array }} options `format` is Vulkan's number, `scheme` that of
 *   the packing, which `pack` does
 */
export function ktx2File({
  format,
  width,
  height,
  depth = 0,
  layers = 0,
  faces = 1,
  scheme = 0,
  levels,
  pack = (level) => level,
}) {
  const packed = levels.map(pack);
  const first = Math.ceil((HEADER_BYTES + LEVEL_BYTES * levels.length) / 16) * 16;
  const file = Buffer.alloc(first + packed.reduce((sum, { length }) => sum + length, 0));
  file.set([0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a]);
  [format, 1, width, height, depth, layers, faces, levels.length, scheme].forEach((value, index) => {
    file.writeUInt32LE(value, 12 + index * 4);
  });
  let at = first;
  packed.forEach((bytes, level) => {
    const index = HEADER_BYTES + LEVEL_BYTES * level;
    file.writeUInt32LE(at, index);
    file.writeUInt32LE(bytes.length, index + 8);
    file.writeUInt32LE(levels[level].length, index + 16);
    file.set(bytes, at);
    at += bytes.length;
  });
  return file;
}

/** A frame of Zstandard whose one block repeats a byte. @param {number} length */
export function repeatedZstandard(byte, length) {
  return zstandardFrame(length, Buffer.from([byte]), 1, length);
}

/** A frame of Zstandard whose one block is as it is. @param {Uint8Array} bytes at most 128 KiB */
export function storedZstandard(bytes) {
  return zstandardFrame(bytes.length, bytes, 0, bytes.length);
}

/** RFC 8878: magic number, a descriptor (one segment, 4 bytes of length), the length, the last block's header, the block. */
function zstandardFrame(length, block, type, size) {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head.writeUInt8(0xa0, 4);
  head.writeUInt32LE(length, 5);
  head.writeUIntLE((size << 3) | (type << 1) | 1, 9, 3);
  return Buffer.concat([head, block]);
}

/** A block of one colour: Vulkan's number of its format, its edge in texels, and its bytes. @param {readonly [number, number, number]} color */
export const solidBlocks = {
  bc: ([red, green, blue]) => {
    const color = ((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3);
    const block = Buffer.alloc(8);
    block.writeUInt16LE(color, 0);
    block.writeUInt16LE(color, 2);
    return { format: 131, edge: 4, block };
  },
  // Differences of 0, the smallest table: within 2 of the colour.
  etc2: ([red, green, blue]) => ({
    format: 147,
    edge: 4,
    block: Buffer.from([red & 0xf8, green & 0xf8, blue & 0xf8, 2, 0, 0, 0, 0]),
  }),
  // A void extent without coordinates.
  astc: ([red, green, blue]) => {
    const block = Buffer.alloc(16, 0xff);
    block.set([0xfc, 0xfd]);
    [red, green, blue].forEach((value, channel) => void block.writeUInt16LE(value * 257, 8 + channel * 2));
    return { format: 157, edge: 4, block };
  },
};
