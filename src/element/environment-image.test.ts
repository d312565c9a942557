import { afterEach, expect, it, vi } from 'vitest';
import { encodeRadiance, environmentOf } from './environment-image.js';

afterEach(() => void vi.unstubAllGlobals());

const { signal } = new AbortController();

it('encodes sRGB pixels as linear light', () => {
  const levels = [0, 1, 2, 10, 64, 128, 188, 254, 255];
  const data = new Uint8ClampedArray(levels.flatMap((level) => [level, level >> 1, 255 - level, 255]));
  const file = encodeRadiance(data, levels.length, 1);
  const header = '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 9\n';
  expect(new TextDecoder().decode(file.subarray(0, header.length))).toBe(header);
  expect(file).toHaveLength(header.length + 9 * 4);
  // White at the full exponent, and the middle of sRGB at a fifth of the light.
  const pixel = (at: number): number[] =>
    [...file.subarray(file.length - (levels.length - at) * 4)].slice(0, 4);
  expect(pixel(8)).toEqual([128, 27, 0, 129]);
  const [red = 0, , , exponent = 0] = pixel(5);
  expect((red / 256) * 2 ** (exponent - 128)).toBeCloseTo(0.2158, 2);
});

it('leaves the addresses and bytes of files for the engine as they are', async () => {
  expect(await environmentOf('sky.hdr?1', signal)).toBe('sky.hdr?1');
  expect(await environmentOf('/a/sky.KTX2', signal)).toBe('/a/sky.KTX2');
  vi.stubGlobal('fetch', async () => new Response('#?RADIANCE\n'));
  const file = await environmentOf('blob:sky', signal);
  expect(file).toBeInstanceOf(File);
  expect(await (file as File).text()).toBe('#?RADIANCE\n');
});

it('reports files that are missing or no pictures', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 404 }));
  await expect(environmentOf('sky.png', signal)).rejects.toMatchObject({
    code: 'fetch-failed',
    message: expect.stringMatching(/"sky.png".*404/),
  });
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('offline');
  });
  await expect(environmentOf('sky.png', signal)).rejects.toMatchObject({ code: 'fetch-failed' });
  vi.stubGlobal('fetch', async () => new Response('<html>'));
  vi.stubGlobal('createImageBitmap', async () => {
    throw new DOMException('', 'InvalidStateError');
  });
  await expect(environmentOf('sky.png', signal)).rejects.toMatchObject({
    code: 'image-undecodable',
    message: expect.stringMatching(/JPEG, PNG or WebP/),
  });
});
