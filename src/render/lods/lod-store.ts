import type { StreamReader } from '../../core/stream.js';
import { Projection } from '../../proxy/commands.js';
import type { Scene } from '../scene.js';
import type { ViewParameters } from '../view.js';

interface Lods {
  readonly geometries: Uint32Array;
  /** Falling shares of the view's height. */
  readonly sizes: Float32Array;
}

/**
 * Meshes that are drawn from less when they are small: per frame and primitive, the size of the sphere around its first geometry in
 * the active camera's view, or the first added view's where there is no camera, chooses the geometry. All views of a frame show the
 * same one, and so do shadows.
 *
 *   diameter ÷ height of the view at that distance │ 0.5 ──► 0.1 ──► 0 │
 *   geometry                                       │  0  │   1   │ 2  │ −1: not drawn, below the last size
 */
export class LodStore {
  readonly #scene: Scene;
  /** By primitive. */
  readonly #all = new Map<number, Lods>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Executes the reader's current record. */
  execute({ words, floats, fields: at }: StreamReader): void {
    const count = words[at + 1] as number;
    this.#all.set(words[at] as number, {
      geometries: words.slice(at + 2, at + 2 + count),
      sizes: floats.slice(at + 3 + count, at + 3 + count * 2),
    });
  }

  /** The primitive is another one, or gone. */
  detach(primitive: number): void {
    this.#all.delete(primitive);
  }

  /** Per frame, when nodes have been propagated. */
  update(view: ViewParameters | undefined): void {
    const scene = this.#scene;
    for (const [primitive, { sizes, geometries }] of this.#all) {
      const size = view ? this.#sizeOf(primitive, geometries[0] as number, view) : Number.POSITIVE_INFINITY;
      let level = 0;
      while (level < sizes.length && size < (sizes[level] as number)) level++;
      scene.setGeometry(primitive, level < sizes.length ? (geometries[level] as number) : -1);
    }
  }

  /** As a share of the view's height; Infinity where the camera is within. */
  #sizeOf(primitive: number, geometry: number, { node, projection, extentY }: ViewParameters): number {
    const { nodes, primitives, geometryBounds } = this.#scene;
    const { world } = nodes;
    const matrix = (primitives.node[primitive] as number) * 12;
    const camera = node * 12;
    const box = geometry * 6;
    let squaredDistance = 0;
    let squaredExtent = 0;
    let squaredScale = 0;
    for (let axis = 0; axis < 3; axis++) {
      let place = world[matrix + axis * 4 + 3] as number;
      let squaredColumn = 0;
      for (let other = 0; other < 3; other++) {
        place += (world[matrix + axis * 4 + other] as number) * (geometryBounds[box + other] as number);
        squaredColumn += (world[matrix + other * 4 + axis] as number) ** 2;
      }
      squaredDistance += (place - (world[camera + axis * 4 + 3] as number)) ** 2;
      squaredExtent += (geometryBounds[box + 3 + axis] as number) ** 2;
      squaredScale = Math.max(squaredScale, squaredColumn);
    }
    const radius = Math.sqrt(squaredExtent * squaredScale);
    if (projection === Projection.orthographic) return radius / extentY;
    const distance = Math.sqrt(squaredDistance);
    return distance > radius ? radius / (distance * Math.tan(extentY / 2)) : Number.POSITIVE_INFINITY;
  }
}
