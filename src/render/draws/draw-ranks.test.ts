import { expect, it } from 'vitest';
import { KeyBit } from '../keys/pipeline-key.js';
import { named, RendererBench } from '../renderer.test-support.js';

it('draw ranks contain only drawn states, and expected pipelines are created without a draw state', () => {
  const bench = new RendererBench();
  bench.camera(0);
  bench.material(0);
  for (const id of [1, 2]) {
    bench.geometry(id);
    bench.node(id, [0, 0, 0]);
    bench.primitive(id, id, id, 0);
  }
  const { drawStates, scene } = bench.renderer.world.stores;
  expect(named(bench.frame(1), 'drawIndexed')).toHaveLength(2);
  // A level of detail expects its fading pipeline like this.
  drawStates.expect((drawStates.pipelineKey[0] as number) | KeyBit.fading);
  scene.destroyPrimitive(1);
  bench.renderer.world.stores.geometries.destroy(1);
  const second = bench.frame(2);
  expect(named(second, 'createGraphicsPipeline')).toHaveLength(1);
  expect(named(second, 'drawIndexed')).toHaveLength(1);
  expect(drawStates.count).toBe(1);
});
