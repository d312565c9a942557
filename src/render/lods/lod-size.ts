import { Projection } from '../../proxy/commands.js';
import type { Scene } from '../scene/scene.js';
import type { ViewParameters } from '../scene/view-parameters.js';

/** A sphere whose size is taken as the size of a primitive: centre xyz and radius, in a node's space. */
export interface LodSphere {
  readonly node: number;
  readonly numbers: Float32Array;
}

/**
 * Per frame and primitive with levels of detail: returns the diameter of a sphere. The unit is the view's height at the
 * sphere's distance. A perspective camera inside the sphere gives Infinity. A missing node gives 0. The sphere scales
 * with the longest axis of the node.
 * @param sphere null: the sphere around the geometry's box
 */
export function sizeInView(
  { nodes, primitives, geometryBounds }: Scene,
  primitive: number,
  geometry: number,
  sphere: LodSphere | null,
  { node, projection, extentY }: ViewParameters,
): number {
  const { world } = nodes;
  const on = sphere?.node ?? (primitives.node[primitive] as number);
  if (on < 0 || !nodes.has(on)) return 0;
  const matrix = on * 12;
  const camera = node * 12;
  const numbers = sphere?.numbers ?? geometryBounds;
  const center = sphere ? 0 : geometry * 6;
  let squaredDistance = 0;
  let squaredExtent = sphere ? (numbers[3] as number) ** 2 : 0;
  let squaredScale = 0;
  for (let axis = 0; axis < 3; axis++) {
    let place = world[matrix + axis * 4 + 3] as number;
    let squaredColumn = 0;
    for (let other = 0; other < 3; other++) {
      place += (world[matrix + axis * 4 + other] as number) * (numbers[center + other] as number);
      squaredColumn += (world[matrix + other * 4 + axis] as number) ** 2;
    }
    squaredDistance += (place - (world[camera + axis * 4 + 3] as number)) ** 2;
    if (!sphere) squaredExtent += (numbers[center + 3 + axis] as number) ** 2;
    squaredScale = Math.max(squaredScale, squaredColumn);
  }
  const radius = Math.sqrt(squaredExtent * squaredScale);
  if (projection === Projection.orthographic) return radius / extentY;
  const distance = Math.sqrt(squaredDistance);
  return distance > radius ? radius / (distance * Math.tan(extentY / 2)) : Number.POSITIVE_INFINITY;
}
