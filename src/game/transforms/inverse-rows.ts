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
