/**
 * Writes the inverse of a row-major 4 × 4 matrix, by Gauss-Jordan elimination with row pivoting. For a singular matrix,
 * the result is not finite.
 * @param scratch 32 numbers
 */
export function invertMatrix(matrix: Float64Array, out: Float64Array, scratch: Float64Array): void {
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      scratch[row * 8 + column] = matrix[row * 4 + column] as number;
      scratch[row * 8 + 4 + column] = row === column ? 1 : 0;
    }
  }
  for (let column = 0; column < 4; column++) {
    let pivot = column;
    for (let row = column + 1; row < 4; row++) {
      const size = Math.abs(scratch[row * 8 + column] as number);
      if (size > Math.abs(scratch[pivot * 8 + column] as number)) pivot = row;
    }
    const factor = 1 / (scratch[pivot * 8 + column] as number);
    for (let at = 0; at < 8; at++) {
      const above = scratch[column * 8 + at] as number;
      scratch[column * 8 + at] = (scratch[pivot * 8 + at] as number) * factor;
      if (pivot !== column) scratch[pivot * 8 + at] = above;
    }
    for (let row = 0; row < 4; row++) {
      const share = scratch[row * 8 + column] as number;
      if (row === column || share === 0) continue;
      for (let at = 0; at < 8; at++) {
        scratch[row * 8 + at] =
          (scratch[row * 8 + at] as number) - share * (scratch[column * 8 + at] as number);
      }
    }
  }
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      out[row * 4 + column] = scratch[row * 8 + 4 + column] as number;
    }
  }
}
