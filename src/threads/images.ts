/**
 * What the render thread needs for textures with images: loaded with the first of them, by the workers as
 * `worker-images.js`, by `single` mode as it is.
 */
import { ImageTextures, type ImageTexturesOptions } from '../render/image-textures.js';

export const createImageTextures = (options: ImageTexturesOptions): ImageTextures =>
  new ImageTextures(options);

export type Images = typeof import('./images.js');
