import { expect, it } from 'vitest';
import { VertexFormat, vertexAttributeOffset, vertexStride } from '../../proxy/geometry/vertex-format.js';
import { MorphWeights } from '../animation/morph-weights.js';
import { boxGeometry, type PickResult, planeGeometry } from '../index.js';
import { createTestWorld, triangleScene } from '../testing/test-world.js';
import type { World } from '../world/world.js';
import { SurfacePoint } from './surface-point.js';

const IDENTITY = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];

const hitAt = (world: World, x: number, y: number): PickResult => world.raycast([x, y, 10], [0, 0, -1])!;

/** Loads a triangle whose first two vertices follow one joint, and whose third vertex follows another. */
async function loadSkinned() {
  const [triangle] = triangleScene().geometries;
  const stride = vertexStride(VertexFormat.joints) / 4;
  const joints = vertexAttributeOffset(VertexFormat.joints, VertexFormat.joints) / 4;
  const data = new ArrayBuffer(3 * stride * 4);
  const floats = new Float32Array(data);
  for (const [vertex, [x, y]] of [[0, 0] as const, [1, 0] as const, [0, 1] as const].entries()) {
    floats.set([x, y, 0], vertex * stride);
    new Uint16Array(data)[(vertex * stride + joints) * 2] = vertex === 2 ? 1 : 0;
    floats[vertex * stride + joints + 2] = 1;
  }
  const jointBoxes = Float32Array.of(...[0, 0, 0, 1, 1, 1], ...[0, 0, 0, 1, 1, 1]);
  const rows = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  const scene = triangleScene({
    geometries: [{ ...triangle!, vertexFormat: VertexFormat.joints, data, jointBoxes }],
    nodes: [
      { name: 'mesh', parent: -1, transform: IDENTITY, primitives: [{ geometry: 0, material: 0 }], skin: 0 },
      { name: 'foot', parent: -1, transform: IDENTITY, primitives: [] },
      { name: 'hand', parent: -1, transform: IDENTITY, primitives: [] },
    ],
    skins: [{ joints: [1, 2], matrices: Float32Array.of(...rows, ...rows) }],
  });
  const { world } = createTestWorld(async () => scene);
  return { world, level: await world.load('https://example.org/a.glb') };
}

it('a point of a rigid mesh follows the transforms of the mesh and of its parents', () => {
  const { world } = createTestWorld();
  const car = world.addMesh({ geometry: boxGeometry({ size: 0.1 }), position: [5, 0, 0] });
  const door = world.addMesh({ geometry: boxGeometry(), position: [1, 0, 0] });
  const hit = hitAt(world, 1.25, 0.25);
  expect(hit.localPosition).toEqual([0.25, 0.25, 0.5].map((value) => expect.closeTo(value, 6)));
  expect(door.localFromWorld(hit.position)).toEqual(hit.localPosition);
  const point = new SurfacePoint(hit);
  expect(point.position()).toEqual(hit.position.map((value) => expect.closeTo(value, 6)));
  door.rotateY(Math.PI / 2);
  expect(point.position()).toEqual([1.5, 0.25, -0.25].map((value) => expect.closeTo(value, 6)));
  door.attachTo(car);
  car.scale = 2;
  expect(point.position()).toEqual([8, 0.5, -0.5].map((value) => expect.closeTo(value, 6)));
  car.scale = 0;
  expect(door.localFromWorld([1, 2, 3])).toEqual([0, 0, 0]);
});

it('a point of an instance follows its place', () => {
  const { world } = createTestWorld();
  const instances = world.addInstances({ geometry: boxGeometry(), count: 2 });
  instances.positions.set([3, 0, 0], 3);
  instances.touch(1, 1);
  const hit = hitAt(world, 3.25, 0);
  const point = new SurfacePoint(hit);
  expect(hit.instance).toBe(1);
  instances.positions.set([0, 7, 0], 3);
  instances.touch(1, 1);
  expect(point.position()).toEqual([0.25, 7, 0.5].map((value) => expect.closeTo(value, 6)));
});

it('a point of a skinned mesh follows the joints of its triangle', async () => {
  const { world, level } = await loadSkinned();
  const hit = hitAt(world, 0.25, 0.25);
  const point = new SurfacePoint(hit);
  expect(point.position()).toEqual([0.25, 0.25, 0].map((value) => expect.closeTo(value, 6)));
  level.find('hand')!.position.set(0, 4, 2);
  // A quarter of the third vertex.
  expect(point.position()).toEqual([0.25, 1.25, 0.5].map((value) => expect.closeTo(value, 6)));
  level.find('foot')!.position.x = 1;
  expect(point.position()).toEqual([1, 1.25, 0.5].map((value) => expect.closeTo(value, 6)));
});

it('a point of a morphed mesh follows its targets, and after another geometry its transform', () => {
  const { world } = createTestWorld();
  const geometry = planeGeometry({ size: 2 });
  const count = geometry.vertexCount;
  // The target moves all vertices along Z.
  const deltas = Float32Array.from({ length: count * 6 }, (_, index) => (index % 6 === 2 ? 1 : 0)).buffer;
  const morph = { names: ['bulge'], boxes: Float32Array.of(0, 0, 0, 0, 0, 1), deltas, size: 6 };
  const { mesh } = world.addMesh({ geometry: Object.assign(geometry, { morph }) });
  mesh!.morph = new MorphWeights(morph, []);
  const point = new SurfacePoint(hitAt(world, 0.5, 0.5));
  mesh!.setMorphWeight('bulge', 0.75);
  expect(point.position()).toEqual([0.5, 0.5, 0.75].map((value) => expect.closeTo(value, 6)));
  mesh!.geometry = boxGeometry();
  expect(point.position()).toEqual([0.5, 0.5, 0].map((value) => expect.closeTo(value, 6)));
});
