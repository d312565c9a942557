import { describe, expect, it } from 'vitest';
import { judgeMarks } from './flatness.mjs';

const MEGABYTE = 1e6;
const flat = (changes = {}) => ({
  ...{ threading: 'render', liveResources: 21, cached: 9, grown: 0, pendingReleases: 0, framesInFlight: 0 },
  ...{
    retainedBytes: 0,
    engineWorkers: 1,
    pageHeap: 8 * MEGABYTE,
    workerHeap: 6 * MEGABYTE,
    workers: 'first',
    ports: 8,
    ...changes,
  },
});

describe('flatness of a soak', () => {
  it('accepts constant figures with warm-up and noise', () => {
    const heaps = [6, 8, 8.2, 8.1, 7.9, 8.2, 8.3, 8.1];
    expect(judgeMarks(heaps.map((size) => flat({ pageHeap: size * MEGABYTE })))).toEqual([]);
    expect(judgeMarks([flat(), flat({ threading: 'single', liveResources: 30, engineWorkers: 0 })])).toEqual(
      [],
    );
  });

  it('finds pending work, changed counts, and caches without a limit', () => {
    expect(judgeMarks([flat(), flat({ pendingReleases: 1 })])).toEqual([
      'Mark 1: pendingReleases is 1 although no work is pending.',
    ]);
    expect(judgeMarks([flat(), flat({ liveResources: 22 })])[0]).toMatch(/liveResources .* 21, 22\.$/);
    expect(judgeMarks([flat(), flat({ retainedBytes: 64 })])[0]).toMatch(/retainedBytes/);
    expect(judgeMarks([flat({ engineWorkers: 2 })])).toEqual([
      'Mark 0: 2 workers of the engine are alive in the mode render.',
    ]);
    expect(judgeMarks([flat({ cached: 200 })])[0]).toMatch(/200 resources are kept/);
    expect(judgeMarks([flat({ grown: 2 }), flat({ grown: 3 })])).toEqual([
      'Mark 1: Showing the scene a second time added 3 resources; at most 2 may be added.',
    ]);
  });

  it('finds a growing heap and remaining ports', () => {
    const marks = Array.from({ length: 12 }, (_, index) => flat({ workerHeap: (6 + index / 40) * MEGABYTE }));
    expect(judgeMarks(marks)).toHaveLength(1);
    expect(judgeMarks(marks)[0]).toMatch(/^render, the same workers: workerHeap has grown by/);
    const held = Array.from({ length: 12 }, (_, index) => flat({ ports: 8 + index * 2 }));
    expect(judgeMarks(held)[0]).toMatch(/^render: ports has grown by 8/);
  });

  it('compares heaps only among marks of the same workers', () => {
    const heaps = [3, 4, 5, 6, 6.3, 6.3, 6.3, 6.3, 6.35, 6.35, 6.35, 6.35];
    const lifeOf = (workers) => heaps.map((size) => flat({ workers, workerHeap: size * MEGABYTE }));
    const young = flat({ workers: 'second', workerHeap: 3 * MEGABYTE });
    expect(judgeMarks([young, young, ...lifeOf('third')])).toEqual([]);
    expect(judgeMarks([...lifeOf('first'), young, young, ...lifeOf('third')])).toEqual([]);
    const growing = lifeOf('third').map((mark, index) => ({
      ...mark,
      workerHeap: mark.workerHeap + (index * MEGABYTE) / 4,
    }));
    expect(judgeMarks([...lifeOf('first'), young, ...growing])).toHaveLength(1);
  });
});
