import { LightKind, Projection } from '../../proxy/commands.js';
import { GpuLight, GpuView } from '../buffers/gpu-layouts.js';
import { writeMatrix, writePlanes } from '../culling/frustum-planes.js';
import type { LightStore } from '../lights/light-store.js';
import type { Crop, ViewParameters } from '../scene/view-parameters.js';

const at = GpuView.at;

/**
 * The view of one frame (SYSTEMS R11): the structure that shaders read, and the planes for culling. Depth is
 * reversed: 1 at the near plane, 0 at the far plane or at infinity. So floating-point depth keeps its
 * precision far away. Everything is computed in doubles, relative to the render origin.
 *
 *   worldFromCamera (node) ─► viewFromWorld ─┐
 *   field of view, near, far ─► clipFromView ─┴─► clipFromWorld ─► 6 planes
 */
export class View {
  /** The `View` structure. */
  readonly packed = new Float32Array(GpuView.words);
  readonly packedWords = new Uint32Array(this.packed.buffer);
  /** Planes of 4 numbers each: left, right, bottom, top, near, far; a point p is inside if n·p + d ≥ 0. */
  readonly planes = new Float64Array(24);
  /** Row-major 4×4 matrix. */
  readonly clipFromWorld = new Float64Array(16);
  readonly #viewFromWorld = new Float64Array(12);
  /** Direction of view in world space, unit length. */
  readonly forward = new Float64Array(3);
  /** Position of the camera, in metres from the render origin. */
  readonly position = new Float64Array(3);

  /** Per frame: computes the matrix and the planes. @param surfaceAspect width over height */
  update(parameters: ViewParameters, world: Float64Array, origin: Float64Array, surfaceAspect: number): void {
    this.#updateViewFromWorld(parameters.node * 12, world, origin);
    this.#updateClipFromWorld(parameters, surfaceAspect);
    const { crop } = parameters;
    if (crop?.cullsWhole) writePlanes(this.clipFromWorld, this.planes);
    if (crop) this.#cropTo(crop);
    if (!crop?.cullsWhole) writePlanes(this.clipFromWorld, this.planes);
    const { packed, packedWords, clipFromWorld } = this;
    writeMatrix(clipFromWorld, packed, at.clipFromWorld);
    packed.set(this.position, at.cameraPosition);
    packed.set(this.forward, at.cameraForward);
    packed.set(origin, at.renderOrigin);
    packedWords[at.isOrthographic] = parameters.projection === Projection.orthographic ? 1 : 0;
  }

  /** Sets the size of the area that the view is drawn over, in CSS pixels. */
  setViewport(width: number, height: number): void {
    this.packed[at.viewportWidth] = width;
    this.packed[at.viewportHeight] = height;
  }

  /** Height of the area that the view is drawn over, in CSS pixels. */
  get viewportHeight(): number {
    return this.packed[at.viewportHeight] as number;
  }

  /** Sets the width of the whole picture, in texels. */
  setPictureWidth(texels: number): void {
    this.packed[at.pictureWidth] = texels;
  }

  /** Sets the factor on all light, for surfaces that map their own tones. */
  setExposure(factor: number): void {
    this.packed[at.exposure] = factor;
  }

  /** Sets the scene time. */
  setTime(seconds: number): void {
    this.packed[at.timeSeconds] = seconds;
  }

  /**
   * Sets the numbers of lights, and the sun: the first light without shadows, if it is directional. In a view without
   * shadows, no light has any.
   * @param count number of lights that every pixel loops over
   * @param showsShadows whether the view shows shadows
   * @param index index of the view, which selects the view's shadow maps of directional lights
   */
  setLights(count: number, lights: LightStore, showsShadows: boolean, index: number): void {
    const shadowedCount = showsShadows ? lights.shadowedCount : 0;
    this.packedWords[at.lightCount] = count;
    this.packedWords[at.shadowedLightCount] = shadowedCount;
    this.packedWords[at.index] = index;
    const hasSun = count > shadowedCount && lights.kindAt(shadowedCount) === LightKind.directional;
    this.packedWords[at.firstLoopedLight] = shadowedCount + Number(hasSun);
    const from = shadowedCount * GpuLight.words;
    for (let axis = 0; axis < 3; axis++) {
      this.packed[at.sunDirection + axis] = lights.packed[from + GpuLight.at.direction + axis] ?? 0;
      this.packed[at.sunIntensity + axis] = hasSun
        ? (lights.packed[from + GpuLight.at.intensity + axis] as number)
        : 0;
    }
  }

