import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LightFlag, LightKind, Projection } from '../../proxy/commands.js';
import { LightStore } from '../lights/light-store.js';
import { createViewParameters, type ViewParameters } from '../scene/view-parameters.js';
import { View } from '../views/view.js';
import {
  CLUSTER_COLUMNS,
  CLUSTER_COUNT,
  CLUSTER_ROWS,
  CLUSTER_SLICES,
  GpuClusterGrid,
} from './gpu-cluster-grid.js';
import { LightClusterer } from './light-clusterer.js';

const at = GpuClusterGrid.at;
const origin = new Float64Array(3);
const targets = { width: 320, height: 180 };

interface TestLight {
  readonly position: readonly [number, number, number];
  readonly range: number;
  /** Angle from the axis of a spot light, in radians. */
  readonly cone?: number;
  /** Direction of a spot light: angle around Y, in radians. */
  readonly turn?: number;
}

function rotationY(angle: number, position: readonly number[]): number[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [cos, 0, sin, position[0]!, 0, 1, 0, position[1]!, -sin, 0, cos, position[2]!];
}

/**
 * Returns the clusters of a camera at the origin, turned around Y by `turn` radians, and a function that reads them.
 */
function cut(lights: readonly TestLight[], parameters: Partial<ViewParameters> = {}, turn = 0) {
  const world = Float64Array.of(
    ...rotationY(turn, [0, 0, 0]),
    ...lights.flatMap((light) => rotationY(light.turn ?? 0, light.position)),
  );
  const store = new LightStore();
  for (const [index, { range, cone }] of lights.entries()) {
    const kind = cone === undefined ? LightKind.point : LightKind.spot;
    const numbers = Float64Array.of(1, 1, 1, 1, range, 0, cone ?? 0);
    store.set(index, index + 1, kind, LightFlag.visible, Float32Array.from(numbers), 0);
  }
  store.pack(world, origin);
  const view = new View();
  const all = { ...createViewParameters(), node: 0, far: 100, ...parameters };
  view.update(all, world, origin, targets.width / targets.height);
  const clusterer = new LightClusterer();
  clusterer.clear();
  const grid = new Float32Array(GpuClusterGrid.words);
  const isCut = clusterer.addView(
    { view, parameters: all, targets },
    store,
    grid,
    new Uint32Array(grid.buffer),
    0,
  );
  /** Returns the lights at a place, as `light-clusters.wgsl` finds them; null outside the view. */
  const lightsAt = (place: readonly number[]): number[] | null => {
    const clip = [0, 1, 3].map((row) => {
      const [x, y, z, w] = view.clipFromWorld.subarray(row * 4, row * 4 + 4);
      return x! * place[0]! + y! * place[1]! + z! * place[2]! + w!;
    });
    const [x, y] = [clip[0]! / clip[2]!, clip[1]! / clip[2]!];
    const depth = place.reduce((sum, value, axis) => sum + value * view.forward[axis]!, 0);
    if (Math.abs(x) >= 1 || Math.abs(y) >= 1 || depth <= all.near || depth >= all.far) return null;
    const pixel = [(x + 1) * 0.5 * targets.width, (1 - y) * 0.5 * targets.height];
    const column = Math.min(Math.floor(pixel[0]! * grid[at.tilesPerPixel]!), CLUSTER_COLUMNS - 1);
    const row = Math.min(Math.floor(pixel[1]! * grid[at.tilesPerPixel + 1]!), CLUSTER_ROWS - 1);
    const scaled = all.projection === Projection.orthographic ? depth : Math.log2(depth);
    const slice = Math.min(
      Math.max(Math.floor(scaled * grid[at.sliceScale]! + grid[at.sliceOffset]!), 0),
      CLUSTER_SLICES - 1,
    );
    const cluster = (slice * CLUSTER_ROWS + row) * CLUSTER_COLUMNS + column;
    return [...clusterer.words.subarray(clusterer.words[cluster], clusterer.words[cluster + 1])];
  };
  return { isCut, lightsAt, clusterer, store };
}

/** Generates evenly spread multiples of 0.001. `fc.double` would nearly always generate numbers near 0. */
const number = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: min * 1000, max: max * 1000 }).map((thousandths) => thousandths / 1000);
const coordinate = number(-30, 30);
const place = fc.tuple(coordinate, coordinate, coordinate);
const light = fc.record(
  {
    position: place,
    range: number(0.1, 40),
    cone: number(0.05, 1.57),
    turn: number(0, 6.3),
  },
  { requiredKeys: ['position', 'range'] },
);
const lens = fc.constantFrom<Partial<ViewParameters>>(
  {},
  { near: 0.01, far: Number.POSITIVE_INFINITY },
  { projection: Projection.orthographic, extentX: 0, extentY: 12 },
  {
    projection: Projection.orthographic,
    extentX: 0,
    extentY: 12,
    crop: { x: 0.1, y: 0.5, width: 0.3, height: 0.2 },
  },
  { crop: { x: 0.25, y: 0.5, width: 0.5, height: 0.25 } },
);

describe('R12 clusters of lights', () => {
  it('list a light at every place that it reaches', () => {
    let reached = 0;
    fc.assert(
      fc.property(
        fc.array(light, { minLength: 1, maxLength: 20, size: 'max' }),
        fc.array(place, { minLength: 100, maxLength: 200, size: 'max' }),
        lens,
        number(0, 6.3),
        (lights, places, parameters, turn) => {
          const { lightsAt, isCut } = cut(lights, parameters, turn);
          expect(isCut).toBe(true);
          for (const point of places) {
            const listed = lightsAt(point);
            if (!listed) continue;
            expect(listed).toEqual([...listed].sort((a, b) => a - b));
            for (const [index, { position, range, cone = Math.PI, turn: towards = 0 }] of lights.entries()) {
              const offset = point.map((value, axis) => value - position[axis]!);
              const distance = Math.hypot(...offset);
              const along = (-Math.sin(towards) * offset[0]! - Math.cos(towards) * offset[2]!) / distance;
              if (distance > range * 0.999 || Math.acos(along) > cone * 0.999) continue;
              reached++;
              expect(listed).toContain(index);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(reached).toBeGreaterThan(1000);
  });

  it('list few lights if many lights are far apart', () => {
    const lights = Array.from({ length: 400 }, (_, index) => ({
      position: [((index % 20) - 10) * 3, -2, -2 - Math.floor(index / 20) * 3] as const,
      range: 2,
    }));
    const { lightsAt, clusterer } = cut(lights);
    expect(lightsAt([0, -2, -20])!.length).toBeLessThan(8);
    expect(clusterer.length - CLUSTER_COUNT).toBeLessThan(400 * 40);
  });

  it('have no lists if too many lights overlap', () => {
    const lights = Array.from({ length: 400 }, () => ({ position: [0, 0, -5] as const, range: 1000 }));
    const { isCut, lightsAt } = cut(lights);
    expect(isCut).toBe(false);
    expect(lightsAt([0, 0, -5])).toEqual([]);
  });

  it('leave out lights behind the camera', () => {
    const { clusterer } = cut([{ position: [0, 0, 5], range: 4 }]);
    expect(clusterer.length).toBe(CLUSTER_COUNT + 1);
  });
});
