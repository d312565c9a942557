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

/** Metres from the target. */
export interface DistanceLimits {
  readonly minDistance: number;
  readonly maxDistance: number;
}

export class Viewpoint {
  #view: View | null = null;
  #camera: ReturnType<Engine['world']['addCamera']> | null = null;
  #limits: DistanceLimits = { minDistance: 0.1, maxDistance: 100 };
  #engine: Engine | null = null;
  #controls: OrbitControls | null = null;

  /** Gives an engine a camera: at the place kept from before, else where `initial` says. */
  attach(engine: Engine, initial: View, limits: DistanceLimits): void {
    this.detach();
    this.#engine = engine;
    this.#limits = limits;
    const view = this.#view ?? initial;
    this.#view = view;
    const { position, target, fovY, near } = view;
    const camera = engine.world.addCamera({ position, lookAt: target, fovY, near });
    this.#camera = camera;
    this.#controls = orbitControls(engine, camera, { target, ...limits });
  }

  /**
   * Turns about the target, or comes closer: what the arrow keys, plus and minus do.
   * @param azimuth radians to the right  @param polar radians downwards  @param factor on the distance
   */
  turn(azimuth: number, polar: number, factor: number): void {
    const camera = this.#camera;
    const controls = this.#controls;
    const engine = this.#engine;
    if (!camera || !controls || !engine) return;
    const target = controls.target;
    const { position } = camera;
    const [x, y, z] = [position.x - target[0], position.y - target[1], position.z - target[2]];
    const distance = Math.hypot(x, y, z) || 1;
    const { minDistance, maxDistance } = this.#limits;
    const newDistance = Math.min(maxDistance, Math.max(minDistance, distance * factor));
    const newAzimuth = Math.atan2(x, z) + azimuth;
    const newPolar = Math.min(Math.PI - 0.02, Math.max(0.02, Math.acos(y / distance) + polar));
    position.set(
      target[0] + newDistance * Math.sin(newPolar) * Math.sin(newAzimuth),
      target[1] + newDistance * Math.cos(newPolar),
      target[2] + newDistance * Math.sin(newPolar) * Math.cos(newAzimuth),
    );
    // The controls take the camera from where it is.
    controls.dispose();
    this.#controls = orbitControls(engine, camera, { target, ...this.#limits });
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
