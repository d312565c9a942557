import type { Actor } from '../components/actor.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';

/** A mesh that is seen. */
export interface PickedMesh {
  readonly actor: Actor;
  readonly component: PrimitiveComponent;
  /** Place of the component among those of its actor that are drawn. */
  readonly primitive: number;
  /** Of several copies, which; 0 where there is one. */
  readonly instance: number;
}

/** What is seen at a place of the canvas. */
export interface PickResult extends PickedMesh {
  /** Metres, world space. */
  readonly position: [number, number, number];
  /** Unit length, world space, towards the viewer. */
  readonly normal: [number, number, number];
  /** First texture coordinates. */
  readonly uv: [number, number];
  /** Metres from the camera; of an orthographic one, along the way it looks. */
  readonly distance: number;
}
