/** Half floats hold radiance up to 65,504. Every device can filter such textures and draw into them. */
export const CUBE_FORMAT = 'rgba16float';
/** Width and height of a face, in texels. */
export const CUBE_SIZE = 256;
/**
 * Number of mip levels of the cube that surfaces read. The last level has 16 texels each way and roughness 1.
 */
export const LOBE_LEVELS = 5;
/**
 * Number of directions sampled per texel, by level. Wide lobes need many directions, and their levels have
 * few texels.
 */
export const LOBE_SAMPLES = [1, 32, 64, 256, 1024] as const;
/** Number of mip levels of the cube that is filtered, down to one texel. */
export const SOURCE_LEVELS = 9;
/** Mip level that irradiance is computed from: 16 texels each way. */
export const IRRADIANCE_LEVEL = 4;
