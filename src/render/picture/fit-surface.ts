/** Drawn size of a canvas in physical pixels, and the number of physical pixels per CSS pixel in each direction. */
interface SurfaceSize {
  width: number;
  height: number;
  pixelRatio: number;
}

/**
 * Sets the size of a surface. A canvas larger than the largest texture is drawn smaller, in its proportions,
 * and the page scales it up.
 */
export function fitSurface(
  surface: SurfaceSize,
  width: number,
  height: number,
  pixelRatio: number,
  largestSize: number,
): void {
  const scale = Math.min(1, largestSize / Math.max(width, height, 1));
  surface.width = Math.min(largestSize, Math.ceil(width * scale));
  surface.height = Math.min(largestSize, Math.ceil(height * scale));
  surface.pixelRatio = pixelRatio * scale;
}
