/** A canvas as it is drawn: physical pixels, and how many of them there are to one of the page's (CSS), each way. */
interface SurfaceSize {
  width: number;
  height: number;
  pixelRatio: number;
}

/** A canvas that is larger than a texture can be is drawn smaller, in its proportions; the page scales it up. */
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
