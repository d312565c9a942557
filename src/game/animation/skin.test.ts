import { describe, expect, it } from 'vitest';
import { NO_ID } from '../../proxy/commands.js';
import { VertexFormat, vertexAttributeOffset, vertexStride } from '../../proxy/geometry/vertex-format.js';
import { boxGeometry } from '../geometry/shapes.js';
import { createTestWorld, type RenderRecord, triangleScene, valuesOf } from '../testing/test-world.js';

const IDENTITY = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
const ROWS = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
const at = (x: number, y: number): number[] => [x, y, ...IDENTITY.slice(2)];
const moved = (x: number, y: number): number[] => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, 0];

/** Loads a mesh with two joints: `foot` at x = 2 in the world, and `hand` 3 m above it. */
async function setUp() {
  const [triangle] = triangleScene().geometries;
  // The first joint moves all vertices.
  const data = new ArrayBuffer(3 * 56);
  const floats = new Float32Array(data);
  const stride = vertexStride(VertexFormat.joints) / 4;
  const weight = vertexAttributeOffset(VertexFormat.joints, VertexFormat.joints) / 4 + 2;
  for (const [vertex, [x, y]] of [[0, 0] as const, [1, 0] as const, [0, 1] as const].entries()) {
    floats.set([x, y, 0], vertex * stride);
    floats[vertex * stride + weight] = 1;
  }
  const geometry = {
    ...triangle!,
    vertexFormat: VertexFormat.joints,
    data,
    jointBoxes: Float32Array.of(...[0, 0, 0, 1, 1, 1], ...[0, 0, 0, 1, 1, 1]),
  };
  const scene = triangleScene({
    geometries: [geometry],
    nodes: [
      { name: 'mesh', parent: -1, transform: IDENTITY, primitives: [{ geometry: 0, material: 0 }], skin: 0 },
      { name: 'foot', parent: -1, transform: at(2, 0), primitives: [] },
      { name: 'hand', parent: 1, transform: at(0, 3), primitives: [] },
    ],
    skins: [{ joints: [1, 2], matrices: Float32Array.of(...ROWS, ...ROWS) }],
  });
  const test = createTestWorld(() => Promise.resolve(scene));
  const level = await test.world.load('https://example.org/a.glb');
  return { ...test, level };
}

/** Returns the joints' nodes and matrices of each skin in the records. */
const skinsIn = (records: readonly RenderRecord[]): unknown[] =>
  valuesOf(records, 'createSkin').map(({ joints, matrices }) => [Array.from(joints), Array.from(matrices)]);

it('G3: a ray hits a skinned mesh 6,400 km from the origin where it is seen', async () => {
  const { world, level } = await setUp();
  const x = 6_400_000.03;
  level.find('foot')!.position.x = x;
  // The triangle's left edge is at the joint.
  expect(world.raycast([x - 0.02, 0.25, 1], [0, 0, -1])).toBeNull();
  expect(world.raycast([x + 0.02, 0.25, 1], [0, 0, -1])?.distance).toBeCloseTo(1, 6);
});

describe('a joint that is destroyed', () => {
  it('leaves its vertices in place: the skin is sent again before the node is destroyed, and to each new stream', async () => {
    const { world, level, send, resend, read } = await setUp();
    const [foot, hand] = [level.find('foot')!, level.find('hand')!];
    expect(skinsIn(send())).toEqual([
      [
        [foot.root.node, hand.root.node],
        [...ROWS, ...ROWS],
      ],
    ]);
    hand.position.y = 4;
    hand.destroy();
    const records = send();
    const lost = [
      [
        [foot.root.node, NO_ID],
        [...ROWS, ...moved(2, 4)],
      ],
    ];
    expect(skinsIn(records)).toEqual(lost);
    const names = records.map(({ name }) => name);
    expect(names.indexOf('createSkin')).toBeLessThan(names.indexOf('destroyNode'));
    expect(names.indexOf('attachSkin')).toBeGreaterThan(names.indexOf('createSkin'));
    // The new mesh reuses the node's id, and must not become a joint.
    world.addMesh({ geometry: boxGeometry(), position: [9, 9, 9] });
    foot.position.x = 1;
    expect(skinsIn(send())).toEqual([]);
    expect(level.bounds).toEqual({ min: [0, -1, -1], max: [3, 5, 1] });
    resend();
    expect(skinsIn(read())).toEqual(lost);
  });

  it('leaves its vertices in place if its parent is destroyed, and if it is destroyed before anything was sent', async () => {
    const { level, send } = await setUp();
    level.find('foot')!.destroy();
    expect(skinsIn(send())).toEqual([
      [
        [NO_ID, NO_ID],
        [...moved(2, 0), ...moved(2, 3)],
      ],
    ]);
    expect(level.bounds).toEqual({ min: [1, -1, -1], max: [3, 4, 1] });
  });

  it('keeps its place relative to its parent when the parent is cloned elsewhere', async () => {
    const { level, send } = await setUp();
    const [foot, hand] = [level.find('foot')!, level.find('hand')!];
    level.find('mesh')!.attachTo(foot);
    hand.destroy();
    send();
    // The clone is turned by a quarter around Z and scaled by 2.
    const rotation = [0, 0, Math.SQRT1_2, Math.SQRT1_2] as const;
    const copy = foot.clone({ position: [5, 1, 0], rotation, scale: 2 });
    const [[joints, matrices]] = skinsIn(send()) as [[number[], number[]]];
    expect(joints).toEqual([copy.root.node, NO_ID]);
    const near = [0, -2, 0, -1, 2, 0, 0, 1, 0, 0, 2, 0].map((value) => expect.closeTo(value, 5));
    expect(matrices.slice(12)).toEqual(near);
    // The original's joint has not moved.
    expect(level.bounds.max[1]).toBe(4);
    foot.destroy();
    const alone = copy.clone();
    send();
    copy.destroy();
    const last = alone.clone({ position: [0, 0, 0] });
    expect(skinsIn(send()).length).toBeGreaterThan(0);
    expect(last.bounds?.max[0]).toBeCloseTo(2, 4);
  });

  it('removes the skin from the remaining joints if the mesh is destroyed together with the joint', async () => {
    const { level, send } = await setUp();
    send();
    const mesh = level.find('mesh')!;
    const hand = level.find('hand')!;
    const foot = level.find('foot')!;
    mesh.attachTo(hand);
    const copy = hand.clone();
    send();
    expect(foot.root.skins?.size).toBe(2);
    copy.destroy();
    expect(foot.root.skins?.size).toBe(1);
  });

  it('sends no skins when its level is unloaded', async () => {
    const { level, sendNames, errors } = await setUp();
    sendNames();
    level.unload();
    const sent = sendNames();
    expect(sent).not.toContain('createSkin');
    expect(sent.filter((name) => name === 'destroyNode')).toHaveLength(4);
    expect(errors).toEqual([]);
  });
});
