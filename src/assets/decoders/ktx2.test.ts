import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ktx2File, repeatedZstandard, storedZstandard } from '../../../scripts/test-assets/ktx2-file.mjs';
import { FencepostError } from '../../core/errors.js';
import { unpackTexels } from '../../proxy/images/texels.js';
import { decodeKtx2, type Ktx2Request } from './ktx2.js';

const ALL = ['bc', 'etc2', 'astc'].map((family) => `texture-compression-${family}`);
const request = { file: 'x.ktx2', deviceFeatures: ALL, srgb: false, layer: undefined };

async function decoded(file: Uint8Array, options: Partial<Ktx2Request> = {}) {
  const { image, texels = 0, ...size } = await decodeKtx2(Uint8Array.from(file), { ...request, ...options });
  const { format, levelCount } = unpackTexels(texels);
  return { format, levelCount, ...size, bytes: [...new Uint8Array(image as ArrayBuffer)] };
}

async function refusal(file: Uint8Array, options: Partial<Ktx2Request> = {}): Promise<string> {
  return decoded(file, options).then(
    ({ format }) => `none, ${format}`,
    (error: FencepostError) => {
      expect(error, String(error)).toBeInstanceOf(FencepostError);
      return `${error.code} ${error.message}`;
    },
  );
}

