import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { unpackTransforms } from '../testing/test-world.js';
import { TransformStore } from './transform-store.js';
import { Vector3View } from './transform-view.js';

/** Sends the store and returns the received transforms, by node. */
function sendOf(store: TransformStore): [number, number[]][] {
  const { writer, reader } = createLocalStream({ table: renderCommands });
  store.send(writer);
  writer.publish();
  const sent: [number, number[]][] = [];
  while (reader.next()) {
    const { name, values } = decodeRecord(renderCommands, reader);
    if (name !== 'nodeTransforms') throw new Error(name);
    sent.push(...unpackTransforms(values.transforms));
  }
  return sent;
}

describe('G4 TransformStore', () => {
  it('lays transforms side by side, with positions of 64 bits', () => {
    const store = new TransformStore(2);
    const [a, b] = [store.allocate(), store.allocate()];
    expect([a, b]).toEqual([0, 1]);
    new Vector3View({ store, node: b, name: '' }, 'position').set(500_000.01, 2, 3);
    new Vector3View({ store, node: b, name: '' }, 'scale').set(4, 5, 6);
    expect(Array.from(store.data.doubles.subarray(7, 10))).toEqual([500_000.01, 2, 3]);
    expect(Array.from(store.data.floats.subarray(20, 27))).toEqual([0, 0, 0, 0, 4, 5, 6]);
    expect([store.data.words[13], store.data.words[27]]).toEqual([0, 1]);
    expect([store.dirtyCount, store.list[0], Array.from(store.dirty)]).toEqual([1, 1, [0, 1]]);
  });

  it('keeps its content and its dirty nodes when it grows', () => {
    const store = new TransformStore(1);
    const first = store.allocate();
    store.data.doubles[first * 7] = 7;
    store.mark(first);
    const second = store.allocate();
    store.data.doubles[second * 7] = 8;
    store.mark(second);
    expect(sendOf(store).map(([node, transform]) => [node, transform[0]])).toEqual([
      [0, 7],
      [1, 8],
    ]);
  });

  it('sends consecutive nodes, scattered nodes and several records correctly, also after growth', () => {
    const store = new TransformStore(1);
    const nodes = Array.from({ length: 3000 }, () => store.allocate());
    const fill = (): void => {
      for (const node of nodes) store.data.write(node, new Array(10).fill(node));
    };
    fill();
    const expectSent = (list: readonly number[]): void => {
      for (const node of list) store.mark(node);
      expect(sendOf(store)).toEqual(list.map((node) => [node, new Array(10).fill(node)]));
    };
    const reversed = [...nodes].reverse();
    for (const list of [nodes, nodes, reversed, nodes.slice(7), [2999, ...nodes.slice(0, 2900)]])
      expectSent(list);
    // The store grows, so cached views of its old array must not be used.
    while (store.allocate() < 5000);
    store.data.floats.fill(0.5, 6, 13);
    fill();
    expectSent(nodes);
  });

  it.each([0, 1, 2, 279, 280, 281, 282, 16_000])(
    'copies to offsets aligned to 8 bytes, %i words into a page',
    (used) => {
      const { writer, reader } = createLocalStream({ table: renderCommands });
      const store = new TransformStore(1);
      for (let node = 0; node < 4321; node++) store.mark(store.allocate());
      if (used) writer.reserve(RenderOpcode.createNode, used - 1);
      store.send(writer);
      writer.publish();
      if (used) reader.next();
      let sent = 0;
      while (reader.next()) {
        const { words, fields } = reader;
        const begin = fields + 2 + (words[fields] as number);
        const end = begin + (words[begin - 1] as number);
        for (let at = begin; at < end; at += 14) expect(words[at + 13]).toBe(sent++);
        expect((words.byteOffset + begin * 4) % 8).toBe(0);
        expect(end).toBe(fields + reader.fieldWords);
      }
      expect(sent).toBe(4321);
    },
  );

  it('does not send freed nodes, and sends a freed and reallocated node once', () => {
    const store = new TransformStore(4);
    const [a, b] = [store.allocate(), store.allocate()] as [number, number];
    store.mark(a);
    store.mark(b);
    store.free(a);
    store.free(b);
    expect(store.allocate()).toBe(b);
    store.mark(b);
    expect(sendOf(store).map(([node]) => node)).toEqual([b]);
    store.mark(b);
    expect(store.allocate()).toBe(a);
    store.mark(a);
    expect(sendOf(store).map(([node]) => node)).toEqual([b, a]);
  });

  it('sends exactly the live nodes marked since the last call, in order of their first mark', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('allocate' as const) }),
      fc.record({ kind: fc.constantFrom('mark' as const, 'free' as const), pick: fc.nat() }),
      fc.record({ kind: fc.constant('send' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const store = new TransformStore(1);
        const live: number[] = [];
        const expected = new Map<number, number>();
        let value = 0;
        const mark = (node: number): void => {
          store.data.doubles[node * 7] = ++value;
          store.mark(node);
          expected.set(node, value);
        };
        const check = (): void => {
          const sent = new Map(sendOf(store).map(([node, transform]) => [node, transform[0]]));
          expect(sent).toEqual(expected);
          expected.clear();
        };
        for (const each of steps) {
          if (each.kind === 'allocate') {
            const node = store.allocate();
            expect(live).not.toContain(node);
            live.push(node);
            mark(node);
          } else if (each.kind === 'send') check();
          else if (live.length) {
            const index = each.pick % live.length;
            const node = live[index]!;
            if (each.kind === 'mark') mark(node);
            else {
              store.free(node);
              live.splice(index, 1);
              expected.delete(node);
            }
          }
        }
        check();
      }),
    );
  });
});
