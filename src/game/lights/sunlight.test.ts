import { describe, expect, it } from 'vitest';
import { SUN_INTENSITY, sunlightAt } from './sunlight.js';

/** Integrates the optical depth along the way to the sun in small steps. */
function integrated(height: number, turbidity: number): number[] {
  const radius = 6_360_000;
  let [air, haze] = [0, 0];
  for (let step = 0; step < 200_000; step++) {
    const along = (step + 0.5) * 10;
    const above = Math.sqrt(radius ** 2 + along ** 2 + 2 * radius * along * height) - radius;
    air += Math.exp(-above / 8000) * 10;
    haze += Math.exp(-above / 1200) * 10;
  }
  const scattering = ((turbidity - 1) * 13.5e-6 * 8000) / 1200 / 0.9;
  return [5.8e-6, 13.5e-6, 33.1e-6].map(
    (value) => SUN_INTENSITY * Math.exp(-value * air - scattering * haze),
  );
}

describe('R14 the light of the sun', () => {
  it.each([
    [1, 1],
    [1, 2.5],
    [0.5, 4],
    [0.2, 2],
    [0.08, 2],
  ])('agrees with an integral along its way: height %d, turbidity %d', (height, turbidity) => {
    const expected = integrated(height, turbidity);
    for (const [channel, light] of sunlightAt(height, turbidity).entries()) {
      expect(Math.abs(light - (expected[channel] as number))).toBeLessThan(0.005);
    }
  });

  it('gets redder and weaker towards the horizon, and ends below it', () => {
    const [red, , blue] = sunlightAt(0.05, 2.5);
    expect(red).toBeGreaterThan(3 * blue);
    expect(red).toBeLessThan(sunlightAt(0.5, 2.5)[0]);
    expect(sunlightAt(-0.05, 2.5)).toEqual([0, 0, 0]);
  });
});
