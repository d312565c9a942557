import { AssetError } from '../core/errors.js';
import { unpackSampler } from '../proxy/material-layout.js';
import { type SamplerHandle, type TextureHandle, TextureUsage } from '../rhi/descriptors.js';
import type { ImmediateContext } from '../rhi/immediate-context.js';
import { MipmapGenerator } from './mipmaps.js';

/**
 * The scene's textures and samplers. An image arrives with a record and reaches the GPU with the next frame, mip
 * levels included; samplers are few and shared, keyed by their packed word. Slots without a texture read a
 * 1×1 stand-in: white, or the flat normal.
 *
 *   execute: create ─► pending ─► recordUploads: createTexture, copy, mip passes ─► handle
 *            destroy ─► retired ─► releaseRetired: destroy (after bind groups were made anew)
 */
export interface TextureCreation {
  readonly texture: number;
  readonly width: number;
  readonly height: number;
  readonly srgb: number;
  readonly sampler: number;
  readonly label: string;
}

interface Texture {
  handle: TextureHandle | undefined;
  readonly samplerWord: number;
}

const WHITE = [255, 255, 255, 255] as const;
const FLAT_NORMAL = [128, 128, 255, 255] as const;

export class TextureStore {
  /** Ids created or destroyed since the last frame: texture sets that name one are stale. */
  readonly changed = new Set<number>();
  readonly #textures = new Map<number, Texture>();
  readonly #pending = new Map<number, { creation: TextureCreation; image: ImageBitmap | ArrayBuffer }>();
  readonly #retired: TextureHandle[] = [];
  readonly #samplers = new Map<number, SamplerHandle>();
  readonly #mipmaps: MipmapGenerator;
  #white: TextureHandle | undefined;
  #flatNormal: TextureHandle | undefined;

  readonly #rhi: ImmediateContext;
  readonly #largestSize: number;

  constructor(rhi: ImmediateContext, largestSize: number) {
    this.#rhi = rhi;
    this.#largestSize = largestSize;
    this.#mipmaps = new MipmapGenerator(rhi);
  }

  create(creation: TextureCreation, image: ImageBitmap | ArrayBuffer): void {
    const { texture, width, height, label } = creation;
    if (width > this.#largestSize || height > this.#largestSize) {
      if ('close' in image) image.close();
      throw new AssetError(
        'texture-too-large',
        `Texture "${label}" is ${width} × ${height}; this device takes at most ${this.#largestSize} in each direction. Scale the image down.`,
      );
    }
    this.destroy(texture);
    this.#textures.set(texture, { handle: undefined, samplerWord: creation.sampler });
    this.#pending.set(texture, { creation, image });
    this.changed.add(texture);
  }

  destroy(texture: number): void {
    const entry = this.#textures.get(texture);
    if (entry === undefined) return;
    if (entry.handle !== undefined) this.#retired.push(entry.handle);
    const waiting = this.#pending.get(texture);
    if (waiting && 'close' in waiting.image) waiting.image.close();
    this.#pending.delete(texture);
    this.#textures.delete(texture);
    this.changed.add(texture);
  }

  has(texture: number): boolean {
    return this.#textures.has(texture);
  }

  /** True when the next `recordUploads` draws mip levels. */
  get hasPendingMipmaps(): boolean {
    if (this.#pending.size === 0) return false;
    for (const { creation } of this.#pending.values()) if (hasMipmaps(creation.sampler)) return true;
    return false;
  }

  /** The texture to bind for an id, or the stand-in when there is none. */
  handle(texture: number, isNormalMap: boolean): TextureHandle {
    const handle = this.#textures.get(texture)?.handle;
    if (handle !== undefined) return handle;
    if (isNormalMap) {
      this.#flatNormal ??= this.#createStandIn('flat normal', FLAT_NORMAL);
      return this.#flatNormal;
    }
    this.#white ??= this.#createStandIn('white', WHITE);
    return this.#white;
  }

  sampler(texture: number): SamplerHandle {
    const word = this.#textures.get(texture)?.samplerWord ?? 0;
    let sampler = this.#samplers.get(word);
    if (sampler === undefined) {
      const { wrapU, wrapV, magnify, minify, mipmap } = unpackSampler(word);
      sampler = this.#rhi.createSampler({
        label: `sampler ${word}`,
        addressModeU: wrapU,
        addressModeV: wrapV,
        magFilter: magnify,
        minFilter: minify,
        mipmapFilter: mipmap === 'linear' ? 'linear' : 'nearest',
        ...(mipmap === 'none' ? { lodMaxClamp: 0 } : {}),
      });
      this.#samplers.set(word, sampler);
    }
    return sampler;
  }

  /** Per frame: creates and fills what has arrived. */
  recordUploads(): void {
    if (this.#pending.size === 0) return;
    for (const [texture, { creation, image }] of this.#pending) {
      const entry = this.#textures.get(texture);
      if (entry !== undefined) entry.handle = this.#upload(creation, image);
    }
    this.#pending.clear();
  }

  /** Per frame, when no bind group names them any more. */
  releaseRetired(): void {
    if (this.changed.size === 0) return;
    for (const handle of this.#retired) this.#rhi.destroy(handle);
    this.#retired.length = 0;
    this.changed.clear();
  }

  dispose(): void {
    for (const { image } of this.#pending.values()) if ('close' in image) image.close();
    this.#pending.clear();
    this.releaseRetired();
    for (const { handle } of this.#textures.values()) this.#rhi.destroy(handle);
    for (const sampler of this.#samplers.values()) this.#rhi.destroy(sampler);
    for (const handle of [this.#white, this.#flatNormal]) this.#rhi.destroy(handle);
    this.#textures.clear();
    this.#samplers.clear();
    this.#white = this.#flatNormal = undefined;
    this.#mipmaps.dispose();
  }

  #upload(creation: TextureCreation, image: ImageBitmap | ArrayBuffer): TextureHandle {
    const { width, height, label, sampler } = creation;
    const mipLevelCount = hasMipmaps(sampler) ? 1 + Math.floor(Math.log2(Math.max(width, height))) : 1;
    const format = creation.srgb ? 'rgba8unorm-srgb' : 'rgba8unorm';
    const handle = this.#rhi.createTexture({
      label,
      width,
      height,
      mipLevelCount,
      format,
      // Copies of external images and mip passes both render.
      usage: TextureUsage.textureBinding | TextureUsage.copyTarget | TextureUsage.renderAttachment,
    });
    if (image instanceof ArrayBuffer) {
      this.#rhi.writeTextureFromAttachment(handle, { width, height, bytesPerRow: width * 4 }, image);
    } else this.#rhi.copyExternalImage(image, handle, { width, height });
    if (mipLevelCount > 1) this.#mipmaps.record(handle, format, mipLevelCount, label);
    return handle;
  }

  #createStandIn(label: string, texel: readonly number[]): TextureHandle {
    const handle = this.#rhi.createTexture({
      label,
      width: 1,
      height: 1,
      format: 'rgba8unorm',
      usage: TextureUsage.textureBinding | TextureUsage.copyTarget,
    });
    this.#rhi.writeTexture(handle, { width: 1, height: 1, bytesPerRow: 4 }, new Uint8Array(texel));
    return handle;
  }
}

function hasMipmaps(samplerWord: number): boolean {
  return unpackSampler(samplerWord).mipmap !== 'none';
}
