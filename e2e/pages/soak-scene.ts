/**
 * A scene that plain data describes. The soak's engine shows it, and another engine in another page shows it again for
 * comparison. The same calls build both, so the same state has to give the same pixels.
 *
 *   actions ─► SoakScene ─┬─► world of the engine under test
 *                         └─► state ── snapshot() ──► SoakScene.build(state) ─► world of a fresh engine
 *
 * A scene has at most two lights. Their light is added up in the order of creation, and the rounded sum of
 * three terms would depend on that order.
 */
import * as fencepost from 'fencepost';
import { SoakCrowds } from './soak-crowds.js';
import { ignoreRefused, SoakLevels } from './soak-levels.js';
import { setEnvironment, setLook } from './soak-look.js';
import { geometryOf, lodsOf, PICTURE_SIZE, type Pictures, pixelsOf } from './soak-parts.js';
import {
  CAMERA_COUNT,
  type CameraState,
  type EnvironmentState,
  LIGHT_COUNT,
  type LightState,
  type LookState,
  MATERIAL_COUNT,
  type MaterialState,
  type MeshState,
  PLAIN_CAMERA,
  PLAIN_LOOK,
  PLAIN_MATERIAL,
  type SceneState,
  type Transform,
} from './soak-state.js';
import { readTransform, writeTransform } from './soak-transform.js';
import { SoakViews } from './soak-views.js';

const SHADOW = { mapSize: 64 };

interface LiveMesh {
  state: MeshState;
  readonly actor: fencepost.Actor<fencepost.MeshComponent>;
}

export class SoakScene {
  readonly #world: fencepost.World;
  readonly #pictures: Pictures;
  readonly #materials: { state: MaterialState; material: fencepost.Material }[] = [];
  /** Meshes by id, in the order of creation. */
  readonly #meshes = new Map<number, LiveMesh>();
  readonly #lights: ({ state: LightState; actor: fencepost.Actor<fencepost.LightComponent> } | null)[] = [];
  readonly #cameras: ({ state: CameraState; actor: fencepost.Actor } | null)[] = [];
  readonly levels: SoakLevels;
  readonly crowds: SoakCrowds;
  readonly views: SoakViews;
  readonly #engine: fencepost.Engine;
  #look: LookState = PLAIN_LOOK;
  #activeCamera = 0;

