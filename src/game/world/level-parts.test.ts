import { expect, expectTypeOf, it } from 'vitest';
import type { NodeDescription } from '../../proxy/scene-description.js';
import type { ActorEvent } from '../components/actor-events.js';
import { CameraComponent } from '../components/camera-component.js';
import { Actor, boxGeometry, type PickResult, standardMaterial } from '../index.js';
import { codeOf, createTestWorld, triangleScene } from '../testing/test-world.js';

const node = (name: string, changes: Partial<NodeDescription> = {}): NodeDescription => ({
  name,
  parent: -1,
  transform: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
  primitives: [],
  ...changes,
});

/** Loads a file with two materials; the second is of a variant that is not shown. */
async function loadParts() {
  const [material] = triangleScene().materials;
  const shared = { geometry: 0, material: 0 };
  const scene = triangleScene({
    materials: [material!, { ...material!, label: 'paint' }],
    variants: ['painted'],
    nodes: [
      node('two meshes', { primitives: [shared, { ...shared, variants: new Map([[0, 1]]) }] }),
      node('mesh', { primitives: [shared] }),
      node('eye', {
        primitives: [shared],
        camera: { kind: 'perspective', fovY: 0.5, near: 1, far: 9 },
      }),
    ],
  });
  const { world } = createTestWorld(async () => scene);
  return { world, level: await world.load('https://example.org/parts.glb') };
}

it('a level lists its meshes, and the materials of its file by name, also those that are not shown', async () => {
  const { world, level } = await loadParts();
  expect(level.meshes.map(({ actor }) => actor?.name)).toEqual(['two meshes', 'two meshes', 'mesh', 'eye']);
  expect(level.materials.map(({ name }) => name)).toEqual(['material', 'paint']);
  expect(level.meshes[0]!.material).toBe(level.materials[0]);
  level.variant = 'painted';
  expect(level.meshes[1]!.material).toBe(level.materials.find(({ name }) => name === 'paint'));
  level.find('mesh')!.mesh!.material = standardMaterial({ name: 'own' });
  expect(level.materials.map(({ name }) => name)).toEqual(['material', 'paint', 'own']);
  const copy = level.clone();
  expect(copy.materials).toEqual(level.materials.slice(0, 2));
  const other = world.addLevel('other');
  const box = new Actor(world.addMesh({ geometry: boxGeometry() }).root.clone());
  world.spawn(box, { level: other });
  expect([other.meshes, other.materials]).toEqual([[box.mesh], [box.mesh!.material]]);
  level.unload();
  expect([level.meshes, level.materials.length]).toEqual([[], 2]);
});

it('a camera of a file is the root of its actor, also beside meshes, and types say so', async () => {
  const { world, level } = await loadParts();
  const [camera] = level.cameras;
  expect(camera?.root).toBeInstanceOf(CameraComponent);
  expect(camera?.mesh?.parent).toBe(camera?.root);
  expect(world.activeCamera?.root.fovY).toBe(0.5);
  expectTypeOf(level.root).toEqualTypeOf<Actor>();
  expectTypeOf(level.clone().root).toEqualTypeOf<Actor>();
  expectTypeOf(level.cameras).toEqualTypeOf<readonly Actor<CameraComponent>[]>();
  expectTypeOf(world.activeCamera).toEqualTypeOf<Actor<CameraComponent> | null>();
});

it('listeners of a click get a hit, and those of pointerleave get a hit or null', () => {
  const { world } = createTestWorld();
  const actor = world.addMesh({ geometry: boxGeometry() });
  actor.addEventListener('click', ({ type, hit }) => {
    expectTypeOf(type).toEqualTypeOf<'click'>();
    expectTypeOf(hit).toEqualTypeOf<PickResult>();
    hit.component.material = standardMaterial();
  });
  actor.addEventListener('pointerleave', ({ hit }) => {
    expectTypeOf(hit).toEqualTypeOf<PickResult | null>();
  });
  const log = ({ hit }: ActorEvent): void => console.log(hit?.distance);
  actor.addEventListener('click', log);
  actor.removeEventListener('click', log);
  expect(actor.listeners?.get('click')?.size).toBe(1);
});

it('ownMaterial clones shared materials once, and keeps materials that are already own', async () => {
  const { level } = await loadParts();
  const pair = level.find('two meshes')!;
  const mesh = level.find('mesh')!;
  const [shared] = level.materials;
  const own = pair.ownMaterial();
  expect([own.name, own === shared, mesh.mesh!.material]).toEqual(['material', false, shared]);
  // Meshes of one actor that shared a material still do.
  expect(pair.components.map((part) => 'material' in part && part.material === own)).toEqual([
    false,
    true,
    true,
  ]);
  expect(pair.ownMaterial()).toBe(own);
  own.roughness = 0.1;
  expect(shared!.roughness).toBeCloseTo(0.75, 6);
  // A copy shares it, so that both clone it again.
  const copy = pair.clone();
  expect(copy.mesh!.material).toBe(own);
  expect(pair.ownMaterial()).not.toBe(own);
  expect(copy.ownMaterial()).not.toBe(own);
  expect(codeOf(() => level.root.ownMaterial())).toBe('mesh-missing');
});

it('a billboard rejects another material', async () => {
  const { world } = createTestWorld();
  const line = await world.addLines({ positions: [0, 0, 0, 1, 0, 0] });
  expect(
    codeOf(() => {
      line.root.material = standardMaterial();
    }),
  ).toBe('option-invalid');
});
