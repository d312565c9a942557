/**
 * After a lost device or a failed worker, images are decoded or copied again. They then have the same bytes
 * as before: straight alpha, and colours as stored.
 */
import { expect, test } from './fixtures.js';

test('G3: an image has the same bytes when it is prepared again, whatever its source', async ({
  page,
  isolatedURL,
}) => {
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  const result = await page.evaluate(async () => {
    // Modules outside the public API are bundled from the source.
    const load = (path: string) => import(`/bundled/src/${path}`);
    const { texture } = (await load(
      'game/textures/texture.ts',
    )) as typeof import('../src/game/textures/texture.js');
    const { LevelTexture } = (await load(
      'game/textures/level-texture.ts',
    )) as typeof import('../src/game/textures/level-texture.js');
    const { decodeImage } = (await load(
      'proxy/images/decode-image.ts',
    )) as typeof import('../src/proxy/images/decode-image.js');

    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter!.requestDevice();
    /** Returns the bytes that a GPU texture would hold. */
    const bytesOf = async (image: ImageBitmap | ArrayBuffer | null): Promise<number[]> => {
      if (!image) throw new Error('no image');
      if (image instanceof ArrayBuffer) return [...new Uint8Array(image)];
      const size = { width: image.width, height: image.height };
      const usage = GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT;
      const target = device.createTexture({ size, format: 'rgba8unorm', usage });
      device.queue.copyExternalImageToTexture({ source: image }, { texture: target }, size);
      const buffer = device.createBuffer({
        size: 256 * image.height,
        usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
      });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: 256 }, size);
      device.queue.submit([encoder.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      return [...new Uint8Array(buffer.getMappedRange())];
    };

    // The image has all alpha values. At low alpha, premultiplying would lose the colour.
    const pixels = new ImageData(16, 16);
    for (let index = 0; index < 256; index++) {
      pixels.data.set([200 - index / 2, index, 255 - index, index], index * 4);
    }
    const canvas = new OffscreenCanvas(16, 16);
    canvas.getContext('2d')!.putImageData(pixels, 0, 0);
    const png = await canvas.convertToBlob();
    const straight = await createImageBitmap(pixels, { premultiplyAlpha: 'none' });
    const premultiplied = await createImageBitmap(canvas);
    const url = URL.createObjectURL(png);
    const description = await decodeImage(png);
    const sampler = {
      wrapU: 'repeat',
      wrapV: 'repeat',
      magnify: 'linear',
      minify: 'linear',
      mipmap: 'none',
    } as const;
    const sources = {
      url: texture(url),
      blob: texture(png),
      straight: texture(straight),
      premultiplied: texture(premultiplied),
      imageData: texture(pixels),
      level: new LevelTexture({ label: 'level', srgb: true, sampler, encoded: png, ...description }),
    };
    const results: Record<string, boolean[]> = {};
    for (const [name, source] of Object.entries(sources)) {
      const first = String(await bytesOf((source.takeImage() ?? (await source.loadImage())).image));
      if (name === 'url') URL.revokeObjectURL(url);
      if (name === 'straight') straight.close();
      if (name === 'premultiplied') premultiplied.close();
      if (name === 'imageData') pixels.data.fill(7);
      const again = [await source.reloadImage(), await source.reloadImage()];
      results[name] = [];
      for (const { image } of again) results[name].push(String(await bytesOf(image)) === first);
      results[name].push(first.length > 1000);
    }
    return results;
  });
  const same = [true, true, true];
  expect(result).toEqual({
    url: same,
    blob: same,
    straight: same,
    premultiplied: same,
    imageData: same,
    level: same,
  });
});
