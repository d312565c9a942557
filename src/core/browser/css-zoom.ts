/**
 * Returns the CSS `zoom` that applies to a canvas, that of elements around it included. 1: none, or no element.
 *
 * Pixels of pointer events (`offsetX`, `clientX`) are zoomed; those of `clientWidth`, `offsetLeft`, `ResizeObserver` and
 * styles are not. So `offsetX / cssZoomOf(canvas)` is a place within `clientWidth`.
 */
export const cssZoomOf = (canvas: Element | OffscreenCanvas): number =>
  'currentCSSZoom' in canvas ? canvas.currentCSSZoom : 1;
