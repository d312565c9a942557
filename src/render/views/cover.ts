/** A rectangle in shares of a surface's width and height, from its top left. */
export interface ShareRectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Largest gap between neighbours that comes from rounding shares to single precision. */
const TOLERANCE = 1e-6;

/**
 * Returns whether the rectangles together cover the surface. Every cell between neighbouring edges must lie
 * in a rectangle.
 */
export function isCoveredBy(rectangles: readonly ShareRectangle[]): boolean {
  const columns = edgesOf(rectangles.flatMap(({ x, width }) => [x, x + width]));
  const rows = edgesOf(rectangles.flatMap(({ y, height }) => [y, y + height]));
  for (let column = 1; column < columns.length; column++) {
    const x = ((columns[column - 1] as number) + (columns[column] as number)) / 2;
    for (let row = 1; row < rows.length; row++) {
      const y = ((rows[row - 1] as number) + (rows[row] as number)) / 2;
      const isInside = (each: ShareRectangle): boolean =>
        x >= each.x && x <= each.x + each.width && y >= each.y && y <= each.y + each.height;
      if (!rectangles.some(isInside)) return false;
    }
  }
  return true;
}

/** Returns 0, the edges between 0 and 1 in ascending order, and 1. Nearly equal edges become one. */
function edgesOf(edges: readonly number[]): number[] {
  const inside = [0, 1, ...edges].filter((edge) => edge >= 0 && edge <= 1).sort((a, b) => a - b);
  return inside.filter((edge, index) => index === 0 || edge - (inside[index - 1] as number) > TOLERANCE);
}
