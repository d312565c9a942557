import { disposedError, type FencepostError, OptionError, StateError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkBoolean, checkName } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { LoadProgress } from '../../proxy/scene-description.js';
import { DebugDrawer, type DebugDrawerOptions } from '../billboards/debug-drawer.js';
import {
  type BillboardComponents,
  type BillboardKind,
  type BillboardOptions,
  makeBillboard,
} from '../billboards/index.js';
import type { LinesComponent, LinesOptions } from '../billboards/lines-component.js';
import type { PointsComponent, PointsOptions } from '../billboards/points-component.js';
import type { SpriteComponent, SpriteOptions } from '../billboards/sprite-component.js';
import { Actor } from '../components/actor.js';
import { CameraComponent, type CameraOptions } from '../components/camera-component.js';
import { InstancesComponent, type InstancesOptions } from '../components/instances-component.js';
import { MeshComponent, type MeshOptions } from '../components/mesh-component.js';
import { SceneComponent } from '../components/scene-component.js';
import { DecalComponent, type DecalOptions } from '../decals/decal-component.js';
import { type AmbientColor, AmbientLight } from '../lights/ambient-light.js';
import {
  type EnvironmentOptions,
  type EnvironmentSource,
  EnvironmentUpdates,
  type WeightedEnvironment,
} from '../lights/environment.js';
import {
  DirectionalLightComponent,
  type DirectionalLightOptions,
  PointLightComponent,
  type PointLightOptions,
  SpotLightComponent,
  type SpotLightOptions,
} from '../lights/light-component.js';
import { ShadowCatcherComponent, type ShadowCatcherOptions } from '../lights/shadow-catcher-component.js';
import { readSky, type SkyOptions, type SkySun } from '../lights/sky.js';
import type { LoadSource } from '../loading/asset-source.js';
import { LevelLoader } from '../loading/level-loader.js';
import type { LoadEnvironment, LoadScene } from '../loading/load-queue.js';
import { nameOfSource } from '../loading/source-name.js';
import type { Material } from '../materials/material.js';
import type { ParticlesOptions } from '../particles/particle-options.js';
import { ParticlesComponent } from '../particles/particles-component.js';
import type { PickResult } from '../picking/pick-result.js';
import { type RaycastOptions, raycast } from '../picking/raycast.js';
import type { TextComponent, TextOptions } from '../text/text-component.js';
import { checkMaterialHome, checkTargetHome } from '../textures/texture-homes.js';
import { TRANSFORM_OPTIONS } from '../transforms/transform-options.js';
import type { VectorLike } from '../transforms/transform-view.js';
import type { ResourceRegistry } from '../updates/resource-registry.js';
import { SceneUpdates } from '../updates/scene-updates.js';
import { ViewUpdates } from '../updates/view-updates.js';
import type { DecodeTexture } from '../updates/write-record.js';
import { addFixedTick, type FixedTickOptions } from './fixed-tick.js';
import { Level, type LoadedLevel } from './level.js';
import { createMeshes } from './many-meshes.js';
import { reportRejections, type TickCallback, type TickGroup, TickGroups } from './tick-groups.js';
import { View, type ViewOptions } from './view.js';

export interface WorldServices {
  readonly loadScene: LoadScene;
  readonly loadEnvironment?: LoadEnvironment;
  readonly decodeTexture?: DecodeTexture;
  /** Size of the canvas in CSS pixels. */
  readonly viewSize?: () => readonly [width: number, height: number];
  /** Called with an actor that has pointer listeners. */
  readonly watchPointer?: (actor: Actor) => void;
  /**
   * Starts helper threads, which run parts of the render thread's loops. Called once there are many primitives, or many
   * tracks that clips play.
   */
  readonly startHelpers?: () => void;
  /** CSS `zoom` of the canvas: pixels of its pointer events per CSS pixel of `viewSize`. Default 1. */
  readonly viewZoom?: () => number;
  /** Receives errors of callbacks and textures; the world continues. */
  readonly reportError: (error: unknown) => void;
  /** Called for each change that the next update sends. */
  readonly onChange?: (() => void) | undefined;
  /** Draws a complete frame of all changes so far. Resolves when the GPU has completed it. */
  readonly showChanges?: (() => Promise<void>) | undefined;
  /** Called for each added callback of a tick. */
  readonly onTickAdded?: (() => void) | undefined;
  /** In development: throws if `call` runs on another thread than the game's (SYSTEMS R10). */
  readonly checkThread?: ((call: string) => void) | undefined;
  /** Resources of the engine's own world, which all other worlds share; undefined for that world. */
  readonly resources?: ResourceRegistry;
}

