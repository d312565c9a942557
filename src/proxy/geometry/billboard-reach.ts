/**
 * Returns how much the transformed box of a billboard geometry has to grow. In the node's space, the box contains the
 * billboards. Billboards face the camera, so the longest axis of their node scales them in every direction. The matrix
 * scales the box along a world axis by the sum of a row's absolute values. If this sum is less than the longest axis,
 * the box is too small: on each side at most by the difference times the box's least half extent.
 *
 *   worldFromLocal    a b c    a size of 1 extends the box along x by |a| + |b| + |c|
 *                     d e f    it has to extend by the length of the longest column: (a d g), (b e h) or (c f i)
 *                     g h i
 *
 * @param matrix matrix with element (row, axis) at `from + row × rowStride + axis × axisStride`
 * @param extent the least half extent of the box in the space of the node
 * @returns metres by which the transformed box has to grow on every side
 */
export function billboardReach(
  matrix: ArrayLike<number>,
  from: number,
  rowStride: number,
  axisStride: number,
  extent: number,
): number {
  let longest = 0;
  let least = Infinity;
  for (let index = 0; index < 3; index++) {
    let squares = 0;
    let sum = 0;
    for (let other = 0; other < 3; other++) {
      squares += (matrix[from + other * rowStride + index * axisStride] as number) ** 2;
      sum += Math.abs(matrix[from + index * rowStride + other * axisStride] as number);
    }
    longest = Math.max(longest, Math.sqrt(squares));
    least = Math.min(least, sum);
  }
  return Math.max(longest - least, 0) * extent;
}
