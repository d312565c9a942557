import { beforeEach, expect, it, vi } from 'vitest';
import { SceneComponent } from '../../game/components/scene-component.js';
import { boxGeometry, sphereGeometry } from '../../game/geometry/shapes.js';
import { codeOf, createTestWorld } from '../../game/testing/test-world.js';
import type { WaitableFence } from '../../sync/waitable.js';
import { type AttachElementOptions, AttachedElements } from './attached-elements.js';
import type { ElementTarget } from './element-anchors.js';

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

/** Creates a world with a camera on the Z axis, and a function that attaches an element and returns its style. */
function setUp() {
  const { world } = createTestWorld();
  world.addCamera({ position: [0, 0, 5] });
  const other = createTestWorld().world;
  other.addCamera({ position: [0, 0, 5] });
  let shown = world;
  const canvas = { offsetLeft: 0, offsetTop: 0, clientLeft: 0, clientTop: 0 } as HTMLElement;
  const elements = new AttachedElements({
    world: () => shown,
    canvas: () => canvas,
    completed: { whenReached: async () => {} } as unknown as WaitableFence,
    isInEngine: () => true,
    reportError: (error) => {
      throw error;
    },
  });
  const attach = (target: ElementTarget, options: AttachElementOptions = { occlude: true }) => {
    const element = new TestElement() as unknown as HTMLElement;
    elements.attach(element, target, options, new AbortController().signal);
    return element.style;
  };
  const look = async (...styles: readonly { visibility: string }[]): Promise<string[]> => {
    elements.place(1);
    await undefined;
    return styles.map(({ visibility }) => visibility);
  };
  const show = (next: typeof world): void => {
    shown = next;
  };
  return { world, other, show, attach, look };
}

it('an element at a hit shows on the picked surface, and is hidden behind the same mesh and with it', async () => {
  const { world, attach, look } = setUp();
  const ball = world.addMesh({ geometry: sphereGeometry({ radius: 1, segments: 24 }) });
  const hit = world.raycast([0.3, 0.4, 5], [0, 0, -1])!;
  const [spot, middle] = [attach(hit), attach(ball)];
  const offset = ball.localFromWorld(hit.position);
  const saved = attach(ball, { offset, occlude: 'all' });
  expect(await look(spot, middle, saved)).toEqual(['visible', 'visible', 'visible']);
  ball.rotateY(Math.PI);
  expect(await look(spot, middle, saved)).toEqual(['hidden', 'visible', 'hidden']);
  ball.rotateY(Math.PI);
  const wall = world.addMesh({ geometry: boxGeometry({ size: 1.5 }), position: [0, 0, 3] });
  expect(await look(spot, middle)).toEqual(['hidden', 'hidden']);
  wall.destroy();
  expect(await look(spot)).toEqual(['visible']);
  ball.visible = false;
  expect(await look(spot)).toEqual(['hidden']);
  ball.visible = true;
  ball.destroy();
  await look();
  expect(spot.cssText).toBe('');
});

it('an element at a point of the world stays there, and shows only in the world of its attachment', async () => {
  const { world, other, show, attach, look } = setUp();
  const position = { x: 0, y: 0, z: 1 };
  const style = attach(position);
  position.z = 9;
  expect(await look(style)).toEqual(['visible']);
  const box = world.addMesh({ geometry: boxGeometry(), position: [0, 0, 0.5] });
  // The box's front is at z = 1, so the point is on it.
  expect(await look(style)).toEqual(['visible']);
  box.position.z = 2;
  expect(await look(style)).toEqual(['hidden']);
  box.destroy();
  show(other);
  expect(await look(style)).toEqual(['hidden']);
});

it('rejects wrong targets, and an offset beside a hit or a point', () => {
  const { world, attach } = setUp();
  const box = world.addMesh({ geometry: boxGeometry() });
  const hit = world.raycast([0, 0, 5], [0, 0, -1])!;
  const codes = (target: unknown, options = {}): string => codeOf(() => attach(target as never, options));
  expect([null, {}, 'x', 5, [1, 2]].map((target) => codes(target))).toEqual(Array(5).fill('option-invalid'));
  expect(codes([0, Number.NaN, 0])).toBe('option-out-of-range');
  expect(codes(hit, { offset: [0, 1, 0] })).toBe('option-invalid');
  expect(codes([0, 0, 0], { offset: [0, 1, 0] })).toBe('option-invalid');
  const copies: object[] = [
    { localPosition: [0] },
    { normal: undefined },
    { position: 'x' },
    { instance: 0.5 },
  ];
  for (const fields of copies) expect(codes({ ...hit, ...fields })).toMatch(/^option-/);
  for (const instance of [-1, 1, undefined]) expect(codes({ ...hit, instance })).toMatch(/^option-/);
  const unawaited: unknown[] = [null, Promise.resolve(hit)];
  for (const target of unawaited) {
    expect(() => attach(target as never)).toThrow(/Await the pick first; it is null if nothing was hit/);
  }
  box.destroy();
  expect(codes(hit)).toBe('option-invalid');
});
