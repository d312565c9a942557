/** The sampling of a texture, and the word that encodes it in records. */
export type Wrap = 'repeat' | 'clamp-to-edge' | 'mirror-repeat';
type Filter = 'nearest' | 'linear';

export interface SamplerDescription {
  readonly wrapU: Wrap;
  readonly wrapV: Wrap;
  readonly magnify: Filter;
  readonly minify: Filter;
  /** `none`: no mip levels are made or read. */
  readonly mipmap: Filter | 'none';
  /**
   * Maximum number of samples along the direction in which a surface is tilted, 1 to 16. More samples are sharper and
   * take longer. More than 1 needs linear filters. Default 1.
   */
  readonly anisotropy?: number;
}

export const DEFAULT_SAMPLER: SamplerDescription = {
  wrapU: 'repeat',
  wrapV: 'repeat',
  magnify: 'linear',
  minify: 'linear',
  mipmap: 'linear',
};

const WRAPS: readonly Wrap[] = ['repeat', 'clamp-to-edge', 'mirror-repeat'];
const MIPMAPS: readonly (Filter | 'none')[] = ['none', 'nearest', 'linear'];

/**
 * Packs a sampler into one word, from the lowest bit on: wrapU 2 bits, wrapV 2, magnify 1, minify 1, mipmap 2,
 * anisotropy minus 1 in 4 bits.
 */
export function packSampler(sampler: SamplerDescription): number {
  return (
    WRAPS.indexOf(sampler.wrapU) |
    (WRAPS.indexOf(sampler.wrapV) << 2) |
    (sampler.magnify === 'linear' ? 16 : 0) |
    (sampler.minify === 'linear' ? 32 : 0) |
    (MIPMAPS.indexOf(sampler.mipmap) << 6) |
    (((sampler.anisotropy ?? 1) - 1) << 8)
  );
}

export function unpackSampler(word: number): Required<SamplerDescription> {
  return {
    wrapU: WRAPS[word & 3] ?? 'repeat',
    wrapV: WRAPS[(word >> 2) & 3] ?? 'repeat',
    magnify: word & 16 ? 'linear' : 'nearest',
    minify: word & 32 ? 'linear' : 'nearest',
    mipmap: MIPMAPS[(word >> 6) & 3] ?? 'none',
    anisotropy: ((word >> 8) & 15) + 1,
  };
}
