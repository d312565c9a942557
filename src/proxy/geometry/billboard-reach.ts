/**
 * Returns how much the box of a billboard geometry has to grow. Billboards face the camera and are scaled by the
 * longest axis of their node in every direction. The box around them is scaled along each axis by that axis alone. In
 * the node's space the box reaches equally far beyond the anchors along every axis. So the missing size is at most the
 * least half extent times the difference between the longest axis and the scale that the box has got.
 *
 *   worldFromLocal    a b c    along x the box has got |a| + |b| + |c| of a reach of 1, and needs the longest of (a d g), (b e h), (c f i)
 *                     d e f
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
