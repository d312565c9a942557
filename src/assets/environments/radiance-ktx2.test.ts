import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { storedZstandard } from '../../../scripts/test-assets/ktx2-file.mjs';
import { FencepostError } from '../../core/errors.js';
import { isKtx2 } from '../../proxy/images/ktx2.js';
import { importDecoder } from '../testing/load-file.js';
import { decodeRadianceKtx2 } from './radiance-ktx2.js';

interface FileOptions {
  readonly format?: number;
  readonly width?: number;
  readonly height?: number;
  readonly faces?: number;
  readonly layers?: number;
  readonly packing?: number;
}

/** Returns a KTX2 file of one level, with the parts that environments use. */
function file(level: Uint8Array, options: FileOptions = {}): Uint8Array<ArrayBuffer> {
  const { format = 97, width = 2, height = 1, faces = 1, layers = 0, packing = 0 } = options;
  const bytes = new Uint8Array(104 + level.length);
  bytes.set([0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of [format, 2, width, height, 0, layers, faces, 1, packing].entries()) {
    view.setUint32(12 + index * 4, value, true);
  }
  view.setUint32(80, 104, true);
  view.setUint32(88, level.length, true);
  bytes.set(level, 104);
  return bytes;
}

const halves = (...values: number[]): Uint8Array => new Uint8Array(Uint16Array.from(values).buffer);
const words = (...values: number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);

async function texels(bytes: Uint8Array<ArrayBuffer>): Promise<number[]> {
  return [...new Uint16Array((await decodeRadianceKtx2(bytes, 'sky.ktx2')).data)];
}

async function refusal(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return decodeRadianceKtx2(bytes, 'sky.ktx2').then(
    () => 'none',
    (error: FencepostError) => {
      expect(error).toBeInstanceOf(FencepostError);
      return `${error.code} ${error.message}`;
    },
  );
}

describe('decodeRadianceKtx2', () => {
  it('reads half floats, with 0 for negative values and NaN, and the largest half float for infinity', async () => {
    const level = halves(0x3c00, 0x3800, 0, 0, 0xbc00, 0x7e00, 0x7c00, 0xffff);
    expect(isKtx2(file(level))).toBe(true);
    expect(await texels(file(level))).toEqual([0x3c00, 0x3800, 0, 0x3c00, 0, 0, 0x7bff, 0x3c00]);
  });

  it('reads shared exponents and small floats', async () => {
    // 2^-9 × 256 × 2^(16 − 15) = 1. The second texel has the largest value, 65,408.
    const one = 256 | (128 << 9) | (16 << 27);
    expect(await texels(file(words(one >>> 0, 0xffffffff), { format: 123 }))).toEqual([
      ...[0x3c00, 0x3800, 0, 0x3c00],
      ...[0x7bfc, 0x7bfc, 0x7bfc, 0x3c00],
    ]);
    // The first texel is 1, 0.5 and 2. The second is NaN, infinity and 0.
    const small = 0x3c0 | (0x380 << 11) | (0x200 << 22);
    const odd = 0x7ff | (0x7c0 << 11);
    expect(await texels(file(words(small >>> 0, odd), { format: 122 }))).toEqual([
      ...[0x3c00, 0x3800, 0x4000, 0x3c00],
      ...[0, 0x7bff, 0, 0x3c00],
    ]);
  });

  it('reads cubes face by face, and keeps blocks unchanged', async () => {
    const cube = await decodeRadianceKtx2(
      file(new Uint8Array(6 * 16 * 16).fill(7), { format: 143, width: 16, height: 16, faces: 6 }),
      'sky.ktx2',
    );
    expect({ ...cube, data: cube.data.byteLength }).toEqual({
      ...{ width: 16, height: 16, faces: 6, format: 'bc6h-rgb-ufloat', data: 6 * 16 * 16 },
    });
  });

  it('unpacks only as much ZLIB data as the image needs', async () => {
    const level = halves(0x3c00, 0, 0, 0, 0, 0x3c00, 0, 0);
    expect(await texels(file(deflateSync(level), { packing: 3 }))).toEqual([
      ...[0x3c00, 0, 0, 0x3c00],
      ...[0, 0x3c00, 0, 0x3c00],
    ]);
    const bomb = deflateSync(Buffer.alloc(1 << 24));
    expect(await texels(file(bomb, { packing: 3 }))).toHaveLength(8);
    expect(await refusal(file(deflateSync(level.subarray(0, 8)), { packing: 3 }))).toMatch(/^ktx2-truncated/);
    expect(await refusal(file(new Uint8Array(20).fill(9), { packing: 3 }))).toMatch(
      /^ktx2-invalid.*unpacked/,
    );
  });

  it('unpacks Zstandard with a decoder that the first such file loads', async () => {
    const level = halves(0x3c00, 0, 0, 0, 0, 0x3c00, 0, 0);
    const packed = file(storedZstandard(level), { packing: 2 });
    expect(await refusal(packed)).toMatch(/^extension-unsupported/);
    const image = await decodeRadianceKtx2(packed, 'sky.ktx2', importDecoder);
    expect([...new Uint16Array(image.data)]).toEqual([0x3c00, 0, 0, 0x3c00, 0, 0x3c00, 0, 0x3c00]);
  });

  it('names unsupported contents', async () => {
    const level = new Uint8Array(16 * 6 * 8);
    expect(await refusal(file(level, { format: 37 }))).toMatch(
      /^ktx2-invalid "sky.ktx2": .*Vulkan's 37.*RGBA16F/,
    );
    expect(await refusal(file(level, { width: 3 }))).toMatch(
      /^ktx2-invalid .*1 faces of 3 × 1.*neither a cube/,
    );
    expect(await refusal(file(level, { width: 4, height: 3, faces: 6 }))).toMatch(/neither a cube/);
    expect(await refusal(file(level, { width: 4, height: 4, faces: 6, layers: 2 }))).toMatch(/2 deep/);
    expect(await refusal(file(level, { packing: 4 }))).toMatch(/^ktx2-invalid .*scheme 4/);
    expect(await refusal(file(level, { format: 143, width: 12, height: 6 }))).toMatch(/not a multiple/);
    expect(await refusal(file(level, { width: 32768, height: 16384 }))).toMatch(/^ktx2-invalid .*32768/);
    expect(await refusal(file(level, { width: 0, height: 0 }))).toMatch(/^ktx2-invalid/);
  });

  it('rejects a file that is cut off anywhere', async () => {
    const whole = file(new Uint8Array(6 * 8).fill(1), { width: 1, height: 1, faces: 6 });
    for (let length = 12; length < whole.length; length += 5) {
      expect(await refusal(whole.slice(0, length))).toBe(
        `ktx2-truncated "sky.ktx2", byte ${length}: The file ends here. Download or export it again.`,
      );
    }
  });
});
