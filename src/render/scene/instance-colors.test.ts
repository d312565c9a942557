import { expect, it } from 'vitest';
import { encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { GpuPrimitive } from '../buffers/gpu-layouts.js';
import { packHalfFloats } from '../buffers/half-floats.js';
import { GpuScene } from './gpu-scene.js';
import { InstanceColors } from './instance-colors.js';
import { PrimitiveStore } from './primitive-store.js';

function setUp() {
  const gpuScene = new GpuScene();
  gpuScene.reserve(64);
  const primitives = new PrimitiveStore();
  for (let primitive = 0; primitive < 40; primitive++) primitives.create(primitive, 0, 0, 0, 0);
  primitives.clearChanged();
  const colors = new InstanceColors(gpuScene, primitives);
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const setColors = (ids: number[], values: number[]): void => {
    encodeRecord(writer, renderCommands, 'setColors', { primitives: ids, colors: values });
    writer.publish();
    expect(reader.next()).toBe(true);
    colors.execute(reader);
  };
  const { palette, morph } = GpuPrimitive.at;
  const wordsOf = (primitive: number) => [palette, morph].map((at) => gpuScene.word(primitive, at));
  return { primitives, setColors, wordsOf };
}

it('writes each colour as four half floats, red and green in one word, blue and alpha in the next', () => {
  const { setColors, wordsOf } = setUp();
  setColors([35, 2], [1, 0.5, 0.25, 1, 2, 0, 65_504, 0.125]);
  expect(wordsOf(35)).toEqual([packHalfFloats(1, 0.5), packHalfFloats(0.25, 1)]);
  expect(wordsOf(2)).toEqual([packHalfFloats(2, 0), packHalfFloats(65_504, 0.125)]);
  expect(wordsOf(35)[0]).toBe(0x3800_3c00);
  expect(wordsOf(3)).toEqual([0, 0]);
});

it('marks only the primitives whose colours it has changed', () => {
  const { primitives, setColors } = setUp();
  setColors([35, 2], [1, 1, 1, 1, 1, 1, 1, 1]);
  expect([...primitives.changedBits.subarray(0, 2)]).toEqual([1 << 2, 1 << 3]);
  expect(primitives.haveChanged).toBe(true);
});

it('skips primitives that were destroyed, and writes the colours of the others', () => {
  const { primitives, setColors, wordsOf } = setUp();
  primitives.destroy(2);
  setColors([1, 2, 3], [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
  expect(wordsOf(2)).toEqual([0, 0]);
  expect(wordsOf(1)).toEqual([packHalfFloats(1, 1), packHalfFloats(1, 1)]);
  expect(wordsOf(3)).toEqual([packHalfFloats(3, 3), packHalfFloats(3, 3)]);
});
