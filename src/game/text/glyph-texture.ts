/** The texture of a glyph atlas, which changes while it is shown. */
import { DEFAULT_SAMPLER, packSampler } from '../../proxy/images/sampler.js';
import type { ImageChanges, ImageRectangle, LoadedImage, Texture, TextureUse } from '../textures/texture.js';
import { type RetainedTexels, TextureRegistry } from '../textures/texture-registry.js';
import { transformOfUse } from '../textures/texture-use.js';
import type { Outlet } from '../updates/write-record.js';
import { CELL_HEIGHT, type DrawnCell, WHITE, WIDTH } from './glyph-cells.js';

/**
 * A texture that can change. Any number of worlds may show it, and a world may show it again after its removal. The
 * class is separate from `texture()`, because bundlers would otherwise add this code to every page that calls
 * `texture()`.
 */
export class GlyphTexture implements Texture, ImageChanges {
  readonly name: string;
  readonly srgb = true;
  readonly sampler = packSampler({ ...DEFAULT_SAMPLER, wrapU: 'clamp-to-edge', wrapV: 'clamp-to-edge' });
  readonly isLoadedLater = false;
  readonly retained: RetainedTexels;
  readonly rectangles: ImageRectangle[] = [];
  readonly #pixels: Uint32Array<ArrayBuffer>;
  readonly #height: number;

  constructor(name: string, height: number) {
    this.name = name;
    this.#pixels = new Uint32Array(WIDTH * height).fill(WHITE);
    this.#height = height;
    this.retained = { data: new Uint8Array(this.#pixels.buffer) };
  }

  createRegistry(outlet: Outlet): TextureRegistry {
    return new TextureRegistry(outlet);
  }

  transformOf(what: string, use: TextureUse): number[] {
    return transformOfUse(what, use);
  }

  get changes(): ImageChanges {
    return this;
  }

  /** Writes a cell's pixels. The caller adds the cell's rectangle to `rectangles`. */
  write(x: number, y: number, { kind, pixels, width }: DrawnCell): void {
    // A cell of ink is white everywhere, because black pixels without ink would darken the edges of the ink.
    const color = kind === 'ink' ? WHITE : 0;
    for (let row = 0; row < CELL_HEIGHT; row++) {
      const at = (y + row) * WIDTH + x;
      for (let column = 0; column < width; column++)
        this.#pixels[at + column] = (pixels[row * width + column] as number) | color;
    }
  }

  readonly pixelsIn = ({ x, y, width, height }: ImageRectangle): ArrayBuffer => {
    const part = new Uint32Array(width * height);
    for (let row = 0; row < height; row++) {
      const at = (y + row) * WIDTH + x;
      part.set(this.#pixels.subarray(at, at + width), row * width);
    }
    return part.buffer;
  };

  takeImage(): LoadedImage {
    const image = this.#pixels.slice().buffer;
    return { image, width: WIDTH, height: this.#height, changes: this.rectangles.length };
  }

  async loadImage(): Promise<LoadedImage> {
    return this.takeImage();
  }

  async reloadImage(): Promise<LoadedImage> {
    return this.takeImage();
  }
}
