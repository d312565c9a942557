import { expect, it } from 'vitest';
import { mipmappedBasis } from '../../../scripts/test-assets/mipmapped-basis.mjs';
import { KTX2 } from '../../proxy/images/ktx2.js';
import { type LoadDecoder, WasmBlocked } from '../decoders/decoders.js';
import { failure, fakeDecoder, importDecoder } from '../testing/load-file.js';
import { decodeTexture } from './decode-texture.js';

const decode = (file: Uint8Array, loadDecoder: LoadDecoder) =>
  decodeTexture(new Blob([Uint8Array.from(file)], { type: KTX2 }), {
    ...{ file: 'brick.ktx2', decodeImage: fakeDecoder, loadDecoder, deviceFeatures: [], srgb: true },
  });

it('rejects a Basis Universal texture with decoder-blocked if the page’s security policy forbids the decoder', async () => {
  const loadDecoder = (async () => ({
    decodeBasis: () => Promise.reject(new WasmBlocked("Add 'wasm-unsafe-eval'.")),
  })) as unknown as LoadDecoder;
  const error = await failure(decode(mipmappedBasis(16, [[255, 0, 0]]), loadDecoder));
  expect(error).toMatchObject({ code: 'decoder-blocked' });
  expect(error.message).toBe('"brick.ktx2": Add \'wasm-unsafe-eval\'.');
});

it('rejects a damaged Basis Universal texture with a KTX2 error, and names the file', async () => {
  const file = mipmappedBasis(16, [[255, 0, 0]]);
  file.writeUInt32LE(12, 40);
  const error = await failure(decode(file, importDecoder));
  expect(error.code).toMatch(/^ktx2-(invalid|truncated)$/);
  expect(error.message).toContain('"brick.ktx2"');
  const wrongLength = mipmappedBasis(16, [[255, 0, 0]]);
  wrongLength.writeUInt32LE(16, 88);
  expect(await failure(decode(wrongLength, importDecoder))).toMatchObject({
    code: 'ktx2-invalid',
    message: expect.stringContaining('Export it again.'),
  });
});
