import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { TransformArray } from '../../proxy/transform-array.js';
import { published, unpackPlaces, valuesOf } from '../testing/test-world.js';
import { ShownPlaces } from './shown-places.js';

/** Two full records and a part of a third. */
const COUNT = 3333;

function open(count: number) {
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const places = new ShownPlaces();
  places.resize(count);
  places.nodes.forEach((_, place) => {
    places.nodes[place] = 10 + place;
  });
  const positions = Float32Array.from({ length: count * 3 }, (_, index) => index);
  const rotations = Float32Array.from({ length: count * 4 }, (_, index) => index / 2);
  const scales = Float32Array.from({ length: count * 3 }, (_, index) => index / 4);
  const touch = (first: number, end: number) => places.touch(first, end, positions, rotations, scales);
  /** Returns the ten numbers of each sent place, by place. */
  const send = (): Map<number, number[]> => {
    places.send(writer);
    const records = valuesOf(published(writer, reader), 'nodePlaces');
    return new Map(
      records.flatMap(({ places }) => unpackPlaces(places)).map(([node, numbers]) => [node - 10, numbers]),
    );
  };
  const numbersOf = (place: number): number[] => [
    ...positions.subarray(place * 3, place * 3 + 3),
    ...rotations.subarray(place * 4, place * 4 + 4),
    ...scales.subarray(place * 3, place * 3 + 3),
  ];
  return { places, positions, touch, send, numbersOf };
}

it('G2: touched places are sent once, whether they are all places or a range of them', () => {
  const { touch, send, numbersOf } = open(COUNT);
  for (const [first, end] of [
    [0, COUNT],
    [0, 1450],
    [1449, 1452],
    [3332, 3333],
  ] as const) {
    touch(first, end);
    const sent = send();
    expect([...sent.keys()]).toEqual(Array.from({ length: end - first }, (_, index) => first + index));
    for (const [place, numbers] of sent) expect(numbers).toEqual(numbersOf(place));
    expect(send().size).toBe(0);
  }
});

it('G2: any touches send exactly the touched places, with their numbers at the last touch', () => {
  const range = fc.tuple(fc.nat(COUNT - 1), fc.nat(40));
  fc.assert(
    fc.property(fc.array(fc.array(range, { maxLength: 8 }), { maxLength: 4 }), (frames) => {
      const { positions, touch, send, numbersOf } = open(COUNT);
      for (const ranges of frames) {
        const expected = new Map<number, number[]>();
        for (const [first, length] of ranges) {
          const end = Math.min(COUNT, first + length);
          positions[first * 3] = first + length;
          touch(first, end);
          for (let place = first; place < end; place++) expected.set(place, numbersOf(place));
        }
        positions.fill(-1);
        const sent = send();
        expect([...sent].sort(([a], [b]) => a - b)).toEqual([...expected].sort(([a], [b]) => a - b));
      }
    }),
    { numRuns: 50 },
  );
});

it('G2: a resize keeps the numbers and the marks of the places that stay', () => {
  const { places, touch, send, numbersOf } = open(COUNT);
  touch(5, 8);
  places.resize(7);
  expect([...send()]).toEqual([
    [5, numbersOf(5)],
    [6, numbersOf(6)],
  ]);
  places.resize(9);
  places.nodes.set([17, 18], 7);
  places.markAll();
  expect([...send().values()].slice(5)).toEqual([
    numbersOf(5),
    numbersOf(6),
    Array(10).fill(0),
    Array(10).fill(0),
  ]);
});

it('G1: a place returns the numbers that were written, with its position rounded to 32 bits', () => {
  const { places, touch } = open(4);
  touch(0, 4);
  const transforms = new TransformArray(4);
  transforms.write(2, [0.1, 1e7 + 0.3, 3, 0, 0, 0, 2, 1, 2, 3]);
  expect(places.isSame(1, transforms, 2)).toBe(false);
  places.write(1, transforms, 2);
  expect(places.isSame(1, transforms, 2)).toBe(true);
  places.read(1, transforms, 3);
  const numbers = new Float64Array(10);
  transforms.read(3, numbers);
  expect([...numbers]).toEqual([Math.fround(0.1), 1e7, 3, 0, 0, 0, 2, 1, 2, 3]);
});
