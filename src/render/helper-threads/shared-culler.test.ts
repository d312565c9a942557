import { expect, it, vi } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { countBits, cullGroup, GROUP_WORDS } from '../culling/cull-groups.js';
import { cullWords } from '../culling/culling.js';
import { hideWords } from '../occlusion/box-test.js';
import { OccluderShape } from '../occlusion/occluder-shape.js';
import { OcclusionGrid } from '../occlusion/occlusion-grid.js';
import { PrimitiveStore } from '../scene/primitive-store.js';
import { CullArgument, HideArgument, type LoopHelpers, type MemoryMessage } from './helper-loops.js';
import { HideTask, WORDS_PER_RANGE } from './hide-task.js';
import { RangeHelper } from './range-helper.js';
import { numbersOf, RANGE_MEMORY_BYTES, RangeWord } from './range-memory.js';
import { CullArrays, GROUPS_PER_RANGE, SharedCuller } from './shared-culler.js';
import { SharedGrid } from './shared-grid.js';

/** Returns a generator of numbers from 0 to less than 1. Equal seeds give equal sequences. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function place(store: PrimitiveStore, primitive: number, next: () => number, size = 200): void {
  for (let axis = 0; axis < 3; axis++) {
    store.bounds[primitive * 6 + axis] = (next() - 0.5) * size;
    store.bounds[primitive * 6 + 3 + axis] = next();
  }
  store.markChanged(primitive);
}

/** Creates a store whose groups of 256 lie side by side along x, in 20 places 10 m apart. A tenth is not drawable. */
function createStore(count: number): PrimitiveStore {
  const store = new PrimitiveStore();
  const next = sequence(1);
  for (let primitive = 0; primitive < count; primitive++) {
    store.create(primitive, -1, 0, 0, 0);
    place(store, primitive, next, 10);
    store.bounds[primitive * 6] = store.bounds[primitive * 6]! + ((primitive >> 8) % 20) * 10 - 100;
    store.setDrawable(primitive, next() > 0.1, true, true);
  }
  return store;
}

/** Planes of a box around x, 60 m wide: some groups lie inside, some outside. */
const planesAt = (x: number): Float64Array =>
  new Float64Array([1, 0, 0, 30 - x, -1, 0, 0, 30 + x, 0, 1, 0, 30, 0, -1, 0, 30, 0, 0, 1, 30, 0, 0, -1, 30]);

/** Compares the results of the culler and of `cullWords`. */
function expectSame(culler: SharedCuller, store: PrimitiveStore, planes: Float64Array): number {
  const words = (store.length + 31) >>> 5;
  const expected = new Uint32Array(words);
  const found = new Uint32Array(words + 20);
  const count = cullWords(planes, store.bounds, store.drawableBits, expected, 0, words);
  expect(culler.cull(planes, store.drawableBits, found, words)).toBe(count);
  expect(found.subarray(0, words)).toEqual(expected);
  return count;
}

it('R13: groups give the same result as single primitives: at rest, in motion, near planes, with NaN', () => {
  const store = createStore(5000);
  const culler = new SharedCuller(store, null, new EventRing());
  const next = sequence(2);
  const counts = new Set<number>();
  for (let frame = 0; frame < 40; frame++) {
    counts.add(expectSame(culler, store, planesAt(Math.round(next() * 200 - 100))));
    if (frame % 3 === 0) place(store, Math.floor(next() * 5000), next);
    if (frame === 10) store.bounds[700 * 6] = Number.NaN;
    if (frame === 10) store.markChanged(700);
    if (frame === 20) store.bounds.set([31, 0, 0, 1, 1, 1], 900 * 6);
    if (frame === 20) store.markChanged(900);
    if (frame === 30)
      for (let more = 5000; more < 5600; more++) {
        store.create(more, -1, 0, 0, 0);
        place(store, more, next);
        store.setDrawable(more, true, true, true);
      }
  }
  expect(counts.size).toBeGreaterThan(20);
});

