/**
 * Writes the planes of the frustum that a row-major 4×4 matrix projects. Depth is 1 at the near plane and 0 at the far
 * plane. The planes follow from the matrix's rows (Gribb and Hartmann 2001).
 *
 * @param planes 4 numbers each: left, right, bottom, top, near, far; a point p is inside if n·p + d ≥ 0
 */
export function writePlanes(clip: Float64Array, planes: Float64Array): void {
  for (let column = 0; column < 4; column++) {
    const x = clip[column] as number;
    const y = clip[4 + column] as number;
    const z = clip[8 + column] as number;
    const w = clip[12 + column] as number;
    planes[column] = w + x;
    planes[4 + column] = w - x;
    planes[8 + column] = w + y;
    planes[12 + column] = w - y;
    planes[16 + column] = w - z;
    planes[20 + column] = z;
  }
}

/**
 * Writes a row-major 4×4 matrix by columns, as WGSL stores it.
 * @param at index in `target` at which the matrix begins
 */
export function writeMatrix(rows: Float64Array, target: Float32Array, at: number): void {
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      target[at + column * 4 + row] = rows[row * 4 + column] as number;
    }
  }
}
