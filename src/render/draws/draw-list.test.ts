import { expect, it } from 'vitest';
import { FrameMemory } from '../../core/memory/frame-memory.js';
import { DrawClass } from '../keys/draw-class.js';
import { PrimitiveStore } from '../scene/primitive-store.js';
import { DrawList } from './draw-list.js';
import type { DrawStateOrder } from './draw-state-order.js';

/**
 * Returns a sorted list of the primitives 0 to n − 1.
 * @param states draw state of each primitive, which is also its rank
 * @param weightedRank lowest rank whose primitives are weighted; negative: none are
 */
function listOf(states: readonly number[], classes: readonly DrawClass[], weightedRank: number): DrawList {
  const primitives = new PrimitiveStore();
  const count = states.length;
  for (let primitive = 0; primitive < count; primitive++) primitives.create(primitive, 0, 0, 0, 0);
  primitives.drawState = Int32Array.from(states);
  primitives.drawClass = Uint8Array.from(classes);
  primitives.bounds = Float32Array.from(states.flatMap((_, index) => [0, 0, -index, 1, 1, 0]));
  const order = {
    rank: Uint32Array.of(0, 1, 2, 3),
    backRank: new Int32Array(4).fill(-1),
    count: 4,
  } as unknown as DrawStateOrder;
  const list = new DrawList(new FrameMemory());
  list.sortOpaque(
    Uint32Array.of(2 ** count - 1),
    1,
    primitives,
    order,
    false,
    weightedRank < 0 ? undefined : (rank) => rank >= weightedRank,
  );
  list.sortByDepth(primitives, order, { forward: Float64Array.of(0, 0, -1) });
  return list;
}

/** Returns [rank, first instance, instance count] of each run from `first` to `end` − 1. */
const runsOf = ({ runWords }: DrawList, first: number, end: number): number[][] =>
  Array.from({ length: end - first }, (_, run) => [
    ...runWords.slice((first + run) * 3, (first + run) * 3 + 3),
  ]);

const { opaque, sorted } = DrawClass;

it('R14: weighted primitives come after opaque ones, one run per rank, and before the sorted ones', () => {
  const list = listOf([3, 0, 2, 3, 1, 2, 1], [sorted, opaque, sorted, sorted, sorted, sorted, sorted], 2);
  expect([list.opaqueCount, list.weightedCount, list.sortedCount, list.count]).toEqual([1, 4, 2, 7]);
  expect([...list.instances.slice(0, 7)]).toEqual([1, 2, 5, 0, 3, 6, 4]);
  expect([list.opaqueRuns, list.weightedEnd, list.runs]).toEqual([1, 3, 4]);
  expect(runsOf(list, 1, 4)).toEqual([
    [2, 1, 2],
    [3, 3, 2],
    [1, 5, 2],
  ]);
});

it('R14: without weights, all blended primitives are sorted from back to front', () => {
  const list = listOf([3, 0, 2, 3], [sorted, opaque, sorted, sorted], -1);
  expect([list.weightedCount, list.sortedCount]).toEqual([0, 3]);
  expect([...list.instances.slice(0, 4)]).toEqual([1, 3, 2, 0]);
  expect([list.opaqueRuns, list.weightedEnd, list.runs]).toEqual([1, 1, 4]);
});
