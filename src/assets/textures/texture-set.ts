/**
 * The textures of a scene: one per image, colour space and sampler in use. Materials request textures while they are
 * built. Then all requested textures are decoded. A texture that can't be decoded is null, with one warning per image.
 */
import type { Texture } from '@gltf-transform/core';
import { closeImages } from '../../proxy/images/close-images.js';
import type { DecodedImage } from '../../proxy/images/decode-image.js';
import { packSampler, type SamplerDescription, type Wrap } from '../../proxy/images/sampler.js';
import type { TextureDescription } from '../../proxy/scene-description.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import { type JsonObject, textOf } from '../gltf/gltf-checks.js';
import type { SlotInfo, SlotSource } from '../material-features/material-feature-reader.js';
import { isWorkerDeath } from '../worker-died.js';
import { decodeTexture, type TextureRequest } from './decode-texture.js';
import { type ImageDecoder, imageMimeType } from './image-decoder.js';

/** Count of pictures decoded concurrently: enough to keep the browser's decoders busy, few enough to limit memory. */
const CONCURRENT_DECODES = 4;

interface RequestedTexture {
  readonly texture: Texture;
  readonly label: string;
  readonly srgb: boolean;
  readonly sampler: SamplerDescription;
}

interface DecodeContext {
  readonly decodeImage: ImageDecoder;
  readonly loadDecoder: LoadDecoder;
  /** WebGPU names of the device's features, which determine the compressed formats that the device reads. */
  readonly deviceFeatures: readonly string[];
  /** Name of the file in messages. */
  readonly file: string;
  /** Errors of images that could not be loaded, by URI. */
  readonly missing: ReadonlyMap<string, Error>;
  /** Receives one warning for each image with textures that are left out. */
  readonly warnings: string[];
  readonly signal: AbortSignal | undefined;
}

type JsonNumbers = Partial<Record<string, number>>;

/** Collects the requested textures, then decodes them together. */
export class TextureSet {
  readonly #requested: RequestedTexture[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #images: ReadonlyMap<Texture, number>;

  /** JSON of the file, whose texture indices are valid (`preferSupportedSources`). */
  readonly #json: JsonObject;

  /** @param images the images as `Texture`s, in the order of the JSON */
  constructor(images: readonly Texture[], json: JsonObject) {
    this.#images = new Map(images.map((image, index) => [image, index]));
    this.#json = json;
  }

  /** Returns the texture of a `textureInfo` in the JSON, with the sampler that it names. */
  find(info: unknown): SlotSource {
    const { index, texCoord } = (info ?? {}) as { index?: number; texCoord?: number };
    const { textures, samplers } = this.#json as Partial<Record<string, readonly JsonNumbers[]>>;
    const { source, sampler } = textures?.[index ?? -1] ?? {};
    const texture = [...this.#images.keys()][source ?? -1] ?? null;
    const { minFilter, magFilter, wrapS, wrapT } = samplers?.[sampler ?? -1] ?? {};
    const slotInfo: SlotInfo = {
      getTexCoord: () => texCoord ?? 0,
      getMinFilter: () => minFilter ?? null,
      getMagFilter: () => magFilter ?? null,
      getWrapS: () => wrapS ?? 10497,
      getWrapT: () => wrapT ?? 10497,
    };
    return { texture, info: slotInfo, json: info };
  }

  /** Returns the number of a texture. Requests with the same image, colour space and sampler share the number. */
  request(texture: Texture, info: SlotInfo | null, srgb: boolean): number {
    const sampler = samplerOf(info);
    const image = this.#images.get(texture);
    const key = `${image}/${srgb}/${packSampler(sampler)}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#requested.length;
      this.#numbers.set(key, number);
      const label = String(texture.getName() || texture.getURI() || `image ${image}`);
      this.#requested.push({ texture, label, srgb, sampler });
    }
    return number;
  }

  async decode({
    decodeImage,
    loadDecoder,
    deviceFeatures,
    file,
    missing,
    warnings,
    signal,
  }: DecodeContext): Promise<(TextureDescription | null)[]> {
    const results: (TextureDescription | null)[] = this.#requested.map(() => null);
    const failed = new Set<Texture>();
    /**
     * Encoded bytes by image. Textures of one image share a Blob, so that the main thread keeps and counts the bytes
     * once.
     */
    const files = new Map<Texture, Blob>();
    let next = 0;
    /** Error of a worker that died while decoding. The load fails instead of leaving out a picture without a fault. */
    let death: unknown;
    const work = async (): Promise<void> => {
      while (next < this.#requested.length && !signal?.aborted && death === undefined) {
        const index = next++;
        const request = this.#requested[index];
        if (!request) return;
        try {
          const { texture, label, srgb, sampler } = request;
          const encoded = files.get(texture) ?? fileOf(texture, missing);
          files.set(texture, encoded);
          const wanted: TextureRequest = { file: label, decodeImage, loadDecoder, deviceFeatures, srgb };
          const decoded = await decode(encoded, wanted);
          results[index] = { label, srgb, sampler, encoded, ...decoded };
        } catch (error) {
          if (isWorkerDeath(error)) death ??= error;
          if (death !== undefined) return;
          if (failed.has(request.texture)) continue;
          failed.add(request.texture);
          const reason = error instanceof Error ? error.message : String(error);
          warnings.push(`"${file}", image "${request.label}": It is left out, because ${reason}`);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_DECODES }, work));
    if (signal?.aborted || death !== undefined) {
      closeImages(results);
      signal?.throwIfAborted();
      throw death;
    }
    return results;
  }
}

/** Returns the picture's file, with the type of its bytes. */
export function fileOf(texture: Texture, missing: ReadonlyMap<string, Error>): Blob {
  const absent = missing.get(texture.getURI());
  if (absent) throw absent;
  const bytes = texture.getImage();
  if (!bytes?.byteLength) throw new Error('it has no data.');
  const type = imageMimeType(bytes, textOf(texture.getMimeType()));
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type });
}

async function decode(file: Blob, request: TextureRequest): Promise<DecodedImage> {
  try {
    return await decodeTexture(file, request);
  } catch (error) {
    if (isWorkerDeath(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`its ${file.size} bytes (${file.type}) cannot be decoded: ${reason}`, { cause: error });
  }
}

const WRAPS: Record<number, Wrap> = { 33071: 'clamp-to-edge', 33648: 'mirror-repeat', 10497: 'repeat' };

/** Anisotropy of trilinear samplers, as in the Khronos sample renderer. */
const ANISOTROPY = 16;

/** Converts a glTF sampler, which has OpenGL's numbers. Minification filters with odd numbers are linear in a level. */
function samplerOf(info: SlotInfo | null): SamplerDescription {
  const minify: number = info?.getMinFilter() ?? 9987;
  const isMagnifiedSmoothly = info?.getMagFilter() !== 9728;
  // Anisotropy requires linear filters, so it also replaces a nearest minification, as in the sample renderer.
  const isAnisotropic = isMagnifiedSmoothly && minify >= 9986;
  return {
    wrapU: WRAPS[info?.getWrapS() ?? 10497] ?? 'repeat',
    wrapV: WRAPS[info?.getWrapT() ?? 10497] ?? 'repeat',
    magnify: isMagnifiedSmoothly ? 'linear' : 'nearest',
    minify: isAnisotropic || minify % 2 === 1 ? 'linear' : 'nearest',
    mipmap: minify < 9984 ? 'none' : minify >= 9986 ? 'linear' : 'nearest',
    ...(isAnisotropic && { anisotropy: ANISOTROPY }),
  };
}
