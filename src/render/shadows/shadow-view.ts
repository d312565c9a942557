import type { BindGroupHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import { writeMatrix, writePlanes } from '../culling/frustum-planes.js';
import type { MeshPass } from '../draws/mesh-pass.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import type { AtlasSize, AtlasSquare } from './atlas-layout.js';
import { GpuShadowView } from './gpu-shadow-view.js';
import { dot, LightBasis } from './light-basis.js';
import { castersReach, haveCastersChanged } from './visible-casters.js';

/** Texels that a filter reads beyond the sampled texel, each way, plus two for rounding. */
const FILTER_REACH = 4;
/**
 * A directional light's map covers a square of the world around a sphere (`aimAtSphere`). This is the largest distance
 * of the square's middle from the sphere's centre, along each axis, as a share of half the square's side. The square
 * moves in steps of twice this distance.
 */
const SLACK = 1 / 32;
/**
 * Near plane of spot and point lights, in metres. Nearer primitives cast no shadow. The distance is small, because
 * scenes may be a few millimetres wide.
 */
const NEAREST = 1e-4;

const at = GpuShadowView.at;

/**
 * One shadow map: a square of the atlas, its view, and the meshes in it. Its depth is reversed, 1 near and 0
 * far.
 *
 *   aim… ─► planes ─► cull ─► isStale? ─► finish: matrices ─► drawn again; if not stale, the map stays as it is
 */
export class ShadowView {
  readonly square: AtlasSquare = { x: 0, y: 0, size: 0 };
  readonly planes = new Float64Array(24);
  /** Row-major 4×4 matrix. */
  readonly clipFromWorld = new Float64Array(16);
  /** The structure `ShadowView`. */
  readonly packed = new Float32Array(GpuShadowView.words);
  /** Whether the map must be drawn again. */
  isStale = true;
  #isOpen = true;
  bindGroup: BindGroupHandle | undefined;
  bindGroupVersion = -1;
  readonly basis = new LightBasis();
  readonly sortView = { forward: this.basis.back };
  readonly meshes: MeshPass;
  /**
   * Directional light: half the side of the square, the square's middle along `right` and `up`, and the far end of the
   * depth range along `back`. Other lights: position and reach. All in metres.
   */
  readonly #place = new Float64Array(4);
  readonly #placeBefore = new Float64Array(8);
  #isDirectional = false;
  #tangent = 1;

  constructor(meshes: MeshPass) {
    this.meshes = meshes;
  }

  /**
   * Per frame: aims a directional light's map at a sphere. The square moves in whole texels and in large
   * steps. So shadow edges stay still, and the map stays valid while the camera moves a little.
   * @param center metres from the render origin
   */
  aimAtSphere(basis: LightBasis, center: Float64Array, radius: number): void {
    this.#isDirectional = true;
    this.#open(basis);
    const { size } = this.square;
    // A map of a few texels, as in a crowded atlas, has no space for these margins.
    const half = radius / Math.max(0.25, 1 - SLACK - (2 * FILTER_REACH) / size);
    const texel = (2 * half) / size;
    const step = texel * Math.max(1, Math.floor(size * SLACK));
    const place = this.#place;
    place[0] = half;
    place[1] = Math.round(dot(this.basis.right, center) / step) * step;
    place[2] = Math.round(dot(this.basis.up, center) / step) * step;
    place[3] = Math.floor(dot(this.basis.back, center) / step) * step - half;
    this.#writeSquare();
    // The near plane accepts casters at any distance towards the light. The far plane rejects casters beyond
    // all shaded surfaces.
    this.planes.fill(0, 16);
    this.planes[19] = 1;
    this.planes.set(this.basis.back, 20);
    this.planes[23] = -(place[3] as number);
  }

  /**
   * Per frame: aims the map of a spot light, or of one of the six sides of a point light.
   * @param position metres from the render origin
   * @param tangent tangent of half the field of view
   * @param reach metres
   */
  aimFromPoint(basis: LightBasis, position: Float64Array, tangent: number, reach: number): void {
    this.#isDirectional = false;
    this.#open(basis);
    // The filter reads beyond the edge, so the view is a little wider.
    this.#tangent = (tangent * this.square.size) / Math.max(1, this.square.size - 2 * FILTER_REACH);
    const place = this.#place;
    place.set(position);
    place[3] = reach;
    const { clipFromWorld: clip, planes } = this;
    const { right, up, back } = this.basis;
    const scale = 1 / this.#tangent;
    for (let axis = 0; axis < 3; axis++) {
      clip[axis] = (right[axis] as number) * scale;
      clip[4 + axis] = (up[axis] as number) * scale;
      clip[8 + axis] = 0;
      clip[12 + axis] = -(back[axis] as number);
    }
    clip[3] = -dot(right, position) * scale;
    clip[7] = -dot(up, position) * scale;
    clip[11] = NEAREST;
    clip[15] = dot(back, position);
    writePlanes(clip, planes);
    if (reach < Infinity) {
      for (let axis = 0; axis < 3; axis++) planes[20 + axis] = back[axis] as number;
      planes[23] = reach - dot(back, position);
    }
  }

  /**
   * Per frame, after the aim: finds the casters, and whether the map must be drawn again.
   * @param isSceneSame whether no primitive was changed, created or destroyed
   */
  cull(primitives: PrimitiveStore, isSceneSame: boolean): void {
    this.isStale ||= this.#hasMoved();
    if (isSceneSame && !this.isStale) return;
    const isSameSet = this.meshes.cull(this.planes, primitives.casterBits);
    this.isStale ||= !isSameSet || haveCastersChanged(this.meshes.visibleBits, primitives);
  }

  /** Computes the matrices of a map that is drawn again. @param atlas size of the atlas */
  finish(primitives: PrimitiveStore, atlas: AtlasSize, softness: number): void {
    this.#rememberPlace();
    if (!this.#isOpen) return;
    const { packed, square, clipFromWorld } = this;
    const { width, height } = atlas;
    const depthRange = this.#isDirectional ? this.#fitDepth(primitives) : 0;
    // From −1 … 1 to texture coordinates of the square, in which v points down.
    const mapFromWorld = scratch;
    const scaleU = square.size / (2 * width);
    const scaleV = square.size / (2 * height);
    const middleU = (square.x + square.size / 2) / width;
    const middleV = (square.y + square.size / 2) / height;
    for (let column = 0; column < 4; column++) {
      const w = clipFromWorld[12 + column] as number;
      mapFromWorld[column] = scaleU * (clipFromWorld[column] as number) + middleU * w;
      mapFromWorld[4 + column] = middleV * w - scaleV * (clipFromWorld[4 + column] as number);
      mapFromWorld[8 + column] = clipFromWorld[8 + column] as number;
      mapFromWorld[12 + column] = w;
    }
    writeMatrix(mapFromWorld, packed, at.mapFromWorld);
    const reach = Math.min(FILTER_REACH - 1, square.size / 2 - 1);
    packed[at.inside] = (square.x + reach) / width;
    packed[at.inside + 1] = (square.y + reach) / height;
    packed[at.inside + 2] = (square.x + square.size - reach) / width;
    packed[at.inside + 3] = (square.y + square.size - reach) / height;
    const half = this.#isDirectional ? (this.#place[0] as number) : this.#tangent;
    packed[at.texelSize] = (2 * half) / square.size;
    packed[at.depthRange] = depthRange;
    packed[at.near] = this.#isDirectional ? 0 : NEAREST;
    packed[at.softness] = this.#isDirectional ? Math.tan(softness) : softness;
  }

  /**
   * Writes the fields of the structure `View` that apply to a light, for a map that is drawn again.
   * @param slot index in `floats` and `words` at which the structure begins
   * @param origin the render origin, in world coordinates
   */
  writeView(
    floats: Float32Array,
    words: Uint32Array,
    slot: number,
    origin: Float64Array,
    timeSeconds: number,
  ): void {
    const { at } = GpuView;
    writeMatrix(this.clipFromWorld, floats, slot + at.clipFromWorld);
    for (let axis = 0; axis < 3; axis++) {
      floats[slot + at.cameraPosition + axis] = this.#place[axis] as number;
      floats[slot + at.cameraForward + axis] = -(this.basis.back[axis] as number);
      floats[slot + at.renderOrigin + axis] = origin[axis] as number;
    }
    words[slot + at.isOrthographic] = this.#isDirectional ? 1 : 0;
    floats[slot + at.timeSeconds] = timeSeconds;
  }

  /** Closes the map while it shades nothing. A closed map holds no casters and is never read. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.planes.fill(0);
    // Nothing lies in front of this plane.
    this.planes[3] = -1;
    this.packed.fill(0);
    // No texture coordinate lies inside, not even the texture's corner.
    this.packed[at.inside] = 1;
    this.isStale = true;
  }

  dispose(rhi: ImmediateContext): void {
    this.meshes.dispose();
    rhi.destroy(this.bindGroup);
    this.bindGroup = undefined;
  }

  #open(basis: LightBasis): void {
    if (!this.#isOpen) this.isStale = true;
    this.#isOpen = true;
    this.basis.right.set(basis.right);
    this.basis.up.set(basis.up);
    this.basis.back.set(basis.back);
  }

  /** Writes the rows of the matrix that do not depend on the depths of casters. */
  #writeSquare(): void {
    const { clipFromWorld: clip, planes } = this;
    const { right, up } = this.basis;
    const half = this.#place[0] as number;
    for (let axis = 0; axis < 3; axis++) {
      clip[axis] = (right[axis] as number) / half;
      clip[4 + axis] = (up[axis] as number) / half;
      clip[12 + axis] = 0;
    }
    clip[3] = -(this.#place[1] as number) / half;
    clip[7] = -(this.#place[2] as number) / half;
    clip[15] = 1;
    writePlanes(clip, planes);
  }

  /**
   * Fits depth to the range from the caster nearest to the light to the end of the shaded part.
   * @returns the length of the range, in metres
   */
  #fitDepth(primitives: PrimitiveStore): number {
    const { clipFromWorld: clip } = this;
    const { back } = this.basis;
    const far = this.#place[3] as number;
    // Rounding may put the far end up to one step below the sphere. So the sphere's top lies above the far end by at
    // most this step plus the square's side.
    const top = far + (2 + 2 * SLACK) * (this.#place[0] as number);
    const near = castersReach(this.meshes.visibleBits, primitives, back, top);
    // The margin keeps a point at the very top within the range.
    const range = (near - far) * 1.001 + 1e-3;
    for (let axis = 0; axis < 3; axis++) clip[8 + axis] = (back[axis] as number) / range;
    clip[11] = -far / range;
    return range;
  }

  #hasMoved(): boolean {
    const before = this.#placeBefore;
    for (let index = 0; index < 4; index++) if (this.#place[index] !== before[index]) return true;
    for (let axis = 0; axis < 3; axis++) if (this.basis.back[axis] !== before[4 + axis]) return true;
    return this.#tangent !== before[7];
  }

  #rememberPlace(): void {
    this.#placeBefore.set(this.#place);
    this.#placeBefore.set(this.basis.back, 4);
    this.#placeBefore[7] = this.#tangent;
  }
}

const scratch = /* @__PURE__ */ new Float64Array(16);
