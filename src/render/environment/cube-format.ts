/** Half floats: radiance up to 65,504, filterable and drawable everywhere. */
export const CUBE_FORMAT = 'rgba16float';
/** Texels each way of a face. */
export const CUBE_SIZE = 256;
/** Mip levels of the cube that surfaces read: the last one, of 16 texels, has roughness 1. */
export const LOBE_LEVELS = 5;
/** Directions per texel, by level: wide lobes have few texels, and see the sun from many. */
export const LOBE_SAMPLES = [1, 32, 64, 256, 1024] as const;
/** Mip levels of the cube that is filtered: down to one texel. */
export const SOURCE_LEVELS = 9;
/** Which of these irradiance is made from: 16 texels each way. */
export const IRRADIANCE_LEVEL = 4;
