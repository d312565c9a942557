/**
 * Returns the CSS `zoom` that applies to a canvas, including the zoom of its ancestors. Returns 1 without zoom, for an
 * OffscreenCanvas, and in browsers without `currentCSSZoom`.
 *
 * Pixels of pointer events (`offsetX`, `clientX`) are zoomed. Pixels of `clientWidth`, `offsetLeft`, `ResizeObserver`
 * and styles are not. So `offsetX / cssZoomOf(canvas)` is a position within `clientWidth`.
 */
export const cssZoomOf = (canvas: Element | OffscreenCanvas): number =>
  'currentCSSZoom' in canvas ? canvas.currentCSSZoom : 1;
