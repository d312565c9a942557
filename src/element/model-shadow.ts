import type { Actor, AddedWorld, Bounds, ShadowCatcherComponent } from '../index.js';

/** Size of the ground, as a factor on the model's extent. */
const GROUND = 2;
/** Softness in metres at `softness` 1, as a share of the model's extent. */
const SOFTEST = 0.3;

/** The shadow of a model on an invisible ground under it. */
export class ModelShadow {
  readonly #world: AddedWorld;
  #intensity = 0;
  #softness = 1;
  #bounds: Bounds | null = null;
  #catcher: Actor<ShadowCatcherComponent> | null = null;

  constructor(world: AddedWorld) {
    this.#world = world;
  }

  /** Share of the light that the shadow takes away, 0 (no shadow) to 1. */
  get intensity(): number {
    return this.#intensity;
  }
  set intensity(intensity: number) {
    this.#intensity = intensity;
    this.#place();
  }

  /** 0 for a sharp outline, to 1 for the softest. */
  get softness(): number {
    return this.#softness;
  }
  set softness(softness: number) {
    this.#softness = softness;
    this.#place();
  }

  /** Places the ground under a model. @param bounds box of the model; `null` for none */
  fall(bounds: Bounds | null): void {
    this.#bounds = bounds;
    this.#place();
  }

  #place(): void {
    this.#catcher?.destroy();
    this.#catcher = null;
    if (!this.#bounds || this.#intensity === 0) return;
    const { min, max } = this.#bounds;
    const [width, height, depth] = [0, 1, 2].map((axis) => (max[axis] as number) - (min[axis] as number));
    const extent = Math.hypot(width ?? 0, height ?? 0, depth ?? 0);
    if (!(extent > 0) || !Number.isFinite(extent)) return;
    const side = (length = 0): number => length + (GROUND - 1) * extent;
    this.#catcher = this.#world.addShadowCatcher({
      size: [side(width), side(depth)],
      height: Math.max(height ?? 0, extent * 0.01),
      softness: this.#softness * SOFTEST * extent,
      opacity: this.#intensity,
      position: [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2],
    });
  }
}
