/** The visitor's viewpoint: a camera with orbit controls, which the keyboard can turn, too. */
import { type Engine, type OrbitControls, orbitControls } from '../src/index.js';

type Vector = readonly [number, number, number];

export interface View {
  readonly position: Vector;
  readonly target: Vector;
  /** Vertical field of view in radians. */
  readonly fovY: number;
  /** Distance of the near plane, in metres. The far plane is at infinity. */
  readonly near: number;
  /** Minimum distance from the target, in metres. */
  readonly minDistance: number;
  readonly maxDistance: number;
  /** Radians per second while the visitor does not drag. The render thread continues the turn when the page is busy. */
  readonly autoRotate: number;
}

/** Minimum angle between the view and the vertical, in radians. */
const POLE_MARGIN = 0.02;

export class Viewpoint {
  #controls: OrbitControls | null = null;

  /**
   * Adds a camera at the viewpoint, and replaces the earlier controls. The earlier camera may have been destroyed
   * before.
   */
  attach(engine: Engine, { position, fovY, near, ...controls }: View): void {
    this.#controls?.dispose();
    const camera = engine.world.addCamera({ position, lookAt: controls.target, fovY, near });
    this.#controls = orbitControls(engine, camera, controls);
  }

  /**
   * Turns the camera about the target, and changes its distance. The arrow keys, plus and minus call it.
   *
   * @param azimuth radians to the right
   * @param polar radians downwards
   * @param factor factor on the distance
   */
  turn(azimuth: number, polar: number, factor: number): void {
    const controls = this.#controls;
    if (!controls) return;
    controls.azimuth += azimuth;
    controls.polar = Math.min(Math.PI - POLE_MARGIN, Math.max(POLE_MARGIN, controls.polar + polar));
    controls.distance *= factor;
  }
}
