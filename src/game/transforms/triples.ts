/**
 * A vector of three numbers, for points, directions and rays computed on demand. The functions of this file
 * allocate.
 */
export type Triple = [x: number, y: number, z: number];

export const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Returns the vector scaled to length 1; a zero vector stays zero. */
export function unit(vector: Triple): Triple {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length) as Triple;
}

/** Returns three of `numbers` from index `at`: a column of a matrix, or a vertex. */
export const tripleAt = (numbers: ArrayLike<number>, at: number): Triple => [
  numbers[at] as number,
  numbers[at + 1] as number,
  numbers[at + 2] as number,
];
