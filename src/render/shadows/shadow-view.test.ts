import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MeshPass } from '../draws/mesh-pass.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import { GpuShadowView } from './gpu-shadow-view.js';
import { LightBasis } from './light-basis.js';
import { ShadowView } from './shadow-view.js';

const SIZE = 512;
const nothing = { bounds: new Float32Array(0), length: 0 } as unknown as PrimitiveStore;

function viewOf(): ShadowView {
  const view = new ShadowView({ visibleBits: new Uint32Array(0) } as unknown as MeshPass);
  view.square.size = SIZE;
  return view;
}

/** Returns the position of a point in the map: texels from its left, texels from its top, depth. */
function texelsOf({ packed }: ShadowView, [x, y, z]: readonly number[]): number[] {
  const matrix = packed.subarray(GpuShadowView.at.mapFromWorld);
  const row = (index: number) =>
    matrix[index]! * x! + matrix[4 + index]! * y! + matrix[8 + index]! * z! + matrix[12 + index]!;
  const w = row(3);
  return [(row(0) / w) * SIZE, (row(1) / w) * SIZE, row(2) / w];
}

const coordinate = fc.double({ min: -20, max: 20, noNaN: true });
const point = fc.tuple(coordinate, coordinate, coordinate);

describe('R11 a shadow view', () => {
  it('of a directional light moves by whole texels, so that shadow edges stay still', () => {
    fc.assert(
      fc.property(point, point, point, (center, step, direction) => {
        fc.pre(Math.hypot(...direction) > 0.1);
        const basis = new LightBasis();
        basis.lookAlong(...direction);
        const view = viewOf();
        const look = (at: readonly number[]) => {
          view.aimAtSphere(basis, Float64Array.from(at), 10);
          view.finish(nothing, { width: SIZE, height: SIZE }, 0);
          return texelsOf(view, [1, 2, 3]);
        };
        const before = look(center);
        const after = look(center.map((value, axis) => value + step[axis]! / 10));
        for (const axis of [0, 1]) {
          const moved = after[axis]! - before[axis]!;
          expect(Math.abs(moved - Math.round(moved))).toBeLessThan(0.01);
        }
      }),
    );
  });

  it('of a directional light holds the whole sphere, with a margin around it that filters read', () => {
    fc.assert(
      fc.property(point, point, point, (center, offset, direction) => {
        fc.pre(Math.hypot(...direction) > 0.1 && Math.hypot(...offset) > 0.1);
        const basis = new LightBasis();
        basis.lookAlong(...direction);
        const view = viewOf();
        view.aimAtSphere(basis, Float64Array.from(center), 7);
        view.finish(nothing, { width: SIZE, height: SIZE }, 0);
        const scale = 7 / Math.hypot(...offset);
        const [u, v, depth] = texelsOf(
          view,
          center.map((value, axis) => value + offset[axis]! * scale),
        );
        const { inside } = GpuShadowView.at;
        const [left, top, right, bottom] = [...view.packed.subarray(inside, inside + 4)].map(
          (at) => at * SIZE,
        );
        expect(u).toBeGreaterThan(left! - 0.01);
        expect(u).toBeLessThan(right! + 0.01);
        expect(v).toBeGreaterThan(top! - 0.01);
        expect(v).toBeLessThan(bottom! + 0.01);
        expect(depth).toBeGreaterThan(-1e-4);
        expect(depth).toBeLessThan(1 + 1e-4);
      }),
    );
  });

  it('of a spot light sees its cone, with greater depth for nearer points', () => {
    const basis = new LightBasis();
    basis.lookAlong(0, -1, 0);
    const view = viewOf();
    view.aimFromPoint(basis, Float64Array.of(1, 5, 2), Math.tan(0.5), Infinity);
    view.finish(nothing, { width: SIZE, height: SIZE }, 0);
    const [u, v, far] = texelsOf(view, [1, 0, 2]);
    expect(u).toBeCloseTo(SIZE / 2, 3);
    expect(v).toBeCloseTo(SIZE / 2, 3);
    const edge = texelsOf(view, [1 + 5 * Math.tan(0.5), 0, 2]);
    expect(Math.abs(edge[0]! - SIZE / 2)).toBeCloseTo(SIZE / 2 - 4, 3);
    expect(texelsOf(view, [1, 3, 2])[2]!).toBeGreaterThan(far!);
    expect(far).toBeGreaterThan(0);
  });
});
