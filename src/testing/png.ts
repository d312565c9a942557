// Encodes and decodes PNG files for the images of tests. This module writes 8-bit RGBA, and reads 8-bit RGB
// and RGBA, which are the formats of browsers' screenshots. It runs only in Node, because it uses Node's zlib
// and files.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import type { Image } from './image.js';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Encodes an image as the bytes of a PNG file. */
export function encodePng(image: Image): Uint8Array {
  const stride = image.width * 4;
  const rows = Buffer.alloc((stride + 1) * image.height); // filter byte 0 (none) before each row
  for (let y = 0; y < image.height; y++) {
    rows.set(image.data.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(image.width, 0);
  header.writeUInt32BE(image.height, 4);
  header.set([8, 6, 0, 0, 0], 8); // 8 bits, RGBA, deflate, adaptive filters, not interlaced
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Writes an image as a PNG file, and creates the folder if needed. */
export function writePng(path: string, image: Image): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, encodePng(image));
}

/** Reads a PNG file: 8 bits, RGB or RGBA, not interlaced. @throws Error for any other file, with its path */
export function readPng(path: string): Image {
  try {
    return decodePng(readFileSync(path));
  } catch (error) {
    throw new Error(`"${path}" could not be read as a PNG.`, { cause: error });
  }
}

/** Decodes the bytes of a PNG file: 8 bits, RGB or RGBA, not interlaced. @throws Error for any other file */
export function decodePng(bytes: Uint8Array): Image {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.subarray(0, 8).equals(signature)) throw new Error('This is not a PNG file.');
  const compressed: Buffer[] = [];
  let width = 0;
  let height = 0;
  let channels = 0;
  for (let offset = 8; offset + 8 <= file.length; ) {
    const length = file.readUInt32BE(offset);
    const type = file.toString('latin1', offset + 4, offset + 8);
    const body = file.subarray(offset + 8, offset + 8 + length);
    if (type === 'IHDR') {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      channels = body[9] === 6 ? 4 : body[9] === 2 ? 3 : 0;
      if (body[8] !== 8 || channels === 0 || body[12] !== 0) {
        throw new Error('Only PNG files of 8 bits, RGB or RGBA, not interlaced, are read.');
      }
    }
    if (type === 'IDAT') compressed.push(body);
    offset += length + 12;
  }
  return { width, height, data: unfilter(inflateSync(Buffer.concat(compressed)), width, height, channels) };
}

/** Reverses the filters of PNG (specification, section 9), and adds an opaque alpha channel to RGB images. */
function unfilter(rows: Uint8Array, width: number, height: number, channels: number): Uint8ClampedArray {
  const stride = width * channels;
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  let previous = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    const row = rows.slice(y * (stride + 1) + 1, (y + 1) * (stride + 1));
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : (row[x - channels] ?? 0);
      const up = previous[x] ?? 0;
      const upLeft = x < channels ? 0 : (previous[x - channels] ?? 0);
      let predicted = 0;
      if (filter === 1) predicted = left;
      else if (filter === 2) predicted = up;
      else if (filter === 3) predicted = (left + up) >> 1;
      else if (filter === 4) predicted = paeth(left, up, upLeft);
      const value = ((row[x] ?? 0) + predicted) & 255;
      row[x] = value;
      data[(y * width + Math.floor(x / channels)) * 4 + (x % channels)] = value;
    }
    previous = row;
  }
  return data;
}

/** Returns `left`, `up` or `upLeft`, whichever is nearest to left + up − upLeft. */
function paeth(left: number, up: number, upLeft: number): number {
  const estimate = left + up - upLeft;
  const toLeft = Math.abs(estimate - left);
  const toUp = Math.abs(estimate - up);
  const toUpLeft = Math.abs(estimate - upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}

/** Returns a chunk of a PNG file: length, type, body and checksum. */
function chunk(type: string, body: Uint8Array): Buffer {
  const result = Buffer.alloc(body.length + 12);
  result.writeUInt32BE(body.length, 0);
  result.write(type, 4, 'latin1');
  result.set(body, 8);
  result.writeUInt32BE(crc32(result.subarray(4, body.length + 8)), body.length + 8);
  return result;
}

/** Returns the CRC-32 of PNG (polynomial 0xEDB88320), bit by bit, because images of tests are small. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