  /** Computes the matrix from orthonormal axes, so the camera's scale has no effect. */
  #updateViewFromWorld(matrix: number, world: Float64Array, origin: Float64Array): void {
    const backX = world[matrix + 2] as number;
    const backY = world[matrix + 6] as number;
    const backZ = world[matrix + 10] as number;
    const inverseBack = 1 / (Math.sqrt(backX * backX + backY * backY + backZ * backZ) || 1);
    const zx = backX * inverseBack;
    const zy = backY * inverseBack;
    const zz = backZ * inverseBack;
    const upX = world[matrix + 1] as number;
    const upY = world[matrix + 5] as number;
    const upZ = world[matrix + 9] as number;
    let xx = upY * zz - upZ * zy;
    let xy = upZ * zx - upX * zz;
    let xz = upX * zy - upY * zx;
    const inverseRight = 1 / (Math.sqrt(xx * xx + xy * xy + xz * xz) || 1);
    xx *= inverseRight;
    xy *= inverseRight;
    xz *= inverseRight;
    const yx = zy * xz - zz * xy;
    const yy = zz * xx - zx * xz;
    const yz = zx * xy - zy * xx;
    const { position, forward } = this;
    const viewFromWorld = this.#viewFromWorld;
    const px = (world[matrix + 3] as number) - (origin[0] as number);
    const py = (world[matrix + 7] as number) - (origin[1] as number);
    const pz = (world[matrix + 11] as number) - (origin[2] as number);
    position[0] = px;
    position[1] = py;
    position[2] = pz;
    forward[0] = -zx;
    forward[1] = -zy;
    forward[2] = -zz;
    writeRow(viewFromWorld, 0, xx, xy, xz, -(xx * px + xy * py + xz * pz));
    writeRow(viewFromWorld, 4, yx, yy, yz, -(yx * px + yy * py + yz * pz));
    writeRow(viewFromWorld, 8, zx, zy, zz, -(zx * px + zy * py + zz * pz));
  }

  #updateClipFromWorld(parameters: ViewParameters, surfaceAspect: number): void {
    const { projection, extentX, extentY, near, far } = parameters;
    const aspect = parameters.aspect > 0 ? parameters.aspect : surfaceAspect;
    const { clipFromWorld: clip } = this;
    const view = this.#viewFromWorld;
    const isPerspective = projection === Projection.perspective;
    let scaleX: number;
    let scaleY: number;
    // depth = (depthScale · z + depthOffset) / w
    let depthScale: number;
    let depthOffset: number;
    if (isPerspective) {
      scaleY = 1 / Math.tan(extentY / 2);
      scaleX = scaleY / aspect;
      depthScale = far === Number.POSITIVE_INFINITY ? 0 : near / (far - near);
      depthOffset = far === Number.POSITIVE_INFINITY ? near : (near * far) / (far - near);
    } else {
      scaleY = 1 / extentY;
      scaleX = extentX > 0 ? 1 / extentX : scaleY / aspect;
      depthScale = 1 / (far - near);
      depthOffset = far / (far - near);
    }
    for (let column = 0; column < 4; column++) {
      const isTranslation = column === 3 ? 1 : 0;
      clip[column] = scaleX * (view[column] as number);
      clip[4 + column] = scaleY * (view[4 + column] as number);
      clip[8 + column] = depthScale * (view[8 + column] as number) + depthOffset * isTranslation;
      clip[12 + column] = isPerspective ? -(view[8 + column] as number) : isTranslation;
    }
  }

  /** Changes the matrix so that the crop fills the picture. */
  #cropTo({ x, y, width, height }: Crop): void {
    const { clipFromWorld: clip } = this;
    const middleX = (x + width / 2) * 2 - 1;
    const middleY = 1 - (y + height / 2) * 2;
    for (let column = 0; column < 4; column++) {
      const w = clip[12 + column] as number;
      clip[column] = ((clip[column] as number) - middleX * w) / width;
      clip[4 + column] = ((clip[4 + column] as number) - middleY * w) / height;
    }
  }
}

function writeRow(rows: Float64Array, offset: number, x: number, y: number, z: number, w: number): void {
  rows[offset] = x;
  rows[offset + 1] = y;
  rows[offset + 2] = z;
  rows[offset + 3] = w;
}
