/** The views with a canvas of their own, by their canvas. The controls of a page may name a view by its canvas. */
import type { View } from './view.js';

/** A canvas that the engine has replaced stays in the map, but is no longer the canvas of its view. */
const views = /* @__PURE__ */ new WeakMap<object, View>();

/** Registers the current canvas of a view. */
export function registerCanvas(view: View): void {
  if (view.canvas) views.set(view.canvas, view);
}

/** Returns the view whose current canvas this is; `null` without one, or after its end. */
export function viewOfCanvas(canvas: object): View | null {
  const view = views.get(canvas);
  return view?.canvas === canvas ? view : null;
}
