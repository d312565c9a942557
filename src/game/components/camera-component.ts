/**
 * Cameras look along −Z of their transform. A perspective camera has a vertical field of view. An orthographic camera
 * has half the height of its view in metres. Half the width follows `aspect` unless `halfWidth` is set. The canvas
 * shows the world as `world.activeCamera` sees it.
 */

import { OptionError } from '../../core/errors.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { checkNames, checkOptions } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import { checkMember, type Shaped } from '../../core/options/member.js';
import {
  anything,
  countFrom,
  numberFrom,
  optional,
  options,
  property,
  radiansFrom,
} from '../../core/options/members.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { Projection } from '../../proxy/commands.js';
import { checkNoRotation, TRANSFORM_OPTIONS } from '../transforms/transform-options.js';
import type { World } from '../world/world.js';
import { type ProjectedPoint, projectPoint, type Ray, rayThrough } from './camera-rays.js';
import { SceneComponent } from './scene-component.js';

/** Returns the size of the canvas in pixels of its pointer events. */
const pointerSize = ({ viewSize: [width, height], viewZoom }: World): readonly [number, number] => [
  width * viewZoom,
  height * viewZoom,
];

const ORTHOGRAPHIC = { halfHeight: numberFrom(1e-9, 1e9), halfWidth: optional(numberFrom(0, 1e9)) };

const ALL_LAYERS = 0xffffffff;

const CAMERA_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  /** A point of the world to look at from `position`. It can't be combined with `rotation`. */
  lookAt: optional(anything<VectorLike>()),
  /** Vertical field of view in radians. Default π/4. */
  fovY: property(radiansFrom(1e-4, Math.PI - 1e-4)),
  /** Distance of the near plane, metres. Default: 0.1 for perspective, 0 for orthographic. */
  near: optional(anything<number>()),
  /** Distance of the far plane, metres. Default: Infinity for perspective, 1000 for orthographic. */
  far: optional(anything<number>()),
  /** Width divided by height. Default: the surface's. */
  aspect: property(numberFrom(0, 1e6)),
  /** Layers that the camera shows, one bit each; see `layers` of meshes. Default: all. */
  layers: property(countFrom(0, ALL_LAYERS)),
  /** Metres from the middle to the edges. Without `halfWidth`, or with 0, the width follows `aspect`. */
  orthographic: property(options(ORTHOGRAPHIC)),
};

export type CameraOptions = Shaped<typeof CAMERA_OPTIONS>;

type Orthographic = NonNullable<CameraOptions['orthographic']>;

export class CameraComponent extends SceneComponent {
  /** @internal Name of the function whose controls move the camera; `null` without controls. */
  controls: string | null = null;
  #fovY = 0;
  #near = 0.1;
  #far = Infinity;
  #aspect = 0;
  #orthographic: Orthographic | null = null;
  #layers = ALL_LAYERS;

