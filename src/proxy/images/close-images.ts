/** Decoded images hold memory that only `close` gives back at once: what nobody will use is closed by hand. */
import type { TextureDescription } from '../scene-description.js';

/** @param textures `null` stands for one that could not be decoded */
export function closeImages(textures: readonly (TextureDescription | null)[]): void {
  for (const texture of textures) {
    if (texture && 'close' in texture.image) texture.image.close();
  }
}
