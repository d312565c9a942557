/**
 * Light of the sun after its way through the atmosphere. `shaders/atmosphere.wgsl` uses the same model. The
 * numbers of air and haze come from E. Bruneton and F. Neyret, "Precomputed Atmospheric Scattering", 2008. Turbidity is
 * defined as by A. Preetham, P. Shirley and B. Smits, 1999: the optical depth of air and haze, as a multiple of the
 * optical depth of air, at 550 nm. The optical depth of turbidity counts scattering only. Haze absorbs light besides.
 */

/** Metres from the Earth's centre to the ground. */
const RADIUS = 6_360_000;
/** Scale heights: metres of height over which air and haze get thinner by the factor e. */
const AIR_HEIGHT = 8000;
const HAZE_HEIGHT = 1200;
/** Scattering coefficients of air at the height of the ground, per metre: red, green and blue. */
const AIR = [5.8e-6, 13.5e-6, 33.1e-6] as const;
/** Share of the light that haze scatters, instead of absorbing it. */
const HAZE_ALBEDO = 0.9;
/** Light of the sun outside the atmosphere, on a surface that faces it, in lux of the scene. */
export const SUN_INTENSITY = 4;

/** Returns the scattering coefficient of haze at the height of the ground, per metre. */
const hazeScattering = (turbidity: number): number => ((turbidity - 1) * AIR[1] * AIR_HEIGHT) / HAZE_HEIGHT;

/** Returns exp(y²) · erfc(y), for y from 0 on. */
const scaledErrorFunction = (y: number): number =>
  y > 8 ? 0.56498823 / (0.06651874 + y) : (1.0606963 + 0.55643831 * y) / (1.0619896 + (1.7245609 + y) * y);

/**
 * Returns the depth of a path from the ground to space, through an atmosphere that gets thinner with the height. The
 * unit is the scale height, and the depth of a vertical path is 1 (F. L. Smith and C. Smith, "Numerical Evaluation of
 * Chapman's Grazing Incidence Integral ch(X, χ)", Journal of Geophysical Research 77, 1972).
 * @param x radius of the Earth, as a multiple of the scale height
 * @param cosine cosine of the path's angle from the zenith, 0 to 1
 */
const chapman = (x: number, cosine: number): number =>
  Math.sqrt((Math.PI * x) / 2) * scaledErrorFunction(Math.sqrt(x / 2) * cosine);

/**
 * Returns the light of the sun on a surface on the ground that faces it, in lux of the scene: linear red, green and
 * blue. The sun gives no light once its whole disc is below the horizon.
 * @param height y of the direction to the sun
 */
export function sunlightAt(height: number, turbidity: number): readonly [number, number, number] {
  // The disc has an angular diameter of 0.0093 rad. So `visible` is the share of its diameter above the horizon.
  const visible = Math.min(Math.max(height / 0.0093 + 0.5, 0), 1);
  const cosine = Math.max(height, 0);
  const air = AIR_HEIGHT * chapman(RADIUS / AIR_HEIGHT, cosine);
  const haze =
    (HAZE_HEIGHT * chapman(RADIUS / HAZE_HEIGHT, cosine) * hazeScattering(turbidity)) / HAZE_ALBEDO;
  return AIR.map(
    (scattering) => SUN_INTENSITY * visible * Math.exp(-scattering * air - haze),
  ) as unknown as readonly [number, number, number];
}
