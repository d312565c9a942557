import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { RhiError } from '../../core/errors.js';
import { HEADER_ATTACHMENT_BIT } from '../../core/records/record-table.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { QueueHint, rhiCommands } from '../commands/commands.js';
import type { BufferHandle } from '../commands/descriptors.js';
import { CheckedImmediateContext, CheckedDeferredContext as DeferredContext } from './checked-contexts.js';
import type { CommandContext } from './command-context.js';
import { type CommandList, transferablesOf } from './command-list.js';

const vertices = { label: 'vertices', byteLength: 64, usage: 0x28 };

/**
 * Returns a context, and functions that publish and read its records. `take` shows each record with the number of
 * its page.
 */
function setUp() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
  let page = 0;
  let words: unknown;
  const take = (): string[] => {
    writer.publish();
    const records: string[] = [];
    while (reader.next()) {
      if (reader.words !== words) page++;
      words = reader.words;
      const record = reader.words.slice(reader.fields - 1, reader.fields + reader.fieldWords);
      const attachment = (record[0] & HEADER_ATTACHMENT_BIT) !== 0 ? reader.attachment(record[1]) : null;
      const size = attachment instanceof ArrayBuffer ? ` +${attachment.byteLength} B` : '';
      records.push(`${rhiCommands.names[reader.opcode]} ${page}: ${record.join(' ')}${size}`);
    }
    return records;
  };
  const names = (): string[] => take().map((record) => record.slice(0, record.indexOf(' ')));
  const drain = (): void => {
    writer.publish();
    while (reader.next());
  };
  return { context, take, names, drain };
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as RhiError).code;
  }
  return 'none';
}

function reopened(context: CheckedImmediateContext, list: CommandList): CommandList {
  context.reopenSubList(list);
  return list;
}

function recordIn(deferred: DeferredContext, list: CommandList, record: (context: DeferredContext) => void) {
  deferred.begin(list);
  record(deferred);
  return deferred.finish();
}

