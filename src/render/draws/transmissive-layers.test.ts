import { describe, expect, it } from 'vitest';
import { MOST_LAYERS, TransmissiveLayers } from './transmissive-layers.js';

/** A camera at the origin that looks along −z, with 90° of view: x and y are divided by −z. */
const PERSPECTIVE = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0.1, 0, 0, -1, 0);
const ORTHOGRAPHIC = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 1);

/** Returns the layers of unit cubes at the places, which are sorted back to front. */
function layersOf(places: readonly (readonly number[])[], matrix: Float64Array): number[] {
  const bounds = Float32Array.from(places.flatMap((place) => [...place, 0.5, 0.5, 0.5]));
  const layers = new TransmissiveLayers();
  layers.assign(Uint32Array.from(places.keys()), places.length, bounds, matrix);
  expect(layers.count).toBe(Math.max(-1, ...layers.layers.subarray(0, places.length)) + 1);
  return [...layers.layers.subarray(0, places.length)];
}

describe('R14 layers of transmissive surfaces', () => {
  it('are one for each surface behind another, and one for surfaces side by side', () => {
    expect(layersOf([], PERSPECTIVE)).toEqual([]);
    expect(layersOf([[0, 0, -10]], PERSPECTIVE)).toEqual([0]);
    expect(
      layersOf(
        [
          [0, 0, -10],
          [0, 0, -7],
          [0, 0, -4],
        ],
        PERSPECTIVE,
      ),
    ).toEqual([0, 1, 2]);
    expect(
      layersOf(
        [
          [-5, 0, -10],
          [5, 0, -10],
          [0, 0, -4],
        ],
        PERSPECTIVE,
      ),
    ).toEqual([0, 0, 0]);
  });

  it('compare places on the screen, so that perspective decides', () => {
    const places = [
      [3, 0, -20],
      [1, 0, -4],
    ];
    expect(layersOf(places, PERSPECTIVE)).toEqual([0, 1]);
    expect(layersOf(places, ORTHOGRAPHIC)).toEqual([0, 0]);
  });

  it('put a surface around the camera in front of every other', () => {
    expect(
      layersOf(
        [
          [5, 0, -10],
          [0, 0, -0.1],
        ],
        PERSPECTIVE,
      ),
    ).toEqual([0, 1]);
  });

  it('are at most a few; the farthest surfaces share the first one', () => {
    const places = Array.from({ length: 6 }, (_, index) => [0, 0, -20 + index * 2]);
    expect(layersOf(places, PERSPECTIVE)).toEqual([0, 0, 0, 0, 1, 2]);
    expect(MOST_LAYERS).toBe(3);
  });

  it('of many surfaces compare only the nearest ones', () => {
    const places = Array.from({ length: 200 }, (_, index) => [0, 0, -400 + index]);
    const layers = layersOf(places, PERSPECTIVE);
    expect(layers.slice(0, 198)).toEqual(new Array(198).fill(0));
    expect(layers.slice(198)).toEqual([1, 2]);
  });
});
