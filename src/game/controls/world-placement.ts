/** Moves components to points of the world, whatever they are attached to. */
import type { SceneComponent } from '../components/scene-component.js';
import { inverseRows } from '../transforms/inverse-rows.js';
import { dot, type Triple, tripleAt } from '../transforms/triples.js';
import { minus } from './pointer-rays.js';

/** Moves a component to a point of the world, in metres. A parent with a scale of 0 leaves it where it is. */
export function moveInWorld({ parent, position }: SceneComponent, point: Triple): void {
  if (!parent) {
    position.set(...point);
    return;
  }
  const matrix = parent.worldFromLocal([]);
  const rows = inverseRows(matrix);
  if (!rows) return;
  const offset = minus(point, tripleAt(matrix, 12));
  position.set(
    dot(rows[0] as Triple, offset),
    dot(rows[1] as Triple, offset),
    dot(rows[2] as Triple, offset),
  );
}