const floats = (...values: number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
const one = (format: number, level: Uint8Array, width = 1, height = 1): Buffer =>
  ktx2File({ format, width, height, levels: [level] });

/** A 16 × 16 picture of RGBA8, and the same picture packed by `zstd -19`. */
const PICTURE = Uint8Array.from({ length: 1024 }, (_, i) => (i % 64) * 3 + ((i >> 6) & 3) * 5);
const PACKED_PICTURE = Buffer.from(
  'KLUv/WQAA5UGAFQMAAMGCQwPEhUYGx4hJCcqLTAzNjk8P0JFSEtOUVRXWl1gY2ZpbG9ydXh7foGEh4qNkJOWmZyfoqWoq66xtLe6vQUICw4RFBcaHSAjJiksLzI1ODs+QURHSk1QU1ZZXF9iZWhrbnF0d3p9gIOGiYyPkpWYm56hpKeqrbCztrm8v8IKDRATFhkcHyIlKCsuMTQ3Oj1AQ0ZJTE9SVVhbXmFkZ2ptcHN2eXx/goWIi46RlJeanaCjpqmsr7K1uLu+wcTHwMPGycwCAP0GttJA+CQjBTLyHkE=',
  'base64',
);

describe('textures of KTX2 files', () => {
  it.each<[string, number, Uint8Array, string, number[]]>([
    ['R8', 9, Uint8Array.of(7), 'r8unorm', [7]],
    ['RG8', 16, Uint8Array.of(7, 8), 'rg8unorm', [7, 8]],
    ['RGB8', 23, Uint8Array.of(7, 8, 9), 'rgba8unorm', [7, 8, 9, 255]],
    ['BGR8', 30, Uint8Array.of(7, 8, 9), 'rgba8unorm', [9, 8, 7, 255]],
    ['RGBA8', 37, Uint8Array.of(7, 8, 9, 10), 'rgba8unorm', [7, 8, 9, 10]],
    ['RGBA8, sRGB', 43, Uint8Array.of(7, 8, 9, 10), 'rgba8unorm', [7, 8, 9, 10]],
    ['BGRA8', 44, Uint8Array.of(7, 8, 9, 10), 'rgba8unorm', [9, 8, 7, 10]],
    ['R16F', 76, Uint8Array.of(0, 0x3c), 'r16float', [0, 0x3c]],
    ['RGB16F', 90, Uint8Array.of(1, 2, 3, 4, 5, 6), 'rgba16float', [1, 2, 3, 4, 5, 6, 0, 0x3c]],
    ['RGBA16F', 97, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 'rgba16float', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['R32F', 100, floats(1), 'r16float', [0, 0x3c]],
    ['RG32F', 103, floats(-2, 1e9), 'rg16float', [0, 0xc0, 0xff, 0x7b]],
    ['RGB32F', 106, floats(0.5, Number.NaN, 1), 'rgba16float', [0, 0x38, 0, 0, 0, 0x3c, 0, 0x3c]],
    ['RGBA32F', 109, floats(0, 1, 0, 1), 'rgba16float', [0, 0, 0, 0x3c, 0, 0, 0, 0x3c]],
    ['R11G11B10', 122, Uint8Array.of(1, 2, 3, 4), 'rg11b10ufloat', [1, 2, 3, 4]],
    ['RGB9E5', 123, Uint8Array.of(1, 2, 3, 4), 'rgb9e5ufloat', [1, 2, 3, 4]],
  ])('are read: %s', async (_name, format, level, expected, bytes) => {
    expect(await decoded(one(format, level))).toMatchObject({ format: expected, bytes, width: 1, height: 1 });
  });

  it.each<[string, number, number, number, number]>([
    ['bc1-rgba-unorm', 131, 4, 4, 8],
    ['bc1-rgba-unorm', 134, 4, 4, 8],
    ['bc3-rgba-unorm', 138, 4, 4, 16],
    ['bc4-r-unorm', 139, 4, 4, 8],
    ['bc5-rg-unorm', 141, 4, 4, 16],
    ['bc6h-rgb-ufloat', 143, 4, 4, 16],
    ['bc7-rgba-unorm', 146, 4, 4, 16],
    ['etc2-rgb8unorm', 148, 4, 4, 8],
    ['etc2-rgb8a1unorm', 149, 4, 4, 8],
    ['etc2-rgba8unorm', 152, 4, 4, 16],
    ['eac-r11unorm', 153, 4, 4, 8],
    ['astc-4x4-unorm', 158, 4, 4, 16],
    ['astc-8x6-unorm', 169, 8, 6, 16],
    ['astc-12x12-unorm', 184, 12, 12, 16],
  ])(
    'stay blocks if the device reads them: %s, number %i of Vulkan',
    async (name, format, width, height, size) => {
      const block = Uint8Array.from({ length: size }, (_, i) => i);
      const file = one(format, block, width, height);
      expect(await decoded(file)).toEqual({ format: name, levelCount: 1, width, height, bytes: [...block] });
      expect(await refusal(file, { deviceFeatures: [] })).toMatch(
        /^texture-format-unsupported "x.ktx2": .*lacks texture-compression-(bc|etc2|astc)\. .*Basis Universal/,
      );
    },
  );

  it('become RGBA8 for sRGB use if WebGPU lacks an sRGB format with fewer channels', async () => {
    expect(await decoded(one(9, Uint8Array.of(7)), { srgb: true })).toMatchObject({
      ...{ format: 'rgba8unorm', bytes: [7, 0, 0, 255] },
    });
    expect(await decoded(one(16, Uint8Array.of(7, 8)), { srgb: true })).toMatchObject({
      ...{ format: 'rgba8unorm', bytes: [7, 8, 0, 255] },
    });
  });

  it.each<[string, number, string, Uint8Array, string, number[]]>([
    ['grey of R8', 9, 'rrr1', Uint8Array.of(7), 'rgba8unorm', [7, 7, 7, 255]],
    ['grey and alpha of RG8', 16, 'rrrg', Uint8Array.of(7, 8), 'rgba8unorm', [7, 7, 7, 8]],
    ['another order of BGRA8', 44, 'abgr', Uint8Array.of(7, 8, 9, 10), 'rgba8unorm', [10, 7, 8, 9]],
    ['the constants 0 and 1', 37, '01gb', Uint8Array.of(7, 8, 9, 10), 'rgba8unorm', [0, 255, 8, 9]],
    ['channels that RG8 lacks', 16, 'ab01', Uint8Array.of(7, 8), 'rgba8unorm', [255, 0, 0, 255]],
    ['half floats', 76, 'rrr1', Uint8Array.of(1, 2), 'rgba16float', [1, 2, 1, 2, 1, 2, 0, 0x3c]],
    ['floats', 100, '1r0r', floats(1), 'rgba16float', [0, 0x3c, 0, 0x3c, 0, 0, 0, 0x3c]],
    // Swizzles that change nothing.
    ['the own order of R8', 9, 'r001', Uint8Array.of(7), 'r8unorm', [7]],
    ['the own order of RG8', 16, 'rgba', Uint8Array.of(7, 8), 'rg8unorm', [7, 8]],
    ['RGB8 without alpha', 23, 'rgb1', Uint8Array.of(7, 8, 9), 'rgba8unorm', [7, 8, 9, 255]],
  ])('are swizzled by their KTXswizzle: %s', async (_name, format, swizzle, level, expected, bytes) => {
    const metadata = { KTXorientation: 'rd', KTXswizzle: swizzle };
    const file = ktx2File({ format, width: 1, height: 1, levels: [level], metadata });
    expect(await decoded(file)).toMatchObject({ format: expected, bytes });
  });

  it('are swizzled level by level and image by image, also for sRGB use', async () => {
    const levels = [Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), Uint8Array.of(9, 10)];
    const metadata = { KTXswizzle: 'rrr1' };
    const file = ktx2File({ format: 9, width: 2, height: 2, layers: 2, levels, metadata });
    expect(await decoded(file, { layer: 1, srgb: true })).toMatchObject({
      format: 'rgba8unorm',
      levelCount: 2,
      bytes: [5, 6, 7, 8, 10].flatMap((grey) => [grey, grey, grey, 255]),
    });
  });

  it('are rejected if blocks would have to be swizzled, or if the swizzle is invalid', async () => {
    const block = (format: number, swizzle: string) => {
      const size = { width: 4, height: 4, levels: [new Uint8Array(16)] };
      return refusal(ktx2File({ ...size, format, metadata: { KTXswizzle: swizzle } }));
    };
    expect(await block(141, 'rrrg')).toMatch(/^ktx2-invalid .*KTXswizzle is "rrrg".*bc5-rg-unorm/);
    expect(await block(141, 'rg01')).toBe('none, bc5-rg-unorm');
    expect(await block(145, 'rgb1')).toBe('none, bc7-rgba-unorm');
    expect(await block(145, 'bgra')).toMatch(/^ktx2-invalid/);
    expect(await block(37, 'rgbx')).toMatch(/^ktx2-invalid .*KTXswizzle is "rgbx"/);
    // The declared length of the first entry exceeds the file, so the metadata is ignored.
    const file = ktx2File({
      format: 9,
      width: 1,
      height: 1,
      levels: [Uint8Array.of(7)],
      metadata: { a: 'b' },
    });
    file.writeUInt32LE(0xfffffff0, 104);
    expect(await refusal(file)).toBe('none, r8unorm');
  });

  it('keep the levels of their file, and a single level of a renderable format lets the GPU generate the others', async () => {
    const levels = [new Uint8Array(32).fill(1), new Uint8Array(8).fill(2), new Uint8Array(4).fill(3)];
    const file = ktx2File({ format: 37, width: 4, height: 2, levels });
    expect(await decoded(file)).toMatchObject({ levelCount: 3, bytes: levels.flatMap((each) => [...each]) });
    expect(await decoded(one(37, new Uint8Array(4)))).toMatchObject({ levelCount: 0 });
    expect(await decoded(one(123, new Uint8Array(4)))).toMatchObject({ levelCount: 1 });
    expect(await decoded(one(131, new Uint8Array(8), 4, 4))).toMatchObject({ levelCount: 1 });
  });

  it('are unpacked from ZLIB and from Zstandard', async () => {
    const options = { format: 37, width: 16, height: 16, levels: [PICTURE] };
    for (const file of [
      ktx2File({ ...options, scheme: 3, pack: (level: Uint8Array) => deflateSync(level) }),
      ktx2File({ ...options, scheme: 2, pack: () => PACKED_PICTURE }),
      ktx2File({ ...options, scheme: 2, pack: storedZstandard }),
    ]) {
      expect((await decoded(file)).bytes).toEqual([...PICTURE]);
    }
  });

  it('are rejected if the packed data is damaged, too short or too long', async () => {
    const file = (packed: Uint8Array) =>
      ktx2File({ format: 37, width: 16, height: 16, levels: [PICTURE], scheme: 2, pack: () => packed });
    expect(await refusal(file(PACKED_PICTURE.subarray(0, 40)))).toMatch(
      /^ktx2-invalid .*level 0: .*unpacked/,
    );
    expect(await refusal(file(repeatedZstandard(0, 1000)))).toMatch(/^ktx2-truncated .*level 0/);
    // These few bytes unpack to 128 KiB.
    expect(await refusal(file(repeatedZstandard(0, 2 ** 17)))).toMatch(/^ktx2-invalid .*level 0/);
    expect(await refusal(file(new Uint8Array(0)))).toMatch(/^ktx2-/);
    expect((await decoded(file(PACKED_PICTURE))).bytes).toEqual([...PICTURE]);
  });

  it('of arrays and cubes are the image that the option `layer` selects, and need that option', async () => {
    const images = (count: number, levels: number) =>
      Array.from({ length: levels }, (_, level) =>
        Uint8Array.from(
          { length: count * 4 * (4 >> (2 * level)) },
          (_, i) => Math.floor(i / (4 * (4 >> (2 * level)))) + 10 * level,
        ),
      );
    const cube = ktx2File({ format: 37, width: 2, height: 2, faces: 6, levels: images(6, 2) });
    expect(await refusal(cube)).toMatch(
      /^ktx2-invalid "x.ktx2": It is a cube of 6 faces.*layer: 0 to 5.*setEnvironment/,
    );
    expect((await decoded(cube, { layer: 4 })).bytes).toEqual([...Array(16).fill(4), ...Array(4).fill(14)]);
    expect(await refusal(cube, { layer: 6 })).toMatch(/^ktx2-invalid .*no image 6: it has 6/);
    const array = ktx2File({ format: 37, width: 2, height: 2, layers: 3, levels: images(3, 1) });
    expect(await refusal(array)).toMatch(/^ktx2-invalid .*an array, 3 images.*layer: 0 to 2/);
    expect((await decoded(array, { layer: 2 })).bytes).toEqual(Array(16).fill(2));
    const single = ktx2File({ format: 37, width: 2, height: 2, layers: 1, levels: images(1, 1) });
    expect((await decoded(single)).bytes).toEqual(Array(16).fill(0));
    const volume = ktx2File({ format: 37, width: 2, height: 2, depth: 2, levels: images(2, 1) });
    expect(await refusal(volume, { layer: 0 })).toMatch(/^ktx2-invalid .*3D texture, 2 deep/);
  });

  it('are rejected with the fault and the remedy', async () => {
    const plain = one(37, new Uint8Array(4));
    const changed = (at: number, value: number, file = plain) => {
      const copy = Buffer.from(file);
      copy.writeUInt32LE(value, at);
      return copy;
    };
    expect(await refusal(changed(12, 999))).toMatch(/^ktx2-invalid .*Vulkan's 999.*RGBA8/);
    expect(await refusal(changed(20, 0))).toMatch(/^ktx2-invalid .*0 × 1/);
    expect(await refusal(changed(24, 0))).toMatch(/^ktx2-invalid .*1 × 0.*two dimensions/);
    expect(await refusal(changed(20, 9000))).toMatch(/^ktx2-invalid .*9000.*8192/);
    expect(await refusal(changed(36, 3))).toMatch(/^ktx2-invalid .*3 faces/);
    expect(await refusal(changed(40, 1e6))).toMatch(/^ktx2-invalid .*1000000 levels/);
    expect(await refusal(changed(44, 9))).toMatch(/^ktx2-invalid .*scheme 9/);
    expect(await refusal(changed(44, 1))).toMatch(/^ktx2-invalid .*scheme 1/);
    const two = ktx2File({ format: 37, width: 1, height: 1, levels: [new Uint8Array(4), new Uint8Array(4)] });
    expect(await refusal(two)).toMatch(/^ktx2-invalid .*2 levels.*too many/);
    expect(await refusal(one(131, new Uint8Array(32), 6, 8))).toMatch(
      /^ktx2-invalid .*4 × 4 texels.*6 × 8.*not a multiple/,
    );
  });

  it.each<[string, (file: Buffer) => void]>([
    ['an offset beyond the file', (file) => file.writeUInt32LE(1e6, 80)],
    ['an offset beyond all files', (file) => file.writeUInt32LE(0xffffffff, 84)],
    ['a length beyond the file', (file) => file.writeUInt32LE(1e6, 88)],
    ['a level that is shorter than its texels', (file) => file.writeUInt32LE(3, 88)],
    ['a second level beyond the file', (file) => file.writeUInt32LE(1e6, 104)],
  ])('are rejected if the level index is wrong: %s', async (_name, damage) => {
    const file = ktx2File({
      format: 37,
      width: 2,
      height: 2,
      levels: [new Uint8Array(16), new Uint8Array(4)],
    });
    damage(file);
    expect(await refusal(file)).toMatch(/^ktx2-truncated/);
  });

  it('are rejected wherever they are cut off', async () => {
    const file = ktx2File({
      format: 97,
      width: 2,
      height: 2,
      levels: [new Uint8Array(32), new Uint8Array(8)],
    });
    for (let length = 12; length < file.length; length++) {
      expect(await refusal(file.subarray(0, length))).toMatch(/^ktx2-truncated/);
    }
  });
});
