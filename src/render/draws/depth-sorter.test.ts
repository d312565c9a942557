import { expect, it } from 'vitest';
import { FrameMemory } from '../../core/memory/frame-memory.js';
import { PrimitiveFlag, RENDER_ORDER_SHIFT } from '../../proxy/commands.js';
import { PrimitiveStore } from '../scene/primitive-store.js';
import { DepthSorter } from './depth-sorter.js';

/** A cube on the z axis: its centre and half its edge length, in metres. */
type Box = readonly [z: number, extent: number, flags?: number];

/** Returns the indices of the boxes in drawing order. @param cameraZ position of a camera that looks along −z */
function orderOf(boxes: readonly Box[], cameraZ = 100): number[] {
  const primitives = new PrimitiveStore();
  primitives.bounds = Float32Array.from(boxes.flatMap(([z, extent]) => [0, 0, z, extent, extent, extent]));
  primitives.flags = Int32Array.from(boxes, ([, , flags = 0]) => flags);
  const ids = Uint32Array.from(boxes.keys());
  const sorter = new DepthSorter(new FrameMemory());
  const view = { forward: Float64Array.of(0, 0, -1), position: Float64Array.of(0, 0, cameraZ) };
  return [...sorter.sort(ids, ids.length, primitives, view)];
}

it('R14: sorted draws go from back to front, and by id at equal depth', () => {
  expect(
    orderOf([
      [-1, 0.1],
      [-3, 0.1],
      [-2, 0.1],
      [-3, 0.1],
    ]),
  ).toEqual([1, 3, 2, 0]);
});

it('R14: a box inside another one is drawn first, although its centre is nearer', () => {
  // A bottle, the liquid in it, and a bubble in the liquid.
  const bottle: Box[] = [
    [-5, 2],
    [-4.5, 1],
    [-4.2, 0.2],
  ];
  expect(orderOf(bottle)).toEqual([2, 1, 0]);
  // Equal boxes do not contain each other, so ids decide.
  expect(
    orderOf([
      [-5, 1],
      [-5, 1],
    ]),
  ).toEqual([0, 1]);
});

it('R14: a box around the camera, or one without bounds, counts by its centre', () => {
  const room: Box[] = [
    [-5, 20],
    [-4, 1],
  ];
  expect(orderOf(room)).toEqual([1, 0]);
  expect(orderOf(room, 0)).toEqual([0, 1]);
  const label: Box[] = [
    [-5, 1e9, PrimitiveFlag.alwaysSeen],
    [-4, 1],
  ];
  expect(orderOf(label)).toEqual([0, 1]);
});

it('R14: renderOrder decides before depth', () => {
  expect(
    orderOf([
      [-1, 0.1, -1 << RENDER_ORDER_SHIFT],
      [-3, 0.1, 2 << RENDER_ORDER_SHIFT],
      [-2, 0.1],
    ]),
  ).toEqual([0, 2, 1]);
});
