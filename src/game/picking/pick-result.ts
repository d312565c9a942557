import type { Actor } from '../components/actor.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';

/** A mesh under the pointer, or hit by a ray. */
export interface PickedMesh {
  readonly actor: Actor;
  readonly component: PrimitiveComponent;
  /** Index of the component among the drawn components of its actor that belong to the same instance. */
  readonly primitive: number;
  /** Index of the instance; 0 for a mesh without instances. */
  readonly instance: number;
}

/** The visible surface at a point of the canvas, or the hit of a ray. */
export interface PickResult extends PickedMesh {
  /** Metres, world space. */
  readonly position: [number, number, number];
  /**
   * The same point in the space of the component, or of the instance: metres before its transform. It stays valid when
   * the mesh is moved, but not when joints or morph targets deform it. It is computed when the result is known, so it is
   * exact for a pick if the mesh has not moved since the frame that picked.
   */
  readonly localPosition: [number, number, number];
  /** Unit length, world space, towards the viewer or the ray's origin. */
  readonly normal: [number, number, number];
  /** First set of texture coordinates. */
  readonly uv: [number, number];
  /** Metres from the ray's origin or from the camera; for an orthographic camera, along its viewing direction. */
  readonly distance: number;
}
