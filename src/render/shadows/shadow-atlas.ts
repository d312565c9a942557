import { type SamplerHandle, type TextureHandle, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { SHADOW_FORMAT } from './caster-pipelines.js';

/** The texture that holds all shadow maps, and its sampler. */
export class ShadowAtlas {
  /** Size in texels. */
  width = 0;
  height = 0;
  #texture: TextureHandle | undefined;
  #sampler: SamplerHandle | undefined;
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** The texture, for its import into the graph. */
  get texture(): TextureHandle {
    return this.#texture as TextureHandle;
  }

  /** Comparison sampler: returns 1 if the given depth is at least the depth in the map. */
  get sampler(): SamplerHandle {
    return this.#sampler as SamplerHandle;
  }

  /** Creates missing resources, and a new texture for a new size. Call it outside passes. */
  make(width: number, height: number): void {
    const rhi = this.#rhi;
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
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
