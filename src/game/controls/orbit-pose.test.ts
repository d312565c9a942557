import { expect, test } from 'vitest';
import { evaluateFollow, placeOrbiting } from '../../proxy/motion/motion-follow.js';
import { followGoal, followParameters, isSamePose, type Pose } from './orbit-pose.js';

const pose: Pose = { x: 1, y: 2, z: 3, azimuth: 0.5, polar: 1.2, distance: 6 };
const goal: Pose = { x: 2, y: 2, z: 1, azimuth: 1.5, polar: 0.9, distance: 4 };

test.each([
  ['a resting goal', 0.1, 0],
  ['a turning goal', 0.1, 0.8],
  ['a turning goal, without damping', 0, 0.8],
])(
  'one step of the render thread reaches the same place as many steps of the controls: %s',
  (_name, damping, rate) => {
    const [stepped, turning] = [{ ...pose }, { ...goal }];
    for (let step = 0; step < 30; step++) followGoal(stepped, turning, 0.01, damping, rate);
    const expected = new Float64Array(10);
    const actual = new Float64Array(10);
    placeOrbiting(Object.values(stepped), expected, 0);
    evaluateFollow(followParameters(pose, goal, damping, rate), 0.3, actual, 0);
    expected.forEach((value, index) => {
      expect(actual[index]).toBeCloseTo(value, 4);
    });
  },
);

test('a movement ends exactly at its goal, and then nothing moves', () => {
  const moved = { ...pose };
  let steps = 0;
  while (followGoal(moved, goal, 0.02, 0.1, 0)) steps++;
  expect(isSamePose(moved, goal)).toBe(true);
  expect(steps).toBeGreaterThan(30);
  expect(steps).toBeLessThan(100);
});

test('a turn takes equally many steps at any distance from the target', () => {
  const stepsAt = (distance: number): number => {
    const far = { ...goal, distance };
    const moved = { ...far, azimuth: 0.5 };
    let steps = 0;
    while (followGoal(moved, far, 0.02, 0.1, 0)) steps++;
    return steps;
  };
  expect(stepsAt(1)).toBeGreaterThan(30);
  expect(stepsAt(1e7)).toBe(stepsAt(1));
});
