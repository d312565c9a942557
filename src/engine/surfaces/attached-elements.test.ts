import { beforeEach, expect, it, vi } from 'vitest';
import { SceneComponent } from '../../game/components/scene-component.js';
import { boxGeometry, sphereGeometry } from '../../game/geometry/shapes.js';
import { createTestWorld } from '../../game/testing/test-world.js';
import type { WaitableFence } from '../../sync/waitable.js';
import { AttachedElements } from './attached-elements.js';

/** An element of a document, with the members that `AttachedElements` uses. */
class TestElement {
  readonly style = { cssText: '' };
  readonly isConnected = true;
}

beforeEach(() => {
  vi.stubGlobal('HTMLElement', TestElement);
});

it('an element at a point of a surface is not hidden by that surface, and an element behind the surface is', async () => {
  const { world } = createTestWorld();
  const camera = world.addCamera({ position: [3, 4, 12], lookAt: [0, 0, 0] });
  const ball = world.addMesh({ geometry: sphereGeometry({ radius: 2, segments: 24 }) });
  world.addMesh({ geometry: boxGeometry({ size: 100 }), position: [0, -52, 0] });
  const canvas = { offsetLeft: 0, offsetTop: 0, clientLeft: 0, clientTop: 0 } as HTMLElement;
  const elements = new AttachedElements({
    world: () => world,
    canvas: () => canvas,
    completed: { whenReached: async () => {} } as unknown as WaitableFence,
    isInEngine: () => true,
    reportError: (error) => {
      throw error;
    },
  });
  const attach = (position: readonly number[]) => {
    const { root } = world.spawn(new SceneComponent({ position }));
    const element = new TestElement() as unknown as HTMLElement;
    elements.attach(element, root, { occlude: true }, new AbortController().signal);
    return element;
  };
  // Attach elements to points on the ball and on the ground. The far ground is seen at a low angle.
  const [width, height] = world.viewSize;
  const onSurface: HTMLElement[] = [];
  for (let row = 1; row < 20; row++) {
    for (let column = 1; column < 20; column++) {
      const { origin, direction } = camera.root.ray((width * column) / 20, (height * row) / 20);
      const hit = world.raycast(origin, direction);
      if (hit) onSurface.push(attach(hit.position));
    }
  }
  expect(onSurface.length).toBeGreaterThan(150);
  // The points are behind the ball, below the ground, and within the ball, about 0.15 m below its surface.
  const hidden = [attach([-1, -1, -4]), attach([0, -3, 4]), attach([0.42, 0.56, 1.7])];
  elements.place(1);
  await undefined;
  expect(onSurface.filter(({ style }) => style.visibility !== 'visible')).toEqual([]);
  expect(hidden.map(({ style }) => style.visibility)).toEqual(['hidden', 'hidden', 'hidden']);
  ball.destroy();
  elements.place(2);
  await undefined;
  expect(hidden.map(({ style }) => style.visibility)).toEqual(['visible', 'hidden', 'visible']);
});

it('an element that can’t be placed is hidden and reported once, and other elements are placed with the frame', async () => {
  const { world } = createTestWorld();
  world.addCamera({ position: [0, 0, 5] });
  const reported: unknown[] = [];
  const canvas = { offsetLeft: 0, offsetTop: 0, clientLeft: 0, clientTop: 0 } as HTMLElement;
  const completed = { whenReached: async () => {} } as unknown as WaitableFence;
  const elements = new AttachedElements({
    world: () => world,
    canvas: () => canvas,
    completed,
    isInEngine: () => true,
    reportError: (error) => reported.push(error),
  });
  const attach = () => {
    const { root } = world.addMesh({ geometry: boxGeometry() });
    const element = new TestElement() as unknown as HTMLElement;
    elements.attach(element, root, {}, new AbortController().signal);
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
  expect(reported).toEqual([wrong]);
  broken.root.worldFromLocal = worldFromLocal;
  elements.place(3);
  await undefined;
  expect(broken.style.visibility).toBe('visible');

  // Frames continue even if the page has broken an element.
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
  expect(reported).toEqual([wrong, wrong]);
});
