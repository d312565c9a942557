import { expect, it, vi } from 'vitest';
import { codeOf, createTestWorld } from '../testing/test-world.js';

it('refuses null as shadows of a view, as an option and as a property', () => {
  const { world } = createTestWorld();
  const camera = world.addCamera();
  expect(codeOf(() => world.addView({ camera, shadows: null as never }, vi.fn()))).toBe('option-invalid');
  const view = world.addView({ camera, shadows: undefined }, vi.fn());
  expect([view.shadows, codeOf(() => Object.assign(view, { shadows: null }))]).toEqual([
    true,
    'option-invalid',
  ]);
});
