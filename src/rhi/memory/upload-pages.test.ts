import { describe, expect, it } from 'vitest';
import { UploadPages } from './upload-pages.js';

/**
 * Creates `UploadPages` whose pages are numbers. Mappings finish at once, or when the test calls a function of
 * `waiting`.
 */
function setUp({ mapsAtOnce = true } = {}) {
  const log: string[] = [];
  const waiting: (() => void)[] = [];
  let next = 0;
  const pages = new UploadPages<number>(
    {
      create: (byteLength) => {
        log.push(`create ${next}: ${byteLength}`);
        return next++;
      },
      close: (page) => log.push(`close ${page}`),
      reopen: (page, ready) => {
        log.push(`reopen ${page}`);
        if (mapsAtOnce) ready();
        else waiting.push(ready);
      },
      destroy: (page) => log.push(`destroy ${page}`),
    },
    1024,
  );
  const at = (byteLength: number, alignment?: number) => [
    pages.allocate(byteLength, alignment),
    pages.byteOffset,
  ];
  return { pages, log, waiting, at };
}

describe('L4 upload pages', () => {
  it('fills a page offset by offset, aligned', () => {
    const { at, log } = setUp();
    expect(at(100)).toEqual([0, 0]);
    expect(at(30, 256)).toEqual([0, 256]);
    expect(at(2)).toEqual([0, 288]);
    expect(at(732)).toEqual([0, 292]);
    expect(log).toEqual(['create 0: 1024']);
  });

  it('grows in the list that needs it, and fills gaps of earlier pages', () => {
    const { at, pages } = setUp();
    expect(at(1000)).toEqual([0, 0]);
    expect(at(1000)).toEqual([1, 0]);
    expect(at(24)).toEqual([1, 1000]);
    expect(at(24)).toEqual([0, 1000]);
    expect([pages.pageCount, pages.totalBytes, pages.peakBytes]).toEqual([2, 2048, 2048]);
  });

  it('reuses a page exactly when its list number is less than completed', () => {
    const { at, pages, log } = setUp();
    at(1000);
    pages.close(7);
    pages.recycle(7);
    expect(at(1000)).toEqual([1, 0]);
    pages.close(8);
    pages.recycle(8);
    expect(at(1000)).toEqual([0, 0]);
    expect(log).toEqual(['create 0: 1024', 'close 0', 'create 1: 1024', 'close 1', 'reopen 0']);
  });

  it('does not hand out a page that is still being mapped', () => {
    const { at, pages, waiting } = setUp({ mapsAtOnce: false });
    at(8);
    pages.close(0);
    pages.recycle(1);
    expect(at(8)).toEqual([1, 0]);
    waiting[0]();
    expect(at(1020)).toEqual([0, 0]);
  });

  it('gives a large allocation a page of its own, and frees it after its list', () => {
    const { at, pages, log } = setUp();
    at(8);
    expect(at(5000)).toEqual([1, 0]);
    expect(at(8)).toEqual([0, 8]);
    pages.close(3);
    pages.recycle(3);
    expect(pages.totalBytes).toBe(6024);
    pages.recycle(4);
    expect(log.slice(2)).toEqual(['close 0', 'close 1', 'reopen 0', 'destroy 1']);
    expect([pages.totalBytes, pages.peakBytes]).toEqual([1024, 6024]);
  });

  it('frees a page that is unused for 120 lists, and keeps a page in use', () => {
    const { at, pages } = setUp();
    at(1000);
    at(1000);
    pages.close(0);
    for (let list = 1; list <= 122; list++) {
      pages.recycle(list);
      at(8);
      pages.close(list);
      expect(pages.pageCount, `list ${list}`).toBe(list <= 120 ? 2 : 1);
    }
  });

  it('forgets a page that was destroyed while it was being mapped', () => {
    const { at, pages, waiting } = setUp({ mapsAtOnce: false });
    at(8);
    pages.close(0);
    pages.recycle(1);
    pages.dispose();
    waiting[0]();
    expect([pages.pageCount, pages.totalBytes]).toEqual([0, 0]);
    expect(at(8)).toEqual([1, 0]);
  });
});

describe('M6 a bound on upload pages', () => {
  it('refuses a further page beyond the bound, but still allocates in existing pages with room', () => {
    const reopen = (_: number, ready: () => void) => ready();
    const memory = { create: () => 0, close: () => {}, reopen, destroy: () => {} };
    const pages = new UploadPages<number>(memory, 1024, 2048);
    expect([pages.hasRoom(2048), pages.hasRoom(2049)]).toEqual([true, false]);
    pages.allocate(1000);
    pages.allocate(600);
    expect([pages.hasRoom(424), pages.hasRoom(425), pages.hasRoom(1025)]).toEqual([true, false, false]);
    // The next multiple of 256 after 600 bytes is 768.
    expect([pages.hasRoom(256, 256), pages.hasRoom(257, 256)]).toEqual([true, false]);
    pages.close(0);
    expect(pages.hasRoom(4)).toBe(false);
    pages.recycle(1);
    expect([pages.hasRoom(1024), pages.hasRoom(1025)]).toEqual([true, false]);
  });
});