it('R13: helpers give the same bits, even when the shared memory grows', () => {
  const store = createStore(20_000);
  const memory = new SharedArrayBuffer(RANGE_MEMORY_BYTES);
  const words = new Int32Array(memory);
  let bounds = new Float32Array(0) as Float32Array;
  let arrays: CullArrays | null = null;
  let helped = 0;
  const onMessage = (message: MemoryMessage): void => {
    if (message.kind === 'bounds') bounds = new Float32Array(message.buffer);
    else if (message.kind === 'arrays') arrays = new CullArrays(message.buffer, message.words);
  };
  const helpers: LoopHelpers = {
    memory,
    count: 2,
    takers: 2,
    recordingTasks: 0,
    wake: () => {},
    share: onMessage,
  };
  const culler = new SharedCuller(store, helpers, new EventRing());
  // Simulates a helper on this thread that takes all other ranges once the render thread has run its first range.
  const helper = new RangeHelper(words, 2);
  const run = culler.run.bind(culler);
  culler.run = (range) => {
    run(range);
    helped += helper.help(() => (other) => {
      const { candidates, groups } = arrays!;
      const visible = arrays!.visibleOf(2);
      const end = Math.min((other + 1) * GROUPS_PER_RANGE, words[RangeWord.arguments + CullArgument.groups]!);
      for (let index = other * GROUPS_PER_RANGE; index < end; index++) {
        cullGroup(numbersOf(memory), bounds, candidates, visible, groups[index]!, index * GROUP_WORDS);
      }
    });
  };
  const next = sequence(3);
  for (let frame = 0; frame < 6; frame++) {
    for (let primitive = 0; primitive < store.length; primitive += 5) place(store, primitive, next);
    expectSame(culler, store, planesAt(frame * 20 - 60));
    if (frame !== 3) continue;
    const end = store.length + 30_000;
    for (let more = store.length; more < end; more++) {
      store.create(more, -1, 0, 0, 0);
      place(store, more, next);
      store.setDrawable(more, true, true, true);
    }
  }
  expect(helped).toBeGreaterThan(50);
});

const countAll = (bits: Uint32Array): number => bits.reduce((sum, word) => sum + countBits(word), 0);

it('R13: helpers find the same primitives hidden behind occluders', () => {
  const store = createStore(20_000);
  const memory = new SharedArrayBuffer(RANGE_MEMORY_BYTES);
  const words = new Int32Array(memory);
  let bounds: Float32Array = new Float32Array(0);
  let arrays: CullArrays | null = null;
  let grid: SharedGrid | null = null;
  let helped = 0;
  const share = (message: MemoryMessage): void => {
    if (message.kind === 'bounds') bounds = new Float32Array(message.buffer);
    else if (message.kind === 'arrays') arrays = new CullArrays(message.buffer, message.words);
    else if (message.kind === 'grid') grid = new SharedGrid(message.buffer);
  };
  const culler = new SharedCuller(
    store,
    { memory, count: 2, takers: 2, recordingTasks: 0, wake: () => {}, share },
    new EventRing(),
  );
  const helper = new RangeHelper(words, 2);
  const runHere = HideTask.prototype.run;
  const run = vi.spyOn(HideTask.prototype, 'run');
  run.mockImplementation(function (this: HideTask, range) {
    runHere.call(this, range);
    helped += helper.help(() => (other) => {
      const { depths, tiles } = grid!;
      const end = words[RangeWord.arguments + HideArgument.words]!;
      const begin = other * WORDS_PER_RANGE;
      const visible = arrays!.visibleOf(2);
      hideWords(
        numbersOf(memory),
        depths,
        tiles,
        bounds,
        arrays!.candidates,
        visible,
        begin,
        Math.min(begin + WORDS_PER_RANGE, end),
      );
    });
  });
  // The view looks along −z from z = 12 m. At each distance, it is twice as wide as the distance. A wall at a
  // distance of 2 m leaves a border of 0.2 m uncovered.
  const clipFromWorld = Float64Array.from([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0.1, 0, 0, -1, 12]);
  const covered = new OcclusionGrid();
  const wall = new OccluderShape(
    [-1.8, -1.8, 10, 1.8, -1.8, 10, 1.8, 1.8, 10, -1.8, 1.8, 10],
    [0, 1, 2, 0, 2, 3],
  );
  const world = Float64Array.from([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
  const count = (store.length + 31) >>> 5;
  const expected = new Uint32Array(count);
  const found = new Uint32Array(count + 20);
  for (let frame = 0; frame < 3; frame++) {
    covered.clear(clipFromWorld, 512, 512 - frame * 100);
    covered.add(wall, world, 0, new Float64Array(3), 1);
    covered.finish();
    hideWords(
      covered.numbers,
      covered.depths,
      covered.tiles,
      store.bounds,
      store.drawableBits,
      expected,
      0,
      count,
    );
    expect(culler.hide(covered, store.drawableBits, countAll(store.drawableBits), found, count)).toBe(true);
    expect(found.subarray(0, count)).toEqual(expected);
    expect(expected).not.toEqual(store.drawableBits.subarray(0, count));
    const next = sequence(frame);
    for (let primitive = 0; primitive < store.length; primitive += 5) place(store, primitive, next, 10);
  }
  expect(helped).toBeGreaterThan(5);
  // With few visible primitives, helpers cost more time than they save.
  expect(culler.hide(covered, new Uint32Array(count).fill(1), count, found, count)).toBe(false);
  run.mockRestore();
});
