import fc from 'fast-check';
import { mat4 } from 'gl-matrix';
import { describe, expect, it } from 'vitest';
import { NODE_WORD, TRANSFORM_WORDS, TransformArray } from '../../proxy/transform-array.js';
import { NodeHierarchy } from './node-hierarchy.js';

const identity = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];

function setTransform(nodes: NodeHierarchy, node: number, transform: readonly number[]): void {
  const record = new TransformArray(1);
  record.write(0, transform);
  record.words[NODE_WORD] = node;
  nodes.setTransforms(record.words, 0, TRANSFORM_WORDS);
}

/**
 * Returns a node's world matrix as three rows of 4: the product of its ancestors' matrices and its own, computed with
 * gl-matrix.
 */
function expectedRows(nodes: NodeHierarchy, node: number): number[] {
  const world = mat4.create();
  for (let at = node; at >= 0; at = nodes.parent[at]!) {
    const numbers = new Float64Array(10);
    nodes.local.read(at, numbers);
    const [x, y, z, qx, qy, qz, qw, sx, sy, sz] = numbers;
    const local = mat4.fromRotationTranslationScale(
      mat4.create(),
      [qx!, qy!, qz!, qw!],
      [x!, y!, z!],
      [sx!, sy!, sz!],
    );
    mat4.multiply(world, local, world);
  }
  return [0, 1, 2].flatMap((row) => [0, 1, 2, 3].map((column) => world[column * 4 + row]!));
}

function expectAllWorldsRight(nodes: NodeHierarchy, count: number): void {
  for (let node = 0; node < count; node++) {
    if (!nodes.has(node)) continue;
    const expected = expectedRows(nodes, node);
    const size = Math.max(1, ...expected.map(Math.abs));
    for (let index = 0; index < 12; index++) {
      expect(Math.abs(nodes.world[node * 12 + index]! - expected[index]!) / size).toBeLessThan(1e-4);
    }
  }
}

