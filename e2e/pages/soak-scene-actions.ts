/**
 * Actions of a soak on its scene: meshes, materials, lights, cameras. This class picks the mesh, material, light or
 * camera, and `SoakValues` its new state, both by the seed. `SoakScene` stores the state.
 */
import { SHAPE_COUNT } from './soak-parts.js';
import type { Random } from './soak-random.js';
import type { SoakScene } from './soak-scene.js';
import { CAMERA_COUNT, LIGHT_COUNT, MATERIAL_COUNT } from './soak-state.js';
import { SoakValues } from './soak-values.js';
import type { SoakWatch } from './soak-watch.js';

const MAXIMUM_MESHES = 24;

export class SceneActions {
  readonly #values: SoakValues;
  #nextMesh = 1;

  constructor(
    private readonly scene: SoakScene,
    private readonly random: Random,
    private readonly watch: SoakWatch,
  ) {
    this.#values = new SoakValues(random);
  }

  spawn(): void {
    if (this.scene.meshIds.length >= MAXIMUM_MESHES) {
      this.destroy();
      return;
    }
    const id = this.#nextMesh++;
    const state = this.#values.mesh(id, this.scene.meshIds);
    this.watch.log('spawn', id, state.parent);
    this.scene.spawn(state);
  }
  destroy(): void {
    this.#mesh('destroy', (id) => this.scene.destroy(id));
  }
  attach(): void {
    this.#mesh('attach', (id) => {
      const parent = this.random.pick([null, ...this.scene.meshIds]);
      this.scene.attach(id, parent);
    });
  }
  move(): void {
    this.#mesh('move', (id) => this.scene.setTransform(id, this.#values.transform()));
  }
  show(): void {
    this.#mesh('show', (id) => this.scene.setVisible(id, this.random.next() < 0.6));
  }
  shape(): void {
    this.#mesh('shape', (id) => this.scene.setShape(id, this.random.below(SHAPE_COUNT)));
  }
  useMaterial(): void {
    this.#mesh('use material', (id) => this.scene.useMaterial(id, this.random.below(MATERIAL_COUNT)));
  }
  motion(): void {
    const { kind, motion } = this.#values.motion();
    this.#mesh(`motion ${kind}`, (id) => this.scene.setMotion(id, motion));
  }
  changeMaterial(): void {
    const slot = this.random.below(MATERIAL_COUNT);
    this.watch.log('change material', slot);
    this.scene.changeMaterial(slot, this.#values.material());
  }
  replaceMaterial(): void {
    const slot = this.random.below(MATERIAL_COUNT);
    this.watch.log('replace material', slot);
    this.scene.replaceMaterial(slot, this.#values.material());
  }
  materialMotion(): void {
    const slot = this.random.below(MATERIAL_COUNT);
    const motion = this.#values.materialMotion();
    this.watch.log('material motion', slot, motion !== null);
    this.scene.setMaterialMotion(slot, motion);
  }
  light(): void {
    const slot = this.random.below(LIGHT_COUNT);
    const state = this.#values.light();
    this.watch.log('light', slot, state?.kind ?? 'none');
    this.scene.setLight(slot, state);
  }
  camera(): void {
    const slot = this.random.below(CAMERA_COUNT);
    const state = this.#values.camera();
    this.watch.log('camera', slot, state !== null);
    this.scene.setCamera(slot, state);
  }
  activate(): void {
    const slot = this.random.below(CAMERA_COUNT);
    this.watch.log('activate camera', slot);
    this.scene.activate(slot);
  }

  lods(): void {
    this.#mesh('lods', (id) => this.scene.setLods(id, this.random.next() < 0.6));
  }
  /**
   * Makes a mesh an occluder, or ends that. The comparing page has no occluders, because occluders must not
   * change a picture.
   */
  occluder(): void {
    this.#mesh('occluder', (id) => this.scene.setOccluder(id, this.random.next() < 0.7));
  }
  castShadow(): void {
    this.#mesh('cast shadow', (id) => this.scene.setCastShadow(id, this.random.next() < 0.6));
  }

  #mesh(what: string, action: (id: number) => void): void {
    const ids = this.scene.meshIds;
    if (ids.length === 0) {
      this.spawn();
      return;
    }
    const id = this.random.pick(ids);
    this.watch.log(what, id);
    action(id);
  }
}
