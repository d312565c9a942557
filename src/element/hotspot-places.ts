/** Places of points of the world in a picture. Vectors are in metres. */

type Point = readonly [number, number, number];

/** A camera without the parts that do not matter for places. It looks along its local −Z. */
export interface Eye {
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  /** A unit quaternion. */
  readonly rotation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
  /** Vertical field of view in radians. */
  readonly fovY: number;
}

/**
 * Returns the place of a point in CSS pixels from the picture's top left; `null` behind the camera.
 * @param width CSS pixels of the picture
 * @param height CSS pixels of the picture
 */
export function placeOf(
  [x, y, z]: Point,
  { position, rotation, fovY }: Eye,
  width: number,
  height: number,
): readonly [left: number, top: number] | null {
  const [right, up, back] = turnedBack(
    [x - position.x, y - position.y, z - position.z],
    [rotation.x, rotation.y, rotation.z, rotation.w],
  );
  if (!(back < 0)) return null;
  const scale = height / 2 / Math.tan(fovY / 2) / -back;
  return [width / 2 + right * scale, height / 2 - up * scale];
}

/** Returns whether a surface with this normal faces the camera. */
export function isFacing([x, y, z]: Point, normal: Point, { position }: Eye): boolean {
  const towards = (position.x - x) * normal[0] + (position.y - y) * normal[1] + (position.z - z) * normal[2];
  return towards > 0;
}

/** Parses three numbers, each with or without the unit `m`; `null` if the text is anything else. */
export function parsePoint(text: string | null): Point | null {
  const parts = (text ?? '').trim().split(/\s+/);
  const numbers = parts.map((part) => Number(part.replace(/m$/, '') || Number.NaN));
  const [x, y, z] = numbers;
  if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return null;
  return [x as number, y as number, z as number];
}

/** Turns a vector by the inverse of a quaternion. */
function turnedBack([x, y, z]: Point, [qx, qy, qz, qw]: readonly [number, number, number, number]): Point {
  // v + 2 q × (q × v + w v), with the vector part of the conjugate: −q
  const cx = -qy * z + qz * y + qw * x;
  const cy = -qz * x + qx * z + qw * y;
  const cz = -qx * y + qy * x + qw * z;
  return [x + 2 * (-qy * cz + qz * cy), y + 2 * (-qz * cx + qx * cz), z + 2 * (-qx * cy + qy * cx)];
}
