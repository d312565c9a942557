import { expect, it } from 'vitest';
import { parseFieldOfView, parseOrbit, parseTarget } from './orbit-syntax.js';

it('parses orbits in all units', () => {
  const { azimuth, polar, distance } = parseOrbit('camera-orbit', ' 30deg 1.5rad  250cm ');
  expect(azimuth).toBeCloseTo(Math.PI / 6);
  expect([polar, distance]).toEqual([1.5, { value: 2.5, isShare: false }]);
  expect(parseOrbit('camera-orbit', 'auto 0 150%')).toEqual({
    azimuth: null,
    polar: 0,
    distance: { value: 1.5, isShare: true },
  });
  expect(parseOrbit('min-camera-orbit', '-Infinity auto auto').azimuth).toBe(-Infinity);
  expect(parseOrbit('max-camera-orbit', 'auto auto Infinity').distance?.value).toBe(Infinity);
});

it('parses targets and fields of view', () => {
  expect(parseTarget('camera-target', '1m -50cm auto')).toEqual([1, -0.5, null]);
  expect(parseTarget('camera-target', '0 0 2e3mm')).toEqual([0, 0, 2]);
  expect(parseFieldOfView('field-of-view', '180e-1deg')).toBeCloseTo(Math.PI / 10);
  expect(parseFieldOfView('field-of-view', 'auto')).toBeNull();
});

it.each([
  ['30 75 2', /"30 75 2"; it takes an azimuth/],
  ['30deg 75deg', /such as "30deg 75deg 2.5m"/],
  ['30deg 75deg 2.5deg', /camera-orbit/],
  ['30deg 75deg -1m', /camera-orbit/],
  ['30deg 75deg 0m', /camera-orbit/],
  ['Infinity 75deg 1m', /camera-orbit/],
  ['calc(30deg) 75deg 1m', /camera-orbit/],
  ['', /camera-orbit/],
])('rejects the orbit %j', (text, message) => {
  expect(() => parseOrbit('camera-orbit', text)).toThrow(
    expect.objectContaining({ code: 'option-invalid', message: expect.stringMatching(message) }),
  );
});

it('rejects invalid targets and fields of view', () => {
  for (const text of ['1 2 3', '1m 2m', '1m 2m 3deg', '50% 0m 0m']) {
    expect(() => parseTarget('camera-target', text)).toThrow(/camera-target.*three lengths/);
  }
  for (const text of ['30', '0deg', '180deg', '-5deg', '30m', '30deg 30deg']) {
    expect(() => parseFieldOfView('field-of-view', text)).toThrow(/field-of-view.*an angle/);
  }
});
