import { expect } from 'vitest';
import { AssetError } from '../../core/errors.js';
import { vertexStride } from '../../proxy/geometry/vertex-format.js';
import type { GeometryDescription } from '../../proxy/scene-description.js';
import { loadScene } from '../builders/load-scene.js';
import type { Decoders, LoadDecoder } from '../decoders/decoders.js';
import type { ImageDecoder } from '../textures/image-decoder.js';
import type { AssetLoadOptions } from '../textures/load-options.js';

/**
 * A decoder for tests in Node. It accepts a complete PNG (with IEND) or WebP, and returns one pixel. Red is 1 for PNG
 * and 2 for WebP.
 */
export const fakeDecoder: ImageDecoder = async (file) => {
  const isPng = file.type === 'image/png' && (await file.text()).includes('IEND');
  if (!isPng && file.type !== 'image/webp') throw new Error('The source image could not be decoded.');
  return { image: Uint8Array.of(isPng ? 1 : 2, 0, 0, 255).buffer, width: 1, height: 1 };
};

const DECODERS: { [Name in keyof Decoders]: () => Promise<Decoders[Name]> } = {
  basis: () => import('../decoders/basis.js'),
  draco: () => import('../decoders/draco.js'),
  'environment-cube': () => import('../decoders/environment-cube.js'),
  ktx2: () => import('../decoders/ktx2.js'),
  meshopt: () => import('../decoders/meshopt.js'),
};
/** Imports the real decoders. */
export const importDecoder: LoadDecoder = (name) => DECODERS[name]();

export function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

export function loadBytes(name: string, bytes: Uint8Array, options: AssetLoadOptions = {}) {
  const source = { kind: 'bytes', name, bytes: bufferOf(bytes) } as const;
  return loadScene(source, { decodeImage: fakeDecoder, ...options });
}

/** Returns a .gltf file of this JSON, with an optional buffer in a data URI. */
export function gltfText(json: object, buffer?: Uint8Array): Uint8Array {
  const uri = buffer && `data:application/octet-stream;base64,${Buffer.from(buffer).toString('base64')}`;
  const buffers = buffer ? { buffers: [{ uri, byteLength: buffer.byteLength }] } : {};
  return new TextEncoder().encode(JSON.stringify({ asset: { version: '2.0' }, ...buffers, ...json }));
}

/** Returns the floats of one vertex: all attributes of its format. */
export function vertex(geometry: GeometryDescription, index: number): number[] {
  const stride = vertexStride(geometry.vertexFormat) / 4;
  return [...new Float32Array(geometry.data, index * stride * 4, stride)];
}

export function indicesOf(geometry: GeometryDescription): number[] {
  const offset = geometry.vertexCount * vertexStride(geometry.vertexFormat);
  return [...new Uint32Array(geometry.data, offset, geometry.indexCount)];
}

/** Awaits the rejection of a load, and returns its AssetError. */
export async function failure(promise: Promise<unknown>): Promise<AssetError> {
  const error = await promise.then(
    () => new Error('It loaded.'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AssetError);
  return error as AssetError;
}
