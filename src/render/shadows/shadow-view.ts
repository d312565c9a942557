import type { BindGroupHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import { writeMatrix, writePlanes } from '../culling/frustum-planes.js';
import type { MeshPass } from '../draws/mesh-pass.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import type { AtlasSize, AtlasSquare } from './atlas-layout.js';
import { GpuShadowView } from './gpu-shadow-view.js';
import { dot, LightBasis } from './light-basis.js';

/** Texels that a filter reads beyond the one it is asked for, each way; two more, for what rounding adds. */
const FILTER_REACH = 4;
/** How far the squares may be off their spheres' centres: they move in steps of twice this share of their size. */
const SLACK = 1 / 32;
/** Metres: nothing casts a shadow that is nearer to a spot or point light. Scenes may be a few millimetres wide. */
const NEAREST = 1e-4;

const at = GpuShadowView.at;

/**
 * One shadow map: a square of the atlas, what it sees, and the meshes in it. Its depth is reversed, 1 near and 0 far.
 *
 *   aim… ─► planes ─► cull ─► isStale? ─► finish: matrices ─► drawn again, or what the map holds still counts
 */
export class ShadowView {
  readonly square: AtlasSquare = { x: 0, y: 0, size: 0 };
  readonly planes = new Float64Array(24);
  /** Row-major 4×4. */
  readonly clipFromWorld = new Float64Array(16);
  /** The structure `ShadowView`. */
  readonly packed = new Float32Array(GpuShadowView.words);
  /** The map does not hold what its view sees. */
  isStale = true;
  #isOpen = true;
  bindGroup: BindGroupHandle | undefined;
  bindGroupVersion = -1;
  readonly basis = new LightBasis();
  readonly meshes: MeshPass;
  /** Directional: half the square's side, and its middle along the axes of the basis. Else the light's place. Metres. */
  readonly #place = new Float64Array(4);
  readonly #placeBefore = new Float64Array(8);
  #isDirectional = false;
  #tangent = 1;

  constructor(meshes: MeshPass) {
    this.meshes = meshes;
  }

  /**
   * Per frame: a directional light's map of what lies in a sphere. The square moves in whole texels, and in few steps, so
   * that edges keep still and the map lasts while the camera moves a little.
   * @param center metres from the render origin
   */
  aimAtSphere(basis: LightBasis, center: Float64Array, radius: number): void {
    this.#isDirectional = true;
    this.#open(basis);
    const { size } = this.square;
    // A map of a few texels, made small by a crowd, has no room for that.
    const half = radius / Math.max(0.25, 1 - SLACK - (2 * FILTER_REACH) / size);
    const texel = (2 * half) / size;
    const step = texel * Math.max(1, Math.floor(size * SLACK));
    const place = this.#place;
    place[0] = half;
    place[1] = Math.round(dot(this.basis.right, center) / step) * step;
    place[2] = Math.round(dot(this.basis.up, center) / step) * step;
    place[3] = Math.floor(dot(this.basis.back, center) / step) * step - half;
    this.#writeSquare();
    // Casters nearer to the light count at any distance; those below all shaded surfaces cast no shadow.
    this.planes.fill(0, 16);
    this.planes[19] = 1;
    this.planes.set(this.basis.back, 20);
    this.planes[23] = -(place[3] as number);
  }

  /**
   * Per frame: what a spot light sees, or a point light on one of six sides.
   * @param position metres from the render origin
   * @param tangent of half the angle that must be seen
   * @param reach metres
   */
  aimFromPoint(basis: LightBasis, position: Float64Array, tangent: number, reach: number): void {
    this.#isDirectional = false;
    this.#open(basis);
    // The filter reaches over the edge.
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
   * Per frame, behind the aim: finds the casters, and whether the map must be drawn again.
   * @param isSceneSame no primitive has changed, come or gone
   */
  cull(primitives: PrimitiveStore, isSceneSame: boolean): void {
    this.isStale ||= this.#hasMoved();
    if (isSceneSame && !this.isStale) return;
    const isSameSet = this.meshes.cull(this.planes, primitives.casterBits);
    this.isStale ||= !isSameSet || this.#hasChanged(primitives);
  }

  /** When the map is to be drawn again: its matrices. @param atlas its size in texels */
  finish(primitives: PrimitiveStore, atlas: AtlasSize, softness: number): void {
    this.#rememberPlace();
    if (!this.#isOpen) return;
    const { packed, square, clipFromWorld } = this;
    const { width, height } = atlas;
    const depthRange = this.#isDirectional ? this.#fitDepth(primitives) : 0;
    // From −1 … 1 to the square's texture coordinates, whose v points down.
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
   * When the map is to be drawn again: what shaders read of it as a view, the structure `View`, as far as a light has that.
   * @param slot words from the begin of `floats` and `words`
   * @param origin world coordinates of what positions are relative to
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

  /** Per frame: nothing is in it, and nothing is looked up in it. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.planes.fill(0);
    // Behind every plane.
    this.planes[3] = -1;
    this.packed.fill(0);
    // Not even the texture's corner lies inside.
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

  /** Rows of the matrix that don't ask for the depth of what is in the square. */
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

  /** Depth from the caster nearest to the light to the end of what is shaded. @returns metres */
  #fitDepth({ bounds, length }: PrimitiveStore): number {
    const { clipFromWorld: clip } = this;
    const { back } = this.basis;
    const far = this.#place[3] as number;
    // Up to a step lower than the sphere's bottom, and so its top as well.
    let near = far + (2 + 2 * SLACK) * (this.#place[0] as number);
    const { visibleBits } = this.meshes;
    const words = (length + 31) >>> 5;
    for (let word = 0; word < words; word++) {
      let rest = visibleBits[word] as number;
      while (rest !== 0) {
        const lowest = rest & -rest;
        rest ^= lowest;
        const box = ((word << 5) + 31 - Math.clz32(lowest)) * 6;
        let height = 0;
        for (let axis = 0; axis < 3; axis++) {
          const along = back[axis] as number;
          height += along * (bounds[box + axis] as number);
          height += Math.abs(along) * (bounds[box + 3 + axis] as number);
        }
        if (height > near) near = height;
      }
    }
    // The slack keeps a point at the very top within the range.
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

  #hasChanged({ changedBits, length }: PrimitiveStore): boolean {
    const { visibleBits } = this.meshes;
    const words = (length + 31) >>> 5;
    for (let word = 0; word < words; word++) {
      if (((visibleBits[word] as number) & (changedBits[word] as number)) !== 0) return true;
    }
    return false;
  }
}

const scratch = /* @__PURE__ */ new Float64Array(16);
