/**
 * Writes the matrix from a point of the background in this frame's picture to the same point in the last frame's
 * picture. The background is infinitely far away, so the positions of the cameras have no effect. Points are (x, y, 1)
 * in normalized device coordinates. The last point has to be divided by its third coordinate.
 *
 *   M: columns x, y, z of the rows x, y, w of clipFromWorld
 *   point now ─► inverse of M now ─► direction in the world ─► M before ─► last point
 *
 * The background of an orthographic camera does not move: M has no inverse, so the matrix is the identity.
 *
 * @param now, before row-major `clipFromWorld` of this frame and of the last frame
 * @param out receives three rows of 4 numbers; the fourth number of a row has no effect
 * @param at index of the first number in `out`
 */
export function writeBackgroundMotion(
  now: Float64Array,
  before: Float64Array,
  out: Float32Array,
  at: number,
): void {
  const a = now[0] as number;
  const b = now[1] as number;
  const c = now[2] as number;
  const d = now[4] as number;
  const e = now[5] as number;
  const f = now[6] as number;
  const g = now[12] as number;
  const h = now[13] as number;
  const i = now[14] as number;
  const determinant = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g);
  if (determinant === 0) {
    for (let row = 0; row < 3; row++)
      for (let column = 0; column < 4; column++) out[at + row * 4 + column] = row === column ? 1 : 0;
    return;
  }
  for (let row = 0; row < 3; row++) {
    const from = row === 2 ? 12 : row * 4;
    const x = before[from] as number;
    const y = before[from + 1] as number;
    const z = before[from + 2] as number;
    const to = at + row * 4;
    out[to] = (x * (e * i - f * h) + y * (f * g - d * i) + z * (d * h - e * g)) / determinant;
    out[to + 1] = (x * (c * h - b * i) + y * (a * i - c * g) + z * (b * g - a * h)) / determinant;
    out[to + 2] = (x * (b * f - c * e) + y * (c * d - a * f) + z * (a * e - b * d)) / determinant;
    out[to + 3] = 0;
  }
}
