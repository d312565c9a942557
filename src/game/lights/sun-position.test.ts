import { describe, expect, it } from 'vitest';
import { placeSky } from './sun-position.js';

const RADIANS = 180 / Math.PI;

/** Returns the sun's altitude, and its azimuth from north through east, in degrees. */
function sunAt(latitude: number, longitude: number, date: string): { altitude: number; azimuth: number } {
  const [x, y, z] = placeSky(latitude, longitude, Date.parse(date)).toSun;
  return { altitude: Math.asin(y) * RADIANS, azimuth: (Math.atan2(x, -z) * RADIANS + 360) % 360 };
}

describe('R14 the sun by place and time', () => {
  it('agrees with the example of the Solar Position Algorithm (Reda and Andreas 2004), without refraction', () => {
    const { altitude, azimuth } = sunAt(39.742476, -105.1786, '2003-10-17T19:30:30Z');
    expect(Math.abs(altitude - 39.872046)).toBeLessThan(0.02);
    expect(Math.abs(azimuth - 194.340241)).toBeLessThan(0.02);
  });

  it('stands in the zenith at an equinox on the equator, in the north in the south, and low in winter', () => {
    expect(sunAt(0, 0, '2024-03-20T12:07:00Z').altitude).toBeGreaterThan(89);
    const south = sunAt(-33.9, 18.4, '2024-06-21T10:48:00Z');
    expect(Math.min(south.azimuth, 360 - south.azimuth)).toBeLessThan(2);
    expect(sunAt(52.5, 13.4, '2024-12-21T11:05:00Z').altitude).toBeCloseTo(90 - 52.5 - 23.44, 0);
    expect(sunAt(52.5, 13.4, '2024-12-21T23:00:00Z').altitude).toBeLessThan(-50);
  });

  it('turns the stars around the pole, by four minutes more than a day', () => {
    const { starRows } = placeSky(52.5, 13.4, Date.parse('2024-12-21T23:00:00Z'));
    expect(starRows[7]).toBeCloseTo(Math.sin(52.5 / RADIANS), 9);
    expect(starRows[8]).toBeCloseTo(-Math.cos(52.5 / RADIANS), 9);
    const later = placeSky(52.5, 13.4, Date.parse('2024-12-22T22:56:04.09Z')).starRows;
    for (const [index, value] of starRows.entries()) expect(later[index]).toBeCloseTo(value, 5);
    // The rows are perpendicular and of unit length, and do not mirror.
    const row = (index: number) => starRows.slice(index * 3, index * 3 + 3) as [number, number, number];
    const [a, b, c] = [row(0), row(1), row(2)];
    const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    for (const axis of [0, 1, 2]) expect(cross[axis]).toBeCloseTo(c[axis] as number, 9);
  });
});
