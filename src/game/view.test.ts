import { describe, expect, it } from 'vitest';
import { View } from './view.js';
import { ViewUpdates } from './view-updates.js';
import { createTestWorld } from './world.test-helper.js';

describe('the part of the canvas that a view fills', () => {
  const viewAt = (rect: { x: number; y: number; width: number; height: number }): View => {
    const { world } = createTestWorld();
    const camera = world.addCamera();
    const updates = new ViewUpdates(world.updates.resources);
    world.updates.views = updates;
    return new View(updates, { camera, rect }, () => {
      throw new Error('There is no canvas of its own.');
    });
  };

  it('is what was given, also where it is a little wider than the rest, as numbers are rounded', () => {
    const rect = { x: 0.8, y: 0, width: 0.2, height: 1 };
    expect(1 - rect.x).toBeLessThan(rect.width);
    expect(viewAt(rect).rect).toEqual(rect);
  });

  it('is refused with the room that there is, in a readable number', () => {
    expect(() => viewAt({ x: 0.6, y: 0, width: 0.5, height: 1 })).toThrow(
      'rect.width of a view is 0.5; it has to be a number from 0 to 0.4. A rect is in shares of the canvas.',
    );
  });
});
