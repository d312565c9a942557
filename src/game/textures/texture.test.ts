import { afterEach, expect, it, vi } from 'vitest';
import { texture } from './texture.js';

afterEach(() => vi.unstubAllGlobals());

it('a texture fetches its image again after a failed fetch', async () => {
  const fetch = vi.fn(async () => new Response(null, { status: 503 }));
  vi.stubGlobal('fetch', fetch);
  const bricks = texture('bricks.jpg');
  await expect(bricks.loadImage()).rejects.toThrow('503');
  await expect(bricks.loadImage()).rejects.toThrow('503');
  expect(fetch).toHaveBeenCalledTimes(2);
});

it('refuses options beside the data of pixels', () => {
  const source = { width: 1, height: 1, data: new Uint8Array(4), sampler: {} };
  expect(() => texture(source)).toThrow(
    expect.objectContaining({ code: 'option-unknown', message: expect.stringContaining('"sampler"') }),
  );
});
