import { writePlanes } from '../culling/frustum-planes.js';

/**
 * Height above the ground as a share of the catcher's height. Things whose highest point is lower count as a part of
 * the ground and cast no shadow.
 */
const GROUND_SHARE = 1e-3;

/**
 * The place of a shadow catcher, and the view from below in which the things above it are drawn. The view is
 * orthographic. Its depth is 0 at the catcher's height. Its depth is 1 a small margin below the lowest point of these
 * things, or below the ground if all things are above the ground.
 *
 *   height  ─ ─ ─ ─ ─ ─ ─ ─   depth 0                 things that begin higher cast no shadow
 *             ▟▙      ▂▂
 *   ground  ──▜▛──────────    depth 1 / depth scale   things that end below the ground cast none either
 *             ▔▔              depth 1
 */
export class CatcherPlane {
  /** Centre of the ground, in metres from the render origin. */
  readonly center = new Float64Array(3);
  /** X axis of the ground, of unit length. */
  readonly right = new Float64Array(3);
  /** Z axis of the ground, of unit length and perpendicular to `right`. */
  readonly forward = new Float64Array(3);
  /** Direction in which the ground faces, of unit length. */
  readonly up = new Float64Array(3);
  /** Direction from the ground to the viewer of the view from below: the opposite of `up`. */
  readonly down = new Float64Array(3);
  /** Half of the side along `right`, in metres. */
  halfX = 0;
  /** Half of the side along `forward`, in metres. */
  halfZ = 0;
  /** Row-major 4×4 matrix of the view from below. `fitDepth` writes the row of depth. */
  readonly clipFromWorld = new Float64Array(16);
  /** Planes for culling, see `View.planes`. */
  readonly planes = new Float64Array(24);
  /** Metres above the ground up to which things cast shadow. */
  #height = 0;
  /** Coordinate of the ground along `up`, in metres. */
  #level = 0;

  /**
   * Places the ground.
   * @param world matrices of nodes, 12 numbers each
   * @param matrix index of the first number of the node's matrix
   * @param origin the render origin
   * @param width, depth metres along the node's X and Z axes, before its scale
   * @param height metres above the ground up to which things cast shadow
   * @returns whether the ground has an area; if not, the matrix and the planes are not written
   */
  place(
    world: Float64Array,
    matrix: number,
    origin: Float64Array,
    width: number,
    depth: number,
    height: number,
  ): boolean {
    const { center, right, forward, up, down } = this;
    for (let axis = 0; axis < 3; axis++) {
      const row = matrix + axis * 4;
      right[axis] = world[row] as number;
      forward[axis] = world[row + 2] as number;
      center[axis] = (world[row + 3] as number) - (origin[axis] as number);
    }
    const scaleX = normalize(right);
    const scaleZ = normalize(forward);
    cross(forward, right, up);
    const lean = normalize(up);
    // The cross product points against the Y axis of a mirrored node. The ground then faces along the Y axis, too.
    let side = 0;
    for (let axis = 0; axis < 3; axis++)
      side += (up[axis] as number) * (world[matrix + axis * 4 + 1] as number);
    for (let axis = 0; axis < 3; axis++) {
      if (side < 0) up[axis] = -(up[axis] as number);
      down[axis] = -(up[axis] as number);
    }
    cross(right, up, forward);
    this.halfX = (width * scaleX) / 2;
    this.halfZ = (depth * scaleZ) / 2;
    this.#height = height;
    this.#level = dot(up, center);
    if (!(this.halfX > 0 && this.halfZ > 0 && lean > 1e-6 && Number.isFinite(this.halfX * this.halfZ)))
      return false;
    this.#writeSides();
    return true;
  }

  /**
   * Fits the range of depth to the things that are drawn. Called after culling.
   * @param lowest the lowest coordinate of these things along `up`, in metres
   * @returns the depth scale: depth multiplied by this factor is 1 on the ground
   */
  fitDepth(lowest: number): number {
    const height = this.#height;
    // The margin keeps faces that lie on the ground within the range.
    const range = height + Math.max(this.#level - lowest, 0) + height * GROUND_SHARE;
    const { clipFromWorld: clip, up } = this;
    for (let axis = 0; axis < 3; axis++) clip[8 + axis] = -(up[axis] as number) / range;
    clip[11] = (height + this.#level) / range;
    return range / height;
  }

  /** Writes the planes, and all rows of the matrix except the row of depth. */
  #writeSides(): void {
    const { clipFromWorld: clip, planes, center, right, forward, up, halfX, halfZ } = this;
    for (let axis = 0; axis < 3; axis++) {
      clip[axis] = (right[axis] as number) / halfX;
      clip[4 + axis] = (forward[axis] as number) / halfZ;
    }
    clip[3] = -dot(right, center) / halfX;
    clip[7] = -dot(forward, center) / halfZ;
    clip[15] = 1;
    writePlanes(clip, planes);
    for (let axis = 0; axis < 3; axis++) {
      planes[16 + axis] = up[axis] as number;
      planes[20 + axis] = -(up[axis] as number);
    }
    planes[19] = -this.#level - this.#height * GROUND_SHARE;
    planes[23] = this.#level + this.#height;
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  return (
    (a[0] as number) * (b[0] as number) +
    (a[1] as number) * (b[1] as number) +
    (a[2] as number) * (b[2] as number)
  );
}

function cross(a: Float64Array, b: Float64Array, out: Float64Array): void {
  const [ax, ay, az] = [a[0] as number, a[1] as number, a[2] as number];
  const [bx, by, bz] = [b[0] as number, b[1] as number, b[2] as number];
  out[0] = ay * bz - az * by;
  out[1] = az * bx - ax * bz;
  out[2] = ax * by - ay * bx;
}

/** Scales a vector to unit length. @returns the former length */
function normalize(vector: Float64Array): number {
  const length = Math.sqrt(dot(vector, vector));
  for (let axis = 0; axis < 3; axis++) vector[axis] = (vector[axis] as number) / (length || 1);
  return length;
}
