import type { Texture } from '@gltf-transform/core';
import { expect, it } from 'vitest';
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
