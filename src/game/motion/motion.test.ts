import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { MotionKind, MotionTarget } from '../../proxy/motion/motion.js';
import {
  type AnimateOptions,
  animate,
  boxGeometry,
  keyframes,
  orbit,
  SceneComponent,
  spin,
  standardMaterial,
  unlitMaterial,
} from '../index.js';
import { codeOf, createTestWorld, type RenderRecord, transformsOf, valuesOf } from '../testing/test-world.js';
import { resend } from '../updates/resend.js';

/** Returns a world with a box. `frame` works as a frame of the engine: advances time, runs callbacks, sends changes. */
function setUp() {
  const made = createTestWorld();
  const { world } = made;
  const frame = (deltaSeconds: number) => {
    world.updates.timeSeconds += deltaSeconds;
    world.tick(deltaSeconds);
    return made.send();
  };
  const box = world.addMesh({ geometry: boxGeometry() });
  return { ...made, frame, box };
}

const rotationOf = ({ rotation: { x, y, z, w } }: { rotation: Record<'x' | 'y' | 'z' | 'w', number> }) => [
  x,
  y,
  z,
  w,
];
const positionOf = ({ position: { x, y, z } }: { position: Record<'x' | 'y' | 'z', number> }) => [x, y, z];
const about = (angle: number) => [
  expect.closeTo(0, 6),
  expect.closeTo(Math.sin(angle / 2), 6),
  expect.closeTo(0, 6),
  expect.closeTo(Math.cos(angle / 2), 6),
];

