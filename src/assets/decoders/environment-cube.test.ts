import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { failure } from '../testing/load-file.js';
import { decodeFace } from './environment-cube.js';

const REQUEST = { file: 'room.glb', jsonPath: 'extensions.E.lights[0].specularImages[0][2]' };

/**
 * Returns an RGBA file that pngjs writes.
 * @param value returns the value of a channel by its index in the picture
 * @param options `filter`: filter of all rows, 0 to 4; `depth`: bits per channel
 */
function packed(
  width: number,
  height: number,
  value: (index: number) => number,
  { filter = 0, depth = 8 }: { filter?: number; depth?: 8 | 16 } = {},
): Uint8Array<ArrayBuffer> {
  const image = new PNG({ width, height });
  if (depth === 16) {
    const values = Uint16Array.from({ length: width * height * 4 }, (_, index) => value(index));
    return new Uint8Array(
      PNG.sync.write({ ...image, data: values } as never, { bitDepth: 16, filterType: filter }),
    );
  }
  for (let index = 0; index < image.data.length; index++) image.data[index] = value(index);
  return new Uint8Array(PNG.sync.write(image, { filterType: filter }));
}

/** Returns the number of a normal half float. */
const numberFrom = (half: number): number => 2 ** ((half >> 10) - 15) * (1 + (half & 1023) / 1024);

describe('pictures of an environment light', () => {
  it('are divided by alpha, even if it is small, because RGBD holds radiance times alpha', async () => {
    const pixels = [255, 0, 188, 255, 255, 255, 255, 51, 128, 64, 255, 1, 0, 0, 0, 0];
    const { size, texels } = await decodeFace(
      packed(2, 2, (index) => pixels[index]!),
      REQUEST,
    );
    expect(size).toBe(2);
    const radiance = Array.from(texels, (half) => (half === 0 ? 0 : numberFrom(half)));
    const near = [1, 0, 0.5029, 1, 5, 5, 5, 1, 0.21586 * 255, 0.05127 * 255, 255, 1, 0, 0, 0, 1];
    for (const [index, value] of near.entries())
      expect(Math.abs(radiance[index]! - value)).toBeLessThanOrEqual(value * 0.001);
  });

  it('are read with every row filter, and with 16 bits per channel', async () => {
    const value = (index: number): number => (index * 37 + (index >> 3) * 91) & 255;
    const { texels } = await decodeFace(packed(8, 8, value), REQUEST);
    for (const filter of [1, 2, 3, 4]) {
      expect((await decodeFace(packed(8, 8, value, { filter }), REQUEST)).texels).toEqual(texels);
    }
    const wide = await decodeFace(
      packed(8, 8, (index) => value(index) * 257, { depth: 16 }),
      REQUEST,
    );
    expect(wide.texels).toEqual(texels);
  });

  it('cause an error with file and place if they are broken', async () => {
    const sound = packed(4, 4, (index) => index);
    const changed = (at: number, value: number) => {
      const bytes = Uint8Array.from(sound);
      bytes[at] = value;
      return bytes;
    };
    const data = Buffer.from(sound).indexOf('IDAT') + 4;
    const cases: [Uint8Array<ArrayBuffer>, RegExp][] = [
      [packed(4, 2, () => 0), /4 × 2; a square/],
      [changed(16, 1), /16777220 × 4/],
      [changed(24, 4), /4 bits a channel/],
      [changed(28, 1), /interlaced/],
      [changed(data, 0), /can’t be unpacked/],
      [sound.slice(0, data + 8), /can’t be unpacked|ends early/],
      [sound.slice(0, 33), /can’t be unpacked|ends early/],
      [packed(4, 4, () => 0).fill(0, 41), /can’t be unpacked|ends early/],
    ];
    for (const [bytes, text] of cases) {
      const { code, message } = await failure(decodeFace(bytes, REQUEST));
      expect([code, message]).toEqual(['gltf-invalid', expect.stringMatching(text)]);
      expect(message).toContain('"room.glb", extensions.E.lights[0].specularImages[0][2]');
    }
  });
});
