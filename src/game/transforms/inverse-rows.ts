import { cross, dot, type Triple, tripleAt } from './triples.js';

/**
 * Returns the inverse of the first three columns of a column-major matrix, row by row; null if they are
 * singular.
 */
export function inverseRows(m: readonly number[]): Triple[] | null {
  const [a, b, c] = [tripleAt(m, 0), tripleAt(m, 4), tripleAt(m, 8)];
  const rows = [cross(b, c), cross(c, a), cross(a, b)] as const;
  const determinant = dot(a, rows[0]);
  if (determinant === 0) return null;
  return rows.map((row) => row.map((value) => value / determinant) as Triple);
}
