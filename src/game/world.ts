/**
 * The game's side of a scene: actors in levels, a camera to see them by, callbacks that run every frame, and
 * the end-of-frame update that tells the render side what changed. Several worlds can exist.
 *
 *   tick(Δt): pre-physics → physics → post-physics → post-update      the page's code sets transforms and the like
 *   sendUpdates(): dirty components ─► render commands                one batch of records per frame
 */
import { OptionError, StateError } from '../core/errors.js';
import type { StreamWriter } from '../core/stream.js';
import type { LoadProgress, SceneDescription } from '../proxy/scene-description.js';
import { Actor } from './actor.js';
import { assetSource, describeSource, type LoadSource } from './asset-source.js';
import { CameraComponent, type CameraOptions } from './camera-component.js';
import { Level } from './level.js';
import { buildLevel } from './level-builder.js';
import {
  DirectionalLightComponent,
  type DirectionalLightOptions,
  PointLightComponent,
  type PointLightOptions,
  SpotLightComponent,
  type SpotLightOptions,
} from './light-component.js';
import { LoadQueue, type LoadScene } from './load-queue.js';
import { MeshComponent, type MeshOptions } from './mesh-component.js';
import { checkOptions } from './options.js';
import { SceneComponent, TRANSFORM_OPTIONS, type TransformOptions } from './scene-component.js';
import { SceneUpdates } from './scene-updates.js';
import { type TickCallback, type TickGroup, TickGroups } from './tick-groups.js';

export interface WorldServices {
  /** Where the render commands go. A world has a stream of its own. */
  readonly writer: StreamWriter;
  readonly loadScene: LoadScene;
  /** Told of what went wrong in a callback or a texture; the rest goes on. */
  readonly reportError: (error: unknown) => void;
}

export interface LoadOptions extends TransformOptions {
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Aborts the load: its promise rejects with the signal's reason, an `AbortError` by default. */
  readonly signal?: AbortSignal;
}

export class World {
  /** @internal */
  readonly updates: SceneUpdates;
  /** Where actors go that belong to no loaded file. */
  readonly persistentLevel: Level;
  readonly #levels = new Set<Level>();
  readonly #ticks: TickGroups;
  readonly #loads: LoadQueue;
  /** Cameras in the order in which they were added. */
  readonly #cameras: CameraComponent[] = [];
  #timeSeconds = 0;
  #isDisposed = false;

  constructor({ writer, loadScene, reportError }: WorldServices) {
    this.updates = new SceneUpdates(writer, reportError);
    this.#ticks = new TickGroups(reportError);
    this.#loads = new LoadQueue(loadScene, reportError);
    this.persistentLevel = this.addLevel('persistent');
  }

  /** Sum of the ticks so far. */
  get timeSeconds(): number {
    return this.#timeSeconds;
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
      throw new OptionError(
        'option-invalid',
        `"${actor.name}" can't be the active camera: it has no camera in this world.`,
      );
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

  /** An empty level, to which `spawn` can add. */
  addLevel(name: string): Level {
    const level = new Level(this, name);
    this.#levels.add(level);
    return level;
  }

  /**
   * Puts an actor, or a new actor made of a component, into the world.
   * Throws `component-already-registered`, `component-destroyed`, `actor-already-spawned` or `actor-destroyed`.
   */
  spawn<T extends SceneComponent>(what: T | Actor<T>, options: { readonly level?: Level } = {}): Actor<T> {
    this.#checkAlive();
    checkOptions('spawn', options, 'level');
    const actor = what instanceof Actor ? what : new Actor(what);
    const level = options.level ?? this.persistentLevel;
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
    checkOptions('load', options, `${TRANSFORM_OPTIONS} onProgress signal`);
    const { onProgress, signal, ...transform } = options;
    const root = new Actor(new SceneComponent(transform), options.name ?? describeSource(source));
    const level = this.addLevel(root.name);
    level.state = 'loading';
    const { promise, cancel } = this.#loads.add(
      assetSource(source),
      (scene) => this.#commit(level, root, scene),
      onProgress,
      signal,
    );
    level.cancel = () =>
      cancel(new DOMException(`Level "${level.name}" was unloaded while it was loading.`, 'AbortError'));
    try {
      await promise;
    } catch (error) {
      level.unload();
      throw error;
    }
    return level;
  }

  /** Resolves when no load is under way and no texture is on its way. */
  async whenReady(): Promise<void> {
    const { resources } = this.updates;
    while (this.#loads.pending || resources.pendingTextures) {
      await this.#loads.whenIdle();
      await resources.whenTexturesSettled();
    }
  }

  /**
   * Calls `callback` every frame, with the seconds since the last one. What it throws is reported; the others
   * go on.
   * @returns a function that ends it
   */
  onTick(callback: TickCallback, options: { readonly group?: TickGroup } = {}): () => void {
    checkOptions('onTick', options, 'group');
    return this.#ticks.add(callback, options.group ?? 'pre-physics');
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

  /**
   * @internal Ends loads and callbacks and destroys everything; one more `sendUpdates` then sends the
   * destructions.
   */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#loads.close();
    this.#ticks.clear();
    for (const level of this.levels) level.unload();
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
  }

  /** @internal */
  removeActor(actor: Actor): void {
    actor.level?.remove(actor);
  }

  /** @internal */
  removeLevel(level: Level): void {
    this.#levels.delete(level);
  }

  /** All or nothing: whatever is wrong with the description is found before the first actor is spawned. */
  #commit(level: Level, root: Actor, scene: SceneDescription): void {
    const { actors, textures } = buildLevel(scene);
    level.root = root;
    level.warnings = scene.warnings;
    this.spawn(root, { level });
    for (const texture of textures) this.updates.resources.holdTexture(texture);
    level.textures = textures;
    for (const actor of actors) {
      const isRoot = !actor.root.parent;
      this.spawn(actor, { level });
      if (isRoot) actor.attachTo(root);
    }
    level.cancel = null;
    level.state = 'ready';
  }

  #checkAlive(): void {
    if (this.#isDisposed) {
      throw new StateError('engine-disposed', 'The engine was disposed; create a new one.');
    }
  }
}