describe('H4 deferred contexts and their lists', () => {
  it('require the length of a buffer, because only the immediate context knows it', () => {
    const { context, take } = setUp();
    const buffer = context.createBuffer(vertices);
    const deferred = new DeferredContext();
    context.beginFrame(0);
    deferred.begin(context.openSubList('list'));
    for (const set of [
      () => (deferred as CommandContext as CheckedImmediateContext).setVertexBuffer(0, buffer),
      () => (deferred as CommandContext as CheckedImmediateContext).setIndexBuffer(buffer, 'uint16'),
    ]) {
      expect(set).toThrow(/in a deferred list without a byteLength/);
    }
    take();
    context.setVertexBuffer(2, buffer);
    context.setVertexBuffer(2, buffer, 16);
    context.setVertexBuffer(2, buffer, 16, 8);
    context.setIndexBuffer(buffer, 'uint32', 60);
    expect(take().map((record) => record.split(' ').slice(3).join(' '))).toEqual([
      `2 ${buffer >>> 0} 0 64`,
      `2 ${buffer >>> 0} 16 48`,
      `2 ${buffer >>> 0} 16 8`,
      `${buffer >>> 0} 1 60 4`,
    ]);
    context.destroy(buffer);
    expect(codeOf(() => context.setVertexBuffer(0, buffer))).toBe('stale-handle');
  });

  it('lists insert their records at executeSubLists, in the order of the array instead of the order of recording', () => {
    const { context, take } = setUp();
    const [one, two] = [new DeferredContext(), new DeferredContext()];
    context.beginFrame(0);
    const lists = [context.openSubList('first'), context.openSubList('second')];
    recordIn(two, lists[1], (c) => c.draw(2));
    recordIn(one, lists[0], (c) => c.draw(1));
    context.draw(0);
    context.executeSubLists(lists);
    context.draw(3);
    context.endFrame();
    const draws = take().filter((record) => record.startsWith('draw'));
    expect(draws.map((record) => record.split(' ')[3])).toEqual(['0', '1', '2', '3']);
  });

  it('lists have no pages before finish', () => {
    const { context } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    const list = context.openSubList('a');
    deferred.begin(list);
    deferred.draw(3);
    expect([list.state, list.pages.length]).toEqual(['recording', 0]);
    expect(deferred.finish()).toBe(list);
    expect([list.state, list.pages.length, list.pages[0].usedWords]).toEqual(['recorded', 1, 5]);
  });

  it('lists pass on each attachment once, with a new number', () => {
    const { context, take } = setUp();
    context.beginFrame(0);
    const buffer = context.createBuffer(vertices);
    context.writeBufferFromAttachment(buffer, 0, new ArrayBuffer(4));
    const lists = [context.openSubList('a'), context.openSubList('b')];
    const deferred = new DeferredContext();
    for (const [index, list] of lists.entries()) {
      recordIn(deferred, list, (c) => {
        c.draw(1);
        c.writeBufferFromAttachment(buffer, 0, new ArrayBuffer(8 + 8 * index));
        c.writeBufferFromAttachment(buffer, 0, new ArrayBuffer(40 + 8 * index));
        c.draw(2);
      });
    }
    context.executeSubLists(lists);
    const records = take();
    const attachments = records.filter((record) => record.startsWith('writeBufferFromAttachment'));
    expect(attachments.map((record) => [record.split(' ')[3], record.split('+')[1]])).toEqual([
      ['0', '4 B'],
      ['1', '8 B'],
      ['2', '40 B'],
      ['3', '16 B'],
      ['4', '48 B'],
    ]);
    expect(lists[0].attachments).toEqual([]);
  });

  it('lists can span several pages, and records that need an oversize page are copied', () => {
    const { context, take } = setUp();
    context.beginFrame(0);
    const texture = context.createTexture({ label: 't', width: 1, height: 1, format: 'r8unorm', usage: 2 });
    const record = (c: CommandContext): void => {
      for (let i = 0; i < 4000; i++) c.draw(i);
      c.writeTexture(texture, { width: 1, height: 1 }, new Uint8Array(200_000).fill(7));
      for (let i = 0; i < 4000; i++) c.draw(i);
    };
    take();
    record(context);
    const direct = take();
    const list = recordIn(new DeferredContext(), context.openSubList('large'), record);
    expect(list.pages.map(({ words }) => words.byteLength)).toEqual([65536, 65536, 262144, 65536]);
    context.executeSubLists([list]);
    const merged = take();
    const first = Number(merged[0].split(' ')[1].slice(0, -1)) - Number(direct[0].split(' ')[1].slice(0, -1));
    expect(merged).toEqual(
      direct.map((line) => line.replace(/ (\d+):/, (_, page) => ` ${Number(page) + first}:`)),
    );
  });

  it('open lists make endFrame throw an error with their labels', () => {
    const { context, names } = setUp();
    context.beginFrame(7);
    context.openSubList('shadows');
    const deferred = new DeferredContext();
    deferred.begin(context.openSubList('glass'));
    expect(() => context.endFrame()).toThrow(
      expect.objectContaining({
        code: 'list-left-open',
        message: expect.stringMatching(/deferred list "shadows" of frame 7 and the deferred list "glass"/),
      }),
    );
    expect(names()).toEqual(['beginFrame', 'endFrame']);
    deferred.draw(3);
    const late = deferred.finish();
    context.beginFrame(8);
    expect(codeOf(() => context.executeSubLists([late]))).toBe('list-discarded');
    context.endFrame();
  });

  it('an open list that requests an invalid destroy does not keep the frame open', () => {
    const { context, names } = setUp();
    const buffer = context.createBuffer(vertices);
    context.beginFrame(7);
    const deferred = new DeferredContext();
    deferred.begin(context.openSubList('shadows'));
    deferred.destroy(buffer);
    context.destroy(buffer);
    const cause = expect.objectContaining({ code: 'stale-handle' });
    expect(() => context.endFrame()).toThrow(expect.objectContaining({ code: 'list-left-open', cause }));
    expect(context.isInFrame).toBe(false);
    expect(names()).toEqual(['createBuffer', 'beginFrame', 'destroyResource', 'endFrame']);
    context.beginFrame(8);
    context.endFrame();
  });

  it('finished lists that were neither executed nor discarded make endFrame throw an error with their labels', () => {
    const { context } = setUp();
    context.beginFrame(7);
    recordIn(new DeferredContext(), context.openSubList('shadows'), (c) => c.draw(3));
    expect(() => context.endFrame()).toThrow(
      expect.objectContaining({ code: 'list-not-executed', message: expect.stringContaining('"shadows"') }),
    );
    context.beginFrame(8);
    context.discardSubList(recordIn(new DeferredContext(), context.openSubList('glass'), (c) => c.draw(3)));
    context.endFrame();
  });

  it('lists are not executed if they are open, executed, discarded, or of another context', () => {
    const { context, take } = setUp();
    const other = setUp().context;
    const deferred = new DeferredContext();
    for (const each of [context, other]) each.beginFrame(0);
    take();
    const open = context.openSubList('open');
    expect(codeOf(() => context.executeSubLists([open]))).toBe('list-open');
    deferred.begin(open);
    expect(codeOf(() => context.executeSubLists([open]))).toBe('list-open');
    deferred.finish();
    expect(codeOf(() => context.executeSubLists([open, open]))).toBe('list-executed');
    expect(take()).toEqual([]); // no command of the list was recorded
    context.executeSubLists([open]);
    expect(codeOf(() => context.executeSubLists([open]))).toBe('list-executed');
    expect(codeOf(() => context.discardSubList(open))).toBe('list-executed');

    const discarded = recordIn(deferred, context.openSubList('discarded'), (c) => c.draw(1));
    context.discardSubList(discarded);
    expect(codeOf(() => context.executeSubLists([discarded]))).toBe('list-discarded');

    for (let i = 0; i < 2; i++) other.openSubList('mine');
    const foreign = recordIn(deferred, other.openSubList('foreign'), (c) => c.draw(1));
    expect(codeOf(() => context.executeSubLists([foreign]))).toBe('list-unknown');
  });

  it('lists are refused by another context with an equal list number, in an error that names both contexts', () => {
    const contexts = ['shadows', 'scene'].map((label) => {
      const { writer } = createLocalStream({ table: rhiCommands });
      return new CheckedImmediateContext(writer, { maxFramesInFlight: 2, label });
    });
    const [shadows, scene] = contexts;
    for (const context of contexts) context.beginFrame(0);
    const [theirs, mine] = contexts.map((context) => context.openSubList('list'));
    expect(theirs.id).toBe(mine.id);
    // A copy, as if it came back from another thread.
    const travelled = structuredClone(
      recordIn(new DeferredContext(), structuredClone(theirs), (c) => c.draw(1)),
    );
    const before = scene.writer.bytesWritten;
    for (const [call, use] of [
      ['executeSubLists', () => scene.executeSubLists([travelled])],
      ['discardSubList', () => scene.discardSubList(travelled)],
    ] as const) {
      expect(use).toThrow(
        expect.objectContaining({
          code: 'list-unknown',
          message: expect.stringMatching(new RegExp(`"list" .*"shadows" .*${call} .*"scene"`)),
        }),
      );
    }
    expect(scene.writer.bytesWritten).toBe(before);
    scene.discardSubList(mine);
    scene.endFrame();
    shadows.executeSubLists([travelled]);
    shadows.endFrame();
  });

  it('contexts refuse values that are not lists, and name the faulty call', () => {
    const { context } = setUp();
    context.beginFrame(0);
    const calls: Readonly<Record<string, (value: never) => void>> = {
      executeSubLists: (value) => context.executeSubLists([value]),
      discardSubList: (value) => context.discardSubList(value),
      begin: (value) => new DeferredContext().begin(value),
      recycle: (value) => new DeferredContext().recycle(value),
      reopenSubList: (value) => context.reopenSubList(value),
      transferablesOf: (value) => transferablesOf(value),
    };
    for (const [call, use] of Object.entries(calls)) {
      for (const value of [undefined, null, -1, 'list', {}, [], { state: 'recorded' }]) {
        expect(() => use(value as never), `${call} ${value}`).toThrow(
          expect.objectContaining({
            code: 'bad-argument',
            message: expect.stringMatching(`^${call} was given`),
          }),
        );
      }
    }
    for (const lists of [undefined, null, context.openSubList('one')]) {
      expect(codeOf(() => context.executeSubLists(lists as never))).toBe('bad-argument');
    }
  });

  it('the copy of a list that came from another thread counts as the same list', () => {
    const { context } = setUp();
    context.beginFrame(0);
    const opened = context.openSubList('there and back');
    const there = structuredClone(opened);
    const recorded = recordIn(new DeferredContext(), there, (c) => c.draw(3));
    const back = structuredClone(recorded);
    context.executeSubLists([structuredClone(recorded, { transfer: transferablesOf(recorded) as never })]);
    expect(codeOf(() => context.executeSubLists([back]))).toBe('list-executed');
    context.endFrame();
    expect(opened.state).toBe('executed');
  });

  it('lists can be opened again once they have ended, and record the same words into the same page', () => {
    const { context, names } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    const list = recordIn(deferred, context.openSubList('kept'), (c) => c.draw(0));
    const [page] = list.pages;
    context.executeSubLists([list]);
    for (let frame = 1; frame < 4; frame++) {
      if (frame === 2) context.discardSubList(recordIn(deferred, reopened(context, list), (c) => c.draw(0)));
      context.endFrame();
      context.beginFrame(frame);
      context.reopenSubList(list);
      expect(list).toMatchObject({ state: 'open', frame, label: 'kept' });
      recordIn(deferred, list, (c) => c.draw(frame));
      expect([list.pages.length, list.pages[0] === page]).toEqual([1, true]);
      context.executeSubLists([list]);
    }
    context.endFrame();
    expect(names()).toEqual(Array.from({ length: 4 }, () => ['beginFrame', 'draw', 'endFrame']).flat());
    expect(deferred.pageCounts).toEqual({ made: 1, free: 0 });
  });

  it('lists that are opened again and posted to another thread take their pages with them', () => {
    const { context, take } = setUp();
    const [here, there] = [new DeferredContext(), new DeferredContext()];
    context.beginFrame(0);
    take();
    let list = recordIn(here, context.openSubList('travels'), (c) => c.draw(0));
    for (let index = 1; index < 6; index++) {
      context.executeSubLists([list]);
      context.reopenSubList(list);
      const posted = structuredClone(list, { transfer: transferablesOf(list) as never });
      recordIn(index % 2 === 0 ? here : there, posted, (c) => c.draw(index));
      list = structuredClone(posted, { transfer: transferablesOf(posted) as never });
    }
    context.executeSubLists([list]);
    expect(take().map((record) => record.split(' ')[3])).toEqual(['0', '1', '2', '3', '4', '5']);
    expect([here.pageCounts, there.pageCounts]).toEqual([
      { made: 1, free: 0 },
      { made: 0, free: 0 },
    ]);
  });

  it('lists are not opened again while in flight, by another context, or between frames', () => {
    const { context } = setUp();
    const other = setUp().context;
    const deferred = new DeferredContext();
    for (const each of [context, other]) each.beginFrame(0);
    const list = context.openSubList('a');
    const copy = structuredClone(list);
    expect(codeOf(() => context.reopenSubList(list))).toBe('list-in-flight');
    deferred.begin(list);
    expect(codeOf(() => context.reopenSubList(list))).toBe('list-in-flight');
    deferred.finish();
    expect(codeOf(() => context.reopenSubList(list))).toBe('list-in-flight');
    context.executeSubLists([list]);
    expect(codeOf(() => other.reopenSubList(list))).toBe('list-unknown');
    expect(codeOf(() => context.reopenSubList({} as never))).toBe('bad-argument');
    context.reopenSubList(list);
    // The copy was made before the list was opened again, so it has the list's earlier id.
    expect(codeOf(() => context.executeSubLists([recordIn(deferred, copy, (c) => c.draw(1))]))).toBe(
      'list-unknown',
    );
    context.discardSubList(list);
    context.endFrame();
    expect(codeOf(() => context.reopenSubList(list))).toBe('frame-not-begun');
    expect(list.state).toBe('discarded');
  });

  it('contexts refuse to record before begin, after finish, and into two lists at once', () => {
    const { context } = setUp();
    const deferred = new DeferredContext();
    expect(codeOf(() => deferred.draw(3))).toBe('list-not-open');
    expect(codeOf(() => deferred.finish())).toBe('list-not-open');
    context.beginFrame(0);
    const list = context.openSubList('a');
    deferred.begin(list);
    expect(codeOf(() => deferred.begin(context.openSubList('b')))).toBe('list-already-open');
    deferred.draw(3);
    deferred.finish();
    expect(codeOf(() => deferred.draw(3))).toBe('list-not-open');
    expect(codeOf(() => deferred.destroy(1 as BufferHandle))).toBe('list-not-open');
    expect(codeOf(() => deferred.begin(list))).toBe('list-begun-twice');
  });

  it('lists are opened only within a frame', () => {
    const { context } = setUp();
    expect(codeOf(() => context.openSubList('early'))).toBe('frame-not-begun');
    context.beginFrame(0);
    context.endFrame();
    expect(codeOf(() => context.openSubList('late'))).toBe('frame-not-begun');
  });

  it('contexts can begin another list after abandoning a list', () => {
    const { context, names } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    deferred.begin(context.openSubList('broken'));
    deferred.draw(3);
    context.discardSubList(deferred.abandon());
    context.executeSubLists([recordIn(deferred, context.openSubList('whole'), (c) => c.draw(3))]);
    context.endFrame();
    expect(names()).toEqual(['beginFrame', 'draw', 'endFrame']);
    expect(deferred.pageCounts).toEqual({ made: 1, free: 0 });
  });

  it('lists are refused if their words are not records', () => {
    const { context } = setUp();
    context.beginFrame(0);
    for (const header of [0, 255 | (1 << 9), 1 | (9 << 9), HEADER_ATTACHMENT_BIT | 1 | (2 << 9)]) {
      const list = recordIn(new DeferredContext(), context.openSubList('hostile'), (c) => c.popDebugGroup());
      list.pages[0].words[0] = header;
      expect(codeOf(() => context.executeSubLists([list]))).toBe('list-corrupt');
      context.discardSubList(list);
    }
    context.endFrame();
  });

  it('lists close their images if they are discarded', () => {
    const { context } = setUp();
    const close = vi.fn();
    context.beginFrame(0);
    const list = recordIn(new DeferredContext(), context.openSubList('a'), (c) =>
      c.copyExternalImage({ close } as never, 2 as never, { width: 1, height: 1 }),
    );
    context.discardSubList(list);
    expect(close).toHaveBeenCalledOnce();
  });
});

