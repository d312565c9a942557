import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderFrameFlag } from '../../proxy/commands.js';
import { defaultRecord, MATERIAL_FLOATS } from '../../proxy/materials/material-layout.js';
import { evaluateSpin, MotionKind, MotionTarget } from '../../proxy/motion/motion.js';
import { MaterialTable } from '../../render/materials/material-table.js';
import { NodeHierarchy } from '../../render/scene/node-hierarchy.js';
import type { Scene } from '../../render/scene/scene.js';
import { LateFrames } from './late-frames.js';

const INTERVAL = 16;
const { running, step } = RenderFrameFlag;

let callback: ((milliseconds: number) => void) | null = null;
let milliseconds = 1000;

beforeEach(() => {
  callback = null;
  milliseconds = 1000;
  vi.stubGlobal('requestAnimationFrame', (next: (milliseconds: number) => void) => {
    callback = next;
    return 1;
  });
  vi.stubGlobal('cancelAnimationFrame', () => {
    callback = null;
  });
  vi.spyOn(performance, 'now').mockImplementation(() => milliseconds);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Creates `LateFrames` for a scene with one node and one material, and functions that send it commands and frames. */
function setUp() {
  const nodes = new NodeHierarchy();
  nodes.create(0, -1);
  const materials = new MaterialTable();
  materials.set(0, 0, new Uint32Array(0), 0, 0, defaultRecord(), 0, MATERIAL_FLOATS);
  const { storage } = materials;
  const recorded: number[] = [];
  const state = { isIdle: true };
  const angle = (): number => 2 * Math.atan2(nodes.local.floats[7]!, nodes.local.floats[9]!);
  const late = new LateFrames({
    scene: { nodes, materials } as unknown as Scene,
    isIdle: () => state.isIdle,
    recordAgain: () => recorded.push(angle()),
  });
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const send = (
    name: 'declareMotion' | 'clearMotion' | 'holdMotion' | 'followGoal',
    values: object,
  ): void => {
    encodeRecord(writer, renderCommands, name, values as never);
    writer.publish();
    while (reader.next()) late.execute(reader);
  };
  const spin = (rate: number, startSeconds: number): void =>
    send('declareMotion', {
      target: MotionTarget.node,
      id: 0,
      kind: MotionKind.spin,
      startSeconds,
      parameters: [0, 1, 0, rate, 0, 0, 0, 1],
    });
  let frame = 0;
  const gameFrame = (timeSeconds: number, flags: number = running): void => {
    late.beginFrame({ frame: ++frame, flags, deltaSeconds: 0, timeSeconds });
  };
  const animationFrame = (passed = INTERVAL): boolean => {
    milliseconds += passed;
    const next = callback;
    callback = null;
    next?.(milliseconds);
    return next !== null;
  };
  return { nodes, storage, late, recorded, state, angle, send, spin, gameFrame, animationFrame };
}

test('the first animation frame without a game frame only waits; from the second on, the clock drives motion', () => {
  const { spin, gameFrame, animationFrame, recorded, angle } = setUp();
  spin(1, 5);
  gameFrame(5);
  expect(angle()).toBe(0);
  animationFrame();
  expect(recorded).toEqual([]);
  animationFrame();
  animationFrame();
  expect(recorded).toEqual([expect.closeTo(0.032, 6), expect.closeTo(0.048, 6)]);
});

test('records no list of its own while game frames arrive in time', () => {
  const { spin, gameFrame, animationFrame, recorded } = setUp();
  spin(1, 0);
  for (let frame = 0; frame < 10; frame++) {
    gameFrame(frame * 0.016);
    animationFrame();
  }
  expect(recorded).toEqual([]);
});

test('a stopped engine’s frames show the game’s time, even after later times were drawn', () => {
  const { spin, gameFrame, animationFrame, recorded, angle } = setUp();
  spin(1, 0);
  gameFrame(0);
  for (let count = 0; count < 10; count++) animationFrame();
  expect(recorded.at(-1)).toBeCloseTo(0.16, 6);
  gameFrame(0.15, step);
  expect(angle()).toBeCloseTo(0.15, 6);
});

test('time never goes back, and follows the game again once the game has caught up', () => {
  const { spin, gameFrame, animationFrame, recorded, angle } = setUp();
  spin(1, 0);
  gameFrame(0);
  for (let count = 0; count < 10; count++) animationFrame();
  expect(recorded.at(-1)).toBeCloseTo(0.16, 6);
  gameFrame(0.15); // This frame was in flight when the last list was recorded.
  expect(angle()).toBeCloseTo(0.16, 6);
  gameFrame(0.166);
  expect(angle()).toBeCloseTo(0.166, 6);
});

test('angles never decrease or run ahead of the clock, in any order of game and animation frames', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ passed: fc.integer({ min: 0, max: 40 }), isGame: fc.boolean() }), {
        maxLength: 60,
      }),
      (events) => {
        const { spin, gameFrame, animationFrame, angle } = setUp();
        spin(1, 0);
        let gameSeconds = 0;
        let began = milliseconds;
        let last = 0;
        gameFrame(0);
        for (const { passed, isGame } of events) {
          if (isGame) {
            milliseconds += passed;
            gameSeconds += (milliseconds - began) / 1000;
            began = milliseconds;
            gameFrame(gameSeconds);
          } else animationFrame(passed);
          expect(angle()).toBeGreaterThanOrEqual(last - 1e-6);
          expect(angle()).toBeLessThanOrEqual((milliseconds - 1000) / 1000 + 1e-6);
          last = angle();
        }
      },
    ),
  );
});

