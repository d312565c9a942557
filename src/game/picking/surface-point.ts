/**
 * A point of a mesh's surface that stays at the same place of the surface while the mesh moves.
 *
 *   rigid mesh or instance   local position ─► its transform ─► world
 *   joints, morph targets    triangle and weights of its corners ─► its three deformed vertices ─► world
 */
import { boundsOf } from '../components/bounds.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';
import { VertexPlacer } from '../geometry/deformed-triangles.js';
import { findNearestHit, type TriangleHit } from '../geometry/triangles.js';
import type { Geometry } from '../geometry/updatable-geometry.js';
import { worldPoint } from '../transforms/inverse-rows.js';
import type { Triple } from '../transforms/triples.js';
import type { PickResult } from './pick-result.js';

/** Distance from a surface at which the search for the hit triangle begins, as a share of the mesh's diagonal. */
const SEARCH_SHARE = 0.02;

/** A triangle of a deformed mesh, and a point in it. */
interface Corner {
  readonly geometry: Geometry;
  readonly vertices: readonly number[];
  readonly weights: readonly number[];
}

export class SurfacePoint {
  readonly component: PrimitiveComponent;
  readonly #place: number;
  readonly #local: Triple;
  /** Null for a rigid mesh, or if the surface is no longer at the hit's position. */
  readonly #corner: Corner | null;

  constructor(hit: PickResult) {
    const { component, instance, localPosition } = hit;
    this.component = component;
    this.#place = instance - component.instance;
    this.#local = localPosition;
    this.#corner = cornerOf(hit);
  }

  /** Returns the point's current position in the world. */
  position(): Triple {
    const { component } = this;
    const corner = this.#corner;
    if (corner?.geometry !== component.geometry)
      return worldPoint(component.worldFromPlace(this.#place, []), this.#local);
    const placer = new VertexPlacer(component);
    const sum: Triple = [0, 0, 0];
    corner.vertices.forEach((vertex, index) => {
      const place = placer.place(vertex);
      for (let axis = 0; axis < 3; axis++)
        sum[axis] = (sum[axis] as number) + (corner.weights[index] as number) * (place[axis] as number);
    });
    return sum;
  }
}

/** Finds the triangle at a hit's position: the nearest one along its normal, from slightly above the surface. */
function cornerOf({ component, position, normal }: PickResult): Corner | null {
  const { geometry } = component;
  const deformed = (component.skin ?? component.morph)?.trianglesOf(component);
  if (!deformed) return null;
  const { min, max } = boundsOf([component]);
  const height = SEARCH_SHARE * Math.hypot(...max.map((most, axis) => most - (min[axis] as number)));
  const above = position.map((value, axis) => value + (normal[axis] as number) * height);
  const down = normal.map((value) => -value);
  const hit: TriangleHit = { distance: height * 2, triangle: Infinity, second: 0, third: 0 };
  if (!findNearestHit(deformed.source, above, down, 0, hit)) return null;
  const { triangle, second, third } = hit;
  const vertices = [...deformed.source.corners.subarray(triangle * 3, triangle * 3 + 3)];
  return { geometry, vertices, weights: [1 - second - third, second, third] };
}
