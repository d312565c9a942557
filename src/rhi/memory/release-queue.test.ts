import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReleaseQueue } from './release-queue.js';

function setUp() {
  const freed: string[] = [];
  return { freed, queue: new ReleaseQueue<string>((item) => freed.push(item)) };
}

describe('L1 an entry paired with k is freed exactly when k < completed', () => {
  it('frees a resource last used by list 0 at completed = 1, not at 0', () => {
    const { freed, queue } = setUp();
    queue.release('a', 0);
    expect(queue.purge(0)).toBe(0);
    expect(freed).toEqual([]);
    expect(queue.purge(1)).toBe(1);
    expect(freed).toEqual(['a']);
  });

  it('frees the objects in the drawing of release-queue.ts once k < completed', () => {
    const { freed, queue } = setUp();
    queue.release('a', 3);
    queue.release('b', 3);
    queue.release('c', 4);
    queue.release('d', 6);
    expect([queue.purge(3), freed.length, queue.length]).toEqual([0, 0, 4]);
    expect([queue.purge(4), freed.join(), queue.length]).toEqual([2, 'a,b', 2]);
    expect([queue.purge(4), freed.length]).toEqual([0, 2]);
    expect([queue.purge(5), freed.join(), queue.length]).toEqual([1, 'a,b,c', 1]);
    expect(queue.purge(6)).toBe(0);
    expect([queue.purge(7), freed.join(), queue.length]).toEqual([1, 'a,b,c,d', 0]);
  });

  it('frees entries that were released after the queue was empty', () => {
    const { freed, queue } = setUp();
    queue.release('a', 1);
    queue.purge(2);
    queue.release('b', 2);
    expect(queue.purge(2)).toBe(0);
    expect(queue.purge(3)).toBe(1);
    expect(freed).toEqual(['a', 'b']);
  });
});

describe('L2 release queue', () => {
  it('frees all entries on an idle GPU', () => {
    const { freed, queue } = setUp();
    queue.release('a', 5);
    queue.release('b', 900);
    expect(queue.purgeAll()).toBe(2);
    expect(freed).toEqual(['a', 'b']);
    expect(queue.length).toBe(0);
  });

  it('keeps an item that is released while another item is being freed', () => {
    const freed: number[] = [];
    const queue: ReleaseQueue<number> = new ReleaseQueue((item) => {
      freed.push(item);
      if (item === 1) queue.release(2, 1);
    });
    queue.release(1, 0);
    queue.purge(1);
    expect([freed, queue.length]).toEqual([[1], 1]);
    queue.purge(2);
    expect(freed).toEqual([1, 2]);
  });

  it('frees each item once, in order and never early, even in long queues', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 120 }), (counts) => {
        const freed: number[] = [];
        const queue = new ReleaseQueue<number>((item) => freed.push(item));
        const lists: number[] = [];
        counts.forEach((count, list) => {
          for (let i = 0; i < count; i++) {
            queue.release(lists.length, list);
            lists.push(list);
          }
          queue.purge(list - 1);
          expect(freed.length).toBe(lists.filter((paired) => paired < list - 1).length);
        });
        expect(freed).toEqual(freed.map((_, i) => i));
      }),
    );
  });
});
