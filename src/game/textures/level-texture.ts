/**
 * A texture of a loaded file. Its image is available at once. The texture is sent to the world that loaded it, and
 * destroyed with its level. For a resend, the image's file is kept, or a copy of its texels if it has no file. A resend
 * decodes KTX2 into a format that the new device reads.
 */
import { OptionError } from '../../core/errors.js';
import { decodeImage } from '../../proxy/images/decode-image.js';
import { KTX2 } from '../../proxy/images/ktx2.js';
import { packSampler } from '../../proxy/images/sampler.js';
import type { TextureDescription } from '../../proxy/scene-description.js';
import type { Outlet } from '../updates/write-record.js';
import type { DecodeFile, LoadedImage, Texture, TextureUse } from './texture.js';
import { closeImage, noDecoder, type RetainedImage, TextureRegistry } from './texture-registry.js';
import { transformOfUse } from './texture-use.js';

export class LevelTexture implements Texture {
  readonly name: string;
  readonly srgb: boolean;
  readonly sampler: number;
  readonly retained: RetainedImage | null;
  readonly isLoadedLater = false;
  /** Source of `reloadImage` if there is no file. */
  readonly #texels: (LoadedImage & { readonly data: Uint8Array }) | null;
  #image: LoadedImage | null;

  constructor(description: TextureDescription) {
    const { image, width, height, encoded, texels = 0 } = description;
    this.name = description.label;
    this.srgb = description.srgb;
    this.sampler = packSampler(description.sampler);
    this.#image = { image, width, height, texels };
    this.#texels =
      !encoded && image instanceof ArrayBuffer
        ? { ...this.#image, image: null, data: new Uint8Array(image.slice(0)) }
        : null;
    this.retained = encoded ?? this.#texels;
  }

  createRegistry(outlet: Outlet): TextureRegistry {
    return new TextureRegistry(outlet);
  }

  transformOf(what: string, use: TextureUse): number[] {
    return transformOfUse(what, use);
  }

  takeImage(): LoadedImage | null {
    const image = this.#image;
    this.#image = null;
    return image;
  }

  /** Frees an image that no world has taken. */
  closeImage(): void {
    closeImage(this.takeImage());
  }

  async reloadImage(decode: DecodeFile = noDecoder): Promise<LoadedImage> {
    const { retained } = this;
    if (retained instanceof Blob) return retained.type === KTX2 ? decode(retained) : decodeImage(retained);
    if (!this.#texels) throw new Error('its image was not kept');
    const { data, ...image } = this.#texels;
    return { ...image, image: new Uint8Array(data).buffer };
  }

  async loadImage(): Promise<LoadedImage> {
    throw new OptionError(
      'texture-released',
      `Texture "${this.name}" belongs to a level that was unloaded. Load it again, or use a texture of your own.`,
    );
  }
}
