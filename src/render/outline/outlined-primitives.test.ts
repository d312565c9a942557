import { describe, expect, it } from 'vitest';
import { NodeHierarchy } from '../scene/node-hierarchy.js';
import { PrimitiveStore } from '../scene/primitive-store.js';
import type { Scene } from '../scene/scene.js';
import { OutlinedPrimitives } from './outlined-primitives.js';

/** A scene with nodes 0 to 4, each with the primitive of the same number. Nodes 1 and 2 are a chain beneath 0. */
function createScene() {
  const nodes = new NodeHierarchy();
  const primitives = new PrimitiveStore();
  for (let node = 0; node < 5; node++) {
    nodes.create(node, node === 1 || node === 2 ? node - 1 : -1);
    primitives.create(node, node, 0, 0, 1);
  }
  const scene = { nodes, primitives, version: 0, number: 3 };
  const outlined = new OutlinedPrimitives();
  const actors = { pairs: new Uint32Array([3, 0]), version: 1 };
  const select = (candidates = 0b11111) =>
    outlined.select(scene as unknown as Scene, actors, Uint32Array.of(candidates))[0];
  return { scene, actors, select };
}

describe('OutlinedPrimitives', () => {
  it('selects the primitives of an actor and of everything beneath it, among the candidates', () => {
    const { select } = createScene();
    expect(select()).toBe(0b111);
    expect(select(0b11010)).toBe(0b010);
  });

  it('follows changes of actors, attachments and primitives', () => {
    const { scene, actors, select } = createScene();
    select();
    scene.nodes.attach(4, 2);
    expect(select()).toBe(0b10111);
    scene.nodes.destroy(1);
    expect(select()).toBe(0b00001);
    actors.pairs = new Uint32Array([3, 3, 3, 2]);
    actors.version++;
    expect(select()).toBe(0b11100);
    scene.primitives.destroy(3);
    scene.version++;
    expect(select()).toBe(0b10100);
  });

  it('ignores nodes of other scenes, and nodes that do not exist', () => {
    const { actors, select } = createScene();
    actors.pairs = new Uint32Array([0, 0, 3, 99]);
    actors.version++;
    expect(select()).toBe(0);
  });
});
