import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SceneComponent } from '../components/scene-component.js';
import { boxGeometry } from '../geometry/shapes.js';
import { standardMaterial } from '../materials/material.js';
import { spin } from '../motion/motion-turns.js';
import { createTestWorld, type TestWorld, transformsOf } from '../testing/test-world.js';
import { type Interpolation, interpolation } from './interpolation.js';

const HERTZ = 10;

/** Returns a world with one actor. Each step moves the actor a metre to the right. */
function bench() {
  const test = createTestWorld();
  const ball = test.world.spawn(new SceneComponent({ name: 'ball' }));
  const smooth = interpolation([ball]);
  const read: number[] = [];
  const end = test.world.onFixedTick(
    () => {
      read.push(ball.position.x);
      ball.position.x += 1;
    },
    { hertz: HERTZ, interpolate: smooth },
  );
  const frame = (steps: number): number => {
    test.world.tick(steps / HERTZ);
    return ball.position.x;
  };
  return { ...test, ball, smooth, read, end, frame };
}

/** Sends an update and returns x of each sent transform: nodes first, then places of instances. */
const sentX = (test: Pick<TestWorld, 'send'>): number[] =>
  [...transformsOf(test.send()).values()].map(([x]) => x!);

describe('G1 interpolation', () => {
  it('shows transforms between the last two steps, and steps read the simulated ones', () => {
    const test = bench();
    expect(test.frame(0.5)).toBe(0);
    expect(test.frame(0.75)).toBeCloseTo(0.25, 6);
    expect(sentX(test)).toEqual([Math.fround(test.ball.position.x)]);
    expect(test.frame(0.5)).toBeCloseTo(0.75, 6);
    expect(test.frame(2.5)).toBeCloseTo(3.25, 6);
    expect(test.read).toEqual([0, 1, 2, 3]);
  });

  it('shows the same transforms for any division into frames', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 }),
        (hundredths) => {
          const test = bench();
          let total = 0;
          for (const each of hundredths) {
            test.frame(each / 100);
            total += each / 100;
          }
          expect(test.ball.position.x).toBeCloseTo(Math.max(0, total - 1), 4);
          expect(test.read).toEqual(test.read.map((_, index) => index));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('sends nothing for resting objects', () => {
    const test = createTestWorld();
    const ball = test.world.spawn(
      new SceneComponent({ position: [3, 0, 0], rotation: [0.1, 0.2, 0.3, 0.9] }),
    );
    test.world.onFixedTick(() => {}, { hertz: HERTZ, interpolate: interpolation([ball]) });
    expect(sentX(test)).toEqual([3]);
    for (let frame = 0; frame < 10; frame++) test.world.tick(0.037);
    expect(sentX(test)).toEqual([]);
  });

  it('rotates the shorter way at unit length, and has the step’s exact numbers at its end', () => {
    const { world } = createTestWorld();
    const wheel = world.spawn(new SceneComponent());
    const end = world.onFixedTick(() => wheel.rotation.set(0, -Math.SQRT1_2, 0, -Math.SQRT1_2), {
      hertz: HERTZ,
      interpolate: interpolation([wheel]),
    });
    world.tick(0.15);
    const { x, y, z, w } = wheel.rotation;
    expect(Math.hypot(x, y, z, w)).toBeCloseTo(1, 6);
    expect(Math.abs(y)).toBeCloseTo(Math.sin(Math.PI / 8), 5);
    end();
    expect([...wheel.rotation]).toEqual([0, -Math.SQRT1_2, 0, -Math.SQRT1_2].map(Math.fround));
  });

  it('treats writes between steps as jumps, and continues from there', () => {
    const test = bench();
    test.frame(1.5);
    expect(test.ball.position.x).toBeCloseTo(0.5, 6);
    test.ball.position.x = 100;
    expect(test.frame(0.25)).toBe(100);
    expect(test.frame(0.25)).toBeCloseTo(100, 5);
    expect(test.read.at(-1)).toBe(100);
    expect(test.frame(0.5)).toBeCloseTo(100.5, 4);
  });

  it('shows a jump within a step at once, and moves evenly after it', () => {
    const { world } = createTestWorld();
    const ball = world.spawn(new SceneComponent());
    const smooth = interpolation([ball]);
    let steps = 0;
    world.onFixedTick(
      () => {
        ball.position.x += 1;
        if (++steps !== 2) return;
        ball.position.x = 100;
        smooth.jump(ball);
      },
      { hertz: HERTZ, interpolate: smooth },
    );
    world.tick(0.1);
    world.tick(0.105);
    expect(ball.position.x).toBe(100);
    world.tick(0.1);
    expect(ball.position.x).toBeCloseTo(100.05, 3);
  });

  it('blends each place of instances between its touches in the last two steps, including new places', () => {
    const test = createTestWorld();
    const boxes = test.world.addInstances({
      geometry: boxGeometry(),
      material: standardMaterial(),
      count: 2,
    });
    test.world.onFixedTick(
      () => {
        boxes.positions[3]! += 4;
        boxes.touch();
      },
      { hertz: HERTZ, interpolate: interpolation([boxes]) },
    );
    test.send();
    test.world.tick(0.125);
    expect(sentX(test)).toEqual([0, 1]); // the first place as touched, the second one blended
    expect(boxes.positions[3]).toBe(4);
    boxes.count = 3;
    boxes.positions[6] = 7;
    boxes.touch(2);
    test.world.tick(0.1);
    expect(sentX(test)).toEqual(expect.arrayContaining([0, expect.closeTo(5, 3), 7]));
    test.resend();
    expect(sentX(test)).toEqual(expect.arrayContaining([0, expect.closeTo(5, 3), 7]));
  });

  it('does not affect declared motions', () => {
    const test = bench();
    test.frame(1.5);
    test.ball.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    const { x } = test.ball.position;
    test.frame(0.1);
    expect(test.ball.position.x).toBe(x);
    expect(test.errors).toEqual([]);
  });

  it('adds and removes targets, and drops destroyed ones', () => {
    const test = bench();
    const { world, smooth, ball } = test;
    const other = world.spawn(new SceneComponent());
    const rise = (): void => {
      other.position.y += 2;
    };
    world.onFixedTick(rise, { hertz: HERTZ, interpolate: interpolation() });
    smooth.add(ball);
    test.frame(1.5);
    expect(other.position.y).toBe(2);
    smooth.remove(ball);
    expect(ball.position.x).toBe(1);
    test.frame(1);
    expect(ball.position.x).toBe(2);
    smooth.add(ball);
    ball.destroy();
    test.frame(1);
    expect(test.errors).toEqual([]);
  });

  it('leaves targets where the last step has left them, also if that step ends the fixed tick', () => {
    const test = bench();
    test.frame(1.5);
    test.end();
    expect(test.ball.position.x).toBe(1);
    test.frame(3);
    expect(test.ball.position.x).toBe(1);

    const { world } = createTestWorld();
    const ball = world.spawn(new SceneComponent());
    const end = world.onFixedTick(
      () => {
        ball.position.x += 1;
        end();
      },
      { hertz: HERTZ, interpolate: interpolation([ball]) },
    );
    world.tick(0.25);
    expect(ball.position.x).toBe(1);
  });

  it('continues after a step that throws', () => {
    const test = createTestWorld();
    const ball = test.world.spawn(new SceneComponent());
    test.world.onFixedTick(
      () => {
        ball.position.x += 1;
        if (ball.position.x === 2) throw new Error('in the middle');
      },
      { hertz: HERTZ, interpolate: interpolation([ball]) },
    );
    for (let frame = 0; frame < 3; frame++) test.world.tick(0.105);
    expect(ball.position.x).toBeCloseTo(2.15, 3);
    expect(test.errors).toHaveLength(1);
  });

  it('rejects invalid targets, and serves one fixed tick only', () => {
    const { world } = createTestWorld();
    const codeOf = (call: () => unknown): string => {
      try {
        call();
        return 'none';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(codeOf(() => interpolation([null as never]))).toBe('option-invalid');
    for (const none of [null, 5, {}])
      expect(codeOf(() => interpolation(none as never))).toBe('option-invalid');
    expect(codeOf(() => interpolation().add({ root: 3 } as never))).toBe('option-invalid');
    const used: Interpolation = interpolation();
    expect(codeOf(() => world.onFixedTick(null as never, { interpolate: used }))).toBe('option-invalid');
    expect(codeOf(() => world.onFixedTick(() => {}, { interpolate: used }))).toBe('none');
    expect(codeOf(() => world.onFixedTick(() => {}, { interpolate: used }))).toBe('interpolation-used');
    expect(codeOf(() => world.onFixedTick(() => {}, { interpolate: [] as never }))).toBe('option-invalid');
  });
});