describe('L7 recording memory', () => {
  it('is reused: the lists of a thousand frames need only the pages of the first frame’s list', () => {
    const { context, drain } = setUp();
    const deferred = new DeferredContext();
    for (let frame = 0; frame < 1000; frame++) {
      context.beginFrame(frame);
      const list = recordIn(deferred, context.openSubList('a'), (c) => {
        for (let i = 0; i < 4000; i++) c.draw(i);
      });
      context.executeSubLists([list]);
      context.endFrame();
      drain();
    }
    expect(deferred.pageCounts).toEqual({ made: 2, free: 0 });
  });

  it('is never reused while its list is in flight', () => {
    const { context, take } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    take();
    const lists = ['a', 'b', 'c'].map((label, index) =>
      recordIn(deferred, context.openSubList(label), (c) => c.draw(index)),
    );
    expect(deferred.pageCounts).toEqual({ made: 3, free: 0 });
    expect(new Set(lists.map(({ pages }) => pages[0])).size).toBe(3);
    expect(codeOf(() => deferred.recycle(lists[1]))).toBe('list-in-flight');
    const page = lists[1].pages[0];
    context.executeSubLists([lists[1]]);
    const next = recordIn(deferred, context.openSubList('d'), (c) => c.draw(9));
    expect(next.pages[0]).toBe(page);
    expect(deferred.pageCounts).toEqual({ made: 3, free: 0 });
    context.executeSubLists([lists[0], lists[2], next]);
    context.endFrame();
    expect(take().map((record) => record.split(' ')[3])).toEqual(['1', '0', '2', '9', '0']);
  });

  it('can be taken back with recycle on the thread that received the list, while the thread that posted the list drops it', () => {
    const { context, take } = setUp();
    const deferred = new DeferredContext();
    for (let frame = 0; frame < 10; frame++) {
      context.beginFrame(frame);
      const posted = recordIn(deferred, structuredClone(context.openSubList('a')), (c) => c.draw(frame));
      const arrived = structuredClone(posted, { transfer: transferablesOf(posted) as never });
      context.executeSubLists([arrived]);
      deferred.recycle(structuredClone(arrived, { transfer: transferablesOf(arrived) as never }));
      context.endFrame();
      expect(deferred.pageCounts).toEqual({ made: 1, free: 1 });
    }
    expect(take().filter((record) => record.startsWith('draw'))).toHaveLength(10);
  });

  it('provides each page only once, even if a list is recycled twice', () => {
    const { context } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    const list = recordIn(deferred, context.openSubList('a'), (c) => c.draw(0));
    context.executeSubLists([list]);
    deferred.recycle(list);
    deferred.recycle(list);
    deferred.begin(context.openSubList('b'));
    expect(deferred.pageCounts).toEqual({ made: 1, free: 1 });
  });
});

