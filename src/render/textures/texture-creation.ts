import { stringAt } from '../../core/records/record-fields.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { unpackSampler } from '../../proxy/images/sampler.js';
import { hasSrgb, type Texels, unpackTexels } from '../../proxy/images/texels.js';

/** Parameters of a new texture, as its record contains them. */
export interface TextureCreation {
  readonly texture: number;
  readonly width: number;
  readonly height: number;
  /** Result of `unpackTexels`. */
  readonly texels: Texels;
  readonly sampler: number;
  readonly label: string;
}

/**
 * Reads the parameters.
 * @param first index of the texture's id in the record's fields; the other fields follow it
 */
export function readCreation({ words, fields }: StreamReader, first: number): TextureCreation {
  const at = fields + first;
  return {
    texture: words[at] as number,
    width: words[at + 1] as number,
    height: words[at + 2] as number,
    texels: unpackTexels(words[at + 3] as number),
    sampler: words[at + 4] as number,
    label: stringAt(words, fields, first + 5),
  };
}

export function formatOf({ texels: { format, isSrgb } }: TextureCreation): GPUTextureFormat {
  return (isSrgb && hasSrgb(format) ? `${format}-srgb` : format) as GPUTextureFormat;
}

export function mipLevels({ width, height, sampler, texels: { levelCount } }: TextureCreation): number {
  if (levelCount > 0) return levelCount;
  return hasMipmaps(sampler) ? 1 + Math.floor(Math.log2(Math.max(width, height))) : 1;
}

/** Returns whether mip levels are drawn because the image contains none. */
export function drawsMipmaps(creation: TextureCreation): boolean {
  return creation.texels.levelCount === 0 && mipLevels(creation) > 1;
}

function hasMipmaps(samplerWord: number): boolean {
  return unpackSampler(samplerWord).mipmap !== 'none';
}
