/** Closes decoded images that will not be used. Only `close` frees their memory at once. */
import type { TextureDescription } from '../scene-description.js';

/** Closes the images of textures. @param textures `null` where an image could not be decoded */
export function closeImages(textures: readonly (TextureDescription | null)[]): void {
  for (const texture of textures) {
    if (texture && 'close' in texture.image) texture.image.close();
  }
}