const LOAD_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  onProgress: optional(anything<(progress: LoadProgress) => void>()),
  /** Aborts the load: its promise rejects with the signal's reason, an `AbortError` by default. */
  signal: optional(anything<AbortSignal>()),
  /**
   * Bytes of geometry and textures that one frame of a running engine uploads. Each frame uploads at least one
   * object. The level is ready once all objects were uploaded. Default: 4 MiB. `Infinity` uploads all at once.
   */
  uploadBytesPerFrame: optional(anything<number>()),
};

export type LoadOptions = Shaped<typeof LOAD_OPTIONS>;

const SPAWN_OPTIONS = { level: optional(anything<Level>()) };
const TICK_OPTIONS = { group: optional(anything<TickGroup>()) };

const noChange = (): void => {};

/**
 * The game's side of a scene: actors in levels, an active camera, and callbacks that run every frame. The
 * end-of-frame update sends all changes to the render side. Several worlds can exist (`added-world.ts`).
 *
 *   tick(Δt): pre-physics → physics → post-physics → post-update      the page's code sets transforms and the like
 *   sendUpdates(): dirty components ─► render commands                one batch of records per frame
 */
export class World {
  /** @internal */
  readonly updates: SceneUpdates;
  /** The level of actors that were spawned without a level. */
  readonly persistentLevel: Level;
  readonly #levels = new Set<Level>();
  readonly #ticks: TickGroups;
  readonly #services: WorldServices;
  #loader: LevelLoader | null = null;
  readonly #loads = new Set<Promise<unknown>>();
  /** Cameras in the order in which they were added. */
  readonly #cameras: CameraComponent[] = [];
  /**
   * Whether time stands still in this world: nothing ticks, and declared motions stop. Changes by the page
   * are still shown.
   */
  paused = false;
  #timeSeconds = 0;
  readonly #end = new AbortController();

  /** @internal @param writer receives the render commands until `resend` replaces it */
  constructor(writer: StreamWriter, services: WorldServices) {
    const { reportError, checkThread = null } = services;
    this.#services = services;
    this.updates = new SceneUpdates(writer, reportError, this.disposed, services.resources);
    this.updates.checkThread = checkThread;
    this.updates.onChange = services.onChange ?? noChange;
    this.updates.decodeTexture = services.decodeTexture;
    this.updates.onManyPrimitives = () => services.startHelpers?.();
    this.#ticks = new TickGroups(reportError, services.onTickAdded);
    this.persistentLevel = this.addLevel('persistent');
  }

  /**
   * Aborted when the world is destroyed or the engine is disposed of. Use it for `addEventListener`, `fetch` and the
   * like.
   */
  get disposed(): AbortSignal {
    return this.#end.signal;
  }

  /** Sum of all ticks so far, in seconds. */
  get timeSeconds(): number {
    return this.#timeSeconds;
  }

  /** @internal Draws a complete frame of all changes so far. Resolves when the GPU has completed it. */
  async showChanges(): Promise<void> {
    this.#checkAlive();
    await this.#services.showChanges?.();
  }

  /** @internal Reports an actor with pointer listeners to the engine. */
  watchPointer(actor: Actor): void {
    this.#services.watchPointer?.(actor);
  }

