/**
 * Per moved primitive: transforms a local box by its node's matrix, and computes the axis-aligned box around the
 * result, relative to a point near the camera. Each row of the matrix transforms the centre, and the row's absolute
 * values scale the half extents (Arvo, Graphics Gems 1990). Unrolled, because it runs for every moved primitive.
 * @param world rows of `worldFromLocal`, from `matrix` on
 * @param local centre xyz and half extents xyz, from `from` on
 * @param bounds receives centre and half extents of the result, from `to` on
 * @param margin metres added to the half extents of the result
 * @param localMargin length added to the local half extents
 * @returns whether the matrix mirrors
 */
export function transformBox(
  world: Float64Array,
  matrix: number,
  local: Float32Array,
  from: number,
  bounds: Float32Array,
  to: number,
  origin: Float64Array,
  margin: number,
  localMargin: number,
): boolean {
  const x = local[from] as number;
  const y = local[from + 1] as number;
  const z = local[from + 2] as number;
  const extentX = (local[from + 3] as number) + localMargin;
  const extentY = (local[from + 4] as number) + localMargin;
  const extentZ = (local[from + 5] as number) + localMargin;
  const a = world[matrix] as number;
  const b = world[matrix + 1] as number;
  const c = world[matrix + 2] as number;
  const d = world[matrix + 4] as number;
  const e = world[matrix + 5] as number;
  const f = world[matrix + 6] as number;
  const g = world[matrix + 8] as number;
  const h = world[matrix + 9] as number;
  const i = world[matrix + 10] as number;
  bounds[to] = a * x + b * y + c * z + (world[matrix + 3] as number) - (origin[0] as number);
  bounds[to + 1] = d * x + e * y + f * z + (world[matrix + 7] as number) - (origin[1] as number);
  bounds[to + 2] = g * x + h * y + i * z + (world[matrix + 11] as number) - (origin[2] as number);
  bounds[to + 3] = Math.abs(a) * extentX + Math.abs(b) * extentY + Math.abs(c) * extentZ + margin;
  bounds[to + 4] = Math.abs(d) * extentX + Math.abs(e) * extentY + Math.abs(f) * extentZ + margin;
  bounds[to + 5] = Math.abs(g) * extentX + Math.abs(h) * extentY + Math.abs(i) * extentZ + margin;
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0;
}