  constructor(options: CameraOptions = {}) {
    checkOptions('addCamera', options, CAMERA_OPTIONS);
    super(options);
    const { fovY = Math.PI / 4, aspect = 0, orthographic = null, layers = ALL_LAYERS } = options;
    this.orthographic = orthographic;
    const { near = this.#near, far = this.#far, lookAt, rotation, position = [0, 0, 0] } = options;
    this.#setDepths(near, far, this.#orthographic);
    this.fovY = fovY;
    this.aspect = aspect;
    this.layers = layers;
    if (lookAt) {
      checkNoRotation('addCamera', 'lookAt', rotation);
      const target = checkVector('addCamera', 'lookAt', lookAt, 3);
      if (String(target) === String(checkVector('addCamera', 'position', position, 3))) {
        throw new OptionError('option-invalid', "lookAt of addCamera is the camera's own position.");
      }
      this.lookAt(target);
    }
  }

  override get kind(): string {
    return 'camera';
  }
  override get clonedOptions(): string {
    return 'fovY near far aspect orthographic layers';
  }
  override get looksAlongMinusZ(): boolean {
    return true;
  }

  get fovY(): number {
    return this.#fovY;
  }
  set fovY(value: number) {
    this.#fovY = checkMember('the camera', 'fovY', value, CAMERA_OPTIONS.fovY);
    this.#changed();
  }
  get near(): number {
    return this.#near;
  }
  set near(value: number) {
    this.#setDepths(value, this.#far, this.#orthographic);
  }
  get far(): number {
    return this.#far;
  }
  set far(value: number) {
    this.#setDepths(this.#near, value, this.#orthographic);
  }
  /** Width divided by height; 0 follows the surface. */
  get aspect(): number {
    return this.#aspect;
  }
  set aspect(value: number) {
    this.#aspect = checkMember('the camera', 'aspect', value, CAMERA_OPTIONS.aspect);
    this.#changed();
  }
  /**
   * Every view through the camera shows only meshes, instances, particles, decals and shadow catchers whose `layers` share
   * a bit with this number. Picks find only these. Shadows do not depend on layers. Default: all. Throws OptionError
   * `option-out-of-range`.
   */
  get layers(): number {
    return this.#layers;
  }
  set layers(value: number) {
    this.#layers = checkMember('the camera', 'layers', value, CAMERA_OPTIONS.layers);
    this.#changed();
  }
  /**
   * Half the size of an orthographic camera's view; `null` for a perspective camera. Changing the kind of projection
   * replaces `near` and `far` if they have default values.
   */
  get orthographic(): Orthographic | null {
    return this.#orthographic;
  }
  set orthographic(value: Orthographic | null) {
    if (value) {
      checkNames('orthographic', value, ORTHOGRAPHIC);
      checkOptions('the camera', value, ORTHOGRAPHIC);
    }
    const was = defaultDepths(this.#orthographic);
    const is = defaultDepths(value);
    const near = this.#near === was[0] ? is[0] : this.#near;
    const far = this.#far === was[1] ? is[1] : this.#far;
    this.#setDepths(near, far, value && { ...value });
  }

  /**
   * Projects a point of the world with the camera's current transform. The result is in pixels of the
   * canvas's mouse events (`offsetX`, `offsetY`).
   * @returns null if the point is behind a perspective camera, the camera is in no world, or the canvas has no size
   * @throws OptionError `option-invalid`, `option-out-of-range`
   */
  project(point: VectorLike): ProjectedPoint | null {
    const numbers = checkVector('project', 'point', point, 3);
    for (const number of numbers) checkNumber('project', 'point', number, -1e30, 1e30);
    return this.world && projectPoint(this, numbers, pointerSize(this.world));
  }

  /**
   * Returns the ray from the camera through a point of the canvas, such as a mouse event's `offsetX` and
   * `offsetY`.
   * @param x pixels of mouse events, from the canvas's left
   * @param y pixels of mouse events, from the canvas's top
   * @throws OptionError `option-out-of-range`
   */
  ray(x: number, y: number): Ray {
    checkNumber('ray', 'x', x, -1e9, 1e9);
    checkNumber('ray', 'y', y, -1e9, 1e9);
    return rayThrough(this, x, y, this.world ? pointerSize(this.world) : [1, 1]);
  }

  /**
   * Sets the kind of projection and its planes together, after all checks. An orthographic camera allows planes that a
   * perspective camera does not allow.
   */
  #setDepths(near: number, far: number, orthographic: Orthographic | null): void {
    checkNumber('the camera', 'near', near, orthographic ? -1e9 : 1e-6, 1e9);
    checkNumber('the camera', 'far (beyond near)', far, near + 1e-6, orthographic ? 1e9 : Infinity);
    this.#near = near;
    this.#far = far;
    this.#orthographic = orthographic;
    this.#changed();
  }

  #changed(): void {
    this.updates?.markCamera(this);
  }

  /** @internal Per change: writes the eight words of the lens from `at` on. */
  writeLens({ words, floats }: StreamWriter, at: number): void {
    const orthographic = this.#orthographic;
    words[at] = this.node;
    words[at + 1] = orthographic ? Projection.orthographic : Projection.perspective;
    floats[at + 2] = orthographic?.halfWidth ?? 0;
    floats[at + 3] = orthographic?.halfHeight ?? this.#fovY;
    floats[at + 4] = this.#near;
    floats[at + 5] = this.#far;
    floats[at + 6] = this.#aspect;
    words[at + 7] = this.#layers;
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

/** Default distances of the near and far planes, metres. */
function defaultDepths(orthographic: Orthographic | null): [number, number] {
  return orthographic ? [0, 1000] : [0.1, Infinity];
}
