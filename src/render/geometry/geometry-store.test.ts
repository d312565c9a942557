import { describe, expect, it } from 'vitest';
import { VertexFormat } from '../../proxy/geometry/vertex-format.js';
import { named, RendererBench, type RhiCommand } from '../renderer.test-support.js';

function bench(): RendererBench {
  const result = new RendererBench();
  result.camera(0);
  result.material(0);
  result.node(1, [0, 0, 0]);
  return result;
}

function pages(commands: readonly RhiCommand[]): number[] {
  return named(commands, 'createBuffer')
    .map(({ descriptor }) => descriptor as { label: string; byteLength: number })
    .filter(({ label }) => label.startsWith('geometry page'))
    .map(({ byteLength }) => byteLength);
}

function uploadsOf(commands: readonly RhiCommand[], bytes: number): Readonly<Record<string, unknown>>[] {
  return commands
    .filter(({ name }) => name.startsWith('writeBuffer'))
    .map(({ values }) => values)
    .filter((values) => (values.byteLength ?? (values.data as Uint8Array).byteLength) === bytes);
}

describe('L6 geometry pages', () => {
  it('hold vertices and indices side by side, aligned to whole vertices', () => {
    const test = bench();
    test.geometry(0, 3, 5); // 96 + 20 bytes: 4 units of 32
    test.geometry(1, 2, 3);
    test.primitive(0, 1, 0, 0);
    test.primitive(1, 1, 1, 0);
    const commands = test.frame(1);
    expect(pages(commands)).toEqual([262144]);
    const places = named(commands, 'drawIndexed').map(({ baseVertex, firstIndex }) => [
      baseVertex,
      firstIndex,
    ]);
    expect(places).toEqual([
      [0, 24],
      [4, (4 * 32 + 64) / 4],
    ]);
    expect(uploadsOf(commands, 116).map(({ byteOffset }) => byteOffset)).toEqual([0]);
    expect(uploadsOf(commands, 76).map(({ byteOffset }) => byteOffset)).toEqual([128]);
  });

  it('hold only geometries whose vertices have the same stride', () => {
    const test = bench();
    test.geometry(0, 3, 3);
    test.geometry(1, 3, 3, VertexFormat.uv1);
    test.geometry(2, 3, 3, VertexFormat.tangents);
    test.geometry(3, 3, 3, VertexFormat.colors); // same stride as geometry 2
    expect(pages(test.frame(1))).toHaveLength(3);
  });

  it('have the usual size, or the size of one larger geometry, whose data they receive as an attachment', () => {
    const test = bench();
    test.geometry(0, 3, 3);
    test.geometry(1, 20000, 0);
    test.primitive(0, 1, 1, 0);
    const commands = test.frame(1);
    expect(pages(commands)).toEqual([262144, 640000]);
    expect(named(commands, 'writeBufferFromAttachment')).toHaveLength(1);
    // A geometry without indices is drawn with `draw`.
    const meshDraws = named(commands, 'draw').filter(({ vertexCount }) => vertexCount === 20000);
    expect(meshDraws).toEqual([{ vertexCount: 20000, instanceCount: 1, firstVertex: 0, firstInstance: 0 }]);
  });

  it('are destroyed when their last range has been freed and its delay has passed', () => {
    const test = bench();
    test.geometry(0, 3, 3);
    test.frame(1);
    test.send('destroyGeometry', { geometry: 0 });
    const destroyedIn = [2, 3, 4, 5, 6, 7].filter(
      (frame) => named(test.frame(frame), 'destroyResource').length > 0,
    );
    expect(destroyedIn).toEqual([6]);
  });

  it('reuse a freed range exactly maxFramesInFlight + 2 frames later', () => {
    const test = bench();
    test.geometry(0, 3, 3); // 108 bytes: 4 units of 32
    test.geometry(1, 3, 3);
    test.frame(1);
    test.send('destroyGeometry', { geometry: 0 });
    const offsets = [2, 3, 4, 5, 6, 7].map((frame) => {
      test.geometry(frame, 3, 3);
      return uploadsOf(test.frame(frame), 108).map(({ byteOffset }) => byteOffset);
    });
    expect(offsets).toEqual([[256], [384], [512], [640], [0], [768]]);
  });

  it('are destroyed at once when deletes run between frames, the same way on every run', () => {
    const run = (): readonly RhiCommand[] => {
      const test = bench();
      test.geometry(0, 3, 3);
      test.frame(1);
      test.send('destroyGeometry', { geometry: 0 });
      test.frame(2);
      test.renderer.recordDeletes();
      const deletes = test.drain();
      expect(deletes.map(({ name }) => name)).toEqual(['destroyResource']);
      test.renderer.recordDeletes();
      expect(test.drain()).toEqual([]);
      return [...deletes, ...[3, 4, 5, 6, 7].flatMap((frame) => test.frame(frame))];
    };
    const commands = run();
    expect(named(commands, 'destroyResource')).toHaveLength(1);
    expect(run()).toEqual(commands);
  });

  it('keep live ranges when deletes run, and reuse freed ranges', () => {
    const test = bench();
    test.geometry(0, 3, 3); // 108 bytes: 4 units of 32
    test.geometry(1, 3, 3);
    test.frame(1);
    test.send('destroyGeometry', { geometry: 0 });
    // The command has arrived, but no frame has run since.
    test.execute();
    test.renderer.recordDeletes();
    expect(test.drain()).toEqual([]);
    test.geometry(2, 3, 3);
    expect(uploadsOf(test.frame(2), 108).map(({ byteOffset }) => byteOffset)).toEqual([0]);
  });
});
