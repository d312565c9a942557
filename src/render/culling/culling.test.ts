import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { View } from '../views/view.js';
import { cullWords } from './culling.js';

const origin = new Float64Array(3);
const cameraAtOrigin = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

function makeView(projection: number, far: number, extentX = 0): View {
  const view = new View();
  view.update(
    {
      node: 0,
      projection,
      extentX,
      extentY: projection === 0 ? 1.2 : 5,
      near: 0.5,
      far,
      aspect: 0,
      layers: 0xffffffff,
    },
    cameraAtOrigin,
    origin,
    1.5,
  );
  return view;
}

/** Returns whether a point lies in the view, by the view's matrix. */
function isInside(view: View, x: number, y: number, z: number): boolean {
  const m = view.clipFromWorld;
  const row = (index: number) => m[index]! * x + m[index + 1]! * y + m[index + 2]! * z + m[index + 3]!;
  const w = row(12);
  return Math.abs(row(0)) <= w && Math.abs(row(4)) <= w && row(8) >= 0 && row(8) <= w;
}

describe('R13 frustum culling', () => {
  it('puts depth 1 at the near plane and 0 at the far plane or at infinity', () => {
    const depth = (view: View, z: number) => {
      const m = view.clipFromWorld;
      return (m[10]! * z + m[11]!) / (m[14]! * z + m[15]!);
    };
    expect(depth(makeView(0, 100), -0.5)).toBeCloseTo(1, 12);
    expect(depth(makeView(0, 100), -100)).toBeCloseTo(0, 12);
    expect(depth(makeView(0, Number.POSITIVE_INFINITY), -0.5)).toBeCloseTo(1, 12);
    expect(depth(makeView(0, Number.POSITIVE_INFINITY), -1e9)).toBeCloseTo(0, 8);
    expect(depth(makeView(1, 100), -0.5)).toBeCloseTo(1, 12);
    expect(depth(makeView(1, 100), -100)).toBeCloseTo(0, 12);
  });

  it('scales an orthographic view by its half sizes; without a half width, the aspect ratio decides', () => {
    expect(makeView(1, 100).clipFromWorld[0]).toBeCloseTo(1 / 7.5, 12);
    expect(makeView(1, 100, 4).clipFromWorld[0]).toBe(0.25);
    expect(makeView(1, 100).clipFromWorld[5]).toBe(0.2);
  });

  it('never culls a box that holds a visible point, and culls boxes behind one plane', () => {
    const coordinate = fc.double({ min: -60, max: 60, noNaN: true });
    const extent = fc.double({ min: 0, max: 8, noNaN: true });
    const box = fc.tuple(coordinate, coordinate, coordinate, extent, extent, extent);
    const viewKind = fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(50, 1000));
    fc.assert(
      fc.property(
        fc.array(box, { minLength: 1, maxLength: 70, size: 'max' }),
        viewKind,
        (boxes, [projection, far]) => {
          const view = makeView(projection, far);
          const words = (boxes.length + 31) >>> 5;
          const bounds = Float32Array.from(boxes.flat());
          const drawable = new Uint32Array(words);
          boxes.forEach((_, index) => {
            // Every fifth box is not drawable, so it must never be visible.
            if (index % 5 !== 4) drawable[index >>> 5]! |= 1 << (index & 31);
          });
          const visible = new Uint32Array(words).fill(0xffffffff);
          const count = cullWords(view.planes, bounds, drawable, visible, 0, words);
          let bits = 0;
          for (let index = 0; index < words * 32; index++) {
            const isVisible = ((visible[index >>> 5]! >>> (index & 31)) & 1) === 1;
            if (isVisible) bits++;
            if (index >= boxes.length || index % 5 === 4) {
              expect(isVisible).toBe(false);
              continue;
            }
            const [x, y, z, ex, ey, ez] = bounds.subarray(index * 6, index * 6 + 6) as unknown as number[];
            let hasVisiblePoint = false;
            const corners: number[][] = [];
            for (const i of [-1, 0, 1]) {
              for (const j of [-1, 0, 1]) {
                for (const k of [-1, 0, 1]) {
                  const point = [x! + i * ex!, y! + j * ey!, z! + k * ez!];
                  corners.push(point);
                  if (isInside(view, point[0]!, point[1]!, point[2]!)) hasVisiblePoint = true;
                }
              }
            }
            if (hasVisiblePoint) expect(isVisible).toBe(true);
            const isBehindOnePlane = [0, 4, 8, 12, 16, 20].some((plane) => {
              const [a, b, c, d] = view.planes.subarray(plane, plane + 4) as unknown as number[];
              return corners.every((p) => a! * p[0]! + b! * p[1]! + c! * p[2]! + d! < -1e-3);
            });
            if (isBehindOnePlane) expect(isVisible).toBe(false);
          }
          expect(count).toBe(bits);
        },
      ),
    );
  });

  it('writes only the words of its range, so each range can be a separate job', () => {
    const view = makeView(0, 100);
    const visible = new Uint32Array(3).fill(7);
    cullWords(view.planes, new Float32Array(6 * 96), new Uint32Array(3), visible, 1, 2);
    expect([...visible]).toEqual([7, 0, 7]);
  });
});
