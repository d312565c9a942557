/** Converts KHR_texture_transform to the numbers of `material-layout.ts`. */

/**
 * Returns the transform `a b c d e f` of a texture slot. It scales the coordinates, then rotates them (radians,
 * counter-clockwise on the image), then adds the offset.
 */
export function textureTransform(
  [offsetU, offsetV]: readonly [number, number],
  rotation: number,
  [scaleU, scaleV]: readonly [number, number],
): [number, number, number, number, number, number] {
  const c = Math.cos(rotation);
  const s = Math.sin(rotation);
  return [c * scaleU, s * scaleV, offsetU, -s * scaleU, c * scaleV, offsetV];
}
