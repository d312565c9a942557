import { cross, dot, type Triple, tripleAt } from './triples.js';

/**
 * Returns the inverse of the upper left 3×3 part of a column-major 4×4 matrix, row by row; null if that part is
 * singular.
 */
export function inverseRows(m: readonly number[]): Triple[] | null {
  const [a, b, c] = [tripleAt(m, 0), tripleAt(m, 4), tripleAt(m, 8)];
  const rows = [cross(b, c), cross(c, a), cross(a, b)] as const;
  const determinant = dot(a, rows[0]);
  if (determinant === 0) return null;
  return rows.map((row) => row.map((value) => value / determinant) as Triple);
}

/** Returns a point of a space in the world. @param m column-major matrix from the space to the world */
export const worldPoint = (m: readonly number[], point: ArrayLike<number>): Triple =>
  [0, 1, 2].map((row) => {
    const along = (axis: number): number => (m[axis * 4 + row] as number) * (point[axis] as number);
    return along(0) + along(1) + along(2) + (m[12 + row] as number);
  }) as Triple;

/**
 * Returns a point of the world in a space. In a space that is flattened, the result is the space's origin.
 * @param m column-major matrix from the space to the world
 */
export function localPoint(m: readonly number[], point: ArrayLike<number>): Triple {
  const offset = [0, 1, 2].map((axis) => (point[axis] as number) - (m[12 + axis] as number)) as Triple;
  return (inverseRows(m)?.map((row) => dot(row, offset)) as Triple | undefined) ?? [0, 0, 0];
}
