/** Row-major matrices between linear sRGB and the responses of the eye's cones (CAT02). */
const CONES_FROM_RGB = [
  0.390405, 0.549941, 0.00892632, 0.0708416, 0.963172, 0.00135775, 0.0231082, 0.128021, 0.936245,
] as const;
const RGB_FROM_CONES = [
  2.85847, -1.62879, -0.024891, -0.210182, 1.1582, 0.000324281, -0.041812, -0.118169, 1.06867,
] as const;
/** Chromaticity of daylight (D65). */
const DAYLIGHT_X = 0.31271;

/**
 * Returns a row-major 3 × 3 matrix that shifts white, as the cones of the eye adapt to another white (von Kries).
 * @param temperature −1 (blue) to 1 (yellow)
 * @param tint −1 (green) to 1 (magenta)
 */
export function whiteBalance(temperature: number, tint: number): number[] {
  const daylight = conesOf(DAYLIGHT_X, daylightY(DAYLIGHT_X));
  // The picture is adapted from this white to daylight, so a yellower picture starts from a bluer white. Bluer whites
  // lie closer together in x, so steps towards yellow are smaller.
  const x = DAYLIGHT_X - temperature * (temperature < 0 ? 0.1 : 0.05);
  const white = conesOf(x, daylightY(x) + tint * 0.05);
  const scales = daylight.map((response, cone) => response / (white[cone] as number));
  const matrix: number[] = [];
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) {
      let sum = 0;
      for (let cone = 0; cone < 3; cone++) {
        sum +=
          (RGB_FROM_CONES[row * 3 + cone] as number) *
          (scales[cone] as number) *
          (CONES_FROM_RGB[cone * 3 + column] as number);
      }
      matrix.push(sum);
    }
  }
  return matrix;
}

/** Chromaticity y of daylight with the chromaticity x. */
const daylightY = (x: number): number => 2.87 * x - 3 * x * x - 0.27509507;

/** Returns the responses of the cones to a chromaticity of brightness 1. */
function conesOf(x: number, y: number): number[] {
  const [bigX, bigZ] = [x / y, (1 - x - y) / y];
  return [
    0.7328 * bigX + 0.4296 - 0.1624 * bigZ,
    -0.7036 * bigX + 1.6975 + 0.0061 * bigZ,
    0.003 * bigX + 0.0136 + 0.9834 * bigZ,
  ];
}
