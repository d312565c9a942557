import type { Actor } from '../components/actor.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';

/** A visible mesh. */
export interface PickedMesh {
  readonly actor: Actor;
  readonly component: PrimitiveComponent;
  /** Index of the component among the drawn components of its actor. */
  readonly primitive: number;
  /** Index of the copy if there are several; otherwise 0. */
  readonly instance: number;
}

/** The visible surface at a point of the canvas, or the hit of a ray. */
export interface PickResult extends PickedMesh {
  /** Metres, world space. */
  readonly position: [number, number, number];
  /** Unit length, world space, towards the viewer. */
  readonly normal: [number, number, number];
  /** First set of texture coordinates. */
  readonly uv: [number, number];
  /** Metres from the camera; for an orthographic one, along its viewing direction. */
  readonly distance: number;
}
