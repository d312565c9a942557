import { expect, it } from 'vitest';
import { encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { PrimitiveFlag } from '../../proxy/commands.js';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import { named, RendererBench } from '../renderer.test-support.js';
import { Occlusion } from './occlusion.js';

const POSITIONS = [-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0];
const CORNERS = [0, 1, 2, 0, 2, 3];

/** Creates a wall of 8 m that faces a camera 10 m away, and an object 5 m behind the wall. */
function createBench() {
  const bench = new RendererBench();
  const { scene, stores } = bench.renderer.world;
  const occlusion = new Occlusion(stores);
  bench.renderer.features.occlusion = occlusion;
  scene.features.push(occlusion);
  const { writer, reader } = createLocalStream({ table: renderCommands });
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  bench.node(1, [0, 0, 0], [8, 8, 8]);
  bench.node(2, [0, 0, -5]);
  bench.primitive(0, 1, 0, 0);
  bench.primitive(1, 2, 0, 0);
  const setOccluder = (primitive: number, corners = CORNERS): void => {
    encodeRecord(writer, renderCommands, 'setOccluder', {
      primitives: [primitive],
      corners,
      positions: POSITIONS,
    });
    writer.publish();
    while (reader.next()) occlusion.execute(reader);
  };
  let frame = 0;
  const visible = (): number => {
    bench.frame(++frame);
    return bench.renderer.stats.visible;
  };
  return { bench, setOccluder, visible, next: () => bench.frame(++frame) };
}

it('R13: omits primitives behind an occluder from a view, unless the occluder is masked or faces away', () => {
  const { bench, setOccluder, visible, next } = createBench();
  expect(visible()).toBe(2);
  setOccluder(0);
  bench.execute();
  expect(visible()).toBe(1);
  expect(named(next(), 'drawIndexed').map((draw) => draw.instanceCount)).toEqual([1]);
  bench.move(2, [0, 0, 3]);
  expect(visible()).toBe(2);
  bench.move(2, [0, 0, -5]);
  expect(visible()).toBe(1);
  bench.material(0, MaterialFlag.alphaMask);
  expect(visible()).toBe(2);
  bench.material(0);
  expect(visible()).toBe(1);
  bench.send('updatePrimitive', { primitive: 0, material: 0, flags: 0, layers: 1 });
  expect(visible()).toBe(1);
  bench.send('updatePrimitive', { primitive: 0, material: 0, flags: PrimitiveFlag.visible, layers: 1 });
  expect(visible()).toBe(1);
  setOccluder(0, [...CORNERS].reverse());
  expect(visible()).toBe(2);
});
