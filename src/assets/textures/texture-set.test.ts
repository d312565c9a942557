import type { Texture } from '@gltf-transform/core';
import { expect, it } from 'vitest';
import { importDecoder } from '../testing/load-file.js';
import { workerDied } from '../worker-died.js';
import { TextureSet } from './texture-set.js';

const [first, second] = ['a', 'b'] as unknown as [Texture, Texture];

it('finds a texture of an extension by its index in the JSON, with its sampler', () => {
  const textures = new TextureSet([first, second], {
    textures: [{ source: 0 }, { source: 1, sampler: 0 }, {}],
    samplers: [{ magFilter: 9728, wrapS: 33071 }],
  });
  const json = { index: 1, texCoord: 1 };
  const found = textures.find(json);
  expect([found.texture, found.json, found.info?.getTexCoord()]).toEqual([second, json, 1]);
  expect([found.info?.getMagFilter(), found.info?.getMinFilter()]).toEqual([9728, null]);
  expect([found.info?.getWrapS(), found.info?.getWrapT()]).toEqual([33071, 10497]);
  expect(textures.find({ index: 0 }).texture).toBe(first);
  for (const missing of [undefined, {}, { index: 2 }, { index: 9 }])
    expect(textures.find(missing).texture).toBe(null);
});

it('rejects with the death of a worker that decodes, instead of leaving out the picture', async () => {
  const image = {
    getName: () => 'picture',
    getURI: () => '',
    getImage: () => new Uint8Array([1]),
    getMimeType: () => 'image/png',
  };
  const textures = new TextureSet([image as unknown as Texture], { textures: [{ source: 0 }] });
  const { texture, info } = textures.find({ index: 0 });
  textures.request(texture as Texture, info, true);
  const warnings: string[] = [];
  const death = workerDied('scene.glb', 'A decoding worker', '');
  const decoded = textures.decode({
    decodeImage: () => Promise.reject(death),
    loadDecoder: importDecoder,
    deviceFeatures: [],
    file: 'scene.glb',
    missing: new Map(),
    warnings,
    signal: undefined,
  });
  await expect(decoded).rejects.toBe(death);
  expect(warnings).toEqual([]);
});