describe('actor.motion', () => {
  it('is sent once, and begins with the first frame that shows it', () => {
    const { frame, box } = setUp();
    frame(1);
    box.motion = spin({ axis: [0, 2, 0], radiansPerSecond: 0.5 });
    const [declared] = valuesOf(frame(1), 'declareMotion');
    expect(declared).toEqual({
      target: MotionTarget.node,
      id: box.root.node,
      kind: MotionKind.spin,
      startSeconds: 2,
      parameters: Float64Array.of(0, 1, 0, 0.5, 0, 0, 0, 1),
    });
    expect(frame(1)).toEqual([]);
  });

  it("gives the actor's current transform at any time", () => {
    const { frame, box } = setUp();
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0.5 });
    expect(rotationOf(box)).toEqual(about(0));
    frame(2);
    expect(rotationOf(box)).toEqual(about(0));
    frame(2);
    expect(rotationOf(box)).toEqual(about(1));
    frame(1);
    frame(1);
    expect(rotationOf(box)).toEqual(about(2));
    expect(box.motion).not.toBeNull();
  });

  it("gives a tick the actor's transform in the current frame", () => {
    const { world, frame, box } = setUp();
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    frame(0);
    const seen: number[][] = [];
    world.onTick(() => seen.push(rotationOf(box)));
    frame(0.25);
    expect(seen).toEqual([about(0.25)]);
    expect(rotationOf(box)).toEqual(about(0.25));
  });

  it("moves the actor's children, too", () => {
    const { world, frame, box } = setUp();
    const child = world.addMesh({ geometry: boxGeometry(), position: [1, 0, 0] });
    child.attachTo(box);
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: Math.PI / 2 });
    frame(0);
    frame(1);
    expect(child.worldPosition).toEqual([expect.closeTo(0, 5), expect.closeTo(0, 5), expect.closeTo(-1, 5)]);
  });

  it('ends without a jump: after null the actor stays where it is', () => {
    const { frame, box } = setUp();
    box.motion = orbit({ center: [0, 0, 0], radiansPerSecond: Math.PI });
    box.position.set(2, 1, 0);
    frame(1);
    frame(0.5);
    const there = positionOf(box);
    expect(there).toEqual([expect.closeTo(0, 5), 1, expect.closeTo(-2, 5)]);
    box.motion = null;
    expect([positionOf(box), box.motion]).toEqual([there, null]);
    const records = frame(1);
    expect(valuesOf(records, 'clearMotion')).toEqual([{ target: MotionTarget.node, id: box.root.node }]);
    expect(transformsOf(records).get(box.root.node)?.slice(0, 3)).toEqual(there);
    expect(positionOf(box)).toEqual(there);
    box.position.x = 7;
    expect(box.position.x).toBe(7);
  });

  it('continues from the transform that another motion has left', () => {
    const { frame, box } = setUp();
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    frame(0);
    frame(1);
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: -1 });
    expect(rotationOf(box)).toEqual(about(1));
    expect(
      frame(0.25)
        .filter(({ name }) => /Motion/.test(name))
        .map(({ name }) => name),
    ).toEqual(['clearMotion', 'declareMotion']);
    expect(rotationOf(box)).toEqual(about(1));
    frame(0.25);
    expect(rotationOf(box)).toEqual(about(0.75));
  });

  it('allows writes to the parts that it does not drive, and continues from a write to the driven part', () => {
    const { frame, box } = setUp();
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    frame(0);
    frame(1);
    box.position.set(1, 2, 3);
    let records = frame(1);
    expect(valuesOf(records, 'declareMotion')).toEqual([]);
    expect(transformsOf(records).get(box.root.node)?.slice(0, 3)).toEqual([1, 2, 3]);
    expect(rotationOf(box)).toEqual(about(2));
    box.rotateY(1);
    records = frame(1);
    expect(valuesOf(records, 'declareMotion')[0]?.startSeconds).toBe(3);
    expect(rotationOf(box)).toEqual(about(3));
    frame(0.5);
    expect(rotationOf(box)).toEqual(about(3.5));
  });

  it('rejects writes to the parts that keyframes drive', () => {
    const { frame, box } = setUp();
    box.motion = keyframes({ times: [0, 2], positions: [0, 0, 0, 4, 0, 0] });
    frame(0);
    frame(1);
    expect(codeOf(() => box.position.set(9, 9, 9))).toBe('motion-drives');
    expect(positionOf(box)).toEqual([2, 0, 0]);
    box.scale.set(2, 2, 2);
    frame(5);
    expect([...positionOf(box), box.scale.x]).toEqual([4, 0, 0, 2]);
  });

  it('begins when the actor enters a world, and ends with the actor', () => {
    const { world, frame, box } = setUp();
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    box.destroy();
    expect(frame(1)).toEqual([]);
    const component = new SceneComponent();
    component.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    component.rotateY(1);
    const actor = world.spawn(component);
    expect(frame(0).map(({ name }) => name)).toEqual(['createNode', 'nodeTransforms', 'declareMotion']);
    frame(1);
    expect(rotationOf(actor)).toEqual(about(2));
    actor.destroy();
    expect(frame(1).map(({ name }) => name)).toEqual(['nodeTransforms', 'destroyNode']);
    expect(rotationOf(actor)).toEqual(about(2));
  });

  it('is resent to another stream with the same start time', () => {
    const { world, frame, box } = setUp();
    frame(1);
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    const before = valuesOf(frame(1), 'declareMotion');
    expect(before).toHaveLength(1);
    const { writer, reader } = createLocalStream({ table: renderCommands });
    resend(world, writer);
    writer.publish();
    const again: RenderRecord[] = [];
    while (reader.next()) again.push(decodeRecord(renderCommands, reader));
    expect(valuesOf(again, 'declareMotion')).toEqual(before);
    frame(1);
    expect(rotationOf(box)).toEqual(about(1));
  });
});

