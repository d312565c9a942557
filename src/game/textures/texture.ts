/**
 * A texture: the source of its image, and its sampler. It is a plain description that any number of
 * materials, worlds and engines can use. Each engine makes its own copy when a mesh first needs it.
 *
 *   URL string, URL        fetched at once; then as a Blob
 *   Blob                   decoded at the first use; by the asset worker if it is KTX2 or `layer` is set
 *   ImageBitmap            copied at the first use, and the caller keeps its own
 *   ImageData, or { width, height, data }   RGBA8, rows from the top
 */

import { OptionError } from '../../core/errors.js';
import { checkNames, checkOptions } from '../../core/options/check-options.js';
import { checkWhole } from '../../core/options/check-value.js';
import type { Member, Shaped } from '../../core/options/member.js';
import { anything, byDefault, countFrom, oneOf, optional, text } from '../../core/options/members.js';
import { AS_STORED } from '../../proxy/images/decode-image.js';
import { isKtx2 } from '../../proxy/images/ktx2.js';
import { DEFAULT_SAMPLER, packSampler, type SamplerDescription } from '../../proxy/images/sampler.js';
import type { Outlet } from '../updates/write-record.js';
import { noDecoder, type RetainedImage, TextureRegistry } from './texture-registry.js';
import { transformOfUse } from './texture-use.js';

/** RGBA8, rows from the top. */
export interface PixelData {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

export type TextureSource = string | URL | Blob | ImageBitmap | PixelData;

export const TEXTURE_USE = {
  texture: anything<Texture>(),
  /** Set of texture coordinates of the geometry: 0 (default) or 1. */
  uvSet: byDefault(anything<0 | 1>(), 0),
  offset: optional(anything<ArrayLike<number>>()),
  /** Radians. */
  rotation: optional(anything<number>()),
  scale: optional(anything<ArrayLike<number>>()),
};

/** A texture with a transform of its coordinates (KHR_texture_transform): scale, then rotate, then offset. */
export type TextureUse = Shaped<typeof TEXTURE_USE>;

const OPTIONS = {
  /**
   * Index of the image in a KTX2 file with several images (an array or a cube), from 0. Images are counted layer by
   * layer, and face by face within a layer.
   */
  layer: optional(countFrom(0, 12287)),
  /** Colour space of the bytes. Default: `srgb` in materials' colour slots, `linear` in their data slots. */
  colorSpace: optional(oneOf('srgb|linear')),
  /** Default: repeat, linear filters, mip levels, no anisotropy. */
  sampler: optional(anything<Partial<SamplerDescription>>()),
  /** Name in messages and tools. */
  name: optional(text('text')),
};

export type TextureOptions = Shaped<typeof OPTIONS>;

/** An image ready to be transferred. */
export interface LoadedImage {
  /** `null` for a render texture, whose picture is drawn on the GPU. */
  readonly image: ImageBitmap | ArrayBuffer | null;
  readonly width: number;
  readonly height: number;
  /** Format bits of `texels.ts`; default: RGBA8 rows from the top. */
  readonly texels?: number;
  /** Number of the texture's changes that the image already includes. */
  readonly changes?: number;
}

/** Part of an image, in pixels from the left and the top. */
export interface ImageRectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Changes of an image that is in use. */
export interface ImageChanges {
  /** Changed rectangles, in the order of the changes. */
  readonly rectangles: readonly ImageRectangle[];
  /** Returns the current pixels of a rectangle: RGBA8, rows from the top. The caller may transfer them. */
  pixelsIn(rectangle: ImageRectangle): ArrayBuffer;
}

/** Decodes files that browsers can't decode. */
export type DecodeFile = (file: Blob, layer?: number) => Promise<LoadedImage>;

/** A texture for materials, made by `texture()` or by loading a file. */
export interface Texture {
  readonly name: string;
  /** Whether the bytes are sRGB colours. If it is `undefined`, the slot decides. */
  readonly srgb: boolean | undefined;
  /** @internal Result of `packSampler`. */
  readonly sampler: number;
  /**
   * @internal Creates the registry of an engine at its first texture, so that pages without textures do not
   * load its code.
   */
  createRegistry(outlet: Outlet): TextureRegistry;
  /** @internal Returns the transform `a b c d e f` (`material-layout.ts`), followed by the set of coordinates. */
  transformOf(what: string, use: TextureUse): number[];
  /** @internal Whether the image has to be fetched or decoded first. */
  readonly isLoadedLater: boolean;
  /** @internal Returns the image if it is available at once. The caller may transfer it. */
  takeImage(): LoadedImage | null;
  /** @internal Fetches and decodes the image; rejects with the reason of a failure. */
  loadImage(decode?: DecodeFile): Promise<LoadedImage>;
  /**
   * @internal Returns the same image again, for another stream (after a lost device, or the failure of a worker).
   */
  reloadImage(decode?: DecodeFile): Promise<LoadedImage>;
  /** @internal Changes of an image that can change. */
  readonly changes?: ImageChanges;
  /** @internal Source for `reloadImage`; `null` while there is none. Several textures may share it. */
  readonly retained: RetainedImage | null;
}

class DescribedTexture implements Texture {
  readonly name: string;
  readonly srgb: boolean | undefined;
  readonly sampler: number;
  retained: RetainedImage | null = null;
  readonly #source: TextureSource;
  readonly #layer: number | undefined;
  #blob: Promise<Blob> | null = null;
  /** The file, fetched before the texture is in use; null after the first use. */
  #prefetched: Promise<Blob> | null = null;
  #bitmap: Promise<ImageBitmap> | null = null;
  #pixels: PixelData | null = null;

