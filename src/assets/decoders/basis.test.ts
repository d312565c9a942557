import { describe, expect, it, vi } from 'vitest';
import { basisPictures } from '../../../scripts/test-assets/basis-pictures.mjs';
import { mipmappedBasis } from '../../../scripts/test-assets/mipmapped-basis.mjs';
import { unpackTexels } from '../../proxy/images/texels.js';
import { decodeBasis } from './basis.js';

const [BC, ETC2, ASTC] = ['bc', 'etc2', 'astc'].map((family) => `texture-compression-${family}`) as [
  string,
  string,
  string,
];
const uastc = Buffer.from(basisPictures.uastc, 'base64');
const etc1s = Buffer.from(basisPictures.etc1s, 'base64');
const COLORS = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
] as const;

/** Returns the format, the level count and the byte count of the decoded texture. */
async function decoded(bytes: Uint8Array, features: readonly string[]) {
  const { image, texels = 0 } = await decodeBasis(bytes, features);
  const { format, levelCount } = unpackTexels(texels);
  return [format, levelCount, (image as ArrayBuffer).byteLength];
}

describe('textures of Basis Universal', () => {
  it.each<[string, Uint8Array, readonly string[], unknown]>([
    ['UASTC with BC, ETC2 and ASTC', uastc, [BC, ETC2, ASTC], ['astc-4x4-unorm', 1, 256]],
    ['UASTC with BC and ETC2', uastc, [BC, ETC2], ['bc7-rgba-unorm', 1, 256]],
    ['UASTC with ETC2', uastc, [ETC2], ['etc2-rgb8unorm', 1, 128]],
    ['UASTC without blocks', uastc, ['timestamp-query'], ['rgba8unorm', 0, 1024]],
    ['ETC1S with BC, ETC2 and ASTC', etc1s, [BC, ETC2, ASTC], ['etc2-rgb8unorm', 1, 128]],
    ['ETC1S with BC and ASTC', etc1s, [BC, ASTC], ['bc7-rgba-unorm', 1, 256]],
    ['ETC1S with ASTC', etc1s, [ASTC], ['astc-4x4-unorm', 1, 256]],
    ['ETC1S without blocks', etc1s, [], ['rgba8unorm', 0, 1024]],
  ])('become a format that the device reads: %s', async (_name, bytes, features, expected) => {
    expect(await decoded(bytes, features)).toEqual(expected);
  });

  it('are decoded without creating functions from text, which a Content-Security-Policy may forbid', async () => {
    // Import a fresh module, because other tests share a started decoder.
    const path = './basis.js?own-decoder';
    const own = (await import(path)) as { decodeBasis: typeof decodeBasis };
    const refuse = (): never => {
      throw new EvalError('Refused to evaluate a string as JavaScript.');
    };
    vi.stubGlobal('Function', new Proxy(Function, { apply: refuse, construct: refuse }));
    vi.stubGlobal('eval', refuse);
    try {
      for (const bytes of [uastc, etc1s]) expect((await own.decodeBasis(bytes)).width).toBe(16);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('keep the levels of their file, as blocks and as RGBA8', async () => {
    const file = mipmappedBasis(16, COLORS);
    expect(await decoded(file, [BC])).toEqual(['bc7-rgba-unorm', 3, 256 + 64 + 16]);
    expect(await decoded(file, [])).toEqual(['rgba8unorm', 3, 1024 + 256 + 64]);
    const pixels = new Uint8Array((await decodeBasis(file)).image as ArrayBuffer);
    const firsts = [0, 1024, 1024 + 256].map((at) => [...pixels.subarray(at, at + 4)]);
    expect(firsts).toEqual(COLORS.map((color) => [...color, 255]));
  });

  it('become RGBA8 if their size is not a multiple of the block size', async () => {
    const narrow = mipmappedBasis(16, COLORS.slice(0, 1));
    narrow.writeUInt32LE(14, 20);
    expect(await decoded(narrow, [BC])).toEqual(['rgba8unorm', 0, 14 * 16 * 4]);
  });

  it.each<[string, (file: Buffer) => void]>([
    ['an offset beyond the file', (file) => file.writeUInt32LE(1e6, 80)],
    ['a length beyond the file', (file) => file.writeUInt32LE(1e6, 88)],
    ['a level that is shorter than its blocks', (file) => file.writeUInt32LE(16, 88)],
    ['a level that overlaps the header', (file) => file.writeUInt32LE(0, 104)],
    ['more levels than pixels', (file) => file.writeUInt32LE(12, 40)],
  ])('are rejected if the level index is wrong (%s), and the next file is read', async (_name, damage) => {
    const file = mipmappedBasis(16, COLORS);
    damage(file);
    await expect(decodeBasis(file, [BC])).rejects.toThrow(Error);
    expect(await decoded(uastc, [BC])).toEqual(['bc7-rgba-unorm', 1, 256]);
  });
});