test('a picture that is drawn again shows the same time', () => {
  const { spin, gameFrame, animationFrame, angle } = setUp();
  spin(1, 0);
  gameFrame(0);
  animationFrame();
  animationFrame();
  gameFrame(0, running | step | RenderFrameFlag.capture);
  expect(angle()).toBeCloseTo(0.032, 6);
  animationFrame();
  animationFrame();
  expect(angle()).toBeCloseTo(0.064, 6);
});

test('a step reads no clock and requests no animation frame', () => {
  const { spin, gameFrame, animationFrame, angle } = setUp();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    throw new Error('A clock was read.');
  });
  spin(1, 0);
  gameFrame(0.25, step);
  expect(angle()).toBeCloseTo(0.25, 6);
  expect(animationFrame()).toBe(false);
});

test('adds no list while lists are late; the next list advances further instead', () => {
  const { spin, gameFrame, animationFrame, recorded, state } = setUp();
  spin(1, 0);
  gameFrame(0);
  state.isIdle = false;
  for (let count = 0; count < 5; count++) animationFrame();
  expect(recorded).toEqual([]);
  state.isIdle = true;
  animationFrame();
  expect(recorded).toEqual([expect.closeTo(0.096, 6)]);
});

test('requests no animation frames without motion, and none after all motion has ended', () => {
  const { spin, send, gameFrame, animationFrame, recorded, nodes } = setUp();
  gameFrame(0);
  expect(animationFrame()).toBe(false);
  spin(0, 0);
  expect(animationFrame()).toBe(false);
  // The node moves from 0 to 1 within 0.1 s, from scene time 0 on. Then it stays still.
  const parameters = [0, 0, 2, 1, 0, 3, 0, 0, 0.1, 0, 0, 0, 1, 0, 0];
  send('declareMotion', {
    target: MotionTarget.node,
    id: 0,
    kind: MotionKind.keyframes,
    startSeconds: 0,
    parameters,
  });
  gameFrame(0);
  let count = 0;
  while (animationFrame()) count++;
  // Before the loop, the clock was already 32 ms past scene time 0. The first frame only waits.
  expect(count).toBe(5);
  expect(recorded.length).toBe(4);
  expect(nodes.local.doubles[0]).toBe(1);
});

test('stepped values are recorded only when they change', () => {
  const { send, gameFrame, animationFrame, recorded } = setUp();
  const parameters = [1, 1, 3, 1, 0, 3, 0, 0, 0.1, 0.2, 0, 0, 0, 1, 0, 0, 0, 0, 0];
  send('declareMotion', { target: 0, id: 0, kind: MotionKind.keyframes, startSeconds: 0, parameters });
  gameFrame(0);
  for (let count = 0; count < 12; count++) animationFrame();
  expect(recorded.length).toBe(1);
});

test('held motion stands still until the next frame of a running engine', () => {
  const { spin, send, gameFrame, animationFrame, recorded } = setUp();
  spin(1, 0);
  gameFrame(0);
  send('holdMotion', {});
  for (let count = 0; count < 5; count++) animationFrame();
  expect(recorded).toEqual([]);
  gameFrame(0.016);
  animationFrame();
  animationFrame();
  expect(recorded.length).toBe(1);
});

test('destroyed nodes, and nodes with cleared motion, no longer move', () => {
  const { spin, send, gameFrame, animationFrame, nodes, angle } = setUp();
  spin(1, 0);
  send('clearMotion', { target: MotionTarget.node, id: 0 });
  gameFrame(1);
  expect(angle()).toBe(0);
  spin(1, 0);
  nodes.destroy(0);
  gameFrame(1);
  nodes.create(0, -1);
  gameFrame(2);
  animationFrame(); // This animation frame was requested while the node moved.
  expect([angle(), animationFrame()]).toEqual([0, false]);
});

test('motion changes only the animated values of a material', () => {
  const { send, gameFrame, storage } = setUp();
  storage.floats.fill(7);
  const parameters = [0, 0, 2, 1, 9, 1, 0, 0, 1, 0, 1];
  send('declareMotion', {
    target: MotionTarget.material,
    id: 0,
    kind: MotionKind.keyframes,
    startSeconds: 0,
    parameters,
  });
  gameFrame(0.5);
  expect(Array.from(storage.floats.subarray(8, 11))).toEqual([7, 0.5, 7]);
  expect(storage.dirty.isEmpty).toBe(false);
});

test('the render thread and the game compute bit-identical motion', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -60, max: 60, noNaN: true }),
      fc.double({ min: 0, max: 1e4, noNaN: true }),
      fc.double({ min: 0, max: 1e4, noNaN: true }),
      (rate, start, time) => {
        const { spin, gameFrame, nodes } = setUp();
        spin(rate, start);
        gameFrame(time, step);
        const onTheGame = Float64Array.of(0, 0, 0, 0, 0, 0, 1, 1, 1, 1);
        evaluateSpin(Float64Array.of(0, 1, 0, rate, 0, 0, 0, 1), time - start, onTheGame, 0);
        const drawn = new Float64Array(10);
        nodes.local.read(0, drawn);
        // Adding 0 turns −0 into 0. The player does not replace 0 with −0, because the two are equal.
        expect(Array.from(drawn, (value) => value + 0)).toEqual(
          Array.from(onTheGame, (value) => Math.fround(value) + 0),
        );
      },
    ),
  );
});
