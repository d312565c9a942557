import { expect, it } from 'vitest';
import { SceneComponent } from '../components/scene-component.js';
import { codeOf, createTestWorld } from '../testing/test-world.js';

it('turns a light by its direction, in the world, also when it is attached', () => {
  const { world } = createTestWorld();
  const sun = world.addDirectionalLight({ direction: [0, -2, 0] });
  expect(sun.root.direction).toEqual([expect.closeTo(0, 6), expect.closeTo(-1, 6), expect.closeTo(0, 6)]);
  const arm = world.spawn(new SceneComponent({ position: [1, 2, 3] }));
  arm.rotateY(1);
  sun.attachTo(arm);
  sun.root.direction = [3, 0, 4];
  expect(sun.root.direction).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0, 6), expect.closeTo(0.8, 6)]);
  expect(sun.rotation.y).not.toBe(0);
  expect(codeOf(() => Object.assign(sun.root, { direction: [0, 0, 0] }))).toBe('option-out-of-range');
  expect(codeOf(() => Object.assign(sun.root, { direction: 'down' }))).toBe('option-invalid');
  const lamp = world.addPointLight();
  expect(codeOf(() => Object.assign(lamp.root, { direction: [0, -1, 0] }))).toBe('option-invalid');
  expect(codeOf(() => lamp.light?.direction)).toBe('option-invalid');
});