describe('L3 a destroy right after the last use', () => {
  const destroyed = (records: string[]): number[] =>
    records.filter((record) => record.startsWith('destroyResource')).map((r) => Number(r.split(' ')[3]));

  it('is executed at once in the immediate context if no list is outstanding', () => {
    const { context, names } = setUp();
    context.beginFrame(0);
    const buffer = context.createBuffer(vertices);
    context.setVertexBuffer(0, buffer, 0, 64);
    context.destroy(buffer);
    expect(names()).toEqual(['beginFrame', 'createBuffer', 'setVertexBuffer', 'destroyResource']);
  });

  it('waits for the outstanding list that may name the resource, and follows its commands', () => {
    const { context, names } = setUp();
    context.beginFrame(0);
    const buffer = context.createBuffer(vertices);
    const list = recordIn(new DeferredContext(), context.openSubList('a'), (c) =>
      c.setVertexBuffer(0, buffer, 0, 64),
    );
    context.destroy(buffer);
    context.draw(1);
    expect(names()).toEqual(['beginFrame', 'createBuffer', 'draw']);
    context.executeSubLists([list]);
    expect(names()).toEqual(['setVertexBuffer', 'destroyResource']);
  });

  it('makes the handle stale for the immediate context, and a second destroy is refused', () => {
    const { context } = setUp();
    context.beginFrame(0);
    const buffer = context.createBuffer(vertices);
    const list = context.openSubList('a');
    context.destroy(buffer);
    expect(context.handles.isLive(buffer)).toBe(false);
    expect(codeOf(() => context.destroy(buffer))).toBe('stale-handle');
    context.discardSubList(list);
  });

  it('is executed when the list is discarded', () => {
    const { context, names } = setUp();
    context.beginFrame(0);
    const buffer = context.createBuffer(vertices);
    const list = recordIn(new DeferredContext(), context.openSubList('a'), (c) =>
      c.setVertexBuffer(0, buffer, 0, 64),
    );
    context.destroy(buffer);
    names();
    context.discardSubList(list);
    expect(names()).toEqual(['destroyResource']);
  });

  it('waits for the lists open at the call, not for lists opened later, in the order of the calls', () => {
    const { context, take } = setUp();
    context.beginFrame(0);
    const [x, y, z] = [0, 1, 2].map(() => context.createBuffer(vertices));
    const deferred = new DeferredContext();
    const open = (label: string): CommandList => recordIn(deferred, context.openSubList(label), () => {});
    const a = open('a');
    context.destroy(x); // waits for a
    const b = open('b');
    context.destroy(y); // waits for a and b
    const c = open('c');
    take();
    context.executeSubLists([b]);
    expect(destroyed(take())).toEqual([]);
    context.destroy(z); // waits for a and c
    context.executeSubLists([a]);
    expect(destroyed(take())).toEqual([x >>> 0, y >>> 0]);
    context.executeSubLists([c]);
    expect(destroyed(take())).toEqual([z >>> 0]);
  });

  it('waits for an older list, although a list executed before was opened again', () => {
    const { context, take } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    const [x, y] = [0, 1].map(() => context.createBuffer(vertices));
    const first = recordIn(deferred, context.openSubList('first'), () => {});
    const second = recordIn(deferred, context.openSubList('second'), () => {});
    context.destroy(x); // waits for both
    context.executeSubLists([first]);
    context.reopenSubList(first);
    recordIn(deferred, first, () => {});
    context.destroy(y); // waits for both
    take();
    context.executeSubLists([first]);
    expect(destroyed(take())).toEqual([]);
    context.executeSubLists([second]);
    expect(destroyed(take())).toEqual([x >>> 0, y >>> 0]);
  });

  it('can be recorded in the list that uses the resource last', () => {
    const { context, names } = setUp();
    context.beginFrame(0);
    const buffer = context.createBuffer(vertices);
    const list = recordIn(new DeferredContext(), context.openSubList('a'), (c) => {
      c.setVertexBuffer(0, buffer, 0, 64);
      c.destroy(buffer);
      c.destroy(undefined);
    });
    context.executeSubLists([list]);
    expect(names().slice(2)).toEqual(['setVertexBuffer', 'destroyResource']);
    expect(context.handles.isLive(buffer)).toBe(false);
  });

  it('requested by one list waits for another outstanding list', () => {
    const { context, names } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    const buffer = context.createBuffer(vertices);
    const a = recordIn(deferred, context.openSubList('a'), (c) => c.destroy(buffer));
    const b = recordIn(deferred, context.openSubList('b'), (c) => c.setVertexBuffer(0, buffer, 0, 64));
    context.executeSubLists([a]);
    context.executeSubLists([b]);
    expect(names().slice(2)).toEqual(['setVertexBuffer', 'destroyResource']);
  });

  it('requested by two lists is an error at the second list, which is still executed', () => {
    const { context } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    const [x, y] = [context.createBuffer(vertices), context.createBuffer(vertices)];
    const lists = ['a', 'b'].map((label) =>
      recordIn(deferred, context.openSubList(label), (c) => {
        c.destroy(x);
        if (label === 'b') c.destroy(y);
      }),
    );
    expect(() => context.executeSubLists(lists)).toThrow(/buffer "vertices".*was destroyed before/);
    expect(context.handles.liveCount).toBe(0);
    context.endFrame();
  });

  it('is executed at the frame’s end even if a list was never executed', () => {
    const { context, names } = setUp();
    context.beginFrame(0);
    const [x, y] = [context.createBuffer(vertices), context.createBuffer(vertices)];
    recordIn(new DeferredContext(), context.openSubList('a'), (c) => c.destroy(y));
    context.destroy(x);
    names();
    expect(codeOf(() => context.endFrame())).toBe('list-not-executed');
    expect(names()).toEqual(['destroyResource', 'destroyResource', 'endFrame']);
  });
});

