import { describe, expect, it } from 'vitest';
import { ClipPath, pathWord } from '../../proxy/motion/clip-tracks.js';
import { boxGeometry } from '../index.js';
import { createTestWorld } from '../testing/test-world.js';
import { MorphWeights } from './morph-weights.js';

/** Returns a track whose values are 0.25 at its beginning, and `values` at any other time. */
function track(values: readonly number[], weight: number, isAdditive = false) {
  return {
    track: 0,
    playback: {
      description: {
        name: '',
        duration: 1,
        nodes: [],
        tracks: new Uint32Array(5).fill(pathWord(ClipPath.weights, values.length)),
        floats: new Float32Array(0),
      },
      isAdditive,
      weight,
      time: 0.5,
      sample: (_track: number, out: Float32Array, time: number): void =>
        out.set(time ? values : values.map(() => 0.25)),
    },
  };
}

describe('MorphWeights', () => {
  it('mixes the weights of clips with the page’s own weights, and then adds additive clips', () => {
    const morph = new MorphWeights({ boxes: new Float32Array(12) }, [1, 0.5]);
    expect([...morph.shown]).toEqual([1, 0.5]);
    // Half of the clip's values, half of the page's.
    morph.tracks.push(track([0, 2], 0.5));
    expect([...morph.shown]).toEqual([0.5, 1.25]);
    // The weights of the playbacks, 0.5 and 1.5, add up to more than 1, so they are divided by their sum.
    morph.tracks.push(track([3, 0], 1.5));
    expect([...morph.shown]).toEqual([2.25, 0.5]);
    // Adds twice the difference from the clip's beginning.
    morph.tracks.push(track([1.25, 0.25], 2, true), track([9, 9], 0));
    expect([...morph.shown]).toEqual([4.25, 0.5]);
    expect([...morph.weights]).toEqual([1, 0.5]);
  });

  it('belongs to one mesh, and a mesh without it has no morph targets, even if its geometry has some', () => {
    const { world } = createTestWorld();
    const boxes = new Float32Array(6);
    const morph = { names: ['smile'], boxes, deltas: new ArrayBuffer(0), size: 6 };
    const geometry = Object.assign(boxGeometry(), { morph });
    const { mesh } = world.addMesh({ geometry });
    expect(mesh!.morphTargets).toEqual([]);
    expect(() => mesh!.setMorphWeight('smile', 1)).toThrow(/no morph target "smile". It has none/);
    mesh!.morph = new MorphWeights(morph, []);
    expect(mesh!.morphTargets).toEqual(['smile']);
    mesh!.setMorphWeight('smile', 1);
    expect(mesh!.morphWeights).toEqual([1]);
  });

  it('extends the box by the offsets of the current weights', () => {
    const morph = new MorphWeights({ boxes: Float32Array.of(-1, 0, 0, 2, 0, 0) }, []);
    const box = { minimum: [0, 0, 0], maximum: [1, 1, 1] } as never;
    expect(morph.boxOf(box)).toEqual({ minimum: [0, 0, 0], maximum: [1, 1, 1] });
    morph.tracks.push(track([3], 1));
    expect(morph.boxOf(box)).toEqual({ minimum: [-3, 0, 0], maximum: [7, 1, 1] });
    expect(morph.slack).toEqual([6, 0, 0]);
  });
});
