import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Queue } from '../queue.js';
import { Page, pageBytesFor } from './page.js';
import { OVERSIZE_IDLE_PUBLISHES, PagePool } from './page-pool.js';
import { PAGE_BYTES } from './stream.js';

const page = (byteLength: number) => new Page(0, new ArrayBuffer(byteLength), 0, byteLength);

describe('L7 PagePool', () => {
  it('gives a record of any word count a page of the ordinary size, or of the next power of two that holds it', () => {
    expect(pageBytesFor(1)).toBe(PAGE_BYTES);
    expect(pageBytesFor(PAGE_BYTES / 4)).toBe(PAGE_BYTES);
    expect(pageBytesFor(PAGE_BYTES / 4 + 1)).toBe(2 * PAGE_BYTES);
    expect(page(PAGE_BYTES).cost).toBe(1);
    expect(page(4 * PAGE_BYTES).cost).toBe(4);
  });

  it('takes the ordinary page that was put last, and oversize pages of exactly the requested size', () => {
    const pool = new PagePool();
    const [a, b, c] = [page(PAGE_BYTES), page(PAGE_BYTES), page(2 * PAGE_BYTES)];
    for (const each of [a, b, c]) pool.put(each, 0);
    expect(pool.take(4 * PAGE_BYTES)).toBeUndefined();
    expect(pool.take(2 * PAGE_BYTES)).toBe(c);
    expect(pool.take(2 * PAGE_BYTES)).toBeUndefined();
    expect(pool.take(PAGE_BYTES)).toBe(b);
    expect(pool.size).toBe(1);
  });

  it('drops an oversize page only after `OVERSIZE_IDLE_PUBLISHES` publishes without use', () => {
    const pool = new PagePool();
    const large = page(2 * PAGE_BYTES);
    pool.put(large, 5);
    expect(pool.trim(5 + OVERSIZE_IDLE_PUBLISHES - 1)).toBeUndefined();
    expect(pool.trim(5 + OVERSIZE_IDLE_PUBLISHES)).toBe(large);
    expect(pool.trim(9999)).toBeUndefined();
  });
});

describe('Queue', () => {
  it('behaves as an array with push and shift', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (pushes) => {
        const queue = new Queue<number>();
        const model: number[] = [];
        pushes.forEach((isPush, index) => {
          if (isPush) {
            queue.push(index);
            model.push(index);
          } else {
            expect(queue.peek()).toBe(model[0]);
            expect(queue.shift()).toBe(model.shift());
          }
          expect(queue.length).toBe(model.length);
        });
      }),
    );
  });
});
