import { expect, it } from 'vitest';
import type { Bounds } from '../index.js';
import { aimCamera, automaticCamera, checkLimits } from './camera-aim.js';
import { parseOrbit, parseTarget } from './orbit-syntax.js';

const BOX: Bounds = { min: [1, 0, -1], max: [3, 2, 1] };
const orbit = (text: string) => parseOrbit('min-camera-orbit', text);
const away = ({ position, target }: ReturnType<typeof aimCamera>): number =>
  Math.hypot(...position.map((at, axis) => at - (target[axis] as number)));

it('frames the model by default, and at a share of this distance', () => {
  const camera = automaticCamera();
  const framed = aimCamera(camera, BOX, 1);
  expect(framed.target).toEqual([2, 1, 0]);
  const { minPolar, maxPolar, minAzimuth, maxAzimuth } = framed.limits;
  expect([minPolar, maxPolar, minAzimuth, maxAzimuth]).toEqual([0, Math.PI, -Infinity, Infinity]);
  camera.orbit = orbit('auto auto 200%');
  expect(away(aimCamera(camera, BOX, 1))).toBeCloseTo(2 * away(framed));
});

it('places the camera by its attributes, and within the limits', () => {
  const camera = automaticCamera();
  camera.orbit = orbit('90deg 90deg 4m');
  camera.target = parseTarget('camera-target', 'auto 0m 0m');
  const { position, target } = aimCamera(camera, BOX, 1);
  expect(target).toEqual([2, 0, 0]);
  for (const [axis, value] of [6, 0, 0].entries()) expect(position[axis]).toBeCloseTo(value);
  camera.minOrbit = orbit('auto auto 5m');
  expect(away(aimCamera(camera, BOX, 1))).toBeCloseTo(5);
  camera.minOrbit = orbit('auto auto auto');
  camera.maxOrbit = orbit('auto 45deg 1m');
  const limited = aimCamera(camera, BOX, 1);
  expect(away(limited)).toBeCloseTo(1);
  expect(limited.position[1]).toBeCloseTo(Math.SQRT1_2);
  expect(limited.limits.minDistance).toBeLessThanOrEqual(1);
});

it('allows a wanted distance beyond the default limits', () => {
  const camera = automaticCamera();
  for (const distance of [0.001, 1e5]) {
    camera.orbit = orbit(`auto auto ${distance}m`);
    const aim = aimCamera(camera, BOX, 1);
    expect(away(aim) / distance).toBeCloseTo(1);
    expect(aim.near).toBeLessThan(distance);
  }
});

it('limits the field of view, and frames a file without meshes', () => {
  const camera = automaticCamera();
  camera.fieldOfView = 2;
  camera.maxFieldOfView = 1;
  expect(aimCamera(camera, BOX, 1).fovY).toBe(1);
  camera.fieldOfView = null;
  camera.minFieldOfView = 0.8;
  expect(aimCamera(camera, BOX, 1).fovY).toBe(0.8);
  const nothing: Bounds = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
  expect(aimCamera(camera, nothing, 1).target).toEqual([0, 0, 0]);
});

it.each([
  [
    { minOrbit: orbit('10deg auto auto'), maxOrbit: orbit('5deg auto auto') },
    /first part of min-camera-orbit/,
  ],
  [{ minOrbit: orbit('auto 50deg auto'), maxOrbit: orbit('auto 40deg auto') }, /second part/],
  [{ minOrbit: orbit('auto auto 3m'), maxOrbit: orbit('auto auto 2m') }, /third part/],
  [{ minFieldOfView: 1, maxFieldOfView: 0.5 }, /min-field-of-view exceeds max-field-of-view/],
])('refuses limits that contradict each other', (limits, message) => {
  expect(() => checkLimits({ ...automaticCamera(), ...limits })).toThrow(
    expect.objectContaining({ code: 'option-out-of-range', message: expect.stringMatching(message) }),
  );
});

it('accepts limits in different units, and uses the greatest value if they contradict each other', () => {
  const camera = automaticCamera();
  camera.minOrbit = orbit('auto auto 1000m');
  camera.maxOrbit = orbit('auto auto 100%');
  checkLimits(camera);
  const { minDistance, maxDistance } = aimCamera(camera, BOX, 1).limits;
  expect(minDistance).toBe(maxDistance);
});
