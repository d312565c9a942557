import { expect, it } from 'vitest';
import type { Actor } from '../components/actor.js';
import { createTestWorld } from '../testing/test-world.js';
import { LinesComponent, type LinesOptions } from './lines-component.js';
import { SpriteComponent } from './sprite-component.js';

const round = ({ bounds: { min, max } }: Actor) =>
  [...min, ...max].map((value) => Math.round(value * 1e6) / 1e6);

it('lines in metres extend half their width beyond their points, and four times as far at mitred corners', () => {
  const { world } = createTestWorld();
  const add = (options: Partial<LinesOptions>) =>
    world.spawn(
      new LinesComponent({
        positions: [0, 0, 0, 2, 0, 0, 4, 0, 0],
        width: 1,
        widthUnits: 'metres',
        ...options,
      }),
    );
  expect(round(add({}))).toEqual([-0.5, -0.5, -0.5, 4.5, 0.5, 0.5]);
  expect(round(add({ positions: [0, 0, 0, 1, 3, 0, 2, 0, 0] }))).toEqual([-1, -0.5, -2, 3, 5, 2]);
  expect(round(add({ positions: [0, 0, 0, 1, 3, 0], connect: 'segments' }))).toEqual([
    -0.5, -0.5, -0.5, 1.5, 3.5, 0.5,
  ]);
  expect(round(add({ widthUnits: 'pixels' }))).toEqual([0, 0, 0, 4, 0, 0]);
});

it("a sprite's bounds extend in every direction by its half diagonal at its largest scale factor", () => {
  const { world } = createTestWorld();
  const sprite = world.spawn(new SpriteComponent({ size: [6, 8], scale: [1, 0.5, 0.5] }));
  const { min, max } = sprite.bounds;
  // Its corners are 5 m from its middle.
  for (const axis of [0, 1, 2]) {
    expect(max[axis]).toBeGreaterThanOrEqual(5);
    expect(min[axis]).toBeLessThanOrEqual(-5);
  }
  sprite.scale.set(2, 2, 2);
  expect(round(sprite)).toEqual([-10, -10, -10, 10, 10, 10]);
});