describe('material.motion', () => {
  it('changes its parameters from the first frame that shows it, and reading them returns the current values', () => {
    const { world, frame } = setUp();
    const material = standardMaterial({ roughness: 0.25, metallic: 1 });
    material.motion = animate({ times: [0, 2], roughness: [0, 1], baseColor: ['#fff', '#000'] });
    world.addMesh({ geometry: boxGeometry(), material });
    const records = frame(1);
    expect(valuesOf(records, 'declareMotion')).toMatchObject([
      { target: MotionTarget.material, kind: MotionKind.keyframes, startSeconds: 1 },
    ]);
    frame(1);
    expect(material.roughness).toBe(0.5);
    expect(material.baseColor).toEqual([0.5, 0.5, 0.5, 1]);
    expect(material.metallic).toBe(1);
    frame(5);
    expect(material.roughness).toBe(1);
    material.metallic = 0;
    expect(frame(0).map(({ name }) => name)).toContain('setMaterial');
  });

  it('follows a remaining world after the first one was disposed', () => {
    const [first, second] = [setUp(), setUp()];
    const material = standardMaterial();
    material.motion = animate({ times: [0, 4], roughness: [0, 1] });
    for (const { world, frame } of [first, second]) {
      world.addMesh({ geometry: boxGeometry(), material });
      frame(0);
    }
    first.world.dispose();
    second.frame(2);
    expect(material.roughness).toBe(0.5);
  });

  it('rejects writes to the parameters that it drives, and ends without a jump', () => {
    const { world, frame } = setUp();
    const material = standardMaterial({ emissiveStrength: 2 });
    const mesh = world.addMesh({ geometry: boxGeometry(), material });
    frame(0);
    material.motion = animate({
      times: [0, 1],
      emissive: [
        [0, 0, 0],
        [1, 0.5, 0],
      ],
      interpolation: 'linear',
    });
    frame(0);
    frame(0.5);
    expect(codeOf(() => Object.assign(material, { emissive: '#fff' }))).toBe('motion-drives');
    expect(Array.from(material.parameters.subarray(4, 7))).toEqual([1, 0.5, 0]);
    material.motion = null;
    expect(material.emissive).toEqual([0.5, 0.25, 0]);
    const records = frame(1);
    expect(valuesOf(records, 'clearMotion')).toHaveLength(1);
    expect(Array.from(valuesOf(records, 'setMaterial')[0]!.parameters).slice(4, 7)).toEqual([1, 0.5, 0]);
    material.emissive = '#fff';
    mesh.destroy();
  });
});

describe('rejects, with a message,', () => {
  const messages: readonly [string, () => unknown, RegExp][] = [
    [
      'an axis of length 0',
      () => spin({ axis: [0, 0, 0], radiansPerSecond: 1 }),
      /length of axis of spin is 0.*direction/,
    ],
    [
      'an axis of two numbers',
      () => spin({ axis: [0, 1], radiansPerSecond: 1 }),
      /axis of spin is a list of 2; it has to be 3 numbers/,
    ],
    [
      'degrees',
      () => spin({ axis: [0, 1, 0], radiansPerSecond: 90 }),
      /90 looks like degrees: write 90 \* Math.PI/,
    ],
    [
      'negative degrees',
      () => orbit({ radiansPerSecond: -180 }),
      /radiansPerSecond of orbit is -180.*degrees/,
    ],
    ['NaN', () => orbit({ radiansPerSecond: Number.NaN }), /radiansPerSecond of orbit is NaN/],
    [
      'a centre at infinity',
      () => orbit({ center: [0, Infinity, 0], radiansPerSecond: 1 }),
      /length of center/,
    ],
    [
      'a misspelt option',
      () => spin({ axis: [0, 1, 0], radiansPersecond: 1 } as never),
      /did you mean "radiansPerSecond"/i,
    ],
    ['no times', () => keyframes({ times: [], positions: [] }), /times of keyframes has to be a list/],
    [
      'times that do not rise',
      () => keyframes({ times: [0, 2, 2], positions: new Array(9).fill(0) }),
      /times\[2\] is 2 after 2/,
    ],
    [
      'times below 0',
      () => keyframes({ times: [-1], positions: [0, 0, 0] }),
      /times\[0\] of keyframes is -1/,
    ],
    [
      'a loop of length 0',
      () => keyframes({ times: [0], positions: [0, 0, 0], loop: true }),
      /end at 0, so a loop would have no duration/,
    ],
    [
      'lengths that do not match',
      () => keyframes({ times: [0, 1], positions: [[0, 0, 0]] }),
      /positions of keyframes has 3 numbers, but 2 keys need 6: x, y, z/,
    ],
    [
      'Euler angles',
      () =>
        keyframes({
          times: [0, 1],
          rotations: [
            [0, 0, 0],
            [0, 1, 0],
          ],
        }),
      /look like Euler angles/,
    ],
    ['a quaternion of length 0', () => keyframes({ times: [0], rotations: [0, 0, 0, 0] }), /no rotation/],
    ['nothing to move', () => keyframes({ times: [0] }), /takes positions, rotations or scales/],
    [
      'an unknown interpolation',
      () => keyframes({ times: [0], positions: [0, 0, 0], interpolation: 'smooth' as never }),
      /interpolation of keyframes is "smooth"/,
    ],
    [
      'a loop that is not a boolean',
      () => keyframes({ times: [0, 1], positions: [0, 0, 0, 1, 0, 0], loop: 'yes' as never }),
      /loop of keyframes is "yes"; it has to be true or false/,
    ],
    [
      'a loop of a material that is not a boolean',
      () => animate({ times: [0, 1], roughness: [0, 1], loop: 1 as never }),
      /loop of animate is 1;/,
    ],
    [
      'turnsAlong that is not a boolean',
      () => orbit({ radiansPerSecond: 1, turnsAlong: 'no' as never }),
      /turnsAlong of orbit is "no"/,
    ],
    [
      'a value out of range',
      () => animate({ times: [0, 1], roughness: [0, 2] }),
      /roughness of animate is 2/,
    ],
    ['an invalid colour', () => animate({ times: [0], baseColor: ['reddish'] }), /baseColor of animate/],
    ['nothing to animate', () => animate({ times: [0] }), /animate takes baseColor/],
  ];
  it.each(messages)('%s', (_name, run, message) => {
    expect(run).toThrow(message);
    expect(codeOf(run)).toMatch(/^(option|color)-/);
  });

  it('an invalid motion, or a motion of another kind', () => {
    const { box } = setUp();
    const set = (motion: unknown) => () => Object.assign(box, { motion });
    expect(set({ axis: [0, 1, 0] })).toThrow(/motion takes spin\(\)/);
    expect(set(animate({ times: [0], roughness: [0] }))).toThrow(/animate\(\) changes materials/);
    expect(() =>
      Object.assign(standardMaterial(), { motion: spin({ axis: [0, 1, 0], radiansPerSecond: 1 }) }),
    ).toThrow(/spin\(\) moves actors/);
    expect(box.motion).toBeNull();
  });

  it('a parameter that unlit materials do not have', () => {
    const material = unlitMaterial({ name: 'sign' });
    const animated = (options: Omit<AnimateOptions, 'times'>) => () => {
      material.motion = animate({ times: [0], ...options });
    };
    expect(animated({ opacity: [0], roughness: [0] })).toThrow(/changes roughness, which .*"sign".*opacity/);
    expect(codeOf(animated({ emissive: ['#fff'] }))).toBe('option-invalid');
    expect(material.motion).toBeNull();
    animated({ baseColor: ['#fff'], opacity: [0], alphaCutoff: [0] })();
  });
});

