import { isBoxVisible } from './culling.js';

/** Number of primitives in a group. Their ids are consecutive. */
const GROUP_SIZE = 256;
export const GROUP_WORDS = GROUP_SIZE / 32;

/** Position of a group relative to the frustum of a view. */
export enum GroupPlace {
  outside = 0,
  inside = 1,
  /** Part of the group may be visible, so its primitives are tested one by one. */
  partly = 2,
}

/** Safety margin, relative to the compared numbers. It is far above their rounding errors. */
const MARGIN = 1e-9;

/**
 * Per group and view: tests the box of a group. If rounding could change the result, the function returns `partly`. So
 * the result never contradicts a test of one of the group's primitives.
 *
 * @param planes 24 numbers, see `View.planes`
 * @param boxes 6 doubles per group: least x y z, largest x y z; NaN if the box of a primitive is NaN
 */
export function placeOfGroup(planes: Float64Array, boxes: Float64Array, group: number): GroupPlace {
  const box = group * 6;
  const x = ((boxes[box] as number) + (boxes[box + 3] as number)) / 2;
  const y = ((boxes[box + 1] as number) + (boxes[box + 4] as number)) / 2;
  const z = ((boxes[box + 2] as number) + (boxes[box + 5] as number)) / 2;
  let place = GroupPlace.inside;
  for (let plane = 0; plane < 24; plane += 4) {
    const a = planes[plane] as number;
    const b = planes[plane + 1] as number;
    const c = planes[plane + 2] as number;
    const d = planes[plane + 3] as number;
    const reach =
      Math.abs(a) * ((boxes[box + 3] as number) - x) +
      Math.abs(b) * ((boxes[box + 4] as number) - y) +
      Math.abs(c) * ((boxes[box + 5] as number) - z);
    const distance = a * x + b * y + c * z + d;
    const margin = (Math.abs(a * x) + Math.abs(b * y) + Math.abs(c * z) + Math.abs(d) + reach) * MARGIN;
    if (distance + reach < -margin) return GroupPlace.outside;
    if (!(distance - reach > margin)) place = GroupPlace.partly;
  }
  return place;
}

/**
 * Computes the box around all drawable primitives of a group whose primitives have stopped moving. An empty group
 * counts as partly visible, as a box of NaN does.
 */
export function encloseGroup(
  boxes: Float64Array,
  group: number,
  bounds: Float32Array,
  drawableBits: Uint32Array,
): void {
  const box = group * 6;
  boxes.fill(Infinity, box, box + 3);
  boxes.fill(-Infinity, box + 3, box + 6);
  for (let word = group * GROUP_WORDS; word < (group + 1) * GROUP_WORDS; word++) {
    for (let rest = drawableBits[word] ?? 0; rest !== 0; rest &= rest - 1) {
      const from = ((word << 5) + 31 - Math.clz32(rest & -rest)) * 6;
      for (let axis = 0; axis < 3; axis++) {
        const center = bounds[from + axis] as number;
        const extent = bounds[from + 3 + axis] as number;
        // Math.min and Math.max keep NaN, and a box of NaN counts as visible.
        boxes[box + axis] = Math.min(boxes[box + axis] as number, center - extent);
        boxes[box + 3 + axis] = Math.max(boxes[box + 3 + axis] as number, center + extent);
      }
    }
  }
}

/**
 * Per group that is partly visible: tests each candidate of the group.
 * @param target index at which the group's words of `visible` begin
 */
export function cullGroup(
  planes: Float64Array,
  bounds: Float32Array,
  candidates: Uint32Array,
  visible: Uint32Array,
  group: number,
  target: number,
): void {
  for (let index = 0; index < GROUP_WORDS; index++) {
    const word = group * GROUP_WORDS + index;
    let result = 0;
    for (let rest = candidates[word] ?? 0; rest !== 0; rest &= rest - 1) {
      const lowest = rest & -rest;
      if (isBoxVisible(planes, bounds, ((word << 5) + 31 - Math.clz32(lowest)) * 6)) result |= lowest;
    }
    visible[target + index] = result;
  }
}

/** Returns the number of set bits. */
export function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
