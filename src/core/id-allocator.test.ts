import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdAllocator } from './id-allocator.js';

describe('IdAllocator', () => {
  it('counts up, and re-uses the last freed id first', () => {
    const ids = new IdAllocator();
    expect([ids.allocate(), ids.allocate(), ids.allocate()]).toEqual([0, 1, 2]);
    ids.free(0);
    ids.free(1);
    expect(ids.liveCount).toBe(1);
    expect([ids.allocate(), ids.allocate(), ids.allocate()]).toEqual([1, 0, 3]);
    expect(ids.end).toBe(4);
  });

  it('throws when an id is freed twice', () => {
    const ids = new IdAllocator();
    ids.free(ids.allocate());
    expect(() => ids.free(0)).toThrow(expect.objectContaining({ code: 'id-not-live' }));
    expect(() => ids.free(5)).toThrow(expect.objectContaining({ code: 'id-not-live' }));
  });

  it('wasLive is true only for an id that has had the same owner since an earlier moment', () => {
    const ids = new IdAllocator();
    const [first, second] = [ids.allocate(), ids.allocate()];
    const asked = ids.moment;
    const same = [ids.allocate()];
    ids.free(first);
    expect([first, second, ...same, 7].map((id) => ids.wasLive(id, asked))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(ids.allocate()).toBe(first);
    expect(ids.wasLive(first, asked)).toBe(false);
    expect(ids.wasLive(first, ids.moment)).toBe(true);
  });

  it('never allocates a live id, and creates no more ids than were live at once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 })), (actions) => {
        const ids = new IdAllocator();
        const live: number[] = [];
        let most = 0;
        for (const action of actions) {
          if (action > 8 && live.length > 0) {
            ids.free(live.splice(action % live.length, 1)[0]);
          } else {
            const id = ids.allocate();
            expect(live).not.toContain(id);
            live.push(id);
          }
          most = Math.max(most, live.length);
          expect(ids.liveCount).toBe(live.length);
        }
        expect(ids.end).toBe(most);
      }),
    );
  });
});
