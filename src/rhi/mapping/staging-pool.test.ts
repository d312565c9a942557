import { describe, expect, it } from 'vitest';
import { StagingPool } from './staging-pool.js';

/** Creates a pool whose blocks are numbered strings, with a log of what is created and destroyed. */
function setUp(maximumBytes?: number) {
  const log: string[] = [];
  let count = 0;
  const pool = new StagingPool<string>(
    {
      create: (byteLength) => {
        log.push(`+${byteLength}`);
        return `block ${count++}`;
      },
      destroy: (block) => log.push(`-${block}`),
    },
    maximumBytes,
  );
  return {
    pool,
    log,
    take: (byteLength: number) => pool.take(byteLength) ?? expect.fail('the pool is full'),
  };
}

describe('M6 the staging pool', () => {
  it('hands a returned block to the next request of about the same length', () => {
    const { pool, log, take } = setUp();
    const first = take(1000);
    pool.give(first);
    expect(take(600).memory).toBe(first.memory);
    expect(log).toEqual(['+1024']);
  });

  it('rounds small blocks to powers of two from 256 bytes on, and large blocks to multiples of 64 KiB', () => {
    const { log, take } = setUp();
    for (const byteLength of [4, 257, 65536, 65540, 200_000]) take(byteLength);
    expect(log).toEqual(['+256', '+512', '+65536', '+131072', '+262144']);
  });

  it('is filled to exactly the limit, makes the next request wait, and continues it when a block returns', async () => {
    const { pool, log, take } = setUp(1024);
    const [first] = [take(512), take(512)];
    expect(pool.take(4)).toBeNull();
    let arrived = '';
    const waiting = pool.wait(512).then(({ memory }) => {
      arrived = memory;
    });
    await Promise.resolve();
    expect(arrived).toBe('');
    pool.give(first);
    await waiting;
    expect(arrived).toBe(first.memory);
    expect([log, pool.totalBytes, pool.peakBytes]).toEqual([['+512', '+512'], 1024, 1024]);
  });

  it('gives a request of the whole limit a block of exactly the limit, and refuses a larger one', () => {
    const { pool, log, take } = setUp(1000);
    expect(pool.take(1001)).toBeNull();
    take(1000);
    expect(log).toEqual(['+1000']);
  });

  it('destroys unused blocks of other lengths before it exceeds the limit', () => {
    const { pool, log, take } = setUp(1024);
    const first = take(256);
    const second = take(512);
    pool.give(first);
    pool.give(second);
    take(1024);
    expect(log).toEqual(['+256', '+512', '-block 1', '-block 0', '+1024']);
    expect(pool.peakBytes).toBe(1024);
  });

  it('keeps at most 16 MiB of unused blocks, the newest', () => {
    const { pool, log, take } = setUp();
    const mib = 2 ** 20;
    const blocks = [take(10 * mib), take(6 * mib), take(mib)];
    for (const block of blocks) pool.give(block);
    expect(log.slice(3)).toEqual(['-block 0']);
    pool.give(take(20 * mib));
    expect(log.slice(4)).toEqual([`+${20 * mib}`, '-block 3']);
    expect(pool.totalBytes).toBe(7 * mib);
  });

  it('destroys a block that was unused for more than 120 lists, one per call', () => {
    const { pool, log, take } = setUp();
    const [a, b] = [take(256), take(256)];
    pool.recycle(5);
    pool.give(a);
    pool.give(b);
    pool.recycle(125);
    expect(log).toEqual(['+256', '+256']);
    pool.recycle(126);
    expect(log.slice(2)).toEqual(['-block 0']);
    pool.recycle(126);
    expect([log.slice(3), pool.totalBytes]).toEqual([['-block 1'], 0]);
  });

  it('destroys unused blocks when it is disposed of, and blocks in use when they are returned', () => {
    const { pool, log, take } = setUp();
    const [used, unused] = [take(256), take(512)];
    pool.give(unused);
    pool.dispose();
    expect(log.slice(2)).toEqual(['-block 1']);
    pool.give(used);
    expect([log.slice(3), pool.totalBytes, pool.usedBytes]).toEqual([['-block 0'], 0, 0]);
  });
});