describe('smooth curves', () => {
  const sample = (options: Parameters<typeof keyframes>[0], times: number[]): number[] => {
    const { frame, box } = setUp();
    box.motion = keyframes(options);
    frame(0);
    return times.map((time, index) => {
      frame(time - (times[index - 1] ?? 0));
      return box.position.x;
    });
  };

  it('pass through every value, and are straight if the values lie on a line', () => {
    const positions = [0, 1, 2, 3].flatMap((x) => [x, 0, 0]);
    const curve = sample(
      { times: [0, 1, 2, 3], positions, interpolation: 'cubic' },
      [0.25, 1, 1.5, 2, 2.75, 3],
    );
    curve.forEach((x, index) => {
      expect(x).toBeCloseTo([0.25, 1, 1.5, 2, 2.75, 3][index]!, 5);
    });
  });

  it('of a closed loop are as smooth at the seam as elsewhere', () => {
    const positions = [0, 1, 0, -1, 0].flatMap((x) => [x, 0, 0]);
    const h = 1e-3;
    const [before, at, after] = sample(
      { times: [0, 1, 2, 3, 4], positions, interpolation: 'cubic', loop: true },
      [4 - h, 4, 4 + h],
    ) as [number, number, number];
    expect((at - before) / h).toBeCloseTo((after - at) / h, 1);
  });

  it('of a material stay within the values of their keys', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 6 }),
        (values) => {
          const { world, frame } = setUp();
          const material = standardMaterial();
          const times = values.map((_, index) => index);
          material.motion = animate({ times, roughness: values, interpolation: 'cubic' });
          world.addMesh({ geometry: boxGeometry(), material });
          for (let time = 0; time < values.length; time += 0.25) {
            frame(0.25);
            expect(material.roughness).toBeGreaterThanOrEqual(Math.min(...values) - 1e-6);
            expect(material.roughness).toBeLessThanOrEqual(Math.max(...values) + 1e-6);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
