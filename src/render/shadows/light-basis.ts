/**
 * Three axes of unit length in world space: right and up in the light's picture, and back towards the light.
 */
export class LightBasis {
  readonly right = new Float64Array(3);
  readonly up = new Float64Array(3);
  readonly back = new Float64Array(3);

  /** Computes the axes. @param x, y, z direction of view, of any length except 0 */
  lookAlong(x: number, y: number, z: number): void {
    const { right, up, back } = this;
    const inverse = 1 / Math.hypot(x, y, z);
    const bx = -x * inverse;
    const by = -y * inverse;
    const bz = -z * inverse;
    // Right is perpendicular to back and to +Y, or to +Z if the light shines nearly straight down or up.
    const isSteep = Math.abs(by) > 0.99;
    const rx = isSteep ? -by : bz;
    const ry = isSteep ? bx : 0;
    const rz = isSteep ? 0 : -bx;
    const scale = 1 / Math.hypot(rx, ry, rz);
    right[0] = rx * scale;
    right[1] = ry * scale;
    right[2] = rz * scale;
    back[0] = bx;
    back[1] = by;
    back[2] = bz;
    up[0] = by * (right[2] as number) - bz * (right[1] as number);
    up[1] = bz * (right[0] as number) - bx * (right[2] as number);
    up[2] = bx * (right[1] as number) - by * (right[0] as number);
  }
}

export function dot(axis: Float64Array, point: Float64Array): number {
  return (
    (axis[0] as number) * (point[0] as number) +
    (axis[1] as number) * (point[1] as number) +
    (axis[2] as number) * (point[2] as number)
  );
}
