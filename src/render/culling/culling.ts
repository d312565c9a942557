/**
 * Frustum culling over structure-of-arrays bounds (SYSTEMS R13): a box is culled if it lies entirely behind
 * one plane. The loop runs over words of 32 primitives. Ranges of words never write the same word, so each
 * range can be a separate job.
 *
 *   drawable bits  1101 0111 …       6 floats of bounds per primitive
 *   visible bits   1001 0010 …       one bit per primitive, in the same order
 */

/**
 * Culls primitives, and writes words `beginWord` up to but without `endWord` of `visibleBits`. Called per
 * view; allocates nothing.
 * @param planes 24 numbers, see `View.planes`
 * @param bounds 6 floats per primitive: centre and half extents
 * @returns number of visible primitives in the range
 */
export function cullWords(
  planes: Float64Array,
  bounds: Float32Array,
  drawableBits: Uint32Array,
  visibleBits: Uint32Array,
  beginWord: number,
  endWord: number,
): number {
  let visible = 0;
  for (let word = beginWord; word < endWord; word++) {
    let rest = drawableBits[word] as number;
    let result = 0;
    while (rest !== 0) {
      const lowest = rest & -rest;
      rest ^= lowest;
      const box = ((word << 5) + 31 - Math.clz32(lowest)) * 6;
      if (isBoxVisible(planes, bounds, box)) {
        result |= lowest;
        visible++;
      }
    }
    visibleBits[word] = result;
  }
  return visible;
}

/** Returns false only if the box lies wholly outside one of the six planes. NaN counts as visible. */
export function isBoxVisible(planes: Float64Array, bounds: Float32Array, box: number): boolean {
  const x = bounds[box] as number;
  const y = bounds[box + 1] as number;
  const z = bounds[box + 2] as number;
  const extentX = bounds[box + 3] as number;
  const extentY = bounds[box + 4] as number;
  const extentZ = bounds[box + 5] as number;
  for (let plane = 0; plane < 24; plane += 4) {
    const a = planes[plane] as number;
    const b = planes[plane + 1] as number;
    const c = planes[plane + 2] as number;
    const distance = a * x + b * y + c * z + (planes[plane + 3] as number);
    const reach = Math.abs(a) * extentX + Math.abs(b) * extentY + Math.abs(c) * extentZ;
    if (distance + reach < 0) return false;
  }
  return true;
}
