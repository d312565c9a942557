import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderOpcode } from '../../proxy/commands.js';
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
    const transforms = Array.from(values.transforms);
    Array.from(values.nodes).forEach((node, index) => {
      sent.push([node, transforms.slice(index * 10, index * 10 + 10)]);
    });
  }
  return sent;
}

describe('G4 TransformStore', () => {
  it('lays ten floats per node side by side', () => {
    const store = new TransformStore(2);
    const [a, b] = [store.allocate(), store.allocate()];
    expect([a, b]).toEqual([0, 1]);
    new Vector3View({ store, node: b, name: '' }, 0).set(1, 2, 3);
    new Vector3View({ store, node: b, name: '' }, 7).set(4, 5, 6);
    expect(Array.from(store.data)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 4, 5, 6]);
    expect([store.dirtyCount, store.list[0], Array.from(store.dirty)]).toEqual([1, 1, [0, 1]]);
  });

  it('keeps its content and its dirty nodes when it grows', () => {
    const store = new TransformStore(1);
    const first = store.allocate();
    store.data[first * 10] = 7;
    store.mark(first);
    const second = store.allocate();
    store.data[second * 10] = 8;
    store.mark(second);
    expect(sendOf(store).map(([node, transform]) => [node, transform[0]])).toEqual([
      [0, 7],
      [1, 8],
    ]);
  });

  it('sends consecutive nodes, scattered nodes and several records correctly, also after growth', () => {
    const store = new TransformStore(1);
    const nodes = Array.from({ length: 3000 }, () => store.allocate());
    for (const node of nodes) store.data.fill(node, node * 10, node * 10 + 10);
    const expectSent = (list: readonly number[]): void => {
      for (const node of list) store.mark(node);
      expect(sendOf(store)).toEqual(list.map((node) => [node, new Array(10).fill(node)]));
    };
    const reversed = [...nodes].reverse();
    for (const list of [nodes, nodes, reversed, nodes.slice(7), [2999, ...nodes.slice(0, 2900)]])
      expectSent(list);
    // The store grows, so cached views of its old array must not be used.
    while (store.allocate() < 5000);
    store.data.fill(0.5);
    for (const node of nodes) store.data.fill(node, node * 10, node * 10 + 10);
    expectSent(nodes);
  });

  it.each([0, 1, 2, 977, 978, 979, 16_000])(
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
        const { words, floats, fields } = reader;
        const count = words[fields] as number;
        expect([...words.subarray(fields + 1, fields + 1 + count)]).toEqual(
          Array.from({ length: count }, (_, index) => sent + index),
        );
        sent += count;
        const byteOffset = floats.byteOffset + (fields + 2 + count) * 4;
        if (count > 1) expect(byteOffset % 8).toBe(0);
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
          store.data[node * 10] = ++value;
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
