/**
 * What a soak does to its scene: meshes, materials, lights, cameras, files. Which mesh and which state, the seed
 * says (`SoakValues`); the scene remembers (`SoakScene`).
 */
import type * as fencepost from 'fencepost';
import { SHAPE_COUNT } from './soak-parts.js';
import type { Random } from './soak-random.js';
import type { SoakScene } from './soak-scene.js';
import { CAMERA_COUNT, LEVEL_COUNT, LIGHT_COUNT, MATERIAL_COUNT } from './soak-state.js';
import { SoakValues } from './soak-values.js';
import type { SoakWatch } from './soak-watch.js';

const MAXIMUM_MESHES = 24;

export interface SoakFiles {
  /** Addresses of files that load. */
  readonly files: readonly string[];
  /** Addresses of files that are refused. */
  readonly refusedFiles: readonly string[];
}

export class SceneActions {
  readonly #values: SoakValues;
  #nextMesh = 1;

  constructor(
    private readonly world: fencepost.World,
    private readonly scene: SoakScene,
    private readonly random: Random,
    private readonly watch: SoakWatch,
    private readonly files: SoakFiles,
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

  load(): void {
    const { random } = this;
    const slot = random.below(LEVEL_COUNT);
    const file = random.pick(this.files.files);
    const as = /\.glb$/.test(file) ? random.pick(['address', 'bytes'] as const) : 'address';
    const state = { file, as, position: this.#values.point(), scale: random.between(0.3, 0.8) };
    this.watch.log('load', slot, file.split('/').pop(), as);
    // It may be unloaded before it is there; what is no model at all is refused in both pages.
    this.watch.track(`load ${file}`, () => this.scene.load(slot, state), /AbortError|^AssetError/);
  }
  loadRefused(): void {
    const file = this.random.pick(this.files.refusedFiles);
    this.watch.log('load, refused', file.split('/').pop());
    this.watch.track(
      `load ${file}`,
      async () => {
        const level = await this.world.load(file);
        level.unload(); // with warnings
      },
      /^AssetError/,
    );
  }
  unload(): void {
    const slot = this.random.below(LEVEL_COUNT);
    this.watch.log('unload', slot);
    this.scene.unload(slot);
  }
  moveLevel(): void {
    const slot = this.random.below(LEVEL_COUNT);
    const scale = this.random.between(0.3, 0.8);
    this.watch.log('move level', slot);
    this.scene.moveLevel(slot, this.#values.point(), scale);
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
