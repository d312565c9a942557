import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { ImageTextures } from '../textures/image-textures.js';
import { TextureSets } from '../textures/texture-sets.js';
import { TextureStore } from '../textures/texture-store.js';

/**
 * The images of materials and their bind groups. The first image creates this object.
 *
 *   createTexture ─► images ─► record: uploads, mip levels ─► bind groups of `sets` ─► unused textures are destroyed
 */
export class MaterialTextures {
  readonly images: ImageTextures;
  readonly sets: TextureSets;
  readonly #store: TextureStore;

  /**
   * @param largestSize maximum width and height of an image, in texels
   * @param deviceFeatures names of WebGPU features
   */
  constructor(rhi: ImmediateContext, largestSize: number, deviceFeatures: readonly string[]) {
    this.images = new ImageTextures(rhi, largestSize, deviceFeatures);
    this.#store = new TextureStore(rhi, this.images);
    this.sets = new TextureSets(rhi, this.#store);
  }

  /** Per frame, outside passes: uploads images, updates bind groups and destroys unused textures. */
  record(): void {
    const { images } = this;
    images.recordUploads();
    this.sets.recordBindGroups(images.changed);
    images.releaseRetired();
  }

  dispose(): void {
    this.sets.dispose();
    this.#store.dispose();
    this.images.dispose();
  }
}
