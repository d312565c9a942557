import { expect, it } from 'vitest';
import { type Eye, isFacing, parsePoint, placeOf } from './hotspot-places.js';

const straight: Eye = {
  position: { x: 0, y: 0, z: 2 },
  rotation: { x: 0, y: 0, z: 0, w: 1 },
  fovY: Math.PI / 2,
};

it('places points by the perspective of the camera', () => {
  expect(placeOf([0, 0, 0], straight, 200, 100)).toEqual([100, 50]);
  const [left = 0, top = 0] = placeOf([2, 1, 0], straight, 200, 100) ?? [];
  expect(left).toBeCloseTo(150);
  expect(top).toBeCloseTo(25);
  expect(placeOf([0, 0, 3], straight, 200, 100)).toBeNull();
});

it('places points by the rotation of the camera', () => {
  // A quarter turn to the left: the camera looks along −X.
  const turned = { ...straight, rotation: { x: 0, y: Math.SQRT1_2, z: 0, w: Math.SQRT1_2 } };
  const [left = 0, top = 0] = placeOf([-2, 1, 1], turned, 200, 100) ?? [];
  expect(left).toBeCloseTo(125);
  expect(top).toBeCloseTo(25);
  // A turn about X: the camera looks down.
  const down = { ...straight, rotation: { x: -Math.SQRT1_2, y: 0, z: 0, w: Math.SQRT1_2 } };
  const [x = 0, y = 0] = placeOf([1, -2, 1], down, 200, 100) ?? [];
  expect(x).toBeCloseTo(125);
  expect(y).toBeCloseTo(25);
});

it('tells which surfaces face the camera', () => {
  expect(isFacing([0, 0, 0], [0, 0, 1], straight)).toBe(true);
  expect(isFacing([0, 0, 0], [0, 0.1, -1], straight)).toBe(false);
  expect(isFacing([5, 0, 0], [-1, 0, 0], straight)).toBe(true);
});

it('parses points with and without units, and nothing else', () => {
  expect(parsePoint(' 1  -2.5m 1e-1 ')).toEqual([1, -2.5, 0.1]);
  for (const text of [
    null,
    '',
    '1 2',
    '1 2 3 4',
    '1 2 x',
    '1m 2m m',
    '1cm 2m 3m',
    'NaN 0 0',
    '1 2 Infinity',
  ]) {
    expect(parsePoint(text), String(text)).toBeNull();
  }
});
