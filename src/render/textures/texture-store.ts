import { unpackSampler } from '../../proxy/images/sampler.js';
import { type SamplerHandle, type TextureHandle, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ImageTextures } from './image-textures.js';

const WHITE = [255, 255, 255, 255] as const;
const FLAT_NORMAL = [128, 128, 255, 255] as const;

/**
 * The scene's textures and samplers, as materials name them. Textures with equal sampler settings share one sampler.
 * Slots without a texture read a 1×1 stand-in: white, or the flat normal. `image-textures.ts` manages images.
 */
export class TextureStore {
  readonly #samplers = new Map<number, SamplerHandle>();
  #white: TextureHandle | undefined;
  #flatNormal: TextureHandle | undefined;

  readonly #rhi: ImmediateContext;
  readonly #images: ImageTextures;

  constructor(rhi: ImmediateContext, images: ImageTextures) {
    this.#rhi = rhi;
    this.#images = images;
  }

  /** Returns the texture to bind for an id, or the stand-in if the texture does not exist yet. */
  handle(texture: number, isNormalMap: boolean): TextureHandle {
    const handle = this.#images.find(texture)?.handle;
    if (handle !== undefined) return handle;
    if (isNormalMap) {
      this.#flatNormal ??= this.#createStandIn('flat normal', FLAT_NORMAL);
      return this.#flatNormal;
    }
    this.#white ??= this.#createStandIn('white', WHITE);
    return this.#white;
  }

  sampler(texture: number): SamplerHandle {
    const word = this.#images.find(texture)?.samplerWord ?? 0;
    let sampler = this.#samplers.get(word);
    if (sampler === undefined) {
      const { wrapU, wrapV, magnify, minify, mipmap, anisotropy } = unpackSampler(word);
      sampler = this.#rhi.createSampler({
        label: `sampler ${word}`,
        addressModeU: wrapU,
        addressModeV: wrapV,
        magFilter: magnify,
        minFilter: minify,
        mipmapFilter: mipmap === 'linear' ? 'linear' : 'nearest',
        ...(mipmap === 'none' ? { lodMaxClamp: 0 } : {}),
        ...(anisotropy > 1 ? { maxAnisotropy: anisotropy } : {}),
      });
      this.#samplers.set(word, sampler);
    }
    return sampler;
  }

  dispose(): void {
    for (const sampler of this.#samplers.values()) this.#rhi.destroy(sampler);
    for (const handle of [this.#white, this.#flatNormal]) this.#rhi.destroy(handle);
    this.#samplers.clear();
    this.#white = this.#flatNormal = undefined;
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
