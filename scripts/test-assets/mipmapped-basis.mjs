// A KTX2 file of UASTC with levels of one colour each, so that a test recognises the level that was read. Header and
// format description come from an encoded image; the blocks are written here.
//
//   header 80 bytes │ per level: offset, length, length unpacked │ description of the format │ blocks of the levels
import { basisPictures } from './basis-pictures.mjs';

const HEADER_BYTES = 80;
const LEVEL_BYTES = 24;
const BLOCK_BYTES = 16;

/**
 * Returns the file.
 *
 * @param {number} size width and height in pixels, a power of two from 4 on
 * @param {readonly ((readonly [number, number, number]) | ((block: number) => readonly number[]))[]} colors colours of
 *   the levels from large to small, 0 to 255, or functions that return the colour of each block of 4 × 4 pixels
 */
export function mipmappedBasis(size, colors) {
  const model = Buffer.from(basisPictures.uastc, 'base64');
  const description = model.subarray(model.readUInt32LE(48), model.readUInt32LE(48) + model.readUInt32LE(52));
  const descriptionAt = HEADER_BYTES + LEVEL_BYTES * colors.length;
  let end = Math.ceil((descriptionAt + description.length) / BLOCK_BYTES) * BLOCK_BYTES;
  const levels = colors.map((color, level) => {
    const blocks = Math.max(1, (size >> level) / 4) ** 2;
    const data = Buffer.concat(
      Array.from({ length: blocks }, (_, block) =>
        solidBlock(typeof color === 'function' ? color(block) : color),
      ),
    );
    const at = end;
    end += data.length;
    return { at, data };
  });
  const file = Buffer.alloc(end);
  model.copy(file, 0, 0, HEADER_BYTES);
  file.writeUInt32LE(size, 20);
  file.writeUInt32LE(size, 24);
  file.writeUInt32LE(colors.length, 40);
  file.writeUInt32LE(0, 44); // not packed
  file.writeUInt32LE(descriptionAt, 48);
  file.writeUInt32LE(0, 56); // no keys and values
  file.writeUInt32LE(0, 60);
  description.copy(file, descriptionAt);
  levels.forEach(({ at, data }, level) => {
    const index = HEADER_BYTES + LEVEL_BYTES * level;
    file.writeUInt32LE(at, index);
    file.writeUInt32LE(data.length, index + 8);
    file.writeUInt32LE(data.length, index + 16);
    data.copy(file, at);
  });
  return file;
}

/**
 * Returns a block of UASTC's mode 8, 4 × 4 pixels of one colour: 5 bits for the mode, then red, green, blue and alpha.
 * Hints for ETC1 stay 0.
 */
function solidBlock([red, green, blue]) {
  const bits = 0x17n | (BigInt(red) << 5n) | (BigInt(green) << 13n) | (BigInt(blue) << 21n) | (255n << 29n);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.writeBigUInt64LE(bits, 0);
  return block;
}
