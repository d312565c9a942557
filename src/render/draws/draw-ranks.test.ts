import { expect, it } from 'vitest';
import { KeyBit } from '../keys/pipeline-key.js';
import { named, RendererBench } from '../renderer.test-support.js';

it('leave out states that are kept of a geometry that is gone', () => {
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
  // As a level of detail does, for pipelines that it may need.
  drawStates.acquire((drawStates.pipelineKey[0] as number) | KeyBit.fading, 0, 1);
  scene.destroyPrimitive(1);
  bench.renderer.world.stores.geometries.destroy(1);
  expect(named(bench.frame(2), 'drawIndexed')).toHaveLength(1);
});
