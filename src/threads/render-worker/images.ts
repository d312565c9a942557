/**
 * What the render thread needs for textures with images: loaded with the first of them, by the workers as
 * `worker-images.js`, by `single` mode as it is.
 */
import { MaterialTextures } from '../../render/material-textures.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

export const createMaterialTextures = (rhi: ImmediateContext, largestSize: number): MaterialTextures =>
  new MaterialTextures(rhi, largestSize);

export type Images = typeof import('./images.js');
