/**
 * A texture of a loaded file. Its image is there at once and sent once, to the world that loaded it; it is gone
 * with its level.
 */
import { OptionError } from '../core/errors.js';
import type { StreamWriter } from '../core/stream.js';
import { packSampler } from '../proxy/material-layout.js';
import type { TextureDescription } from '../proxy/scene-description.js';
import type { LoadedImage, Texture, TextureUse } from './texture.js';
import { TextureRegistry } from './texture-registry.js';
import { transformOfUse } from './texture-use.js';

export class LevelTexture implements Texture {
  readonly name: string;
  readonly srgb: boolean;
  readonly sampler: number;
  #image: LoadedImage | null;

  constructor(description: TextureDescription) {
    this.name = description.label;
    this.srgb = description.srgb;
    this.sampler = packSampler(description.sampler);
    this.#image = description;
  }

  createRegistry(writer: StreamWriter, reportError: (error: unknown) => void): TextureRegistry {
    return new TextureRegistry(writer, reportError);
  }

  transformOf(what: string, use: TextureUse): number[] {
    return transformOfUse(what, use);
  }

  takeImage(): LoadedImage | null {
    const image = this.#image;
    this.#image = null;
    return image;
  }

  async loadImage(): Promise<LoadedImage> {
    throw new OptionError(
      'texture-released',
      `Texture "${this.name}" belongs to a level that was unloaded. Load it again, or use a texture of your own.`,
    );
  }
}
