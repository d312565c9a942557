import { describe, expect, it, vi } from 'vitest';
import { boxGeometry, planeGeometry, sphereGeometry } from '../geometry/shapes.js';
import { standardMaterial } from '../materials/material.js';
import { codeOf, createTestWorld } from '../testing/test-world.js';

const near = (numbers: readonly number[]) => numbers.map((value) => expect.closeTo(value, 4));

describe('world.raycast', () => {
  it('hits the nearest visible mesh in its layers, up to a distance', () => {
    const { world } = createTestWorld();
    const far = world.addMesh({ geometry: boxGeometry(), position: [0, 0, -5] });
    const close = world.addMesh({ geometry: boxGeometry(), position: [0, 0, -2], layers: 2 });
    const hit = world.raycast([0, 0, 0], [0, 0, -3]);
    expect(hit).toMatchObject({ actor: close, component: close.root, primitive: 0, instance: 0 });
    expect(hit!.distance).toBeCloseTo(1.5);
    expect(hit!.position).toEqual(near([0, 0, -1.5]));
    expect(hit!.normal).toEqual(near([0, 0, 1]));
    expect(hit!.uv).toEqual(near([0.5, 0.5]));
    expect(world.raycast([0, 0, 0], [0, 0, -1], { layers: 1 })?.actor).toBe(far);
    expect(world.raycast([0, 0, 0], [0, 0, -1], { maxDistance: 1.4 })).toBeNull();
    expect(world.raycast([0, 0, 0], [0, 0, -1], { maxDistance: 1.5 })?.actor).toBe(close);
    close.visible = false;
    expect(world.raycast([0, 0, 0], [0, 0, -1])?.actor).toBe(far);
    far.destroy();
    expect(world.raycast([0, 0, 0], [0, 0, -1])).toBeNull();
  });

  it('follows the transforms of meshes: rotated, scaled, mirrored, attached', () => {
    const { world } = createTestWorld();
    const parent = world.addMesh({ geometry: sphereGeometry(), position: [100, 0, 0] });
    const ball = world.addMesh({ geometry: sphereGeometry({ radius: 1 }), scale: [-2, 2, 2] });
    ball.attachTo(parent);
    const hit = world.raycast({ x: 100, y: 10, z: 0 }, { x: 0, y: -1, z: 0 });
    expect(hit?.actor).toBe(ball);
    expect(hit!.distance).toBeCloseTo(8, 1);
    expect(hit!.normal[1]).toBeGreaterThan(0.9);
    expect(hit!.position[0]).toBeCloseTo(100, 3);
  });

  it('hits the side of a box that faces the ray', () => {
    const { world } = createTestWorld();
    const box = world.addMesh({ geometry: boxGeometry(), position: [5, 0, 0], scale: [1, 1, 3] });
    box.rotateY(Math.PI / 4);
    const hit = world.raycast([0, 0, 0], [1, 0, 0]);
    expect(hit!.distance).toBeCloseTo(5 - Math.SQRT1_2, 4);
    expect(hit!.normal).toEqual(near([-Math.SQRT1_2, 0, Math.SQRT1_2]));
  });

  it('hits single-sided meshes from their front, others from both sides', () => {
    const { world } = createTestWorld();
    const plane = world.addMesh({ geometry: planeGeometry({ size: 2 }) });
    const front = world.raycast([0, 0, 1], [0, 0, -1]) ?? world.raycast([0, 1, 0], [0, -1, 0]);
    expect(front?.actor).toBe(plane);
    const from = front!.position.map((value, axis) => value - front!.normal[axis]!);
    expect(world.raycast(from, front!.normal)).toBeNull();
    plane.root.material = standardMaterial({ doubleSided: true });
    const back = world.raycast(from, front!.normal);
    expect(back?.actor).toBe(plane);
    expect(back!.normal).toEqual(near(front!.normal.map((value) => -value)));
  });

  it('hits the same triangles with new trees and with cached trees', async () => {
    vi.resetModules();
    // A fresh copy of the modules, without any cached trees.
    const { createTestWorld } = await import('../testing/test-world.js');
    const { sphereGeometry } = await import('../geometry/shapes.js');
    const { world } = createTestWorld();
    world.addMesh({ geometry: sphereGeometry(), rotation: [0.1, 0.2, 0.3, 0.9] });
    // Some rays run through edges and corners, where several triangles are hit at the same distance.
    const rays = Array.from(
      { length: 64 },
      (_, index) => [Math.sin(index), Math.cos(index * 7), 0.5] as const,
    );
    const meet = () => rays.map((from) => world.raycast(from, [-from[0], -from[1], -from[2]]));
    const one = meet();
    expect(one.every((hit) => hit !== null)).toBe(true);
    await vi.dynamicImportSettled();
    const tree = vi.spyOn((await import('./triangle-tree.js')).TriangleTree.prototype, 'intersect');
    expect(meet()).toEqual(one);
    expect(tree).toHaveBeenCalled();
  });

  it('never passes between triangles at the edges and vertices of a closed surface', () => {
    const { world } = createTestWorld();
    const geometry = sphereGeometry();
    const ball = world.addMesh({ geometry });
    const floats = new Float32Array(geometry.data, 0, geometry.vertexCount * 8);
    const indices = new Uint32Array(geometry.data, geometry.vertexCount * 32, geometry.indexCount);
    const vertex = (index: number): number[] => [...floats.subarray(index * 8, index * 8 + 3)];
    const places: number[][] = Array.from({ length: geometry.vertexCount }, (_, index) => vertex(index));
    for (let corner = 0; corner < indices.length; corner += 12) {
      const [a, b] = [vertex(indices[corner]!), vertex(indices[corner + 1]!)];
      places.push(a.map((value, axis) => (value + b[axis]!) / 2));
    }
    let missed = 0;
    const count = (from: readonly number[], to: readonly number[]): void => {
      const direction = to.map((value, axis) => value - from[axis]!);
      if (!world.raycast(from, direction)) missed++;
    };
    for (const [rotation, position] of [
      [
        [0, 0, 0, 1],
        [0, 0, 0],
      ],
      [
        [0.1, 0.2, 0.3, 0.9],
        [0, 0, 0],
      ],
      [
        [-0.5, 0.1, 0.7, 0.5],
        [1e3, -40, 7],
      ],
    ] as const) {
      ball.rotation.set(rotation[0], rotation[1], rotation[2], rotation[3]);
      ball.position.set(position[0], position[1], position[2]);
      const matrix = ball.root.worldFromLocal([] as number[]);
      for (const place of places) {
        const at = [0, 1, 2].map(
          (row) =>
            matrix[row]! * place[0]! +
            matrix[row + 4]! * place[1]! +
            matrix[row + 8]! * place[2]! +
            position[row]!,
        );
        // Rays from outside: along the radius, and from a shifted point.
        const out = at.map((value, axis) => 4 * value - 3 * position[axis]!);
        count(out, at);
        count(
          out.map((value, axis) => value + at[axis]! - position[axis]! + 0.1),
          at,
        );
      }
    }
    expect(missed).toBe(0);
  });

  it('hits meshes that are flat, because a scale is 0', () => {
    const { world } = createTestWorld();
    const parent = world.addMesh({ geometry: boxGeometry({ size: 1e-3 }), position: [100, 0, 0] });
    const flat = world.addMesh({
      geometry: boxGeometry(),
      material: standardMaterial(),
      scale: [2, 0, 4],
      position: [0, 3, 0],
    });
    const from = [0.3, 5, -0.4] as const;
    const hit = world.raycast(from, [0, -2, 0]);
    expect(hit).toMatchObject({ actor: flat, component: flat.root });
    expect(hit!.distance).toBeCloseTo(2, 9);
    expect(hit!.position).toEqual(near([0.3, 3, -0.4]));
    expect(hit!.normal).toEqual(near([0, 1, 0]));
    expect(hit!.uv).toEqual(near([0.5 + 0.15, 0.5 - 0.1]));
    // A ray from below, at an angle.
    const below = world.raycast([0, 0, 0], [0.2, 1, 0.1]);
    expect(below!.position).toEqual(near([0.6, 3, 0.3]));
    expect(below!.normal).toEqual(near([0, -1, 0]));
    // Rays that pass beside the mesh, lie in its plane, point away from it, or end before it.
    expect(world.raycast([1.1, 5, 0], [0, -1, 0])).toBeNull();
    expect(world.raycast([0, 5, 2.1], [0, -1, 0])).toBeNull();
    expect(world.raycast([-9, 3, 0], [1, 0, 0])).toBeNull();
    expect(world.raycast(from, [0, 1, 0])).toBeNull();
    expect(world.raycast(from, [0, -1, 0], { maxDistance: 1.9 })).toBeNull();
    expect(world.raycast(from, [0, -1, 0], { maxDistance: 2 })?.actor).toBe(flat);
    // A plane can be hit from one side only, whether it is flattened or not.
    flat.root.geometry = planeGeometry();
    flat.scale.set(2, 4, 0);
    expect(world.raycast([0, 3, 5], [0, 0, -1])?.actor).toBe(flat);
    expect(world.raycast([0, 3, -5], [0, 0, 1])).toBeNull();
    // The parent flattens the mesh, in a direction that is not one of the mesh's own axes.
    flat.root.geometry = boxGeometry();
    flat.position.set(0, 0, 0);
    flat.scale.set(1, 1, 1);
    flat.rotation.set(0.2, 0.3, 0.1, 0.9);
    flat.attachTo(parent);
    parent.scale.set(0, 1, 1);
    parent.rotation.set(0, 0, Math.SQRT1_2, Math.SQRT1_2);
    expect(world.raycast([100.1, 7, 0.1], [0, -1, 0])).toMatchObject({
      actor: flat,
      distance: expect.closeTo(7, 6),
    });
    // A line or a point has no area.
    flat.attachTo(null);
    for (const scale of [
      [1, 0, 0],
      [0, 0, 0],
    ] as const) {
      flat.scale.set(scale[0], scale[1], scale[2]);
      expect(world.raycast([0, 5, 0], [0, -1, 0])).toBeNull();
    }
  });

  it('rejects an invalid ray', () => {
    const { world } = createTestWorld();
    expect(codeOf(() => world.raycast([0, 0, 0], [0, 0, 0]))).toBe('option-invalid');
    expect(codeOf(() => world.raycast([0, 0], [0, 0, 1]))).toBe('option-invalid');
    expect(codeOf(() => world.raycast([0, Number.NaN, 0], [0, 0, 1]))).toBe('option-out-of-range');
    expect(codeOf(() => world.raycast([0, 0, 0], [0, 0, 1], { maxDistance: -1 }))).toBe(
      'option-out-of-range',
    );
    expect(codeOf(() => world.raycast([0, 0, 0], [0, 0, 1], { far: 1 } as never))).toBe('option-unknown');
  });
});
