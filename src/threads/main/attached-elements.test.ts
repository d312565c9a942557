import { expect, it } from 'vitest';
import type { SceneComponent } from '../../game/scene-component.js';
import { boxGeometry } from '../../game/shapes.js';
import { createTestWorld } from '../../game/world.test-helper.js';
import type { WaitableFence } from '../../sync/waitable.js';
import { AttachedElements } from './attached-elements.js';

it('an element that can’t be placed is hidden and told once, and others are placed with the frame', async () => {
  const { world } = createTestWorld();
  world.addCamera({ position: [0, 0, 5] });
  const told: unknown[] = [];
  const canvas = { offsetLeft: 0, offsetTop: 0, clientLeft: 0, clientTop: 0 } as HTMLElement;
  const completed = { whenReached: async () => {} } as unknown as WaitableFence;
  const elements = new AttachedElements({
    world: () => world,
    canvas: () => canvas,
    completed,
    isOurs: () => true,
    reportError: (error) => told.push(error),
  });
  const attach = () => {
    const { root } = world.addMesh({ geometry: boxGeometry() });
    const element = { style: { cssText: '' }, isConnected: true } as HTMLElement;
    elements.attach(element, root, [0, 0, 0], false, new AbortController().signal);
    return { root: root as SceneComponent, style: element.style as unknown as Record<string, string> };
  };
  const [broken, other] = [attach(), attach()];
  const wrong = new RangeError('Wrong.');
  const { worldFromLocal } = broken.root;
  broken.root.worldFromLocal = () => {
    throw wrong;
  };
  for (const frame of [1, 2]) {
    elements.place(frame);
    await undefined;
    expect([broken.style.visibility, other.style.visibility]).toEqual(['hidden', 'visible']);
  }
  expect(told).toEqual([wrong]);
  broken.root.worldFromLocal = worldFromLocal;
  elements.place(3);
  await undefined;
  expect(broken.style.visibility).toBe('visible');

  // Where the page has broken an element, frames go on as well.
  Object.defineProperty(other.style, 'visibility', {
    set() {
      throw wrong;
    },
  });
  const last = attach();
  for (const frame of [4, 5]) {
    elements.place(frame);
    await undefined;
    expect(last.style.visibility).toBe('visible');
  }
  expect(told).toEqual([wrong, wrong]);
});
