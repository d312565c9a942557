import { expect, it } from 'vitest';
import { RendererBench } from '../renderer.test-support.js';
import { CullInputs } from './cull-inputs.js';
import { cullWords } from './culling.js';

/**
 * Returns a renderer with three boxes, one of them outside the picture, and a function that returns the
 * number of cullings.
 */
function watchedBench(): { bench: RendererBench; culls: () => number } {
  const bench = new RendererBench();
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  [0, 2, 100].forEach((x, primitive) => {
    bench.node(primitive + 1, [x, 0, 0]);
    bench.primitive(primitive, primitive + 1, 0, 0);
  });
  const { primitives } = bench.renderer.scene;
  let culls = 0;
  primitives.culler = {
    cull: (planes, candidates, visibleBits, words) => {
      culls++;
      return cullWords(planes, primitives.bounds, candidates, visibleBits, 0, words);
    },
    hide: () => false,
  };
  return { bench, culls: () => culls };
}

it('R13: tests no primitive again while planes, candidates and bounds stay the same', () => {
  const { bench, culls } = watchedBench();
  bench.frame(1);
  expect(culls()).toBe(1);
  bench.frame(2);
  bench.frame(3);
  expect(culls()).toBe(1);
  expect(bench.renderer.stats.visible).toBe(2);
});

it('R13: culls again after a primitive was moved, hidden, created or destroyed, or the camera moved', () => {
  const { bench, culls } = watchedBench();
  bench.frame(1);

  bench.move(3, [-2, 0, 0]);
  bench.frame(2);
  expect([culls(), bench.renderer.stats.visible]).toEqual([2, 3]);

  bench.send('updatePrimitive', { primitive: 0, material: 0, flags: 0, layers: 1 });
  bench.frame(3);
  expect([culls(), bench.renderer.stats.visible]).toEqual([3, 2]);

  bench.primitive(3, 1, 0, 0);
  bench.frame(4);
  expect([culls(), bench.renderer.stats.visible]).toEqual([4, 3]);

  bench.move(0, [0, 0, -50]);
  bench.frame(5);
  expect([culls(), bench.renderer.stats.visible]).toEqual([5, 0]);

  bench.send('destroyPrimitive', { primitive: 1 });
  bench.frame(6);
  expect([culls(), bench.renderer.stats.visible]).toEqual([6, 0]);
});

it('R13: never treats NaN planes as unchanged', () => {
  const inputs = new CullInputs();
  const planes = new Float64Array(24).fill(Number.NaN);
  expect(inputs.update(planes, new Uint32Array(1), 1, 0)).toBe(false);
  expect(inputs.update(planes, new Uint32Array(1), 1, 0)).toBe(false);
  planes.fill(0);
  expect(inputs.update(planes, new Uint32Array(1), 1, 0)).toBe(false);
  expect(inputs.update(planes, new Uint32Array(1), 1, 0)).toBe(true);
});
