import { describe, expect, it } from 'vitest';
import { LightFlag, LightKind } from '../../proxy/commands.js';
import { GpuLight, GpuView } from '../buffers/gpu-layouts.js';
import { View } from '../views/view.js';
import { LightCode, LightStore } from './light-store.js';

const { at, words } = GpuLight;
const origin = Float64Array.of(1000, 0, 0);
/**
 * World matrices of two nodes. Node 0 is at (1001, 2, 3) and looks along −Z. Node 1 is at the world's origin, scaled by
 * 4, and looks along −X.
 */
const world = Float64Array.of(
  ...[1, 0, 0, 1001, 0, 1, 0, 2, 0, 0, 1, 3],
  ...[0, 0, 4, 0, 0, 4, 0, 0, -4, 0, 0, 0],
);

function parameters(intensity: number, range = 0, inner = 0, outer = 0.5): Float32Array {
  return Float32Array.of(1, 0.5, 0.25, intensity, range, inner, outer);
}

function vector(lights: LightStore, light: number, offset: number): number[] {
  return [...lights.packed.subarray(light * words + offset, light * words + offset + 3)];
}

describe('R1 lights', () => {
  it('packs position relative to the render origin, direction along −Z, colour times intensity', () => {
    const lights = new LightStore();
    lights.set(0, 1, LightKind.directional, LightFlag.visible, parameters(2), 0);
    lights.set(1, 0, LightKind.point, LightFlag.visible, parameters(8), 0);
    lights.pack(world, origin);
    expect(lights.count).toBe(2);
    expect(vector(lights, 1, at.position)).toEqual([1, 2, 3]);
    expect(vector(lights, 1, at.direction)).toEqual([-0, -0, -1]);
    expect(vector(lights, 1, at.intensity)).toEqual([8, 4, 2]);
    expect(vector(lights, 0, at.direction)).toEqual([-1, -0, -0]);
    // For a directional light, the position is the direction towards it.
    expect(vector(lights, 0, at.position)).toEqual([1, 0, 0]);
    expect([0, 1].map((light) => lights.packed[light * words + at.nearness])).toEqual([0, 1]);
  });

  it('packs lights with shadows first, then directional lights, then unlimited lights, then lights with a range', () => {
    const lights = new LightStore();
    lights.set(0, 0, LightKind.point, LightFlag.visible, parameters(1, 20), 0);
    lights.set(1, 0, LightKind.point, LightFlag.visible, parameters(2), 0);
    lights.set(2, 0, LightKind.spot, LightFlag.visible, parameters(3, 30), 0);
    lights.set(3, 1, LightKind.directional, LightFlag.visible, parameters(4, 40), 0);
    lights.set(4, 0, LightKind.point, LightFlag.visible, parameters(5, 50), 0);
    lights.shadowViews[4] = 1;
    lights.pack(world, origin);
    const reds = [0, 1, 2, 3, 4].map((light) => lights.packed[light * words + at.intensity]);
    expect(reds).toEqual([5, 4, 2, 1, 3]);
    expect([lights.shadowedCount, lights.endlessCount, lights.count]).toEqual([1, 3, 5]);
    expect(lights.packed[3 * words + at.range]).toBe(20);
    expect(lights.packed[3 * words + at.inverseSquaredRange]).toBeCloseTo(1 / 400, 8);
    expect(lights.packed[2 * words + at.inverseSquaredRange]).toBe(0);
  });

  it('fades a spot light from its inner to its outer cone, and a point light not at all', () => {
    const lights = new LightStore();
    lights.set(0, 0, LightKind.spot, LightFlag.visible, parameters(1, 0, 0.2, 0.6), 0);
    lights.set(1, 0, LightKind.point, LightFlag.visible, parameters(1), 0);
    lights.pack(world, origin);
    const cone = (light: number, angle: number) =>
      Math.cos(angle) * lights.packed[light * words + at.coneScale]! +
      lights.packed[light * words + at.coneOffset]!;
    expect(cone(0, 0.2)).toBeCloseTo(1, 5);
    expect(cone(0, 0.6)).toBeCloseTo(0, 5);
    expect(cone(1, 3)).toBe(1);
  });

  it('returns whether a packed light has changed', () => {
    const lights = new LightStore();
    lights.set(3, 0, LightKind.point, LightFlag.visible, parameters(1), 0);
    expect(lights.pack(world, origin)).toBe(true);
    expect(lights.pack(world, origin)).toBe(false);
    expect(lights.pack(world, new Float64Array(3))).toBe(true);
    lights.set(3, 0, LightKind.point, 0, parameters(1), 0);
    expect(lights.pack(world, new Float64Array(3))).toBe(true);
    expect(lights.count).toBe(0);
    lights.set(3, 0, LightKind.point, LightFlag.visible, parameters(1), 0);
    lights.pack(world, origin);
    lights.destroyNode(0);
    lights.pack(world, origin);
    expect(lights.count).toBe(0);
  });

  it('holds a hundred lights, and reports no change when they are packed again', () => {
    const lights = new LightStore();
    for (let light = 0; light < 100; light++) {
      lights.set(light, 0, LightKind.point, LightFlag.visible, parameters(light), 0);
    }
    lights.pack(world, origin);
    expect(lights.count).toBe(100);
    expect(vector(lights, 99, at.intensity)).toEqual([99, 49.5, 24.75]);
    expect(lights.pack(world, origin)).toBe(false);
  });

  it('returns the kinds of lights that frames needed code for: a sun, other lights, spot lights', () => {
    const { sun, loop, spots } = LightCode;
    const lights = new LightStore();
    const shadows = new Set<number>();
    expect(lights.codes(shadows)).toBe(0);
    lights.set(0, 0, LightKind.directional, LightFlag.visible | LightFlag.castsShadow, parameters(1), 0);
    expect(lights.codes(undefined)).toBe(sun);
    expect(lights.codes(shadows)).toBe(sun);
    shadows.add(0);
    expect(lights.codes(shadows)).toBe(0);
    lights.set(1, 0, LightKind.point, LightFlag.visible, parameters(1), 0);
    expect(lights.codes(shadows)).toBe(loop);
    lights.set(2, 0, LightKind.directional, LightFlag.visible, parameters(1), 0);
    expect(lights.codes(shadows)).toBe(sun | loop);
    lights.destroy(1);
    lights.destroy(2);
    expect(lights.codes(shadows)).toBe(0);
    shadows.add(3);
    lights.set(3, 0, LightKind.spot, LightFlag.visible | LightFlag.castsShadow, parameters(1), 0);
    expect(lights.codes(shadows)).toBe(spots);
    lights.set(1, 0, LightKind.directional, LightFlag.visible, parameters(1), 0);
    lights.set(2, 0, LightKind.directional, LightFlag.visible, parameters(1), 0);
    lights.keepCodes(shadows);
    for (const light of [1, 2, 3]) lights.destroy(light);
    expect(lights.codes(shadows)).toBe(sun | loop | spots);
  });

  it('packs a directional light before other lights without shadows, so that shaders can skip it in their loop', () => {
    const lights = new LightStore();
    lights.set(0, 0, LightKind.point, LightFlag.visible, parameters(1), 0);
    lights.set(1, 0, LightKind.spot, LightFlag.visible, parameters(2), 0);
    lights.shadowViews[1] = 1 << 16;
    lights.set(2, 0, LightKind.directional, LightFlag.visible, parameters(3), 0);
    lights.pack(world, origin);
    const kinds = [0, 1, 2].map((index) => lights.kindAt(index));
    expect(kinds).toEqual([LightKind.spot, LightKind.directional, LightKind.point]);
    const view = new View();
    view.setLights(lights.count, lights, true, 0);
    expect(view.packedWords[GpuView.at.firstLoopedLight]).toBe(2);
    expect(view.packed[GpuView.at.sunIntensity]).toBe(3);
    lights.destroy(2);
    lights.pack(world, origin);
    view.setLights(lights.count, lights, true, 0);
    expect(view.packedWords[GpuView.at.firstLoopedLight]).toBe(1);
    expect(view.packed[GpuView.at.sunIntensity]).toBe(0);
  });
});
