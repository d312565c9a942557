/**
 * A texture: where its image comes from, and how it is sampled. It is a plain description that any number of
 * materials, worlds and engines can use; each world makes its own copy when a mesh first needs it.
 *
 *   URL string, URL, Blob  fetched and decoded asynchronously; the material does without until then. KTX2: in the asset worker
 *   ImageBitmap, ImageData decoded; an ImageBitmap is copied, the caller keeps its own
 *   { width, height, data } RGBA8, rows from the top
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
  /** Which texture coordinates of the geometry: 0 (default) or 1. */
  uvSet: byDefault(anything<0 | 1>(), 0),
  offset: optional(anything<ArrayLike<number>>()),
  /** Radians. */
  rotation: optional(anything<number>()),
  scale: optional(anything<ArrayLike<number>>()),
};

/** A texture with a transform of its coordinates (KHR_texture_transform): scale, then rotate, then offset. */
export type TextureUse = Shaped<typeof TEXTURE_USE>;

const OPTIONS = {
  /** Of a KTX2 file with several images (an array, a cube): which, counted layer by layer and face by face from 0. */
  layer: optional(countFrom(0, 12287)),
  /** How the bytes are meant. Default: `srgb` where a material uses it for colour, `linear` where for data. */
  colorSpace: optional(oneOf('srgb|linear')),
  /** Default: repeat, linear filters, mip levels, no anisotropy. */
  sampler: optional(anything<Partial<SamplerDescription>>()),
  /** Shown in messages and tools. */
  name: optional(text('text')),
};

export type TextureOptions = Shaped<typeof OPTIONS>;

/** An image ready to be sent: it is transferred. */
export interface LoadedImage {
  /** Null: views draw into it. */
  readonly image: ImageBitmap | ArrayBuffer | null;
  readonly width: number;
  readonly height: number;
  /** `texels.ts`; default: RGBA8 rows from the top. */
  readonly texels?: number;
  /** How many of the texture's changes it has. */
  readonly changes?: number;
}

/** Part of an image, in pixels from the left and the top. */
export interface ImageRectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What becomes another one while it is shown. */
export interface ImageChanges {
  /** In the order of the changes. */
  readonly rectangles: readonly ImageRectangle[];
  /** As it is now: RGBA8, rows from the top; the caller's to transfer. */
  pixelsIn(rectangle: ImageRectangle): ArrayBuffer;
}

/** Decodes what the browser alone can't. */
export type DecodeFile = (file: Blob, layer?: number) => Promise<LoadedImage>;

/** What a material shows: made by `texture()`, or by loading a file. */
export interface Texture {
  readonly name: string;
  /** `undefined`: decided by the use. */
  readonly srgb: boolean | undefined;
  /** @internal `packSampler`. */
  readonly sampler: number;
  /** @internal Made by the first texture a world meets, so that the code comes with textures only. */
  createRegistry(outlet: Outlet): TextureRegistry;
  /** @internal a b c d e f of `material-layout.ts`, and the set of coordinates. */
  transformOf(what: string, use: TextureUse): number[];
  /** @internal Whether its image has to be fetched or decoded first. */
  readonly isLoadedLater: boolean;
  /** @internal The image if it can be had at once; it is the caller's to transfer. */
  takeImage(): LoadedImage | null;
  /** @internal Fetches and decodes; rejects with what went wrong. */
  loadImage(decode?: DecodeFile): Promise<LoadedImage>;
  /** @internal The same image again, for another stream (a lost device, a worker that died). */
  reloadImage(decode?: DecodeFile): Promise<LoadedImage>;
  /** @internal Of an image that changes. */
  readonly changes?: ImageChanges;
  /** @internal What is kept for that; several textures may keep the same. */
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
  /** The file, fetched before anything shows the texture; null once it was used. */
  #early: Promise<Blob> | null = null;
  #bitmap: Promise<ImageBitmap> | null = null;
  #pixels: PixelData | null = null;

  constructor(source: TextureSource, name: string, sampler: number, srgb?: boolean, layer?: number) {
    this.#layer = layer;
    this.name = name;
    this.sampler = sampler;
    this.srgb = srgb;
    this.#source = source;
    if (typeof source !== 'string' && !(source instanceof URL)) return;
    this.#early = fetchBlob(String(source));
    this.#early.catch(() => {}); // told by the first use
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
    // The first look is kept: the page may transfer its own away, or write the next picture into it.
    this.#pixels ??= { width, height, data: new Uint8Array(data) };
    this.retained = this.#pixels;
    return { image: new Uint8Array(data).buffer, width, height };
  }

  async loadImage(decode: DecodeFile = noDecoder): Promise<LoadedImage> {
    const source = this.#source;
    if (typeof source === 'object' && 'data' in source) throw new Error('its data was transferred away');
    const kept = await this.#keep(source);
    this.retained = kept;
    const layer = this.#layer;
    try {
      if (layer !== undefined && kept instanceof Blob) return await decode(kept, layer);
      const image = await createImageBitmap(kept, AS_STORED);
      return { image, width: image.width, height: image.height };
    } catch (error) {
      // No browser decodes these.
      if (layer !== undefined || !(kept instanceof Blob) || !(await isKtx2File(kept))) throw error;
      return decode(kept);
    }
  }

  async reloadImage(decode: DecodeFile = noDecoder): Promise<LoadedImage> {
    return this.takeImage() ?? this.loadImage(decode);
  }

  /** What the image can be made of at any time: its file, or a copy where the page gave only pixels. */
  #keep(source: string | URL | Blob | ImageBitmap): Promise<Blob | ImageBitmap> | Blob {
    // The next use after a failure fetches again: the network may be back.
    if (typeof source === 'string' || source instanceof URL) {
      this.#blob ??= (this.#early ?? fetchBlob(String(source))).catch((error) => {
        this.#blob = null;
        throw error;
      });
      this.#early = null;
      return this.#blob;
    }
    if (source instanceof Blob) return source;
    // The page may close its own.
    this.#bitmap ??= createImageBitmap(source, AS_STORED).then(checkReadable);
    return this.#bitmap;
  }
}

/**
 * The bitmap, moved: what moving it within this thread refuses, no other thread and no GPU would take either. An image
 * of another origin that did not allow its use is such a one, whichever thread draws.
 */
function checkReadable(bitmap: ImageBitmap): ImageBitmap {
  if (!globalThis.ImageBitmap) return bitmap; // Node, where nothing comes from another origin
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
/** A sampler, every default filled in. */
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
 * Describes a texture.
 * @example const bricks = texture('bricks.jpg', { sampler: { mipmap: 'none' } });
 */
export function texture(source: TextureSource, options: TextureOptions = {}): Texture {
  checkOptions('texture', options, OPTIONS);
  const { colorSpace, sampler = {}, name, layer } = options;
  checkNames('sampler', sampler, SAMPLER);
  const complete = { ...DEFAULT_SAMPLER, ...sampler };
  checkSampler(complete);
  // Fetched as an address, '' would be the page itself.
  if (!source || (typeof source !== 'string' && typeof source !== 'object')) {
    throw new OptionError(
      'option-invalid',
      `texture takes a URL, a Blob, an ImageBitmap or { width, height, data }, not ${source === '' ? "''" : String(source)}.`,
    );
  }
  if (typeof source === 'object' && 'data' in source) {
    const { width, height, data } = source;
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
