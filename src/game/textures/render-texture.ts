/**
 * A texture that views are drawn into: a mirror, a monitor, a picture of a product. It is RGBA8 in sRGB, with the
 * colours that a canvas would show, tone mapping included. It can be used in one engine.
 *
 *   addView({ camera, target }) ─► picture of the frame ─► materials in the same frame │ read()
 */

import { FencepostError, StateError } from '../../core/errors.js';
import { checkNames, fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, countFrom, optional, text } from '../../core/options/members.js';
import { DEFAULT_SAMPLER, packSampler, type SamplerDescription } from '../../proxy/images/sampler.js';
import type { Outlet } from '../updates/write-record.js';
import type { View } from '../world/view.js';
import { checkSampler, type LoadedImage, type PixelData, SAMPLER, type Texture } from './texture.js';
import { TextureRegistry } from './texture-registry.js';
import { transformOfUse } from './texture-use.js';

const OPTIONS = {
  /** Texels, 1 to 16384. */
  width: countFrom(1, 16384),
  height: countFrom(1, 16384),
  /**
   * Whether the texture has mip levels, computed for every picture. Without mip levels, the texture flickers when it
   * appears small. Default true.
   */
  mipmaps: byDefault(boolean(), true),
  /** Default: clamped to its edges, linear filters. */
  sampler: optional(anything<Partial<Omit<SamplerDescription, 'mipmap' | 'anisotropy'>>>()),
  /** Name in messages and tools. */
  name: optional(text('text')),
};

export type RenderTextureOptions = Shaped<typeof OPTIONS>;

const { mipmap: _mipmap, anisotropy: _anisotropy, ...OWN_SAMPLER } = SAMPLER;

/** sRGB RGBA8, not multiplied by alpha, row 0 at the top. */
export interface TexturePicture extends PixelData {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

export class RenderTexture implements Texture {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly srgb = true;
  /** @internal */
  readonly sampler: number;
  /** @internal */
  readonly isLoadedLater = false;
  /** @internal */
  readonly retained = null;
  /** @internal Views that are drawn into the texture, in the order in which they were added. */
  readonly sources = new Set<View>();

  /** @internal use `renderTexture` */
  constructor(options: RenderTextureOptions) {
    const {
      width,
      height,
      mipmaps,
      name = 'render texture',
      sampler = {},
    } = fillOptions('renderTexture', options, OPTIONS);
    this.width = width;
    this.height = height;
    checkNames('sampler of renderTexture', sampler, OWN_SAMPLER);
    const complete: SamplerDescription = {
      ...DEFAULT_SAMPLER,
      wrapU: 'clamp-to-edge',
      wrapV: 'clamp-to-edge',
      ...sampler,
      mipmap: mipmaps ? 'linear' : 'none',
    };
    checkSampler(complete);
    this.sampler = packSampler(complete);
    this.name = name;
  }

  /**
   * Reads the picture of the next frame, with all changes made before the call.
   * @throws StateError `render-texture-unused` if no view is drawn into the texture, or the last one is disposed of
   * meanwhile; StateError `engine-disposed`; AssetError `texture-too-large` if the device can't create it; RhiError
   * `capture-failed`
   */
  async read(): Promise<TexturePicture> {
    for (;;) {
      const source = [...this.sources].at(-1);
      if (!source) {
        throw new StateError(
          'render-texture-unused',
          `"${this.name}" can't be read, because no view is drawn into it. Add a view: engine.addView({ camera, target }).`,
        );
      }
      try {
        return await source.captureFrame();
      } catch (error) {
        // The view or its engine may have been disposed of meanwhile. Another view may then provide the picture.
        const hasEnded = error instanceof FencepostError && error.code === 'engine-disposed';
        if (hasEnded && this.sources.size > 1) this.sources.delete(source);
        if (this.sources.has(source)) throw error;
      }
    }
  }

  /** @internal */
  createRegistry(outlet: Outlet): TextureRegistry {
    return new TextureRegistry(outlet);
  }

  /** @internal */
  transformOf(what: string, use: Parameters<typeof transformOfUse>[1]): number[] {
    return transformOfUse(what, use);
  }

  /** @internal */
  takeImage(): LoadedImage {
    return { image: null, width: this.width, height: this.height };
  }

  /** @internal */
  async loadImage(): Promise<LoadedImage> {
    return this.takeImage();
  }

  /** @internal */
  async reloadImage(): Promise<LoadedImage> {
    return this.takeImage();
  }
}

/**
 * Creates a texture that views can be drawn into, for use in materials or with `read`.
 * @example const monitor = renderTexture({ width: 512, height: 256 }); engine.addView({ camera, target: monitor });
 * @throws OptionError
 */
export function renderTexture(options: RenderTextureOptions): RenderTexture {
  return new RenderTexture(options);
}
