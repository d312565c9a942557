import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOPOLOGIES } from '../../proxy/commands.js';
import { geometryBytes } from '../../proxy/geometry/geometry-size.js';
import { VertexFormat, vertexStride } from '../../proxy/geometry/vertex-format.js';
import { codeOf, createTestWorld, valuesOf } from '../testing/test-world.js';
import { type Geometry, type GeometryOptions, geometry } from './geometry.js';
import {
  boxGeometry,
  coneGeometry,
  cylinderGeometry,
  planeGeometry,
  sphereGeometry,
  torusGeometry,
} from './shapes.js';

const TRIANGLE = [0, 0, 0, 1, 0, 0, 0, 1, 0];

function floatsOf({ data, vertexFormat, vertexCount }: Geometry): number[][] {
  const stride = vertexStride(vertexFormat) / 4;
  // + 0 turns −0 into 0.
  const floats = Array.from(new Float32Array(data, 0, vertexCount * stride), (value) => value + 0);
  return Array.from({ length: vertexCount }, (_, index) =>
    floats.slice(index * stride, (index + 1) * stride),
  );
}

function indicesOf({ data, vertexFormat, vertexCount, indexCount }: Geometry): number[] {
  return Array.from(new Uint32Array(data, vertexCount * vertexStride(vertexFormat), indexCount));
}

