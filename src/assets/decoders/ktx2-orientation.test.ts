import { describe, expect, it } from 'vitest';
import { basisPictures } from '../../../scripts/test-assets/basis-pictures.mjs';
import { ktx2File } from '../../../scripts/test-assets/ktx2-file.mjs';
import { KTX2 } from '../../proxy/images/ktx2.js';
import { unpackTexels } from '../../proxy/images/texels.js';
import { decodeRadianceKtx2 } from '../environments/radiance-ktx2.js';
import { failure, fakeDecoder, importDecoder } from '../testing/load-file.js';
import { decodeTexture } from '../textures/decode-texture.js';

const decoded = async (file: Buffer, features: readonly string[] = []) => {
  const { image, texels = 0 } = await decodeTexture(new Blob([Uint8Array.from(file)], { type: KTX2 }), {
    file: 'bricks.ktx2',
    decodeImage: fakeDecoder,
    loadDecoder: importDecoder,
    deviceFeatures: features,
    srgb: false,
  });
  return { format: unpackTexels(texels).format, bytes: [...new Uint8Array(image as ArrayBuffer)] };
};

/** Returns an R8 file with a level of 3 × 2 texels and a level of one texel. */
const grey = (orientation: string): Buffer =>
  ktx2File({
    ...{ format: 9, width: 3, height: 2, metadata: { KTXorientation: orientation } },
    levels: [Uint8Array.of(1, 2, 3, 4, 5, 6), Uint8Array.of(7)],
  });
/**
 * Returns a Basis Universal picture, red on the left and blue on the right. The given `KTXorientation` and another key
 * replace the keys of the file.
 */
function withOrientation(orientation: string): Buffer {
  const file = Buffer.from(basisPictures.uastc, 'base64');
  const at = file.readUInt32LE(56);
  file.writeUInt32LE(18, at);
  file.write(`KTXorientation\0${orientation}\0\0\0`, at + 4);
  file.writeUInt32LE(8, at + 24);
  file.write('a\0bcdef\0', at + 28);
  return file;
}

describe('KTXorientation', () => {
  it.each([
    ['rd', [1, 2, 3, 4, 5, 6, 7]],
    ['ru', [4, 5, 6, 1, 2, 3, 7]],
    ['ld', [3, 2, 1, 6, 5, 4, 7]],
    ['lu', [6, 5, 4, 3, 2, 1, 7]],
    ['ruo', [4, 5, 6, 1, 2, 3, 7]],
  ])('determines the start of rows: %s', async (orientation, bytes) => {
    expect((await decoded(grey(orientation))).bytes).toEqual(bytes);
  });

  it('reorders the texels of Basis Universal, even if the device reads blocks', async () => {
    const bc = ['texture-compression-bc'];
    expect((await decoded(withOrientation('rd'), bc)).format).toBe('bc7-rgba-unorm');
    const { format, bytes } = await decoded(withOrientation('lu'), bc);
    expect(format).toBe('rgba8unorm');
    expect([bytes.slice(0, 4), bytes.slice(60, 64)]).toEqual([
      [0, 0, 255, 255],
      [255, 0, 0, 255],
    ]);
  });

  it('reorders each face of an environment', async () => {
    const levels = [new Uint8Array(Uint32Array.from({ length: 24 }, (_, index) => index << 27).buffer)];
    const cube = { format: 123, width: 2, height: 2, faces: 6, levels };
    const radiance = async (metadata: Record<string, string>) => {
      const { data } = await decodeRadianceKtx2(
        Uint8Array.from(ktx2File({ ...cube, metadata })),
        'sky.ktx2',
        importDecoder,
      );
      return [...new Float64Array(data)];
    };
    const plain = await radiance({});
    const faces = Array.from({ length: 6 }, (_, face) => plain.slice(face * 4, face * 4 + 4));
    expect(await radiance({ KTXorientation: 'ru' })).toEqual(faces.flatMap(([a, b, c, d]) => [c, d, a, b]));
  });

  it('is rejected for blocks, and with an invalid value', async () => {
    const block = (orientation: string): Promise<unknown> => {
      const metadata = { KTXorientation: orientation };
      const file = ktx2File({ format: 131, width: 4, height: 4, levels: [new Uint8Array(8)], metadata });
      return decoded(file, ['texture-compression-bc']);
    };
    await block('rd');
    for (const orientation of ['ru', 'down', '']) {
      const { code, message } = await failure(block(orientation));
      expect([code, message]).toEqual([
        'ktx2-invalid',
        expect.stringContaining(`KTXorientation is "${orientation}"`),
      ]);
    }
  });
});
