// Writes KTX2 files value by value, in Node and in pages: header, level index, levels from large to small. Formats are
// given by Vulkan's numbers.
//
//   header 80 bytes │ per level: offset, length, length unpacked │ keys and values │ levels

const HEADER_BYTES = 80;
const LEVEL_BYTES = 24;

/**
 * @typedef {{ format: number, width: number, height: number, depth?: number, layers?: number, faces?: number, scheme?: number,
 *   levels: readonly Uint8Array[], pack?: (level: Uint8Array) => Uint8Array, metadata?: Readonly<Record<string, string>> }} Ktx2Options
 *   `format`: Vulkan's number; `scheme`: number of the supercompression, which `pack` applies
 */

/** Returns the bytes of a KTX2 file. @param {Ktx2Options} options @returns {Uint8Array<ArrayBuffer>} */
export function ktx2Bytes({
  format,
  width,
  height,
  depth = 0,
  layers = 0,
  faces = 1,
  scheme = 0,
  levels,
  pack = (level) => level,
  metadata = {},
}) {
  const packed = levels.map(pack);
  const pairs = Object.entries(metadata).map(([key, value]) =>
    new TextEncoder().encode(`${key}\0${value}\0`),
  );
  const metadataAt = HEADER_BYTES + LEVEL_BYTES * levels.length;
  const metadataLength = pairs.reduce((sum, { length }) => sum + 4 + Math.ceil(length / 4) * 4, 0);
  const first = Math.ceil((metadataAt + metadataLength) / 16) * 16;
  const file = new Uint8Array(first + packed.reduce((sum, { length }) => sum + length, 0));
  const view = new DataView(file.buffer);
  file.set([0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a]);
  [format, 1, width, height, depth, layers, faces, levels.length, scheme].forEach((value, index) => {
    view.setUint32(12 + index * 4, value, true);
  });
  if (metadataLength > 0) {
    view.setUint32(56, metadataAt, true);
    view.setUint32(60, metadataLength, true);
  }
  let pairAt = metadataAt;
  for (const pair of pairs) {
    view.setUint32(pairAt, pair.length, true);
    file.set(pair, pairAt + 4);
    pairAt += 4 + Math.ceil(pair.length / 4) * 4;
  }
  let at = first;
  packed.forEach((bytes, level) => {
    const index = HEADER_BYTES + LEVEL_BYTES * level;
    view.setUint32(index, at, true);
    view.setUint32(index + 8, bytes.length, true);
    view.setUint32(index + 16, levels[level].length, true);
    file.set(bytes, at);
    at += bytes.length;
  });
  return file;
}