  constructor(engine: fencepost.Engine, pictures: Pictures) {
    const { world } = engine;
    this.#engine = engine;
    this.#world = world;
    this.#pictures = pictures;
    this.levels = new SoakLevels(world);
    this.crowds = new SoakCrowds(world, (slot) => this.#materials[slot]!.material);
    this.views = new SoakViews(engine, (slot) => this.#cameras[slot]?.actor ?? null);
  }

  /** Builds a state in an empty world. Resolves when its files are loaded. */
  async build(state: SceneState): Promise<void> {
    for (const [slot, material] of state.materials.entries()) this.replaceMaterial(slot, material);
    for (const [slot, camera] of state.cameras.entries()) if (camera) this.setCamera(slot, camera);
    this.activate(state.activeCamera);
    for (const [slot, light] of state.lights.entries()) if (light) this.setLight(slot, light);
    for (const mesh of state.meshes) this.spawn({ ...mesh, parent: null });
    for (const { id, parent } of state.meshes) if (parent !== null) this.attach(id, parent);
    for (const [slot, view] of state.views) this.views.add(slot, view);
    this.setLook(state.look);
    await Promise.all([
      this.setEnvironment(state.look.environment),
      ...state.crowds.map((crowd, slot) => this.crowds.set(slot, crowd)),
      ...state.levels.map((level, slot) => level && this.levels.load(slot, level).catch(ignoreRefused)),
    ]);
  }

  /** Returns the current state, with the current positions of moving objects. */
  snapshot(): SceneState {
    return {
      materials: this.#materials.map(({ state, material }) => {
        const { metallic, roughness } = material;
        return { ...state, baseColor: material.baseColor as number[], metallic, roughness };
      }),
      meshes: [...this.#meshes.values()].map(({ state, actor }) => ({
        ...state,
        transform: readTransform(actor),
      })),
      lights: this.#lights.map((light) => light?.state ?? null),
      cameras: this.#cameras.map((camera) => camera?.state ?? null),
      activeCamera: this.#activeCamera,
      levels: this.levels.snapshot(),
      crowds: this.crowds.snapshot(),
      views: this.views.snapshot(),
      look: this.#look,
    };
  }

  /** Removes everything except one camera and plain materials. */
  clear(): void {
    this.levels.clear();
    this.crowds.clear();
    this.views.clear();
    this.setLook(PLAIN_LOOK);
    if (this.#look.environment !== PLAIN_LOOK.environment) void this.setEnvironment(PLAIN_LOOK.environment);
    for (const { actor } of [...this.#meshes.values()].reverse()) actor.destroy();
    this.#meshes.clear();
    for (let slot = 0; slot < LIGHT_COUNT; slot++) this.setLight(slot, null);
    this.setCamera(0, PLAIN_CAMERA);
    this.activate(0);
    for (let slot = 1; slot < CAMERA_COUNT; slot++) this.setCamera(slot, null);
    for (let slot = 0; slot < MATERIAL_COUNT; slot++) this.replaceMaterial(slot, PLAIN_MATERIAL);
  }

  get meshIds(): number[] {
    return [...this.#meshes.keys()];
  }

  actorOf(id: number): fencepost.Actor {
    return this.#meshes.get(id)!.actor;
  }

  spawn(state: MeshState): void {
    const actor = this.#world.addMesh({
      geometry: geometryOf(state.id, state.shape),
      material: this.#materials[state.material]!.material,
      visible: state.visible,
      castShadow: state.castShadow,
      name: `mesh ${state.id}`,
    });
    if (state.hasLods) actor.root.lods = lodsOf(state.id, state.shape);
    writeTransform(actor, state.transform);
    this.#meshes.set(state.id, { state, actor });
    if (state.parent !== null) this.attach(state.id, state.parent);
  }

  /** Destroys a mesh and all meshes attached to it. */
  destroy(id: number): void {
    this.#meshes.get(id)?.actor.destroy();
    for (const [each, { actor }] of this.#meshes) if (actor.isDestroyed) this.#meshes.delete(each);
  }

  /** Attaches a mesh to a parent. Does nothing if that would create a cycle. */
  attach(id: number, parent: number | null): void {
    for (let up = parent; up !== null; up = this.#meshes.get(up)!.state.parent) if (up === id) return;
    const mesh = this.#meshes.get(id)!;
    mesh.actor.attachTo(parent === null ? null : this.#meshes.get(parent)!.actor);
    mesh.state = { ...mesh.state, parent };
  }

  setTransform(id: number, transform: Transform): void {
    const { actor } = this.#meshes.get(id)!;
    actor.motion = null;
    writeTransform(actor, transform);
  }

  setVisible(id: number, visible: boolean): void {
    const mesh = this.#meshes.get(id)!;
    mesh.actor.visible = visible;
    mesh.state = { ...mesh.state, visible };
  }

  setMotion(id: number, motion: fencepost.Motion | null): void {
    this.#meshes.get(id)!.actor.motion = motion;
  }

  setShape(id: number, shape: number): void {
    const mesh = this.#meshes.get(id)!;
    mesh.actor.root.geometry = geometryOf(id, shape);
    mesh.state = { ...mesh.state, shape, hasLods: false };
  }

  setLods(id: number, hasLods: boolean): void {
    const mesh = this.#meshes.get(id)!;
    // A mesh with levels of detail can't be an occluder by itself.
    if (hasLods) mesh.actor.root.occluder = false;
    mesh.actor.root.lods = hasLods ? lodsOf(id, mesh.state.shape) : null;
    mesh.state = { ...mesh.state, hasLods };
  }

  setOccluder(id: number, isOccluder: boolean): void {
    const { actor, state } = this.#meshes.get(id)!;
    actor.root.occluder = isOccluder && !state.hasLods;
  }

  setCastShadow(id: number, castShadow: boolean): void {
    const mesh = this.#meshes.get(id)!;
    mesh.actor.root.castShadow = castShadow;
    mesh.state = { ...mesh.state, castShadow };
  }

  useMaterial(id: number, material: number): void {
    const mesh = this.#meshes.get(id)!;
    mesh.actor.root.material = this.#materials[material]!.material;
    mesh.state = { ...mesh.state, material };
  }

  /** Replaces a slot's material for all meshes that use it. */
  replaceMaterial(slot: number, state: MaterialState): void {
    const { baseColor, alphaMode, metallic, roughness, emissive, doubleSided } = state;
    const common = {
      baseColor,
      doubleSided,
      alphaMode,
      baseColorTexture: this.#texture(state),
    } as const;
    const material = state.isUnlit
      ? fencepost.unlitMaterial(common)
      : fencepost.standardMaterial({ ...common, metallic, roughness, emissive });
    this.#materials[slot] = { state, material };
    for (const { state: mesh, actor } of this.#meshes.values()) {
      if (mesh.material === slot) actor.root.material = material;
    }
    this.crowds.replaceMaterial(slot);
  }

  /** Changes the slot's material in place. Its kind stays. */
  changeMaterial(slot: number, state: MaterialState): void {
    const live = this.#materials[slot]!;
    const { material } = live;
    const { isUnlit, doubleSided } = live.state;
    material.motion = null;
    material.baseColor = state.baseColor;
    material.alphaMode = state.alphaMode;
    material.baseColorTexture = this.#texture(state);
    if (!isUnlit) {
      material.metallic = state.metallic;
      material.roughness = state.roughness;
      material.emissive = state.emissive;
    }
    live.state = { ...state, isUnlit, doubleSided };
  }

  setMaterialMotion(slot: number, motion: fencepost.MaterialMotion | null): void {
    this.#materials[slot]!.material.motion = motion;
  }

  setLight(slot: number, state: LightState | null): void {
    this.#lights[slot]?.actor.destroy();
    this.#lights[slot] = null;
    if (!state) return;
    const { kind, color, intensity, position } = state;
    const direction = position.map((value) => -value);
    const world = this.#world;
    const castShadow = state.castShadow && SHADOW;
    const actor =
      kind === 'directional'
        ? world.addDirectionalLight({ color, intensity, direction, castShadow })
        : kind === 'point'
          ? world.addPointLight({ color, intensity, position, castShadow })
          : world.addSpotLight({ color, intensity, position, direction, outerConeAngle: 0.6, castShadow });
    this.#lights[slot] = { state, actor };
  }

  /** Sets or removes a camera. The active camera is not removed. */
  setCamera(slot: number, state: CameraState | null): void {
    if (!state && slot === this.#activeCamera) return;
    const before = this.#cameras[slot];
    this.#cameras[slot] = null;
    if (state) {
      const { position, fovY } = state;
      const orthographic = state.orthographic ? { halfHeight: 1.5 } : undefined;
      const actor = this.#world.addCamera({
        position,
        fovY,
        lookAt: [0, 0, 0],
        ...(orthographic ? { orthographic } : {}),
      });
      this.#cameras[slot] = { state, actor };
    }
    this.views.replaceCamera(slot);
    before?.actor.destroy();
    // A new camera becomes active, so the previous active camera is restored.
    this.activate(this.#activeCamera);
  }

  /** Activates a slot's camera. Does nothing if the slot is empty. */
  activate(slot: number): void {
    const camera = this.#cameras[slot];
    if (!camera) return;
    this.#activeCamera = slot;
    this.#world.activeCamera = camera.actor;
  }

  setLook(look: Omit<LookState, 'environment'>): void {
    this.#look = { ...look, environment: this.#look.environment };
    setLook(this.#engine, look);
  }

  /** Resolves when this environment, or a later one, is sent to the render thread. */
  async setEnvironment(environment: EnvironmentState): Promise<void> {
    this.#look = { ...this.#look, environment };
    await setEnvironment(this.#world, environment);
  }

  /** Recreates the shadows, because the positions of cascades depend on earlier camera positions. */
  async placeShadows(): Promise<void> {
    const casting = this.#lights.flatMap((light) => (light?.state.castShadow ? [light.actor] : []));
    for (const { root } of casting) root.castShadow = false;
    await this.#engine.step(0);
    for (const { root } of casting) root.castShadow = SHADOW;
  }

  #texture({ texture }: MaterialState): fencepost.Texture | null {
    if (!texture) return null;
    const { picture, as } = texture;
    const size = { width: PICTURE_SIZE, height: PICTURE_SIZE };
    if (as === 'pixels') return fencepost.texture({ ...size, data: pixelsOf(picture) });
    return fencepost.texture(this.#pictures[as === 'bitmap' ? 'bitmaps' : 'blobs'][picture]!);
  }
}