  constructor(source: TextureSource, name: string, sampler: number, srgb?: boolean, layer?: number) {
    this.#layer = layer;
    this.name = name;
    this.sampler = sampler;
    this.srgb = srgb;
    this.#source = source;
    if (typeof source !== 'string' && !(source instanceof URL)) return;
    this.#prefetched = fetchBlob(String(source));
    this.#prefetched.catch(() => {}); // reported by the first use
  }

  createRegistry(outlet: Outlet): TextureRegistry {
    return new TextureRegistry(outlet);
  }

  transformOf(what: string, use: TextureUse): number[] {
    return transformOfUse(what, use);
  }

  get isLoadedLater(): boolean {
    return typeof this.#source !== 'object' || !('data' in this.#source);
  }

  takeImage(): LoadedImage | null {
    const source = this.#source;
    if (typeof source !== 'object' || !('data' in source)) return null;
    const { width, height, data } = this.#pixels ?? source;
    if (!data.length) return null;
    // Keeps a copy of the first content, because the page may transfer its own array, or write another picture into
    // it.
    this.#pixels ??= { width, height, data: new Uint8Array(data) };
    this.retained = this.#pixels;
    return { image: new Uint8Array(data).buffer, width, height };
  }

  async loadImage(decode: DecodeFile = noDecoder): Promise<LoadedImage> {
    const source = this.#source;
    if (typeof source === 'object' && 'data' in source) throw new Error('its data was transferred away');
    const retained = await this.#retain(source);
    this.retained = retained;
    const layer = this.#layer;
    try {
      if (layer !== undefined && retained instanceof Blob) return await decode(retained, layer);
      const image = await createImageBitmap(retained, AS_STORED);
      return { image, width: image.width, height: image.height };
    } catch (error) {
      // No browser decodes KTX2 files.
      if (layer !== undefined || !(retained instanceof Blob) || !(await isKtx2File(retained))) throw error;
      return decode(retained);
    }
  }

  async reloadImage(decode: DecodeFile = noDecoder): Promise<LoadedImage> {
    return this.takeImage() ?? this.loadImage(decode);
  }

  /**
   * Returns a source from which the image can be decoded at any time: its file, or a copy of an ImageBitmap.
   */
  #retain(source: string | URL | Blob | ImageBitmap): Promise<Blob | ImageBitmap> | Blob {
    // A failed fetch is repeated at the next use, because the network may be back.
    if (typeof source === 'string' || source instanceof URL) {
      this.#blob ??= (this.#prefetched ?? fetchBlob(String(source))).catch((error) => {
        this.#blob = null;
        throw error;
      });
      this.#prefetched = null;
      return this.#blob;
    }
    if (source instanceof Blob) return source;
    // A copy is kept, because the page may close its own bitmap.
    this.#bitmap ??= createImageBitmap(source, AS_STORED).then(checkReadable);
    return this.#bitmap;
  }
}