describe('R1 node hierarchy', () => {
  it('starts a node at its parent, with the identity', () => {
    const nodes = new NodeHierarchy();
    nodes.create(0, -1);
    nodes.create(1, 0);
    setTransform(nodes, 0, [1, 2, 3, 0, 0, 0, 1, 2, 2, 2]);
    nodes.propagate();
    expect([...nodes.world.subarray(12, 24)]).toEqual([2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 2, 3]);
    expect([...nodes.movedNodes.subarray(0, nodes.movedCount)]).toEqual([0, 1]);
  });

  it('creates no node and changes none if the parent is unknown or below the node', () => {
    const nodes = new NodeHierarchy();
    expect(() => nodes.create(0, 5)).toThrow(expect.objectContaining({ code: 'unknown-node' }));
    expect(() => nodes.create(0, 0)).toThrow(expect.objectContaining({ code: 'cyclic-attachment' }));
    expect([nodes.has(0), nodes.count]).toEqual([false, 0]);
    nodes.create(0, -1);
    nodes.create(1, 0);
    setTransform(nodes, 0, [1, 2, 3, 0, 0, 0, 1, 2, 2, 2]);
    expect(() => nodes.create(0, 1)).toThrow(expect.objectContaining({ code: 'cyclic-attachment' }));
    nodes.propagate();
    expect([...nodes.world.subarray(0, 4)]).toEqual([2, 0, 0, 1]);
    expect([nodes.parent[1], nodes.count]).toEqual([0, 2]);
  });

  it('keeps positions in 64 bits, both when records set them and when parents transform them', () => {
    const nodes = new NodeHierarchy();
    nodes.create(0, -1);
    nodes.create(1, 0);
    setTransform(nodes, 0, [6_400_000.03, 0, -500_000.01, 0, 0, 0, 1, 1, 1, 1]);
    setTransform(nodes, 1, [0.02, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    nodes.propagate();
    expect([nodes.world[3], nodes.world[11], nodes.world[12 + 3]]).toEqual([
      6_400_000.03,
      -500_000.01,
      6_400_000.03 + 0.02,
    ]);
    expect(nodes.setLocal(0, [6_400_000.03, 0, -500_000.01, 0, 0, 0, 1, 1, 1, 1])).toBe(false);
    expect(nodes.setLocal(0, [6_400_000.05, 0, -500_000.01, 0, 0, 0, 1, 1, 1, 1])).toBe(true);
    nodes.propagate();
    expect(nodes.world[3]).toBe(6_400_000.05);
  });

  it('lists each moved node once, and no node if none has moved', () => {
    const nodes = new NodeHierarchy();
    for (let node = 0; node < 4; node++) nodes.create(node, node - 1);
    nodes.propagate();
    expect(nodes.movedCount).toBe(4);
    nodes.propagate();
    expect(nodes.movedCount).toBe(0);
    setTransform(nodes, 3, identity);
    setTransform(nodes, 1, identity);
    setTransform(nodes, 1, identity);
    nodes.propagate();
    expect([...nodes.movedNodes.subarray(0, nodes.movedCount)]).toEqual([1, 2, 3]);
  });

  it('rejects a cycle or an unknown parent without any change', () => {
    const nodes = new NodeHierarchy();
    nodes.create(0, -1);
    nodes.create(1, 0);
    expect(() => nodes.attach(0, 1)).toThrow(expect.objectContaining({ code: 'cyclic-attachment' }));
    expect(() => nodes.attach(0, 0)).toThrow(expect.objectContaining({ code: 'cyclic-attachment' }));
    expect(() => nodes.attach(1, 7)).toThrow(expect.objectContaining({ code: 'unknown-node' }));
    expect(nodes.parent[1]).toBe(0);
  });

  it('makes the children of a destroyed node roots', () => {
    const nodes = new NodeHierarchy();
    nodes.create(0, -1);
    nodes.create(1, 0);
    nodes.create(2, 0);
    setTransform(nodes, 0, [5, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    nodes.propagate();
    nodes.destroy(0);
    nodes.propagate();
    expect([nodes.parent[1], nodes.parent[2], nodes.count]).toEqual([-1, -1, 2]);
    expect(nodes.world[12 + 3]).toBe(0);
  });

  it('agrees with products of the ancestors’ matrices, after any sequence of commands', () => {
    const count = 8;
    const id = fc.nat(count - 1);
    const unit = fc.double({ min: -1, max: 1, noNaN: true });
    const command = fc.oneof(
      fc.record({
        kind: fc.constant('attach' as const),
        node: id,
        parent: fc.integer({ min: -1, max: count - 1 }),
      }),
      fc.record({
        kind: fc.constant('move' as const),
        node: id,
        numbers: fc.array(unit, { minLength: 10, maxLength: 10 }),
      }),
      fc.record({ kind: fc.constant('destroy' as const), node: id }),
      fc.record({ kind: fc.constant('create' as const), node: id }),
      fc.record({ kind: fc.constant('propagate' as const) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60, size: 'max' }), (commands) => {
        const nodes = new NodeHierarchy();
        for (let node = 0; node < count; node++) nodes.create(node, node % 3 === 0 ? -1 : node - 1);
        for (const step of commands) {
          if (step.kind === 'propagate') nodes.propagate();
          else if (step.kind === 'create') nodes.create(step.node, -1);
          else if (step.kind === 'destroy') nodes.destroy(step.node);
          else if (step.kind === 'move') {
            const [x, y, z, qx, qy, qz, qw, ...scale] = step.numbers as number[];
            const length = Math.hypot(qx!, qy!, qz!, qw!) || 1;
            const rotation = [qx!, qy!, qz!, qw!].map((part) => part / length);
            setTransform(nodes, step.node, [x!, y!, z!, ...rotation, ...scale]);
          } else {
            try {
              nodes.attach(step.node, step.parent);
            } catch {
              // The hierarchy rejects cycles and destroyed nodes. World matrices must stay right after that, too.
            }
          }
        }
        nodes.propagate();
        expectAllWorldsRight(nodes, count);
      }),
    );
  });
});

describe('setPlaces', () => {
  /** Sets places in the layout of `place-record.ts`. */
  function setPlaces(nodes: NodeHierarchy, places: readonly (readonly number[])[]): void {
    const count = places.length;
    const words = new Uint32Array(count * 11);
    const floats = new Float32Array(words.buffer);
    places.forEach(([node = 0, ...numbers], index) => {
      words[index] = node;
      floats.set(numbers.slice(0, 3), count + index * 3);
      floats.set(numbers.slice(3, 7), count * 4 + index * 4);
      floats.set(numbers.slice(7), count * 8 + index * 3);
    });
    nodes.setPlaces(words, floats, 0, words.length);
  }

  it('sets places with normalized rotations, and skips unknown nodes', () => {
    const nodes = new NodeHierarchy();
    nodes.create(2, -1);
    setPlaces(nodes, [
      [2, 1, 2, 3, 0, 0, 0, 5, 2, 2, 2],
      [7, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1],
    ]);
    nodes.propagate();
    expect([...nodes.world.subarray(24, 36)]).toEqual([2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 2, 3]);
    expect(nodes.has(7)).toBe(false);
  });

  it('keeps the last transform of a place with invalid numbers, and sets all other places', () => {
    const nodes = new NodeHierarchy();
    for (const node of [0, 1, 2]) nodes.create(node, -1);
    const valid = [5, 5, 5, 0, 0, 0, 1, 1, 1, 1];
    for (let number = 0; number < 10; number++) {
      for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
        const invalid = valid.with(number, bad);
        expect(() =>
          setPlaces(nodes, [
            [0, ...valid],
            [1, ...invalid],
            [2, ...valid],
          ]),
        ).toThrow(
          expect.objectContaining({
            code: 'transform-not-finite',
            message: expect.stringContaining('node 1'),
          }),
        );
      }
    }
    expect(() => setPlaces(nodes, [[1, 5, 5, 5, 0, 0, 0, 0, 1, 1, 1]])).toThrow(
      expect.objectContaining({ code: 'rotation-zero' }),
    );
    nodes.propagate();
    expect([0, 1, 2].map((node) => nodes.world[node * 12 + 3])).toEqual([5, 0, 5]);
  });
});
