import { describe, expect, it } from 'vitest';
import { frameModel, placeAround } from './framing.js';

type Vector = [number, number, number];

function lookAt(from: readonly number[], to: readonly number[]): (point: readonly number[]) => Vector {
  const normalize = (vector: readonly number[]): number[] =>
    vector.map((each) => each / Math.hypot(...vector));
  const cross = ([a = 0, b = 0, c = 0]: readonly number[], [x = 0, y = 0, z = 0]: readonly number[]) => [
    b * z - c * y,
    c * x - a * z,
    a * y - b * x,
  ];
  const back = normalize(from.map((each, axis) => each - (to[axis] as number)));
  const right = normalize(cross([0, 1, 0], back));
  const rows = [right, cross(back, right), back];
  return (point) =>
    rows.map((row) =>
      row.reduce((sum, each, axis) => sum + each * ((point[axis] as number) - (from[axis] as number)), 0),
    ) as Vector;
}

/**
 * Returns how far the box reaches from the middle of the picture, where 1 is the picture's edge.
 * @param turn turn of the box about its vertical axis, in radians
 */
function reach(framing: ReturnType<typeof frameModel>, aspect: number, turn: number): number {
  const { target, azimuth, polar, distance } = framing;
  const position = placeAround(target, azimuth, polar, distance);
  const view = lookAt([...position], [...target]);
  const slope = Math.tan(0.4);
  let most = 0;
  for (const x of [-1, 1]) {
    for (const y of [-1, 1]) {
      for (const z of [-1, 1]) {
        const turned = [x * Math.cos(turn) - z * Math.sin(turn), y, x * Math.sin(turn) + z * Math.cos(turn)];
        const [right, up, back] = view(turned.map((each, axis) => each + (target[axis] as number)));
        most = Math.max(most, Math.abs(right) / (-back * slope * aspect), Math.abs(up) / (-back * slope));
      }
    }
  }
  return most;
}

describe('frameModel', () => {
  const bounds = { min: [1, 2, 3], max: [3, 4, 5] } as const;
  const box = { min: [...bounds.min], max: [...bounds.max] } as Parameters<typeof frameModel>[0];

  it('looks at the middle, and fills most of the picture without cutting a corner, at every turn about the vertical', () => {
    for (const aspect of [0.5, 1, 2]) {
      const framing = frameModel(box, 0.8, aspect);
      expect(framing.target).toEqual([2, 3, 4]);
      expect(framing.radius).toBeCloseTo(Math.sqrt(3));
      let most = 0;
      for (let turn = 0; turn < 64; turn++) most = Math.max(most, reach(framing, aspect, turn / 10));
      expect(most).toBeLessThan(1);
      expect(most).toBeGreaterThan(0.85);
    }
  });

  it('frames a model without extent', () => {
    const framing = frameModel({ min: [1, 1, 1], max: [1, 1, 1] }, 0.8, 1);
    expect(framing.radius).toBe(0.5);
    expect(framing.distance).toBeGreaterThan(1);
  });
});
