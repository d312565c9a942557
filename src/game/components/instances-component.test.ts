import { afterEach, describe, expect, it, vi } from 'vitest';
import { boxGeometry } from '../geometry/shapes.js';
import { standardMaterial } from '../materials/material.js';
import {
  createTestWorld,
  type RenderRecord,
  type TestWorld,
  transformsOf,
  valuesOf,
} from '../testing/test-world.js';
import { instanceColors } from './instance-colors.js';
import { InstancesComponent } from './instances-component.js';

const material = standardMaterial();
const geometry = boxGeometry();

function counts(records: readonly RenderRecord[]): Record<string, number> {
  const result: Record<string, number> = {};
  for (const { name } of records) result[name] = (result[name] ?? 0) + 1;
  return result;
}

/** Returns the sent positions, by node. */
function positions(records: readonly RenderRecord[]): Map<number, number[]> {
  return new Map([...transformsOf(records)].map(([node, numbers]) => [node, numbers.slice(0, 3)]));
}

function add(test: TestWorld, count = 4): InstancesComponent {
  return test.world.addInstances({ geometry, material, count });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('G2 instances', () => {
  it('are nodes of the component, each with a primitive of the same geometry and material', () => {
    const test = createTestWorld();
    const trees = add(test);
    trees.positions.set([1, 2, 3], 3);
    trees.touch();
    const records = test.send();
    expect(counts(records)).toMatchObject({
      createNode: 5,
      createPrimitive: 4,
      createGeometry: 1,
      setMaterial: 1,
    });
    const [own, ...nodes] = valuesOf(records, 'createNode');
    expect(nodes.map(({ parent }) => parent)).toEqual([own!.node, own!.node, own!.node, own!.node]);
    const primitives = valuesOf(records, 'createPrimitive');
    expect(primitives.map(({ node }) => node)).toEqual(nodes.map(({ node }) => node));
    expect(positions(records).get(nodes[1]!.node)).toEqual([1, 2, 3]);
    expect(test.send().filter(({ name }) => !/Frame$/.test(name))).toEqual([]);
  });

  it('send each touched place once, and no other places', () => {
    const test = createTestWorld();
    const trees = add(test);
    test.send();
    trees.positions.fill(7);
    trees.touch(1, 2);
    trees.touch(2, 1);
    expect(counts(test.send())).toMatchObject({ nodePlaces: 1 });
    trees.touch(3);
    expect([...positions(test.send()).values()]).toEqual([[7, 7, 7]]);
  });

  it('send rotations as they are, and reject invalid rotations, numbers and places in development', () => {
    vi.stubGlobal('FENCEPOST_DEVELOPMENT', true);
    const test = createTestWorld();
    const trees = add(test);
    trees.rotations.set([0, 4, 0, 0]);
    trees.touch(0, 1);
    // The component's own transform comes first.
    const [, place] = transformsOf(test.send()).values();
    expect(place!.slice(3, 7)).toEqual([0, 4, 0, 0]);
    trees.rotations.fill(0, 4, 8);
    expect(() => trees.touch()).toThrow(expect.objectContaining({ code: 'rotation-zero' }));
    trees.scales[6] = Number.NaN;
    expect(() => trees.touch(2)).toThrow(/scales of place 2 of "instances".*NaN/);
    // The rejected calls have marked no place.
    expect(test.send().filter(({ name }) => name === 'nodePlaces')).toEqual([]);
    for (const [first, count] of [[-1], [5], [0, 5], [2, 3], [0.5], [0, Number.NaN]]) {
      expect(() => trees.touch(first, count)).toThrow(
        expect.objectContaining({ code: 'option-out-of-range' }),
      );
    }
    for (const count of [-1, 1.5, 1_000_001, Number.NaN]) {
      expect(() => add(test, count)).toThrow(expect.objectContaining({ code: 'option-out-of-range' }));
    }
    expect(() => test.world.addInstances({ geometry } as never)).toThrow(/count/);
    expect(() => test.world.addInstances({ geometry, material, count: 1, cuont: 2 } as never)).toThrow(
      /cuont/,
    );
  });

  it('are not checked by `touch` in production', () => {
    vi.stubGlobal('FENCEPOST_DEVELOPMENT', false);
    const test = createTestWorld();
    const trees = add(test);
    test.send();
    trees.positions[1] = Number.NaN;
    trees.touch(0, 1);
    expect([...positions(test.send()).values()]).toEqual([[0, Number.NaN, 0]]);
  });

  it('are read by the page with normalized rotations', () => {
    const test = createTestWorld();
    const trees = add(test);
    trees.rotations.set([0, 0, 3, 3]);
    trees.touch();
    const matrix = trees.worldFromPlace(0, new Float64Array(16));
    [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1].forEach((number, index) => {
      expect(matrix[index]).toBeCloseTo(number);
    });
  });

  it('show numbers as of the last touch, although the page goes on writing', () => {
    const test = createTestWorld();
    const trees = add(test);
    trees.positions.fill(2);
    trees.touch(1);
    trees.positions.fill(9);
    const sent = [...positions(test.send()).values()];
    expect(sent.slice(-3)).toEqual([
      [2, 2, 2],
      [2, 2, 2],
      [2, 2, 2],
    ]);
  });

  it('G4: are visited only in frames after a change', () => {
    const test = createTestWorld();
    const trees = add(test);
    test.send();
    const sendPlaces = vi.spyOn(trees, 'sendPlaces');
    test.send();
    expect(sendPlaces).toHaveBeenCalledTimes(0);
    trees.touch(0, 1);
    trees.touch(2, 1);
    test.send();
    test.send();
    expect(sendPlaces).toHaveBeenCalledTimes(1);
  });

  it('are sent by the world that they moved to', () => {
    const [first, second] = [createTestWorld(), createTestWorld()];
    const trees = new InstancesComponent({ geometry, material, count: 2 });
    const actor = first.world.spawn(trees);
    trees.touch();
    actor.destroy();
    const again = trees.clone();
    second.world.spawn(again);
    expect(counts(first.send()).nodePlaces).toBeUndefined();
    expect(counts(second.send()).nodePlaces).toBe(1);
  });

  it('have colours on request, and send only changed ones', () => {
    const test = createTestWorld();
    const colors = instanceColors();
    const trees = test.world.addInstances({ geometry, material, count: 4, colors });
    trees.colors.set([0.5, 0, 2], 3);
    trees.touch();
    const sent = (): [number[], number[]][] =>
      valuesOf(test.send(), 'setColors').map(({ primitives, colors }) => [
        Array.from(primitives),
        Array.from(colors),
      ]);
    const [[primitives, values]] = sent() as [[number[], number[]]];
    expect(primitives).toEqual([0, 1, 2, 3].map((place) => trees.primitiveOf(place)));
    expect(values).toEqual([1, 1, 1, 1, 0.5, 0, 2, 1, ...Array(8).fill(1)]);
    trees.positions.fill(1);
    trees.touch();
    expect(sent()).toEqual([]);
    trees.colors.fill(0.25, 6);
    trees.touch(0, 3);
    expect(sent()).toEqual([[[trees.primitiveOf(2)], [0.25, 0.25, 0.25, 1]]]);
    trees.count = 5;
    expect(sent()).toEqual([[[trees.primitiveOf(4)], [1, 1, 1, 1]]]);
    expect([...trees.colors.slice(9)]).toEqual([0.25, 0.25, 0.25, 1, 1, 1]);
    expect(() => test.world.addInstances({ geometry, material, count: 1, colors })).toThrow(/instanceColors/);
    trees.colors[4] = -1;
    expect(() => trees.touch()).toThrow(/place 1 have -1/);
  });

  it('G4: send all their colours again to another stream', () => {
    const test = createTestWorld();
    const trees = test.world.addInstances({ geometry, material, count: 2, colors: instanceColors() });
    trees.colors.set([0, 0.5, 1]);
    trees.touch();
    test.send();
    test.resend();
    const [record] = valuesOf(test.read(), 'setColors');
    expect(Array.from(record!.colors)).toEqual([0, 0.5, 1, 1, 1, 1, 1, 1]);
  });

  it('grow and shrink, and keep the transforms of the remaining places', () => {
    const test = createTestWorld();
    const trees = add(test);
    trees.positions.fill(3);
    trees.touch();
    test.send();
    trees.count = 6;
    expect([...trees.positions.slice(9)]).toEqual([3, 3, 3, 0, 0, 0, 0, 0, 0]);
    expect([...trees.rotations.slice(-4), ...trees.scales.slice(-3)]).toEqual([0, 0, 0, 1, 1, 1, 1]);
    const grown = test.send();
    expect(counts(grown)).toMatchObject({ createNode: 2, createPrimitive: 2 });
    trees.count = 1;
    expect(counts(test.send())).toMatchObject({ destroyPrimitive: 5, destroyNode: 5 });
    trees.count = 3;
    trees.count = 0;
    const { createNode = 0, createPrimitive = 0, destroyPrimitive, destroyNode } = counts(test.send());
    expect([createNode, createPrimitive, destroyPrimitive, destroyNode]).toEqual([0, 0, 1, 1]);
  });

  it('follow material, geometry and visibility, and free their ids and resources when destroyed', () => {
    const test = createTestWorld();
    const trees = add(test);
    test.send();
    trees.material = standardMaterial({ baseColor: '#f00' });
    expect(counts(test.send())).toMatchObject({ updatePrimitive: 4, destroyMaterial: 1 });
    trees.geometry = boxGeometry({ size: 2 });
    expect(counts(test.send())).toMatchObject({ createPrimitive: 4, destroyGeometry: 1 });
    trees.visible = false;
    expect(valuesOf(test.send(), 'updatePrimitive').map(({ flags }) => flags & 1)).toEqual([0, 0, 0, 0]);
    const { updates } = test.world;
    const actor = trees.actor!;
    trees.destroy();
    expect(actor.isDestroyed).toBe(true);
    expect(counts(test.send())).toMatchObject({ destroyPrimitive: 4, destroyNode: 5 });
    expect([updates.primitives.liveCount, updates.resources.entries.size]).toEqual([0, 0]);
  });

  it('are resent completely to another stream', () => {
    const test = createTestWorld();
    const trees = add(test);
    trees.positions.set([5, 6, 7]);
    trees.touch();
    test.send();
    test.resend();
    const records = test.read();
    expect(counts(records)).toMatchObject({ createNode: 5, createPrimitive: 4 });
    expect([...positions(records).values()]).toContainEqual([5, 6, 7]);
    trees.destroy();
    expect(counts(test.send())).toMatchObject({ destroyPrimitive: 4, destroyNode: 5 });
  });

  it('count the bytes of their arrays while they are in the world', () => {
    const test = createTestWorld();
    const { arrayBytes } = test.world;
    const trees = add(test, 10);
    // Two copies of ten numbers per place, a node id and a mark.
    expect(test.world.arrayBytes - arrayBytes).toBe(10 * (2 * 40 + 5));
    trees.count = 4;
    expect(test.world.arrayBytes - arrayBytes).toBe(4 * (2 * 40 + 5));
    trees.destroy();
    expect(test.world.arrayBytes).toBe(arrayBytes);
  });

  it('have bounds around all places, and are hit by rays, which return the place', () => {
    const test = createTestWorld();
    const trees = add(test, 3);
    trees.positions.set([0, 0, 0, 10, 0, 0, 0, 20, 0]);
    trees.touch();
    trees.position.set(0, 0, 1);
    expect(trees.actor!.bounds).toEqual({ min: [-0.5, -0.5, 0.5], max: [10.5, 20.5, 1.5] });
    const hit = test.world.raycast([10, 0.1, 9], [0, 0, -1]);
    expect([hit!.component, hit!.instance, hit!.primitive]).toEqual([trees, 1, 0]);
    expect(hit!.distance).toBeCloseTo(7.5);
    expect(test.world.raycast([5, 0, 9], [0, 0, -1])).toBeNull();
  });
});