  /** Makes `whenReady` wait for a load as well. */
  async #awaited<T>(load: Promise<T>): Promise<T> {
    this.#loads.add(load);
    try {
      return await load;
    } finally {
      this.#loads.delete(load);
    }
  }

  /** @internal Size of the canvas in CSS pixels. */
  get viewSize(): readonly [width: number, height: number] {
    return this.#services.viewSize?.() ?? [1, 1];
  }

  /** @internal CSS `zoom` of the canvas: pixels of its pointer events per CSS pixel of `viewSize`. */
  get viewZoom(): number {
    return this.#services.viewZoom?.() ?? 1;
  }

  /** All levels, including those that are still loading. */
  get levels(): readonly Level[] {
    return [...this.#levels];
  }

  get actors(): readonly Actor[] {
    return this.levels.flatMap((level) => level.actors);
  }

  /**
   * The camera whose view is drawn: the camera that was added or assigned last. A camera of a loaded file is used only
   * if there is no other camera. The camera is the actor's root, unless the page has added it to another actor by
   * `addComponent`.
   */
  get activeCamera(): Actor<CameraComponent> | null {
    return (this.updates.camera?.actor as Actor<CameraComponent> | null | undefined) ?? null;
  }
  set activeCamera(actor: Actor | null) {
    const camera = actor?.component(CameraComponent) ?? null;
    if (actor && camera?.world !== this) {
      throw new OptionError('option-invalid', `"${actor.name}" has no camera in this world.`);
    }
    this.updates.camera = camera;
  }

  addMesh(options: MeshOptions): Actor<MeshComponent> {
    return this.spawn(new MeshComponent(options));
  }

  /**
   * Adds many meshes in one call. All of them are checked before the first is added, so an error leaves the world as
   * it was.
   * @param list options of each mesh, as for `addMesh`
   * @returns the actors, in the order of the list
   * @throws OptionError, SceneError; the message names the mesh by its index
   * @example const [table, lamp] = world.addMeshes([{ geometry: top }, { geometry: bulb, position: [0, 1, 0] }]);
   */
  addMeshes(list: readonly MeshOptions[]): Actor<MeshComponent>[] {
    this.#checkAlive();
    const components = createMeshes(list, (component) => {
      if (globalThis.FENCEPOST_DEVELOPMENT) checkSpawned(this, component);
    });
    return components.map((component) => this.spawn(component));
  }

  addCamera(options?: CameraOptions): Actor<CameraComponent> {
    return this.spawn(new CameraComponent(options));
  }
  addDirectionalLight(options?: DirectionalLightOptions): Actor<DirectionalLightComponent> {
    return this.spawn(new DirectionalLightComponent(options));
  }
  addPointLight(options?: PointLightOptions): Actor<PointLightComponent> {
    return this.spawn(new PointLightComponent(options));
  }
  addSpotLight(options?: SpotLightOptions): Actor<SpotLightComponent> {
    return this.spawn(new SpotLightComponent(options));
  }

  /**
   * Shows one geometry with one material in many places, for thousands of objects that need no actors. The page writes
   * the places as numbers into arrays.
   * @returns the component; `component.destroy()` removes all instances
   * @throws OptionError
   * @example const trees = world.addInstances({ geometry, material, count: 10_000 });
   */
  addInstances(options: InstancesOptions): InstancesComponent {
    return this.spawn(new InstancesComponent(options)).root;
  }

  /**
   * Adds particles, such as sparks, smoke or rain. They are simulated on the GPU.
   * @throws OptionError
   * @example const fire = world.addParticles({ rate: 200, life: 1.5, color: ['#ff0', '#f30', '#3000'] });
   */
  addParticles(options?: ParticlesOptions): Actor<ParticlesComponent> {
    return this.spawn(new ParticlesComponent(options));
  }

  /**
   * Adds a ground that shows only the soft shadow of the things above it. The ground itself is invisible, so the
   * background behind it stays visible, or the page behind a transparent background.
   * @throws OptionError
   * @example world.addShadowCatcher({ size: 3, softness: 0.2, opacity: 0.5 });
   */
  addShadowCatcher(options?: ShadowCatcherOptions): Actor<ShadowCatcherComponent> {
    return this.spawn(new ShadowCatcherComponent(options));
  }

  /**
   * Projects a picture onto the surfaces in a box, along −Z of the box. The picture replaces their base colour.
   * @throws OptionError
   * @example world.addDecal({ texture: texture('crack.png'), position: [0, 1, 0], size: [0.5, 0.5, 0.2] });
   */
  addDecal(options: DecalOptions): Actor<DecalComponent> {
    return this.spawn(new DecalComponent(options));
  }

  /**
   * Adds lines of any width.
   * @throws OptionError; `engine-disposed`
   * @example await world.addLines({ positions: [0, 0, 0, 1, 1, 0], color: '#f80', width: 3 });
   */
  addLines(options: LinesOptions): Promise<Actor<LinesComponent>> {
    return this.#spawnBillboard('lines', options);
  }

  /**
   * Adds squares or pictures around points. Works like `addLines`.
   * @throws OptionError; `engine-disposed`
   * @example await world.addPoints({ positions, sizes, texture: texture('spark.png') });
   */
  addPoints(options: PointsOptions): Promise<Actor<PointsComponent>> {
    return this.#spawnBillboard('points', options);
  }

  /**
   * Adds a picture that faces the camera. Works like `addLines`.
   * @throws OptionError; `engine-disposed`
   * @example await world.addSprite({ texture: texture('tree.png'), size: [1, 2], position: [3, 0, 0] });
   */
  addSprite(options?: SpriteOptions): Promise<Actor<SpriteComponent>> {
    return this.#spawnBillboard('sprite', options);
  }

  /**
   * Adds a text that faces the camera, in one colour. Works like `addLines`; fonts of the page are loaded
   * first.
   * @throws OptionError; `engine-disposed`
   * @example await world.addText({ text: 'Exit', size: 24, color: '#fff', position: [0, 2, 0] });
   */
  addText(options: TextOptions): Promise<Actor<TextComponent>> {
    return this.#spawnBillboard('text', options);
  }

  /**
   * Adds a drawer of lines, boxes, axes and texts for development. Each of them is shown for one frame.
   * @throws OptionError; `engine-disposed`
   * @example const debug = await world.addDebugDrawer(); world.onTick(() => debug.box(actor.bounds));
   */
  async addDebugDrawer(options?: DebugDrawerOptions): Promise<DebugDrawer> {
    this.#checkAlive();
    return new DebugDrawer(this, options);
  }

  async #spawnBillboard<Kind extends BillboardKind>(
    kind: Kind,
    options?: BillboardOptions[Kind],
  ): Promise<Actor<BillboardComponents[Kind]>> {
    this.#checkAlive();
    const spawn = async (): Promise<unknown> =>
      this.spawn((await makeBillboard(kind, options)) as SceneComponent);
    return (await this.#awaited(spawn())) as Actor<BillboardComponents[Kind]>;
  }

  /**
   * Returns the first hit of a ray with the triangles of shown meshes, including skinning and morph targets.
   * Runs at once, on the page. Single-sided triangles are hit only from their front. `engine.pick` instead
   * tests the pixels that are seen.
   * @param origin metres, world space @param direction of any length but 0
   * @returns the hit; `null` if the ray hits nothing
   * @throws OptionError
   * @example const ground = world.raycast([x, 10, z], [0, -1, 0], { maxDistance: 20 });
   */
  raycast(origin: VectorLike, direction: VectorLike, options: RaycastOptions = {}): PickResult | null {
    this.#checkAlive();
    return raycast(this, origin, direction, options);
  }

  /** @internal use `engine.addView` */
  addView(options: ViewOptions, openSurface: ConstructorParameters<typeof View>[2]): View {
    const note = globalThis.FENCEPOST_DEVELOPMENT ? checkTargetHome(options?.target, this) : null;
    this.#checkAlive();
    this.updates.views ??= new ViewUpdates(this.updates.resources);
    const view = new View(this.updates.views, options ?? {}, openSurface);
    note?.(view);
    return view;
  }

  /** Adds an empty level, for use with `spawn`. */
  addLevel(name: string): Level {
    checkName('addLevel', name);
    const level = new Level(this, name);
    this.#levels.add(level);
    return level;
  }

  /**
   * Adds an actor to the world, or a new actor created for a component.
   * Throws `component-already-registered`, `component-destroyed`, `actor-already-spawned`, `actor-destroyed` or
   * `level-unloaded`.
   */
  spawn<T extends SceneComponent>(what: T | Actor<T>, options: Shaped<typeof SPAWN_OPTIONS> = {}): Actor<T> {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkSpawned(this, what instanceof Actor ? what.root : what);
    this.#checkAlive();
    checkOptions('spawn', options, SPAWN_OPTIONS);
    const actor = what instanceof Actor ? what : new Actor((what ?? null) as T);
    const level = options.level ?? this.persistentLevel;
    if (!this.#levels.has(level)) {
      throw new StateError(
        'level-unloaded',
        `Level "${level.name}" is unloaded, or belongs to another world.`,
      );
    }
    actor.spawnIn(this, level);
    level.add(actor);
    if (level.state === 'ready') {
      const camera = actor.component(CameraComponent);
      if (camera) this.updates.camera = camera;
    }
    return actor;
  }

  /**
   * Loads a glTF file into a level of its own. Loads run in parallel and become visible in call order.
   * Resolves when the actors exist and the file's data is on its way to the GPU; `level.whenShown()` resolves when the
   * picture shows them. Rejects with an `AssetError`, with the signal's reason if the signal was aborted, with an
   * `AbortError` if the level was unloaded meanwhile, or with `engine-disposed`. After a rejection nothing of the file
   * remains.
   * @example const level = await world.load('robot.glb', { position: [0, 1, 0] });
   */
  async load(source: LoadSource, options: LoadOptions = {}): Promise<LoadedLevel> {
    this.#checkAlive();
    checkOptions('load', options, LOAD_OPTIONS);
    const root = new Actor(new SceneComponent(options), options.name ?? nameOfSource(source));
    const level = this.addLevel(root.name);
    level.state = 'loading';
    const controller = new AbortController();
    level.cancel = (reason) => controller.abort(reason);
    try {
      this.#loader ??= new LevelLoader(this, this.#services);
      await this.#awaited(this.#loader.load(level, root, source, options, controller));
    } catch (error) {
      level.unload();
      throw error;
    }
    return level as LoadedLevel;
  }

  /**
   * Sets the image-based light, and optionally the background: a `.hdr` or `.ktx2` file, `'studio'` or
   * `'sky'`, which need no download, or `null` for none. The light of several sources in a list, each with a weight, is
   * added up. After several calls, the last one applies.
   *
   * @throws OptionError; AssetError `fetch-failed`, `hdr-invalid`, `hdr-truncated`, `ktx2-invalid`, `ktx2-truncated`;
   *   `engine-disposed`
   * @example await world.setEnvironment('studio', { background: true, backgroundBlur: 0.3 });
   * @example await world.setEnvironment([{ source: 'dusk.hdr', weight: 0.7 }, { source: 'sky', weight: 0.3 }]);
   */
  async setEnvironment(
    source: EnvironmentSource | readonly WeightedEnvironment[],
    options: EnvironmentOptions = {},
  ): Promise<void> {
    this.#checkAlive();
    await this.#awaited(this.#environment.set(source, options));
  }

  /**
   * Shows a sky with the sun at a direction, or at a place and time, and lights the scene by it. It replaces the
   * environment. Nothing is loaded, so the next frame shows the sky.
   * @returns the sun's direction, colour and intensity, for a directional light. The option `light` gets these values
   * @throws OptionError
   * @example world.setSky({ latitude: 52.5, longitude: 13.4, date: new Date(), light: world.addDirectionalLight() });
   */
  setSky(options: SkyOptions = {}): SkySun {
    this.#checkAlive();
    const { settings, sun } = readSky(options);
    this.#environment.setSky(settings);
    return sun;
  }

  get #environment(): EnvironmentUpdates {
    const { updates, disposed } = this;
    updates.environment ??= new EnvironmentUpdates(
      updates,
      this.#services.loadEnvironment as LoadEnvironment,
      disposed,
    );
    return updates.environment;
  }

  /**
   * Sets ambient light of one colour, or of one colour from above and another from below.
   *
   * @param intensity lux, from 0: the light that reaches a surface
   * @throws OptionError
   * @example world.setAmbient({ sky: '#cfe4ff', ground: '#4a3f35' }, 1.5);
   */
  setAmbient(color: AmbientColor, intensity = 1): void {
    this.#checkAlive();
    this.updates.ambient ??= new AmbientLight();
    this.updates.ambient.set(color, intensity);
    this.updates.onChange();
  }

  /** Resolves when no loads and no textures are pending. */
  async whenReady(): Promise<void> {
    while (this.isPending) {
      await Promise.allSettled(this.#loads);
      await this.updates.resources.textures?.whenSettled();
    }
  }

  /** Whether loads or textures are pending. */
  get isPending(): boolean {
    return this.#loads.size > 0 || (this.updates.resources.textures?.pending ?? 0) > 0;
  }

  /**
   * @internal Number of images that have arrived so far. An image that arrives after a frame was sent is shown by a
   * later frame.
   */
  get arrivals(): number {
    return this.updates.resources.textures?.arrivals ?? 0;
  }

  /**
   * Calls `callback` every frame, with the seconds since the last frame. An error that it throws is reported, and the
   * other callbacks still run.
   * @returns a function that ends the calls
   */
  onTick(callback: TickCallback, options: Shaped<typeof TICK_OPTIONS> = {}): () => void {
    if (globalThis.FENCEPOST_DEVELOPMENT) {
      this.disposed.throwIfAborted();
      if (typeof callback === 'function') callback = reportRejections(callback, this.#services.reportError);
    }
    checkOptions('onTick', options, TICK_OPTIONS);
    return this.#ticks.add(callback, options.group ?? 'pre-physics');
  }

  /**
   * Calls `callback` in steps of equal length, `hertz` times for each second of frames, in the group `physics`. The
   * callback receives the seconds of a step, and the sum of all steps so far. An error that it throws is reported, and
   * the step is not repeated.
   * @returns a function that ends the calls
   */
  onFixedTick(callback: TickCallback, options: FixedTickOptions = {}): () => void {
    return addFixedTick(this.#ticks, callback, options);
  }

  /** @internal Calls `callback` every frame, after those of `onTick`. @returns a function that ends the calls */
  onTickEnd(callback: TickCallback): () => void {
    return this.#ticks.addLast(callback);
  }

  /** @internal Whether callbacks run in every tick. */
  get hasTicks(): boolean {
    return !this.#ticks.isEmpty;
  }

  /** @internal Per frame: runs the tick groups. */
  tick(deltaSeconds: number): void {
    this.#timeSeconds += deltaSeconds;
    this.#ticks.run(deltaSeconds, this.#timeSeconds);
  }

  /** @internal Per frame: writes all changes. The caller publishes. */
  sendUpdates(): void {
    this.updates.send();
  }

  /** @internal Bytes of the arrays of transforms, and of the places of instances. */
  get arrayBytes(): number {
    return this.updates.transforms.byteLength + this.updates.placeBytes;
  }

  /** Bytes kept in order to resend everything. */
  get retainedBytes(): number {
    return this.updates.resources.retainedBytes + (this.updates.environment?.retainedBytes ?? 0);
  }

  /**
   * @internal Ends loads and callbacks and destroys everything; one more `sendUpdates` then sends the
   * destructions.
   */
  dispose(reason: FencepostError = disposedError()): void {
    this.#end.abort(reason);
    this.#ticks.clear();
    for (const level of this.levels) {
      level.cancel?.(reason);
      level.unload();
    }
  }

  /** @internal */
  addCameraComponent(camera: CameraComponent): void {
    this.#cameras.push(camera);
    this.updates.camera ??= camera;
  }

  /** @internal Removes a camera. If it was active, the remaining camera that was added last becomes active. */
  removeCameraComponent(camera: CameraComponent): void {
    this.#cameras.splice(this.#cameras.indexOf(camera), 1);
    if (this.updates.camera === camera) this.updates.camera = this.#cameras.at(-1) ?? null;
    this.updates.views?.forget(camera);
  }

  /** @internal */
  removeActor(actor: Actor): void {
    actor.level?.remove(actor);
  }

  /** @internal */
  removeLevel(level: Level): void {
    this.#levels.delete(level);
  }

  #checkAlive(): void {
    this.updates.checkThread?.('A call of the world');
    this.disposed.throwIfAborted();
  }
}

/** In development: checks a component before it is added to a world. @throws OptionError `option-invalid` */
function checkSpawned(world: World, component: SceneComponent | null): void {
  if (!component) return;
  checkBoolean(component.name, 'visible', component.visible);
  checkMaterialHome(
    component,
    (component as SceneComponent & { readonly material?: Material }).material,
    world,
  );
}
