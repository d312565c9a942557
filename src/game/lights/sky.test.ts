import { describe, expect, it } from 'vitest';
import { OptionError } from '../../core/errors.js';
import { readSky, type SkyOptions } from './sky.js';

const codeOf = (options: object): string => {
  try {
    readSky(options as SkyOptions);
  } catch (error) {
    if (error instanceof OptionError) return error.code;
    throw error;
  }
  return 'nothing was refused';
};
const PLACE = { latitude: 48, longitude: 11 };

describe('R14 the options of a sky', () => {
  it.each([
    [{ sunDirection: [Number.NaN, -1, 0] }, 'option-out-of-range'],
    [{ sunDirection: [0, Number.NEGATIVE_INFINITY, 0] }, 'option-out-of-range'],
    [{ sunDirection: 'down' }, 'option-invalid'],
    [{ turbidity: Number.NaN }, 'option-out-of-range'],
    [{ turbidity: 11 }, 'option-out-of-range'],
    [{ latitude: -90.1, longitude: 0 }, 'option-out-of-range'],
    [{ latitude: 0, longitude: 180.1 }, 'option-out-of-range'],
    [{ longitude: 0 }, 'option-invalid'],
    [{ date: 0 }, 'option-invalid'],
    [{ ...PLACE, date: new Date(Number.NaN) }, 'option-out-of-range'],
    [{ ...PLACE, date: new Date(Date.UTC(2501, 0)) }, 'option-out-of-range'],
    [{ ...PLACE, date: Number.POSITIVE_INFINITY }, 'option-out-of-range'],
    [{ ...PLACE, date: '2026-06-21' }, 'option-invalid'],
    [{ ...PLACE, date: '2026' }, 'option-invalid'],
    [{ ...PLACE, date: true }, 'option-invalid'],
    [{ ...PLACE, date: [] }, 'option-invalid'],
    [{ stars: 101 }, 'option-out-of-range'],
    [{ intensity: -1 }, 'option-out-of-range'],
    [{ light: null }, 'option-invalid'],
    [{ light: {} }, 'option-invalid'],
    [{ hour: 12 }, 'option-unknown'],
  ])('refuses %j with %s', (options, code) => {
    expect(codeOf(options)).toBe(code);
  });

  it('accepts a date as an object and in milliseconds, at both ends of place and time', () => {
    const date = Date.UTC(2026, 5, 21, 18);
    const sun = readSky({ ...PLACE, date }).sun;
    expect(readSky({ ...PLACE, date: new Date(date) }).sun).toEqual(sun);
    for (const latitude of [-90, 90])
      for (const time of [Date.UTC(1601, 0), Date.UTC(2499, 0)]) {
        const { settings } = readSky({ latitude, longitude: 180, date: time });
        for (const number of [...settings.toSun, ...settings.sunlight, ...settings.starRows])
          expect(Number.isFinite(number)).toBe(true);
      }
  });
});
