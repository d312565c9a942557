/**
 * Reads the bytes of a file's buffers and images: data URIs, referenced files, the binary chunk of a .glb. A missing
 * buffer is an error. The error of a missing image is stored, and the image's textures are left out later.
 *
 *   buffers[i].uri ─┐                       ┌─► resources[uri], bytes
 *   images[i].uri ──┴─► data: │ AssetFiles ─┴─► missing[uri], the reason
 */
import { GLB_BUFFER, type JSONDocument } from '@gltf-transform/core';
import { invalidGltf } from '../asset-error.js';
import type { AssetFiles } from '../asset-files.js';
import { bytesOfDataUrl } from '../decoders/data-url.js';
import { GltfChecks, type JsonObject } from './gltf-checks.js';

/** The URI of an empty resource, for parts that are left out. */
export const EMPTY_RESOURCE = '__empty';

interface GltfResources {
  readonly resources: JSONDocument['resources'];
  /** Errors of images that could not be loaded, by URI. */
  readonly missing: ReadonlyMap<string, Error>;
}

/**
 * Reads all resources. Keys of `resources` replace data URIs, and are added to images without data. External URIs stay,
 * even if an image could not be loaded.
 * @throws AssetError
 */
export async function readResources(
  root: JsonObject,
  binary: Uint8Array<ArrayBuffer> | null,
  files: AssetFiles,
): Promise<GltfResources> {
  const checks = new GltfChecks(files.mainName);
  // The object has no prototype, because a file might use names such as `toString` as URIs.
  const resources: JSONDocument['resources'] = Object.create(null);
  const missing = new Map<string, Error>();
  resources[EMPTY_RESOURCE] = new Uint8Array(0);
  if (binary) resources[GLB_BUFFER] = binary;

  const readBuffer = async (buffer: JsonObject, index: number): Promise<void> => {
    const { uri } = buffer;
    if (uri === undefined || uri === '') return;
    const jsonPath = `buffers[${index}].uri`;
    if (typeof uri !== 'string') throw invalidGltf(files.mainName, jsonPath, 'It should be a string.');
    if (!isData(uri)) {
      resources[uri] = await files.read(uri);
      return;
    }
    buffer.uri = `__${jsonPath}`;
    resources[`__${jsonPath}`] = bytesOfDataUri(uri, files.mainName, jsonPath);
  };

  const readImage = async (image: JsonObject, index: number): Promise<void> => {
    const { uri } = image;
    if (uri === undefined && image.bufferView !== undefined) return;
    const jsonPath = `images[${index}].uri`;
    try {
      if (typeof uri !== 'string' || uri === '') throw new Error('it has no data.');
      if (!isData(uri)) {
        resources[uri] = await files.read(uri);
        return;
      }
      resources[`__${jsonPath}`] = bytesOfDataUri(uri, files.mainName, jsonPath);
      image.uri = `__${jsonPath}`;
      image.mimeType ??= /^\s*data:([^;,]*)/i.exec(uri)?.[1];
    } catch (error) {
      const isAddress = typeof uri === 'string' && uri !== '' && !isData(uri);
      const key = isAddress ? uri : jsonPath;
      image.uri = key;
      resources[key] = null as unknown as Uint8Array<ArrayBuffer>;
      missing.set(key, error instanceof Error ? error : new Error(String(error)));
    }
  };

  await Promise.all([
    ...checks.objects(root, 'buffers').map(readBuffer),
    ...checks.objects(root, 'images').map(readImage),
  ]);
  return { resources, missing };
}

const isData = (uri: string): boolean => /^\s*data:/i.test(uri);

function bytesOfDataUri(uri: string, file: string, jsonPath: string): Uint8Array<ArrayBuffer> {
  try {
    const comma = uri.indexOf(',');
    if (/;base64\s*$/i.test(uri.slice(0, comma))) return bytesOfDataUrl(uri);
    return new TextEncoder().encode(decodeURIComponent(uri.slice(comma + 1)));
  } catch (cause) {
    throw invalidGltf(file, jsonPath, 'Its data URI cannot be decoded.', cause);
  }
}