/**
 * Transfers the bitmap within this thread, and returns it. If the transfer fails, other threads and the GPU would
 * refuse the bitmap as well. An example is an image from another origin that does not allow its use.
 */
function checkReadable(bitmap: ImageBitmap): ImageBitmap {
  if (!globalThis.ImageBitmap) return bitmap; // Node, where no image comes from another origin
  try {
    return structuredClone(bitmap, { transfer: [bitmap] });
  } catch (cause) {
    bitmap.close();
    throw new Error(
      'it comes from another origin, which did not allow its use. Set crossOrigin = "anonymous" on the image, and have its server send Access-Control-Allow-Origin',
      { cause },
    );
  }
}

const isKtx2File = async (file: Blob): Promise<boolean> =>
  isKtx2(new Uint8Array(await file.slice(0, 12).arrayBuffer()));

async function fetchBlob(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`);
  return response.blob();
}

const filter = oneOf('nearest|linear');
const wrap = oneOf('repeat|clamp-to-edge|mirror-repeat');
/** Option table of a sampler; each option is required except `anisotropy`. */
export const SAMPLER = {
  wrapU: wrap,
  wrapV: wrap,
  magnify: filter,
  minify: filter,
  mipmap: oneOf('nearest|linear|none'),
  anisotropy: byDefault(countFrom(1, 16), 1),
} satisfies Readonly<Record<keyof SamplerDescription, Member>>;

/** @throws OptionError */
export function checkSampler(sampler: SamplerDescription): void {
  checkOptions('sampler', sampler, SAMPLER);
  const { magnify, minify, mipmap, anisotropy = 1 } = sampler;
  const isLinear = [magnify, minify, mipmap].every((filter) => filter === 'linear');
  if (anisotropy > 1 && !isLinear) {
    throw new OptionError(
      'option-invalid',
      `A sampler with anisotropy ${anisotropy} needs linear filters: magnify, minify and mipmap.`,
    );
  }
}

/**
 * Creates a texture. An image at a URL is fetched at once.
 * @throws OptionError
 * @example const bricks = texture('bricks.jpg', { sampler: { mipmap: 'none' } });
 */
export function texture(source: TextureSource, options: TextureOptions = {}): Texture {
  checkOptions('texture', options, OPTIONS);
  const { colorSpace, sampler = {}, name, layer } = options;
  checkNames('sampler', sampler, SAMPLER);
  const complete = { ...DEFAULT_SAMPLER, ...sampler };
  checkSampler(complete);
  // `fetch('')` would load the page itself.
  if (!source || (typeof source !== 'string' && typeof source !== 'object')) {
    throw new OptionError(
      'option-invalid',
      `texture takes a URL, a Blob, an ImageBitmap or { width, height, data }, not ${source === '' ? "''" : String(source)}.`,
    );
  }
  if (typeof source === 'object' && 'data' in source) {
    const { width, height, data } = source;
    const misplaced = Object.keys(source).find((key) => Object.hasOwn(OPTIONS, key));
    if (misplaced !== undefined) {
      throw new OptionError(
        'option-unknown',
        `texture was given "${misplaced}" beside data. It is an option: texture({ width, height, data }, { ${misplaced} }).`,
      );
    }
    checkWhole('texture', 'width', width, 1, 16384);
    checkWhole('texture', 'height', height, 1, 16384);
    if (data.length !== width * height * 4) {
      throw new OptionError(
        'texture-data-length',
        `The data of a ${width} × ${height} texture has to be ${width * height * 4} bytes (RGBA8); it is ${data.length}.`,
      );
    }
    if (data.BYTES_PER_ELEMENT > 1) {
      throw new OptionError(
        'option-invalid',
        `data of texture has to be bytes, such as a Uint8Array, and is a ${data.constructor.name}.`,
      );
    }
  }
  return new DescribedTexture(
    source,
    name ?? (typeof source === 'string' ? source : 'texture'),
    packSampler(complete),
    colorSpace && colorSpace === 'srgb',
    layer,
  );
}
