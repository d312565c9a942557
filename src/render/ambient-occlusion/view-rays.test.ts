import { describe, expect, it } from 'vitest';
import { Projection } from '../../proxy/commands.js';
import { createViewParameters, type ViewParameters } from '../scene/view-parameters.js';
import { View } from '../views/view.js';
import { ViewRays } from './view-rays.js';

/** Row-major 3 × 4 matrix of a camera at (1, 2, 3) that is turned by 90° around Y, so it looks along −X. */
const CAMERA = Float64Array.of(0, 0, 1, 1, 0, 1, 0, 2, -1, 0, 0, 3);
const ORIGIN = Float64Array.of(0, 0, 0);
/** A point 5 m in front of the camera, 0.5 m to the right and 0.7 m up. */
const POINT = [1 - 5, 2 + 0.7, 3 - 0.5] as const;

const crop = { x: 0.25, y: 0.5, width: 0.5, height: 0.25 };
const cases: [string, Partial<ViewParameters>][] = [
  ['a perspective camera', {}],
  ['a far plane', { far: 20 }],
  ['a part of the picture', { crop, far: 100 }],
  ['an orthographic camera', { projection: Projection.orthographic, extentY: 2, near: -1, far: 30 }],
  ['a part of an orthographic picture', { projection: Projection.orthographic, extentY: 2, far: 30, crop }],
];

describe('ViewRays', () => {
  it.each(cases)('turn a pixel and its depth into a position: %s', (_, changes) => {
    const parameters = { ...createViewParameters(), node: 0, ...changes };
    const view = new View();
    view.update(parameters, CAMERA, ORIGIN, 1.5);
    const { clipFromWorld } = view;
    const clip = [0, 1, 2, 3].map(
      (row) =>
        clipFromWorld[row * 4 + 3]! +
        POINT.reduce((sum, value, column) => sum + clipFromWorld[row * 4 + column]! * value, 0),
    ) as [number, number, number, number];
    const [x, y, depth] = clip.map((value) => value / clip[3]) as [number, number, number];
    const rays = new ViewRays();
    rays.update(view, parameters);
    const { isOrthographic, depthScale, depthOffset, scale, offset } = rays;
    const z = isOrthographic ? (depthOffset - depth) / depthScale : depthOffset / (depth + depthScale);
    const factor = isOrthographic ? 1 : z;
    expect(z).toBeCloseTo(5, 9);
    expect(((x - offset[0]!) / scale[0]!) * factor).toBeCloseTo(0.5, 9);
    expect(((y - offset[1]!) / scale[1]!) * factor).toBeCloseTo(0.7, 9);
  });
});
