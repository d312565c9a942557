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
import type { LoadSource } from '../loading/asset-source.js';
import { LevelLoader } from '../loading/level-loader.js';
import type { LoadEnvironment, LoadScene } from '../loading/load-queue.js';
import { nameOfSource } from '../loading/source-name.js';
import type { Material } from '../materials/material.js';
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
import { Level } from './level.js';
import { reported, type TickCallback, type TickGroup, TickGroups } from './tick-groups.js';
import { View, type ViewOptions } from './view.js';

export interface WorldServices {
  readonly loadScene: LoadScene;
  readonly loadEnvironment?: LoadEnvironment;
  readonly decodeTexture?: DecodeTexture;
  /** Of the canvas, CSS pixels. */
  readonly viewSize?: () => readonly [width: number, height: number];
  /** Called with an actor that listens to the pointer. */
  readonly watchPointer?: (actor: Actor) => void;
  /** Called once there are thousands of primitives: helpers take a share of the render thread's loops. */
  readonly startHelpers?: () => void;
  /** CSS `zoom` of the canvas: pixels of its pointer events per CSS pixel of `viewSize`. Default 1. */
  readonly viewZoom?: () => number;
  /** Told of what went wrong in a callback or a texture; the rest goes on. */
  readonly reportError: (error: unknown) => void;
  /** Per change that the next update sends. */
  readonly onChange?: (() => void) | undefined;
  /** In development: throws where what is named comes on another thread than the game's (SYSTEMS R10). */
  readonly checkThread?: ((call: string) => void) | undefined;
  /** Of the engine's own world, where that is another. */
  readonly resources?: ResourceRegistry;
}

const LOAD_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  onProgress: optional(anything<(progress: LoadProgress) => void>()),
  /** Aborts the load: its promise rejects with the signal's reason, an `AbortError` by default. */
  signal: optional(anything<AbortSignal>()),
  /**
   * Bytes of geometry and textures that one frame of a running engine sends to the GPU, at least one object each; the level is
   * there when all were. Default: 4 MiB. `Infinity`: all at once.
   */
  uploadBytesPerFrame: optional(anything<number>()),
};

export type LoadOptions = Shaped<typeof LOAD_OPTIONS>;

const SPAWN_OPTIONS = { level: optional(anything<Level>()) };
const TICK_OPTIONS = { group: optional(anything<TickGroup>()) };

const noChange = (): void => {};

/**
 * The game's side of a scene: actors in levels, a camera to see them by, callbacks that run every frame, and
 * the end-of-frame update that tells the render side what changed. Several worlds can exist (`added-world.ts`).
 *
 *   tick(Δt): pre-physics → physics → post-physics → post-update      the page's code sets transforms and the like
 *   sendUpdates(): dirty components ─► render commands                one batch of records per frame
 */
export class World {
  /** @internal */
  readonly updates: SceneUpdates;
  /** Where actors go that belong to no loaded file. */
  readonly persistentLevel: Level;
  readonly #levels = new Set<Level>();
  readonly #ticks: TickGroups;
  readonly #services: WorldServices;
  #loader: LevelLoader | null = null;
  readonly #loads = new Set<Promise<unknown>>();
  /** Cameras in the order in which they were added. */
  readonly #cameras: CameraComponent[] = [];
  /** Whether time stands still in it: nothing ticks, and nothing moves by itself. What is changed shows all the same. */
  paused = false;
  #timeSeconds = 0;
  readonly #end = new AbortController();

  /** @param writer where the render commands go, until they go elsewhere */
  constructor(writer: StreamWriter, services: WorldServices) {
    const { reportError, checkThread = null } = services;
    this.#services = services;
    this.updates = new SceneUpdates(writer, reportError, this.disposed, services.resources);
    this.updates.checkThread = checkThread;
    this.updates.onChange = services.onChange ?? noChange;
    this.updates.decodeTexture = services.decodeTexture;
    this.updates.onManyPrimitives = () => services.startHelpers?.();
    this.#ticks = new TickGroups(reportError);
    this.persistentLevel = this.addLevel('persistent');
  }

  /** Aborted when the world is destroyed, or the engine disposed: for `addEventListener`, `fetch` and the like. */
  get disposed(): AbortSignal {
    return this.#end.signal;
  }

