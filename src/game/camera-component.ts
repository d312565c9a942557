/**
 * Cameras look along −Z of their transform. A perspective camera has a vertical field of view; an orthographic
 * one a half height, and a half width that follows the surface unless given. `world.activeCamera` is drawn.
 */
import { checkNumber, checkOptions, checkRadians } from './options.js';
import { SceneComponent, TRANSFORM_OPTIONS, type TransformOptions } from './scene-component.js';
import type { World } from './world.js';

export interface CameraOptions extends TransformOptions {
  /** A point of the world to look at from `position`; stands in for `rotation`. */
  readonly lookAt?: ArrayLike<number>;
  /** Vertical field of view in radians. Default π/4. */
  readonly fovY?: number;
  /** Nearest distance that is drawn, metres. Default 0.1. */
  readonly near?: number;
  /** Farthest distance that is drawn, metres. Default: Infinity for perspective, 1000 for orthographic. */
  readonly far?: number;
  /** Width by height. Default: the surface's. */
  readonly aspect?: number;
  /** Metres from the middle to the edge; without `halfWidth` the surface's aspect ratio decides. */
  readonly orthographic?: { readonly halfHeight: number; readonly halfWidth?: number };
}

export class CameraComponent extends SceneComponent {
  #fovY: number;
  #near: number;
  #far: number;
  #aspect: number;
  #orthographic: NonNullable<CameraOptions['orthographic']> | null;

  constructor(options: CameraOptions = {}) {
    checkOptions('addCamera', options, `${TRANSFORM_OPTIONS} lookAt fovY near far aspect orthographic`);
    super(options);
    const { orthographic = null, fovY = Math.PI / 4, aspect = 0 } = options;
    const { near = defaultNear(orthographic !== null), far = defaultFar(orthographic !== null) } = options;
    this.#orthographic = checkOrthographic(orthographic);
    this.#fovY = checkFovY(fovY);
    this.#near = checkNear(near, orthographic !== null);
    this.#far = checkFar(far, near, orthographic !== null);
    this.#aspect = checkNumber('the camera', 'aspect', aspect, 0, 1e6);
    if (options.lookAt) this.lookAt(options.lookAt);
  }

  override get kind(): string {
    return 'camera';
  }
  override get looksAlongMinusZ(): boolean {
    return true;
  }

  get fovY(): number {
    return this.#fovY;
  }
  set fovY(value: number) {
    this.#fovY = checkFovY(value);
    this.#changed();
  }
  get near(): number {
    return this.#near;
  }
  set near(value: number) {
    const isOrthographic = this.#orthographic !== null;
    checkNear(value, isOrthographic);
    checkFar(this.#far, value, isOrthographic);
    this.#near = value;
    this.#changed();
  }
  get far(): number {
    return this.#far;
  }
  set far(value: number) {
    this.#far = checkFar(value, this.#near, this.#orthographic !== null);
    this.#changed();
  }
  /** 0 follows the surface. */
  get aspect(): number {
    return this.#aspect;
  }
  set aspect(value: number) {
    this.#aspect = checkNumber('the camera', 'aspect', value, 0, 1e6);
    this.#changed();
  }
  /** `null` for a perspective camera. Assigning the other kind swaps `near` and `far` where they are defaults. */
  get orthographic(): { readonly halfHeight: number; readonly halfWidth?: number } | null {
    return this.#orthographic;
  }
  set orthographic(value: { readonly halfHeight: number; readonly halfWidth?: number } | null) {
    const orthographic = checkOrthographic(value);
    const was = this.#orthographic !== null;
    const is = orthographic !== null;
    const near = this.#near === defaultNear(was) ? defaultNear(is) : this.#near;
    const far = this.#far === defaultFar(was) ? defaultFar(is) : this.#far;
    checkNear(near, is);
    this.#far = checkFar(far, near, is);
    this.#near = near;
    this.#orthographic = orthographic;
    this.#changed();
  }

  #changed(): void {
    if (this.updates?.camera === this) this.updates.markView();
  }

  override register(world: World): void {
    super.register(world);
    world.addCameraComponent(this);
  }

  override unregister(): void {
    this.world?.removeCameraComponent(this);
    super.unregister();
  }
}

function defaultNear(isOrthographic: boolean): number {
  return isOrthographic ? 0 : 0.1;
}

function defaultFar(isOrthographic: boolean): number {
  return isOrthographic ? 1000 : Infinity;
}

function checkFovY(value: number): number {
  return checkRadians('the camera', 'fovY', value, 1e-4, Math.PI - 1e-4);
}

function checkNear(value: number, isOrthographic: boolean): number {
  return checkNumber('the camera', 'near', value, isOrthographic ? -1e9 : 1e-6, 1e9);
}

function checkFar(value: number, near: number, isOrthographic: boolean): number {
  const isBehind = value <= near;
  return checkNumber(
    'the camera',
    'far',
    isBehind ? NaN : value,
    near,
    isOrthographic ? 1e9 : Infinity,
    isBehind ? `It was ${value}, which is not beyond near (${near}).` : '',
  );
}

function checkOrthographic(
  value: CameraOptions['orthographic'] | null,
): NonNullable<CameraOptions['orthographic']> | null {
  if (!value) return null;
  checkOptions('orthographic', value, 'halfHeight halfWidth');
  checkNumber('the camera', 'halfHeight', value.halfHeight, 1e-9, 1e9);
  checkNumber('the camera', 'halfWidth', value.halfWidth ?? 0, 0, 1e9);
  return { ...value };
}
