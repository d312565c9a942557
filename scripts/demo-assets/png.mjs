// Writes the demo's textures as PNG files in a minimal way: deflated rows of bytes. Grey noise with a palette of a few
// dozen colours takes a quarter of the bytes of the same picture in true colour.
import { deflateSync } from 'node:zlib';

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function chunk(type, data) {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  Buffer.from(data).copy(bytes, 8);
  let crc = 0xffffffff;
  for (const byte of bytes.subarray(4, 8 + data.length)) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  bytes.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 8 + data.length);
  return bytes;
}

function encode(width, height, colorType, rows, bytesPerPixel, extraChunks) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = colorType;
  // Filter 1 (difference to the left) suits smooth pictures, 0 a palette.
  const isFiltered = colorType !== 3;
  const stride = width * bytesPerPixel;
  const raw = Buffer.alloc(height * (stride + 1));
  for (let y = 0; y < height; y++) {
    raw[y * (stride + 1)] = isFiltered ? 1 : 0;
    for (let x = 0; x < stride; x++) {
      const left = isFiltered && x >= bytesPerPixel ? rows[y * stride + x - bytesPerPixel] : 0;
      raw[y * (stride + 1) + 1 + x] = rows[y * stride + x] - left;
    }
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const body = chunk('IDAT', deflateSync(raw, { level: 9 }));
  return new Uint8Array(
    Buffer.concat([signature, chunk('IHDR', header), ...extraChunks, body, chunk('IEND', [])]),
  );
}

/** Returns a picture of `shade(u, v)` from 0 to 1, coloured by a palette that runs through `stops` (sRGB, 0 to 255). */
export function paletteTexture(width, height, levels, stops, shade) {
  const palette = Buffer.alloc(levels * 3);
  for (let level = 0; level < levels; level++) {
    const place = (level / (levels - 1)) * (stops.length - 1);
    const index = Math.min(Math.floor(place), stops.length - 2);
    for (let channel = 0; channel < 3; channel++) {
      const [from, to] = [stops[index][channel], stops[index + 1][channel]];
      palette[level * 3 + channel] = Math.round(from + (to - from) * (place - index));
    }
  }
  const rows = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const value = shade((x + 0.5) / width, (y + 0.5) / height);
      rows[y * width + x] = Math.max(0, Math.min(levels - 1, Math.round(value * (levels - 1))));
    }
  }
  return encode(width, height, 3, rows, 1, [chunk('PLTE', palette)]);
}

/** Returns a tangent-space normal map of `heightAt(u, v)`, which repeats in both directions; `depth` in texels. */
export function normalTexture(width, height, depth, heightAt) {
  const rows = new Uint8Array(width * height * 3);
  // Steps of 4 are invisible and deflate well.
  const toByte = (value) => Math.max(0, Math.min(255, Math.round((value * 127.5 + 127.5) / 4) * 4));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (dx, dy) => heightAt((x + dx + 0.5) / width, (y + dy + 0.5) / height);
      const slopeX = (at(-1, 0) - at(1, 0)) * depth * 0.5;
      const slopeY = (at(0, 1) - at(0, -1)) * depth * 0.5;
      const length = Math.hypot(slopeX, slopeY, 1);
      rows.set([toByte(slopeX / length), toByte(slopeY / length), toByte(1 / length)], (y * width + x) * 3);
    }
  }
  return encode(width, height, 2, rows, 3, []);
}
