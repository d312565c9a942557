import { type SamplerHandle, type TextureHandle, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { SHADOW_FORMAT } from './caster-pipelines.js';

/** The texture that holds all shadow maps, and how it is read. */
export class ShadowAtlas {
  /** Texels. */
  width = 0;
  height = 0;
  /** Rises when the texture is another one. */
  version = 0;
  #texture: TextureHandle | undefined;
  #sampler: SamplerHandle | undefined;
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  get texture(): TextureHandle {
    return this.#texture as TextureHandle;
  }

  /** Compares: 1 where the depth that is given is at least the map's. */
  get sampler(): SamplerHandle {
    return this.#sampler as SamplerHandle;
  }

  /** Outside passes: makes what is missing, and another texture for another size. */
  make(width: number, height: number): void {
    const rhi = this.#rhi;
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.version++;
    this.#sampler ??= rhi.createSampler({
      label: 'shadow maps',
      magFilter: 'linear',
      minFilter: 'linear',
      compare: 'greater-equal',
    });
    rhi.destroy(this.#texture);
    this.#texture = rhi.createTexture({
      label: 'shadow maps',
      width,
      height,
      format: SHADOW_FORMAT,
      usage: TextureUsage.renderAttachment | TextureUsage.textureBinding,
    });
  }

  dispose(): void {
    this.#rhi.destroy(this.#texture);
    this.#rhi.destroy(this.#sampler);
    this.#texture = this.#sampler = undefined;
    this.width = this.height = 0;
  }
}