describe('H6 queue hints', () => {
  const queues = (records: string[]): number[] =>
    records.filter((record) => record.startsWith('setQueue')).map((record) => Number(record.split(' ')[3]));

  it('start each list on its declared queue, and return the immediate context to its own queue', () => {
    const { context, take } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    const copy = recordIn(deferred, context.openSubList('copy', { queue: QueueHint.copy }), () => {});
    const graphics = recordIn(deferred, context.openSubList('graphics'), (c) => {
      c.setQueue(QueueHint.compute);
    });
    const compute = recordIn(deferred, context.openSubList('c', { queue: QueueHint.compute }), () => {});
    context.executeSubLists([copy, graphics, compute]);
    expect(queues(take())).toEqual([
      QueueHint.copy,
      QueueHint.graphics,
      QueueHint.compute, // recorded by the list itself; the next list starts on this queue
      QueueHint.graphics,
    ]);
  });

  it('are recorded only at changes, and each frame starts on the graphics queue', () => {
    const { context, take } = setUp();
    const deferred = new DeferredContext();
    context.beginFrame(0);
    context.setQueue(QueueHint.copy);
    context.endFrame();
    context.beginFrame(1);
    context.executeSubLists([recordIn(deferred, context.openSubList('a'), (c) => c.draw(1))]);
    context.endFrame();
    expect(queues(take())).toEqual([QueueHint.copy]);
  });
});

