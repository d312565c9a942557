import { describe, expect, it } from 'vitest';
import { createRhi } from '../host/create-rhi.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { millisecondsBetween, QueryReadback } from './query-readback.js';

const open = (features: readonly string[] | null) => {
  const fake = createFakeDevice(features ?? []);
  const errors: unknown[] = [];
  const rhi = createRhi({ device: features && fake.device, onError: (error) => errors.push(error) });
  const run = () => {
    rhi.context.publish();
    rhi.executor.pump();
    return fake.take();
  };
  return { fake, rhi, errors, run };
};

describe('queries', () => {
  it('are resolved and copied in the list, and mapped after its submission; several reads can be in flight', async () => {
    const { fake, rhi, run } = open(['timestamp-query']);
    run();
    const times = new QueryReadback(rhi, { label: 'times', type: 'timestamp', count: 4 });
    run();
    const answers: (readonly bigint[] | null)[] = [];
    for (const frame of [1, 2]) {
      rhi.context.beginFrame(frame);
      void times.read().then((values) => answers.push(values && [...values]));
      rhi.context.endFrame();
    }
    const calls = run().filter((line) => !line.startsWith('createBuffer'));
    const list = [
      'resolveQuerySet times 0 4 results of "times" 0',
      'copyBufferToBuffer results of "times" 0 read-back 0 32',
      'submit 1',
      'mapAsync read-back',
    ];
    expect(calls).toEqual([...list, ...list]);
    await fake.completeWork();
    expect(answers).toEqual([
      [0n, 0n, 0n, 0n],
      [0n, 0n, 0n, 0n],
    ]);
    expect(times.timestampWrites(2, 3)).toEqual({
      querySet: times.querySet,
      beginningOfPassWriteIndex: 2,
      endOfPassWriteIndex: 3,
    });
  });

  it.each([
    ['a device without the feature', [] as string[]],
    ['the null backend', null],
  ])(
    'are missing on %s: no resource is created, passes write no timestamps, and reads resolve with null',
    async (_, features) => {
      const { rhi, run, errors } = open(features);
      const times = new QueryReadback(rhi, { label: 'times', type: 'timestamp', count: 2 });
      rhi.context.beginFrame(1);
      rhi.context.beginComputePass({ label: 'timed', timestampWrites: times.timestampWrites(0, 1) });
      rhi.context.endComputePass();
      const read = times.read();
      rhi.context.endFrame();
      run();
      expect([await read, times.querySet, errors]).toEqual([null, undefined, []]);
      expect(rhi.executor.stats.liveResources).toBe(0);
      times.destroy();
    },
  );

  it('refuse a count that is not a whole number from 1 to 4096', () => {
    const { rhi } = open([]);
    for (const count of [0, 4097, 1.5]) {
      expect(() => new QueryReadback(rhi, { label: 'many', type: 'occlusion', count })).toThrow('"many"');
    }
  });
});

describe('millisecondsBetween', () => {
  it('is null for decreasing and for missing timestamps', () => {
    const times = new BigUint64Array([5_000_000n, 7_500_000n]);
    expect(millisecondsBetween(times, 0, 1)).toBe(2.5);
    expect(millisecondsBetween(times, 0, 0)).toBe(0);
    expect(millisecondsBetween(times, 1, 0)).toBeNull();
    expect(millisecondsBetween(times, 0, 2)).toBeNull();
    expect(millisecondsBetween(null, 0, 1)).toBeNull();
  });
});