  /** Sum of the ticks so far. */
  get timeSeconds(): number {
    return this.#timeSeconds;
  }

  /** @internal An actor listens to the pointer. */
  watchPointer(actor: Actor): void {
    this.#services.watchPointer?.(actor);
  }

  /** `whenReady` waits for it as well. */
  async #awaited<T>(load: Promise<T>): Promise<T> {
    this.#loads.add(load);
    try {
      return await load;
    } finally {
      this.#loads.delete(load);
    }
  }

  /** @internal Of the canvas, CSS pixels. */
  get viewSize(): readonly [width: number, height: number] {
    return this.#services.viewSize?.() ?? [1, 1];
  }

  /** @internal CSS `zoom` of the canvas: pixels of its pointer events per CSS pixel of `viewSize`. */
  get viewZoom(): number {
    return this.#services.viewZoom?.() ?? 1;
  }

  /** Every level, those that are still loading included. */
  get levels(): readonly Level[] {
    return [...this.#levels];
  }

  get actors(): readonly Actor[] {
    return this.levels.flatMap((level) => level.actors);
  }

  /** The camera that is drawn: the last one added, unless one was assigned; a loaded file's only if there is no other. */
  get activeCamera(): Actor | null {
    return this.updates.camera?.actor ?? null;
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
   * One geometry with one material in many places, written as numbers in arrays: for thousands of things that are no actors.
   * @returns the component; `component.destroy()` takes all of them out
   * @throws OptionError
   * @example const trees = world.addInstances({ geometry, material, count: 10_000 });
   */
  addInstances(options: InstancesOptions): InstancesComponent {
    return this.spawn(new InstancesComponent(options)).root;
  }

  /**
   * Lines of any width.
   * @throws OptionError; `engine-disposed`
   * @example await world.addLines({ positions: [0, 0, 0, 1, 1, 0], color: '#f80', width: 3 });
   */
  addLines(options: LinesOptions): Promise<Actor<LinesComponent>> {
    return this.#spawnBillboard('lines', options);
  }

  /**
   * Squares or pictures around points. As `addLines`.
   * @throws OptionError; `engine-disposed`
   * @example await world.addPoints({ positions, sizes, texture: texture('spark.png') });
   */
  addPoints(options: PointsOptions): Promise<Actor<PointsComponent>> {
    return this.#spawnBillboard('points', options);
  }

  /**
   * A picture that faces the camera. As `addLines`.
   * @throws OptionError; `engine-disposed`
   * @example await world.addSprite({ texture: texture('tree.png'), size: [1, 2], position: [3, 0, 0] });
   */
  addSprite(options?: SpriteOptions): Promise<Actor<SpriteComponent>> {
    return this.#spawnBillboard('sprite', options);
  }

  /**
   * A text that faces the camera, of one colour. As `addLines`; fonts of the page are loaded first.
   * @throws OptionError; `engine-disposed`
   * @example await world.addText({ text: 'Exit', size: 24, color: '#fff', position: [0, 2, 0] });
   */
  addText(options: TextOptions): Promise<Actor<TextComponent>> {
    return this.#spawnBillboard('text', options);
  }

  /**
   * Draws lines, boxes, axes and texts for one frame each, for development.
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
   * What a ray meets first of the triangles of shown meshes, where joints and morph targets have moved them: at once, on the page.
   * What is single-sided is met from its front. `engine.pick` tells what is seen.
   * @param origin metres, world space @param direction of any length but 0
   * @returns null: nothing
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

  /** An empty level, to which `spawn` can add. */
  addLevel(name: string): Level {
    checkName('addLevel', name);
    const level = new Level(this, name);
    this.#levels.add(level);
    return level;
  }

  /**
   * Puts an actor, or a new actor made of a component, into the world.
   * Throws `component-already-registered`, `component-destroyed`, `actor-already-spawned` or `actor-destroyed`.
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
   * Loads a glTF file into a level of its own. Loads run side by side and become visible in call order.
   * Rejects with an `AssetError`, with the signal's reason when aborted or unloaded meanwhile, and with
   * `engine-disposed`; nothing of the file remains then.
   * @example const level = await world.load('robot.glb', { position: [0, 1, 0] });
   */
  async load(source: LoadSource, options: LoadOptions = {}): Promise<Level> {
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
    return level;
  }

  /**
   * Light from all around, and perhaps what is seen behind the scene: a `.hdr` or `.ktx2` file, `'studio'` or `'sky'`, which
   * need no download, or null for none; or several of them, each with a weight, whose light is added up. Of several calls the
   * last one counts.
   *
   * @throws OptionError; AssetError `fetch-failed`, `hdr-invalid`, `hdr-truncated`, `ktx2-invalid`, `ktx2-truncated`; `engine-disposed`
   * @example await world.setEnvironment('studio', { background: true, backgroundBlur: 0.3 });
   * @example await world.setEnvironment([{ source: 'dusk.hdr', weight: 0.7 }, { source: 'sky', weight: 0.3 }]);
   */
  async setEnvironment(
    source: EnvironmentSource | readonly WeightedEnvironment[],
    options: EnvironmentOptions = {},
  ): Promise<void> {
    this.#checkAlive();
    const { updates, disposed } = this;
    updates.environment ??= new EnvironmentUpdates(
      updates,
      this.#services.loadEnvironment as LoadEnvironment,
      disposed,
    );
    await this.#awaited(updates.environment.set(source, options));
  }

  /**
   * Light of one colour from everywhere, or of one from above and another from below.
   *
   * @param intensity lux, from 0: what a surface gets
   * @throws OptionError
   * @example world.setAmbient({ sky: '#cfe4ff', ground: '#4a3f35' }, 1.5);
   */
  setAmbient(color: AmbientColor, intensity = 1): void {
    this.#checkAlive();
    this.updates.ambient ??= new AmbientLight();
    this.updates.ambient.set(color, intensity);
    this.updates.onChange();
  }

  /** Resolves when no load is under way and no texture is on its way. */
  async whenReady(): Promise<void> {
    while (this.isPending) {
      await Promise.allSettled(this.#loads);
      await this.updates.resources.textures?.whenSettled();
    }
  }

  /** Whether files or images are on their way. */
  get isPending(): boolean {
    return this.#loads.size > 0 || (this.updates.resources.textures?.pending ?? 0) > 0;
  }

  /** @internal How many images have arrived, ever: one that arrives behind a frame is shown by a later one. */
  get arrivals(): number {
    return this.updates.resources.textures?.arrivals ?? 0;
  }

  /**
   * Calls `callback` every frame, with the seconds since the last one. What it throws is reported; the others
   * go on.
   * @returns a function that ends it
   */
  onTick(callback: TickCallback, options: Shaped<typeof TICK_OPTIONS> = {}): () => void {
    if (globalThis.FENCEPOST_DEVELOPMENT) {
      this.disposed.throwIfAborted();
      if (typeof callback === 'function') callback = reported(callback, this.#services.reportError);
    }
    checkOptions('onTick', options, TICK_OPTIONS);
    return this.#ticks.add(callback, options.group ?? 'pre-physics');
  }

  /**
   * Calls `callback` in steps of equal length, `hertz` times for each second of frames, in the group `physics`: with the seconds
   * of a step and those of all steps so far. What it throws is reported, and the step counts as made.
   * @returns a function that ends it
   */
  onFixedTick(callback: TickCallback, options: FixedTickOptions = {}): () => void {
    return addFixedTick(this.#ticks, callback, options);
  }

  /** @internal Every frame, behind all callbacks of `onTick`. @returns a function that ends it */
  onTickEnd(callback: TickCallback): () => void {
    return this.#ticks.addLast(callback);
  }

  /** @internal Per frame: runs the tick groups. */
  tick(deltaSeconds: number): void {
    this.#timeSeconds += deltaSeconds;
    this.#ticks.run(deltaSeconds, this.#timeSeconds);
  }

  /** @internal Per frame: writes what changed; publishing is the caller's. */
  sendUpdates(): void {
    this.updates.send();
  }

  /** Bytes that are kept so that everything can be sent again. */
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

  /** @internal The camera before it takes over. */
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

/** In development, before a component is put into a world. @throws OptionError `option-invalid` */
function checkSpawned(world: World, component: SceneComponent | null): void {
  if (!component) return;
  checkBoolean(component.name, 'visible', component.visible);
  checkMaterialHome(
    component,
    (component as SceneComponent & { readonly material?: Material }).material,
    world,
  );
}