describe('H5 sub-lists', () => {
  const buffer = 1 as BufferHandle;
  /** One call of a renderer: small or large, with or without an attachment. */
  const call = fc.oneof(
    fc.nat(1000).map((n) => (c: CommandContext) => c.draw(n)),
    fc.nat(30).map((n) => (c: CommandContext) => c.setBindGroup(1, 2 as never, [n, n])),
    fc.nat(3).map((n) => (c: CommandContext) => c.setQueue((n % 3) as QueueHint)),
    fc.nat(9000).map((n) => (c: CommandContext) => c.writeBuffer(buffer, 0, new Uint32Array(n).fill(n))),
    fc.nat(90).map((n) => (c: CommandContext) => c.insertDebugMarker('x'.repeat(n))),
    fc
      .nat(8)
      .map((n) => (c: CommandContext) => c.writeBufferFromAttachment(buffer, 0, new ArrayBuffer(n * 4))),
  );

  it('that split the same calls into N parts have the bytes and pages of one list', () => {
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 60 }),
        fc.array(fc.nat(60), { maxLength: 6 }),
        fc.nat(16300),
        (calls, cuts, before) => {
          const record = (edges: readonly number[]): string[] => {
            const { context, take } = setUp();
            context.beginFrame(0);
            context.writeTexture(2 as never, { width: 1, height: 1 }, new Uint8Array(before * 4)); // moves the page's edge
            let queue: QueueHint = QueueHint.graphics;
            const lists = edges.slice(1).map((end, index) => {
              const deferred = new DeferredContext();
              const opened = context.openSubList(`part ${index}`, { queue });
              const list = recordIn(deferred, opened, (c) => {
                for (const each of calls.slice(edges[index], end)) each(c);
              });
              queue = list.lastQueue;
              return list;
            });
            context.executeSubLists(lists);
            context.endFrame();
            return take();
          };
          const edges = [0, ...cuts.map((cut) => Math.min(cut, calls.length)), calls.length].sort(
            (a, b) => a - b,
          );
          const whole = record([0, calls.length]);
          expect(record(edges)).toEqual(whole);

          // The immediate context itself records the same words. `executeSubLists` adds at most one record at its
          // end, which returns to the context's queue.
          const { context, take } = setUp();
          context.beginFrame(0);
          context.writeTexture(2 as never, { width: 1, height: 1 }, new Uint8Array(before * 4));
          for (const each of calls) each(context);
          context.endFrame();
          const direct = take();
          const isQueueRestored = whole.length > direct.length;
          expect(whole.slice(0, direct.length - 1)).toEqual(direct.slice(0, -1));
          expect(whole.length).toBe(direct.length + (isQueueRestored ? 1 : 0));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('recorded twice from the same calls have the same bytes, whatever their pages contained before', () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 40 }), fc.nat(0xffffffff), (calls, garbage) => {
        const { context } = setUp();
        const deferred = new DeferredContext();
        const bytes = (frame: number): number[][] => {
          context.beginFrame(frame);
          const list = recordIn(deferred, context.openSubList('a'), (c) => {
            for (const each of calls) each(c);
          });
          const pages = list.pages.map(({ words, usedWords }) => [...words.subarray(0, usedWords)]);
          for (const { words } of list.pages) words.fill(garbage);
          context.discardSubList(list);
          context.endFrame();
          return pages;
        };
        const [first, second] = [bytes(0), bytes(1)];
        expect(second).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });

  it('add only their commands to the stream: an empty list adds none', () => {
    const { context, names } = setUp();
    context.beginFrame(0);
    context.executeSubLists([]);
    context.executeSubLists([recordIn(new DeferredContext(), context.openSubList('empty'), () => {})]);
    context.endFrame();
    expect(names()).toEqual(['beginFrame', 'endFrame']);
  });
});