describe('geometry', () => {
  it('interleaves every attribute at the offset of vertex-format.ts', () => {
    const result = geometry({
      positions: TRIANGLE,
      normals: [0, 0, 1, 0, 0, 1, 0, 0, 1],
      uvs: [0, 0, 1, 0, 0, 1],
      tangents: [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1],
      uvs1: [5, 6, 7, 8, 9, 10],
      colors: [1, 0, 0, 0, 1, 0, 0, 0, 1],
      indices: [0, 1, 2],
    });
    expect(result.vertexFormat).toBe(VertexFormat.tangents | VertexFormat.uv1 | VertexFormat.colors);
    expect(floatsOf(result)[2]).toEqual([0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, -1, 9, 10, 0, 0, 1, 1]);
    expect(indicesOf(result)).toEqual([0, 1, 2]);
    expect([result.minimum, result.maximum]).toEqual([
      [0, 0, 0],
      [1, 1, 0],
    ]);
  });

  it('computes flat normals if none are given, and splits shared vertices', () => {
    const plain = geometry({ positions: TRIANGLE });
    expect(floatsOf(plain).map((vertex) => vertex.slice(3, 6))).toEqual(Array(3).fill([0, 0, 1]));
    const folded = geometry({ positions: [...TRIANGLE, 0, 0, 1], indices: [0, 1, 2, 0, 3, 1] });
    expect([folded.vertexCount, folded.indexCount]).toEqual([6, 0]);
    expect(floatsOf(folded).map((vertex) => vertex.slice(3, 6))).toEqual([
      ...Array(3).fill([0, 0, 1]),
      ...Array(3).fill([0, 1, 0]),
    ]);
    const strip = geometry({ positions: [...TRIANGLE, 1, 1, 0], topology: 'triangle-strip' });
    expect(strip.topology).toBe('triangle-list');
    expect(floatsOf(strip).map((vertex) => vertex.slice(3, 6))).toEqual(Array(6).fill([0, 0, 1]));
  });

  it('draws nothing for an empty list of indices, and every vertex without a list', () => {
    const positions = [0, 0, 0, 1, 0, 0, 0, 1, 0];
    expect(geometry({ positions, normals: positions, indices: [] }).vertexCount).toBe(0);
    expect(geometry({ positions, normals: positions }).vertexCount).toBe(3);
  });

  it('keeps the vertices and indices of lines without normals', () => {
    const lines = geometry({ positions: TRIANGLE, indices: [0, 1, 1, 2], topology: 'line-list' });
    expect([lines.vertexCount, lines.indexCount]).toEqual([3, 4]);
  });

  it.each<[string, Partial<GeometryOptions>]>([
    ['geometry-attribute-length', { positions: [] }],
    ['geometry-attribute-length', { positions: [1, 2] }],
    ['geometry-attribute-length', { normals: [0, 0, 1] }],
    ['geometry-attribute-length', { uvs: [0, 0] }],
    ['geometry-attribute-length', { colors: [1] }],
    ['geometry-not-finite', { positions: [...TRIANGLE.slice(0, 8), Number.NaN] }],
    ['geometry-not-finite', { uvs: [0, 0, 0, 0, 0, Infinity] }],
    ['geometry-index-out-of-range', { indices: [0, 1, 3] }],
    ['geometry-index-out-of-range', { indices: [0, 1, -1] }],
    ['geometry-index-out-of-range', { indices: [0, 1, 0.5] }],
    ['geometry-incomplete-primitive', { indices: [0, 1] }],
    ['geometry-incomplete-primitive', { topology: 'line-list' }],
    ['option-invalid', { topology: 'triangles' as never }],
    ['option-unknown', { vertices: [] } as never],
    ['geometry-attribute-length', { positions: undefined as never }],
  ])('throws %s', (code, changes) => {
    expect(codeOf(() => geometry({ positions: TRIANGLE, ...changes }))).toBe(code);
  });

  it('rejects more than 1 GiB before any data is read, counting flat triangles by their split vertices', () => {
    const unread = (length: number): ArrayLike<number> =>
      new Proxy({ length }, { get: (target, name) => (name === 'length' ? target.length : expect.fail()) });
    const vertices = 90_000_000;
    const refused = (options: GeometryOptions) =>
      expect(() => geometry({ name: 'terrain', ...options })).toThrow(
        expect.objectContaining({ code: 'limit-exceeded', message: expect.stringContaining('"terrain"') }),
      );
    refused({ positions: unread(vertices * 3), normals: unread(vertices * 3) });
    refused({ positions: unread(vertices * 3) });
    // Few vertices, but many triangles, each of which needs three vertices of its own.
    refused({ positions: unread(9), indices: unread(2 ** 25 + 3) });
    refused({ positions: unread(9), indices: unread(12_000_000), topology: 'triangle-strip' });
    refused({ positions: unread(9), normals: unread(9), indices: unread(2 ** 28) });
  });

  it('allocates the bytes that geometryBytes predicts', () => {
    const options = fc.record({
      triangles: fc.nat({ max: 5 }),
      topology: fc.constantFrom(...TOPOLOGIES),
      hasNormals: fc.boolean(),
      hasColors: fc.boolean(),
      indexCount: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(options, ({ triangles, topology, hasNormals, hasColors, indexCount }) => {
        const vertexCount = triangles * 6 + 6;
        const indices = indexCount === undefined ? undefined : new Array<number>(indexCount * 6).fill(0);
        const { data } = geometry({
          positions: new Float32Array(vertexCount * 3),
          ...(hasNormals ? { normals: new Float32Array(vertexCount * 3) } : {}),
          ...(hasColors ? { colors: new Float32Array(vertexCount * 4) } : {}),
          ...(indices ? { indices } : {}),
          topology,
        });
        const vertexFormat = hasColors ? VertexFormat.colors : 0;
        expect(data.byteLength).toBe(
          geometryBytes({ topology, vertexFormat, vertexCount, indexCount: indices?.length, hasNormals }),
        );
      }),
    );
  });
});

it.each<[GeometryOptions, string]>([
  [{ positions: [0, 0] }, 'positions of geometry "geometry" has 2 numbers, not 3: 3 per vertex.'],
  [{ positions: [] }, 'positions of geometry "geometry" has 0 numbers, not 3: 3 per vertex.'],
  [{ positions: TRIANGLE, uvs: [1] }, 'uvs of geometry "geometry" has 1 numbers, not 6: 2 per vertex.'],
])('names the required count of numbers in its error: %o', (options, message) => {
  expect(() => geometry(options)).toThrow(message);
});

const SHAPES: [string, () => Geometry][] = [
  ['box', () => boxGeometry({ size: [1, 2, 3] })],
  ['sphere', () => sphereGeometry({ segments: 8 })],
  ['cylinder', () => cylinderGeometry({ segments: 8 })],
  ['truncated cone', () => cylinderGeometry({ segments: 8, radiusTop: 0.2, radiusBottom: 1 })],
  ['cone', () => coneGeometry({ segments: 8 })],
  ['torus', () => torusGeometry({ segments: 8, tubeSegments: 6 })],
];

describe('shapes', () => {
  it.each<[() => Geometry, string]>([
    [() => coneGeometry({ radius: -1 }), 'radius of coneGeometry is -1'],
    [() => coneGeometry({ segments: 2 }), 'segments of coneGeometry is 2'],
    [() => cylinderGeometry({ radius: -1 }), 'radius of cylinderGeometry is -1'],
    [() => cylinderGeometry({ radiusBottom: -1 }), 'radiusBottom of cylinderGeometry is -1'],
  ])('%o throws an error that names the function and the value', (make, message) => {
    expect(make).toThrow(message);
  });

  it.each([
    ...SHAPES,
    ['plane', () => planeGeometry({ segments: 3 })],
    ['floor', () => planeGeometry({ facing: 'y' })],
  ])(
    '%s: every triangle has area, winds the way its unit normals point, and lies within the bounds',
    (_name, make) => {
      const shape = make();
      const vertices = floatsOf(shape);
      const indices = indicesOf(shape);
      expect(indices.length % 3).toBe(0);
      for (let at = 0; at < indices.length; at += 3) {
        const [a, b, c] = [0, 1, 2].map((corner) => vertices[indices[at + corner]!]!) as [
          number[],
          number[],
          number[],
        ];
        const u = [0, 1, 2].map((axis) => b[axis]! - a[axis]!) as [number, number, number];
        const v = [0, 1, 2].map((axis) => c[axis]! - a[axis]!) as [number, number, number];
        const face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        expect(Math.hypot(...face)).toBeGreaterThan(1e-6);
        for (const vertex of [a, b, c]) {
          const normal = vertex.slice(3, 6);
          expect(Math.hypot(...normal)).toBeCloseTo(1, 5);
          expect(normal.reduce((sum, value, axis) => sum + value * face[axis]!, 0)).toBeGreaterThan(0);
        }
      }
      for (const vertex of vertices) {
        for (let axis = 0; axis < 3; axis++) {
          expect(vertex[axis]).toBeGreaterThanOrEqual(shape.minimum[axis]!);
          expect(vertex[axis]).toBeLessThanOrEqual(shape.maximum[axis]!);
        }
      }
    },
  );

  it.each(SHAPES)('%s: is closed, because every edge has its opposite', (_name, make) => {
    const shape = make();
    const vertices = floatsOf(shape);
    const keyOf = (index: number) =>
      vertices[index]!.slice(0, 3)
        .map((value) => Math.round(value * 1e4) + 0)
        .join();
    const indices = indicesOf(shape).map(keyOf);
    const edges = new Map<string, number>();
    for (let at = 0; at < indices.length; at += 3) {
      for (let corner = 0; corner < 3; corner++) {
        const from = indices[at + corner]!;
        const to = indices[at + ((corner + 1) % 3)]!;
        edges.set(`${from}>${to}`, (edges.get(`${from}>${to}`) ?? 0) + 1);
        edges.set(`${to}>${from}`, (edges.get(`${to}>${from}`) ?? 0) - 1);
      }
    }
    expect([...edges.values()].every((count) => count === 0)).toBe(true);
  });

  it('show the image unmirrored on every side of a box, and upright on its vertical sides', () => {
    const box = boxGeometry();
    const vertices = floatsOf(box);
    for (let face = 0; face < 6; face++) {
      const [topLeft, topRight, bottomLeft] = vertices.slice(face * 4) as [number[], number[], number[]];
      expect([topLeft, topRight, bottomLeft].map((vertex) => vertex.slice(6, 8))).toEqual([
        [0, 0],
        [1, 0],
        [0, 1],
      ]);
      // u × (up = −v) points outwards when the image is not mirrored.
      const u = [0, 1, 2].map((axis) => topRight[axis]! - topLeft[axis]!) as [number, number, number];
      const up = [0, 1, 2].map((axis) => topLeft[axis]! - bottomLeft[axis]!) as [number, number, number];
      const out = [u[1] * up[2] - u[2] * up[1], u[2] * up[0] - u[0] * up[2], u[0] * up[1] - u[1] * up[0]];
      expect(out.map((value) => value + 0)).toEqual(topLeft.slice(3, 6).map((value) => value + 0));
      if (topLeft[4] === 0) expect(up).toEqual([0, 1, 0]);
    }
  });

  it('have the requested sizes, and reject invalid sizes and options', () => {
    expect(planeGeometry({ size: 3 }).maximum).toEqual([1.5, 1.5, 0]);
    expect(planeGeometry({ size: [2, 4], height: 6 }).maximum).toEqual([1, 3, 0]);
    fc.assert(
      fc.property(fc.float({ min: Math.fround(0.01), max: 100, noNaN: true }), (size) => {
        expect(boxGeometry({ size }).maximum[0]).toBeCloseTo(size / 2, 4);
        expect(sphereGeometry({ radius: size, segments: 8 }).maximum[1]).toBeCloseTo(size, 4);
        expect(planeGeometry({ width: size }).maximum).toEqual([Math.fround(size / 2), 0.5, 0]);
      }),
    );
    expect(codeOf(() => boxGeometry({ size: 0 }))).toBe('option-out-of-range');
    expect(codeOf(() => sphereGeometry({ radius: -1 }))).toBe('option-out-of-range');
    expect(codeOf(() => sphereGeometry({ radus: 1 } as never))).toBe('option-unknown');
    expect(codeOf(() => boxGeometry({ size: [1, 2] }))).toBe('option-invalid');
  });
});

describe('an updated geometry', () => {
  it('sends changes once per frame, in records of at most 8,192 words, and its whole content to a new stream', () => {
    const { world, send, resend, read } = createTestWorld();
    const positions = Array.from({ length: 3 * 6000 }, (_, index) => index % 7);
    const normals = positions.map((_, index) => (index % 3 === 2 ? 1 : 0));
    const shape = geometry({ positions, normals });
    world.addMesh({ geometry: shape });
    send();
    shape.update({ positions: [9, 9, 9], firstVertex: 2 });
    shape.update({ uvs: [0.5, 0.5], firstVertex: 4 });
    const [record, ...rest] = valuesOf(send(), 'updateGeometry');
    expect(rest).toEqual([]);
    // Vertices 2 to 4, of 8 words each.
    expect([record?.offset, record?.data.length, record?.maximumX, record?.minimumX]).toEqual([16, 24, 9, 0]);
    expect([...new Float32Array(Uint32Array.from(record?.data ?? []).buffer)].slice(0, 3)).toEqual([9, 9, 9]);
    expect(send()).toEqual([]);
    shape.update({ positions });
    expect(valuesOf(send(), 'updateGeometry').map(({ offset, data }) => [offset, data.length])).toEqual([
      [0, 8192],
      [8192, 8192],
      [16384, 8192],
      [24576, 8192],
      [32768, 8192],
      [40960, 7040],
    ]);
    shape.update({ positions: [5, 5, 5] });
    const reader = resend();
    const [created] = valuesOf(read(), 'createGeometry');
    const sent = new Float32Array(reader.attachment(created?.data as number) as ArrayBuffer);
    expect([...sent.subarray(0, 3)]).toEqual([5, 5, 5]);
  });

  it('stops notifying a world that no longer uses it', () => {
    const { world, send } = createTestWorld();
    const shape = boxGeometry();
    const mesh = world.addMesh({ geometry: shape });
    send();
    expect(shape.watchers.size).toBe(1);
    mesh.destroy();
    shape.update({ positions: [9, 9, 9] });
    expect(valuesOf(send(), 'destroyGeometry')).toHaveLength(1);
    expect(shape.watchers.size).toBe(0);
    shape.update({ positions: [8, 8, 8] });
    expect(send()).toEqual([]);
  });

  it.each(['triangle-list', 'triangle-strip'] as const)(
    'without normals equals a new geometry with the same numbers, after any changes: %s',
    (topology) => {
      const vertex = fc.integer({ min: 0, max: 4 });
      const indices = fc.array(vertex, { minLength: 6, maxLength: 6 });
      const numbers = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 15, maxLength: 15 });
      const part = fc.record({ first: fc.integer({ min: 0, max: 4 }), indices, numbers, uvs: fc.boolean() });
      fc.assert(
        fc.property(numbers, indices, fc.array(part, { maxLength: 4 }), (positions, made, parts) => {
          const uvs = new Array<number>(10).fill(0);
          const options = { positions: [...positions], uvs, indices: [...made], topology };
          const shape = geometry(options);
          const { data, vertexCount } = shape;
          for (const { first, indices, numbers, uvs } of parts) {
            const changes = {
              firstVertex: first,
              firstIndex: first,
              positions: numbers.slice(first * 3),
              indices: indices.slice(first),
              ...(uvs && { uvs: numbers.slice(first * 2, 10) }),
            };
            shape.update(changes);
            options.positions.splice(first * 3, 15, ...changes.positions);
            options.indices.splice(first, 6, ...changes.indices);
            if (uvs) options.uvs.splice(first * 2, 10, ...numbers.slice(first * 2, 10));
          }
          const same = geometry(options);
          expect([...new Float32Array(shape.data)]).toEqual([...new Float32Array(same.data)]);
          // + 0: −0 counts as 0.
          const box = ({ minimum, maximum }: typeof shape) =>
            [...minimum, ...maximum].map((value) => value + 0);
          expect(box(shape)).toEqual(box(same));
          expect([shape.data, shape.vertexCount]).toEqual([data, vertexCount]);
        }),
      );
    },
  );

  it('without normals accepts new indices, which refer to the vertices that the page has passed', () => {
    const { world, send } = createTestWorld();
    const shape = geometry({ positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], indices: [0, 1, 2, 0, 2, 3] });
    world.addMesh({ geometry: shape });
    send();
    shape.update({ indices: [0, 1, 2, 0, 1, 3] });
    shape.update({ indices: [1], firstIndex: 4 });
    const [record] = valuesOf(send(), 'updateGeometry');
    expect([record?.offset, record?.data.length]).toEqual([0, 6 * 8]);
    expect(codeOf(() => shape.update({ indices: [0, 1], firstIndex: 5 }))).toBe('geometry-attribute-length');
    expect(codeOf(() => shape.update({ indices: [4] }))).toBe('geometry-index-out-of-range');
    expect(codeOf(() => shape.update({ normals: [0, 0, 1] }))).toBe('geometry-attribute-missing');
    const soup = geometry({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] });
    expect(codeOf(() => soup.update({ indices: [0] }))).toBe('geometry-attribute-length');
  });
});
