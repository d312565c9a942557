/**
 * Where the visitor looks from, kept apart from any one engine: a new engine gets a camera in the old one's
 * place, with controls that turn about the same point.
 */
import { type Engine, type OrbitControls, orbitControls } from '../src/index.js';

type Vector = readonly [number, number, number];

export interface View {
  readonly position: Vector;
  readonly target: Vector;
  /** Vertical, radians. */
  readonly fovY: number;
  /** Metres; the far plane is at infinity. */
  readonly near: number;
}

export class Viewpoint {
  #view: View | null = null;
  #camera: { readonly position: { readonly x: number; readonly y: number; readonly z: number } } | null =
    null;
  #controls: OrbitControls | null = null;

  /** Gives an engine a camera: at the place kept from before, else where `initial` says. */
  attach(engine: Engine, initial: View, limits: { minDistance: number; maxDistance: number }): void {
    this.detach();
    const view = this.#view ?? initial;
    this.#view = view;
    const { position, target, fovY, near } = view;
    const camera = engine.world.addCamera({ position, lookAt: target, fovY, near });
    this.#camera = camera;
    this.#controls = orbitControls(engine, camera, { target, ...limits });
  }

  /** Keeps the place and lets the controls go; the camera leaves with its engine. */
  detach(): void {
    if (this.#view && this.#camera && this.#controls) {
      const { position } = this.#camera;
      const target = this.#controls.target;
      this.#view = {
        ...this.#view,
        position: [position.x, position.y, position.z],
        target: [target[0] as number, target[1] as number, target[2] as number],
      };
    }
    this.#controls?.dispose();
    this.#controls = null;
    this.#camera = null;
  }

  /** Forgets the place: the next engine or model starts at its own view. */
  reset(): void {
    this.detach();
    this.#view = null;
  }
}
