/**
 * Place of the sun and of the stars, by the low-precision formulas of the Astronomical Almanac: J. J. Michalsky, "The
 * Astronomical Almanac's Algorithm for Approximate Solar Position (1950–2050)", Solar Energy 40(3), 1988. The sun's
 * direction is exact to about 0.01° in these years. Refraction is left out.
 *
 *   north ─► −Z        east ─► +X        up ─► +Y
 */

const DEGREES = Math.PI / 180;
const DAY_MILLISECONDS = 86_400_000;
/** Milliseconds from 1970 to the epoch J2000, 2000-01-01 12:00. */
const J2000 = 946_728_000_000;

/** Directions to the sun and the stars, at a place and time. */
interface PlacedSky {
  /** Direction to the sun in the world, of unit length. */
  readonly toSun: readonly [x: number, y: number, z: number];
  /**
   * Rows of the 3×3 matrix from a direction in the world to a direction among the stars. Each row is a direction in the
   * world: to right ascension 0 h on the equator, to 6 h on the equator, and to the north pole of the sky.
   */
  readonly starRows: readonly number[];
}

/**
 * Returns the sky over a place.
 * @param latitude degrees, north positive @param longitude degrees, east positive
 * @param milliseconds since 1970, as `Date.now()` returns
 */
export function placeSky(latitude: number, longitude: number, milliseconds: number): PlacedSky {
  const days = (milliseconds - J2000) / DAY_MILLISECONDS;
  const meanLongitude = 280.46 + 0.9856474 * days;
  const anomaly = (357.528 + 0.9856003 * days) * DEGREES;
  const eclipticLongitude =
    (meanLongitude + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * DEGREES;
  const obliquity = (23.439 - 0.0000004 * days) * DEGREES;
  // The direction to the sun among the stars, of unit length.
  const x = Math.cos(eclipticLongitude);
  const y = Math.cos(obliquity) * Math.sin(eclipticLongitude);
  const z = Math.sin(obliquity) * Math.sin(eclipticLongitude);
  // Sidereal time in degrees. It grows by a little more than 360° per day.
  const turned = 280.46061837 + 360.98564736629 * days + longitude;
  const starRows = rowsAt(latitude * DEGREES, (turned % 360) * DEGREES);
  const toSun = [0, 1, 2].map(
    (axis) =>
      (starRows[axis] as number) * x +
      (starRows[3 + axis] as number) * y +
      (starRows[6 + axis] as number) * z,
  );
  return { toSun: toSun as unknown as PlacedSky['toSun'], starRows };
}

/**
 * Returns `PlacedSky.starRows`.
 * @param latitude radians
 * @param siderealTime right ascension of the stars on the upper half of the meridian, in radians
 */
function rowsAt(latitude: number, siderealTime: number): readonly number[] {
  const [sine, cosine] = [Math.sin(siderealTime), Math.cos(siderealTime)];
  // The highest point of the sky's equator, its point in the west, and the sky's north pole. North of the Earth's
  // equator, the highest point is in the south.
  const south = [0, Math.cos(latitude), Math.sin(latitude)];
  const west = [-1, 0, 0];
  const pole = [0, Math.sin(latitude), -Math.cos(latitude)];
  const mix = (a: readonly number[], b: readonly number[], ofA: number, ofB: number): number[] =>
    a.map((value, axis) => value * ofA + (b[axis] as number) * ofB);
  return [...mix(south, west, cosine, sine), ...mix(south, west, sine, -cosine), ...pole];
}
