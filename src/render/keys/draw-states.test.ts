import { describe, expect, it } from 'vitest';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import { DrawStateOrder } from '../draws/draw-state-order.js';
import type { GeometryStore } from '../geometry/geometry-store.js';
import { DrawStates, TEXTURE_SET_RANGE } from './draw-states.js';
import { MaterialStates, SHADER_RANGE } from './material-states.js';
import { pipelineKey, SHAPE_BITS } from './pipeline-key.js';

const geometries = { page: Int32Array.of(1, 0, 0) } as unknown as GeometryStore;
const states = new MaterialStates();
const TEXTURED = pipelineKey(0, 0, 0, 0, states.intern(0, 1, 31, 0));
const BLENDED = pipelineKey(0, 0, 0, 0, states.intern(MaterialFlag.alphaBlend, 0, 0, 0));

describe('R14 draw states', () => {
  it('are interned: the same three numbers return the same state, until no primitive uses it', () => {
    const drawStates = new DrawStates();
    const first = drawStates.acquire(3, 1, 2);
    expect(drawStates.acquire(3, 1, 2)).toBe(first);
    const second = drawStates.acquire(3, 2, 2);
    expect(second).not.toBe(first);
    drawStates.release(first);
    expect(drawStates.count).toBe(2);
    drawStates.release(first);
    expect(drawStates.count).toBe(1);
    expect(drawStates.acquire(8191, 5, 4_000_000)).toBe(first); // the number is free again
  });
});

describe('R14 ranks of draw states', () => {
  const everything = { passKey: (key: number) => key };

  it('follow pipeline, page, textures and geometry, not the order of creation', () => {
    const keys = [
      [2 | TEXTURED, 0, 0],
      [1 | TEXTURED, 1, 2],
      [1 | TEXTURED, 0, 0],
      [1 | TEXTURED, 1, 1],
      [1 | TEXTURED, 0, 2],
    ] as const;
    const ranked = (arrival: readonly number[]) => {
      const drawStates = new DrawStates();
      const drawn = arrival.map((index) => {
        const [pipelineKey, textureSet, geometry] = keys[index]!;
        return drawStates.acquire(pipelineKey, textureSet, geometry);
      });
      const order = new DrawStateOrder(everything);
      order.update(drawStates, geometries, states);
      expect([...drawn].map((state) => order.rank[state]).sort()).toEqual([0, 1, 2, 3, 4]);
      for (const state of drawn) {
        const rank = order.rank[state]!;
        expect(order.key[rank]).toBe(drawStates.pipelineKey[state]);
        expect(order.geometry[rank]).toBe(drawStates.geometry[state]);
      }
      return Array.from({ length: order.count }, (_, rank) => [
        order.key[rank],
        order.textureSet[rank],
        order.geometry[rank],
      ]);
    };
    const expected = [keys[4], keys[3], keys[1], keys[2], keys[0]].map((key) => [...key!]);
    expect(ranked([0, 1, 2, 3, 4])).toEqual(expected);
    expect(ranked([4, 2, 0, 1, 3])).toEqual(expected);
  });

  it('are equal for states that a pass draws alike', () => {
    const drawStates = new DrawStates();
    const red = drawStates.acquire(1, 0, 2);
    const wood = drawStates.acquire(1 | TEXTURED, 7, 2);
    const other = drawStates.acquire(1, 0, 1);
    const depthOnly = new DrawStateOrder({ passKey: (key) => key & SHAPE_BITS });
    depthOnly.update(drawStates, geometries, states);
    expect(depthOnly.count).toBe(2);
    expect(depthOnly.rank[red]).toBe(depthOnly.rank[wood]);
    expect(depthOnly.rank[red]).not.toBe(depthOnly.rank[other]);
    expect([...depthOnly.textureSet.subarray(0, 2)]).toEqual([0, 0]);
  });

  it('omit states that a pass never draws', () => {
    const drawStates = new DrawStates();
    const glass = drawStates.acquire(1 | BLENDED, 0, 2);
    const wood = drawStates.acquire(1, 0, 2);
    const order = new DrawStateOrder({ passKey: (key) => (states.isBlended(key) ? -1 : key) });
    order.update(drawStates, geometries, states);
    expect([...order.key.subarray(0, order.count)]).toEqual([1]);
    expect(order.rank[wood]).toBe(0);
    drawStates.release(glass);
    order.update(drawStates, geometries, states);
    expect(order.count).toBe(1);
  });

  it('are computed again only when a state was added or removed', () => {
    const drawStates = new DrawStates();
    const state = drawStates.acquire(1, 0, 0);
    const order = new DrawStateOrder(everything);
    expect(order.update(drawStates, geometries, states)).toBe(true);
    drawStates.acquire(1, 0, 0);
    drawStates.release(state);
    expect(order.update(drawStates, geometries, states)).toBe(false);
    drawStates.acquire(1, 0, 1);
    expect(order.update(drawStates, geometries, states)).toBe(true);
  });
});

describe('R14 custom shaders', () => {
  it('give distinct draw states for the lowest and highest ids of shaders, texture sets and geometries', () => {
    const drawStates = new DrawStates();
    const keyOf = (shader: number): number => pipelineKey(15, 4, 7, 1, states.intern(31, 31, 31, shader));
    const shaders = [0, 1, SHADER_RANGE - 1];
    const sets = [0, 1, TEXTURE_SET_RANGE - 1];
    const geometries = [0, 1, 2 ** 22 - 1];
    const drawn = shaders.flatMap((shader) =>
      sets.flatMap((set) => geometries.map((geometry) => drawStates.acquire(keyOf(shader), set, geometry))),
    );
    expect(new Set(drawn).size).toBe(27);
    expect(drawn.map((state) => states.shaderOf(drawStates.pipelineKey[state] as number))).toEqual(
      shaders.flatMap((shader) => new Array<number>(9).fill(shader)),
    );
    expect(() => drawStates.acquire(keyOf(1), TEXTURE_SET_RANGE, 0)).toThrow(
      expect.objectContaining({ code: 'limit-exceeded' }),
    );
  });
});
