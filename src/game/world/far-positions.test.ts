import { describe, expect, it } from 'vitest';
import type { LinesComponent } from '../billboards/lines-component.js';
import { boxGeometry } from '../geometry/shapes.js';
import { keyframes } from '../motion/motion-keyframes.js';
import { orbit } from '../motion/motion-turns.js';
import { createTestWorld, transformsOf } from '../testing/test-world.js';
import { interpolation } from './interpolation.js';

const geometry = boxGeometry({ size: 1 });
/** Positions in metres. Here 32-bit floats are 3 cm apart at `NEAR`, and 50 cm apart at `FAR`. */
const NEAR = 500_000.01;
const FAR = 6_400_000.03;

/** Sends an update and returns the position that it contains for a node. */
const sentOf = (test: ReturnType<typeof createTestWorld>, node: number): number[] | undefined =>
  transformsOf(test.send()).get(node)?.slice(0, 3);

describe('G3 positions of 64 bits', () => {
  it('are read as they were written, in a world and outside of one, and are sent with all 64 bits', () => {
    const test = createTestWorld();
    const box = test.world.addMesh({ geometry, position: [NEAR, -FAR, 0.1] });
    expect([...box.position]).toEqual([NEAR, -FAR, 0.1]);
    expect(sentOf(test, box.root.node)).toEqual([NEAR, -FAR, 0.1]);
    box.position.x = FAR + 0.02;
    expect(box.position.x).toBe(FAR + 0.02);
    expect(sentOf(test, box.root.node)).toEqual([FAR + 0.02, -FAR, 0.1]);
    const copy = box.clone();
    expect([...copy.position]).toEqual([FAR + 0.02, -FAR, 0.1]);
    box.destroy();
    expect(box.position.x).toBe(FAR + 0.02);
    test.resend();
    expect(transformsOf(test.read()).get(copy.root.node)?.[0]).toBe(FAR + 0.02);
  });

  it('are stored separately for each actor outside of worlds', () => {
    const { world } = createTestWorld();
    const actors = Array.from({ length: 200 }, (_, index) =>
      world.addMesh({ geometry, position: [index, 0, 0] }),
    );
    for (const actor of actors) actor.destroy();
    expect(actors.map(({ position }) => position.x)).toEqual(Array.from(actors.keys()));
  });

  it('add up over parents, in world positions, bounds and directions', () => {
    const { world } = createTestWorld();
    const base = world.addMesh({ geometry, position: [FAR, 0, 0] });
    const child = world.addMesh({ geometry, position: [0.02, 0, 0] });
    child.attachTo(base);
    expect(child.worldPosition).toEqual([FAR + 0.02, 0, 0]);
    expect(child.bounds.max[0]).toBe(FAR + 0.02 + 0.5);
    child.lookAt(FAR + 0.02, 0, 1);
    expect([...child.rotation]).toEqual([0, 0, 0, 1]);
    const trees = world.addInstances({ geometry, count: 1, position: [FAR, 0, 0] });
    expect(trees.actor?.bounds.max[0]).toBe(FAR + 0.5);
  });

  it('place the lines of the debug drawer exactly', async () => {
    const { world } = createTestWorld();
    const drawer = await world.addDebugDrawer();
    world.onTick(() => drawer.line([FAR, 1, 2], [FAR + 0.02, 2, 2]));
    world.tick(0.1);
    const lines = world.actors.find(({ name }) => name === 'debug drawer')?.root as LinesComponent;
    expect([...lines.position]).toEqual([FAR, 1, 2]);
    const { minimum, maximum } = lines.geometry;
    expect([minimum[0], minimum[1], maximum[1], maximum[2]]).toEqual([0, 0, 1, 0]);
    expect(maximum[0]).toBeCloseTo(0.02, 8);
  });

  it('move by declared motions and by interpolated steps of 2 cm', () => {
    const test = createTestWorld();
    const { world } = test;
    const frame = (seconds: number): void => {
      world.updates.timeSeconds += seconds;
      world.tick(seconds);
      test.send();
    };
    const moon = world.addMesh({ geometry, position: [FAR, 0, 0.02] });
    moon.motion = orbit({ center: [FAR, 0, 0], radiansPerSecond: Math.PI / 2 });
    const lift = world.addMesh({ geometry });
    lift.motion = keyframes({ times: [0, 1], positions: [FAR, 0, 0, FAR + 0.02, 0, 0] });
    const ball = world.addMesh({ geometry, position: [FAR, 0, 0] });
    world.onFixedTick(() => (ball.position.x += 0.02), { hertz: 1, interpolate: interpolation([ball]) });
    frame(0);
    frame(1);
    expect(moon.position.x - FAR).toBeCloseTo(0.02, 8);
    expect(lift.position.x - FAR).toBeCloseTo(0.02, 8);
    frame(0.5);
    expect(ball.position.x - FAR).toBeCloseTo(0.01, 8);
  });
});
