/** Converts KHR_texture_transform to the numbers of `material-layout.ts`. */

/** Returns a b c d e f of a slot: scale, then rotate (radians, counter-clockwise on the image), then offset. */
export function textureTransform(
  [offsetU, offsetV]: readonly [number, number],
  rotation: number,
  [scaleU, scaleV]: readonly [number, number],
): [number, number, number, number, number, number] {
  const c = Math.cos(rotation);
  const s = Math.sin(rotation);
  return [c * scaleU, s * scaleV, offsetU, -s * scaleU, c * scaleV, offsetV];
}
