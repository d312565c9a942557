/** Least number of texels along the longer side. */
const LEAST_TEXELS = 64;
/** Largest number of texels along the longer side. */
const MOST_TEXELS = 512;
/** Number of texels along the distance `softness`. With fewer texels, the shadow of a moving thing would show steps. */
const SOFT_TEXELS = 24;
/** Largest number of texels that the blur reads to each side. */
const MOST_REACH = 64;
/** Number of standard deviations of the blur that the distance `softness` contains. */
const DEVIATIONS = 3;

/** Size of a catcher's textures in texels, and parameters of its blur. */
export interface CatcherSize {
  readonly width: number;
  readonly height: number;
  /** Texels that the blur reads to each side, along X and Z. */
  readonly reachX: number;
  readonly reachZ: number;
  /** Inverse variance of the blur per square texel, along X and Z. */
  readonly inverseVarianceX: number;
  readonly inverseVarianceZ: number;
}

/**
 * Returns the size for a ground.
 * @param sideX, sideZ sides of the ground, in metres, above 0
 * @param softness distance in which the shadow fades out, in metres
 */
export function catcherSize(sideX: number, sideZ: number, softness: number): CatcherSize {
  const longest = Math.max(sideX, sideZ);
  const wanted = softness > 0 ? (SOFT_TEXELS * longest) / softness : MOST_TEXELS;
  // The number is a power of two, so a softness that changes in every frame rarely replaces the textures.
  const texels = Math.min(MOST_TEXELS, Math.max(LEAST_TEXELS, 2 ** Math.ceil(Math.log2(wanted))));
  const width = Math.max(1, Math.round((texels * sideX) / longest));
  const height = Math.max(1, Math.round((texels * sideZ) / longest));
  const radiusX = Math.min((softness * width) / sideX, MOST_REACH);
  const radiusZ = Math.min((softness * height) / sideZ, MOST_REACH);
  return {
    width,
    height,
    reachX: Math.ceil(radiusX),
    reachZ: Math.ceil(radiusZ),
    inverseVarianceX: inverseVariance(radiusX),
    inverseVarianceZ: inverseVariance(radiusZ),
  };
}

/**
 * Returns the inverse variance of a blur, per square texel. It is finite for a radius of 0 too.
 * @param radius texels
 */
const inverseVariance = (radius: number): number => (DEVIATIONS / Math.max(radius, 1e-3)) ** 2;
