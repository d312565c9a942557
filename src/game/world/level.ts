/**
 * A level is a set of actors that are added and removed together (SYSTEMS G1). It is a loaded file, the
 * world's own level, or a level that the page fills.
 *
 *   loading ──loaded──► ready ──unload()──► unloaded
 *      └──────unload(), abort, error───────────▲          nothing half-loaded remains
 */
import { OptionError, StateError } from '../../core/errors.js';
import type { LevelEnvironment } from '../../proxy/scene-description.js';
import type { LevelClips, PlayOptions } from '../animation/level-clips.js';
import type { AnimationClip, Playback } from '../animation/playback.js';
import type { Actor } from '../components/actor.js';
import type { ActorComponent } from '../components/actor-component.js';
import { type Bounds, boundsOf } from '../components/bounds.js';
import type { CameraComponent } from '../components/camera-component.js';
import { MeshComponent } from '../components/mesh-component.js';
import type { LevelVariants } from '../loading/level-variants.js';
import type { Material } from '../materials/material.js';
import type { TextureEntry } from '../textures/texture-registry.js';
import type { TransformOptions } from '../transforms/transform-options.js';
import type { World } from './world.js';

/** A level that `world.load` or `level.clone` has made. */
export type LoadedLevel = Level & { readonly root: Actor };

export class Level {
  readonly name: string;
  state: 'loading' | 'ready' | 'unloaded' = 'ready';
  /** Features of the file that are not supported, each described in a sentence. */
  warnings: readonly string[] = [];
  /** The actor to which everything in a loaded level is attached. Moving it moves the level. `null` for other levels. */
  root: Actor | null = null;
  readonly #world: World;
  readonly #actors = new Set<Actor>();
  #shown: Promise<void> | null = null;
  /** @internal Clips of the loaded file; `null` if it has none. */
  clips: LevelClips | null = null;
  /**
   * Image-based light that the file defines for its scene; `null` if the file has none. No world uses the light until
   * the page sets it.
   * @example if (level.environment) await world.setEnvironment(level.environment, { background: true });
   */
  environment: LevelEnvironment | null = null;
  /** @internal Variants of the loaded file; `null` if it has none. */
  looks: LevelVariants | null = null;
  /** @internal Images that belong to the level. */
  textures: readonly TextureEntry[] = [];
  /** @internal Clones the level; `null` if it is not a loaded file. */
  copy: ((options: TransformOptions) => LoadedLevel) | null = null;
  /** @internal Materials of the loaded file, in its order. */
  fileMaterials: readonly Material[] = [];
  /** @internal Aborts a load in progress. */
  cancel: ((reason: unknown) => void) | null = null;

  /** @internal Use `world.load()` or `world.addLevel()`. */
  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
  }

  /**
   * The level's actors without `root`, in the order in which they were added; for a loaded file, in the file's order of
   * nodes.
   */
  get actors(): readonly Actor[] {
    return [...this.#actors].filter((actor) => actor !== this.root);
  }

  /** @internal Components of all actors, the root included. */
  get components(): readonly ActorComponent[] {
    return [...this.#actors].flatMap((actor) => actor.components);
  }

  /**
   * The actors with a camera. The camera is the actor's root, unless the page has added it to another actor by
   * `addComponent`.
   */
  get cameras(): readonly Actor<CameraComponent>[] {
    return this.actors.filter((actor): actor is Actor<CameraComponent> => actor.camera !== null);
  }

  /**
   * The meshes of the actors: one per primitive of a loaded file. `mesh.actor` is the mesh's actor.
   * @example for (const mesh of level.meshes) mesh.castShadow = false;
   */
  get meshes(): readonly MeshComponent[] {
    return this.components.filter((component) => component instanceof MeshComponent);
  }

  /**
   * The materials: those of the loaded file in its order, also those of variants that are not shown, and then all
   * others that meshes of the level use. Clones of a level share them.
   * @example level.materials.find(({ name }) => name === 'paint').baseColor = '#a33';
   */
  get materials(): readonly Material[] {
    return [...new Set([...this.fileMaterials, ...this.meshes.map(({ material }) => material)])];
  }

  /**
   * Resolves when a frame shows the level: with its textures, without missing pipelines, and completed by the GPU. The
   * first call draws that frame, also if the engine does not run. Rejects with `engine-disposed` or `level-unloaded`.
   * @example const level = await world.load('shoe.glb'); await level.whenShown(); poster.remove();
   */
  whenShown(): Promise<void> {
    this.#shown ??= this.#show();
    return this.#shown;
  }

  async #show(): Promise<void> {
    this.#checkLoaded();
    await this.#world.showChanges();
    this.#checkLoaded();
  }

  #checkLoaded(): void {
    if (this.state !== 'unloaded') return;
    const text = `Level "${this.name}" was unloaded, so no picture shows it.`;
    throw new StateError('level-unloaded', text);
  }

  /** The box around all primitives at their current places, in metres. It is computed at each read. */
  get bounds(): Bounds {
    return boundsOf(this.components);
  }

  /** Animations of the file, in its order. Pass the name or the index of one to `play`. */
  get animations(): readonly AnimationClip[] {
    return this.clips?.animations ?? [];
  }

  /**
   * Plays an animation of the file, starting with the next frame.
   * @param which the name of the animation, or its index in `animations`
   * @throws OptionError `animation-unknown`, `option-invalid`, `option-out-of-range`; StateError `level-unloaded`
   * @example const walk = level.play('walk', { fadeSeconds: 0.2 }); … walk.stop({ fadeSeconds: 0.2 });
   */
  play(which: string | number, options: PlayOptions = {}): Playback {
    if (this.clips) return this.clips.play(which, options);
    throw new OptionError(
      'animation-unknown',
      `Level "${this.name}" has no animations, so it can't play ${JSON.stringify(which)}.`,
    );
  }

  /** Names of the material variants that the file offers, in its order. */
  get variants(): readonly string[] {
    return this.looks?.names ?? [];
  }

  /**
   * The current variant, one of `variants`; `null` for the file's default materials.
   * @throws OptionError `variant-unknown`
   * @example shoe.variant = 'beach';
   */
  get variant(): string | null {
    return this.looks?.chosen ?? null;
  }
  set variant(name: string | null) {
    if (this.looks) this.looks.choose(name);
    else if (name !== null) {
      throw new OptionError(
        'variant-unknown',
        `Level "${this.name}" has no variants, so it can't show ${JSON.stringify(name)}.`,
      );
    }
  }

  /**
   * Creates another level of the same file at once. It shares geometry, textures, materials and clips, and
   * moves and plays independently.
   * @throws StateError `level-unloaded`, `level-not-cloneable` if the level is not a loaded file; OptionError
   * @example const second = level.clone({ position: [2, 0, 0] }); second.play('walk');
   */
  clone(options: TransformOptions = {}): LoadedLevel {
    if (this.state === 'ready' && this.copy) return this.copy(options);
    if (this.state === 'ready') {
      throw new StateError(
        'level-not-cloneable',
        `Level "${this.name}" was not loaded from a file, so it can't be cloned.`,
      );
    }
    throw new StateError(
      'level-unloaded',
      `Level "${this.name}" is ${this.state}; only a level that is ready can be cloned.`,
    );
  }

  /** Returns the first of `actors` with a name; `null` if there is none. */
  find(name: string): Actor | null {
    return this.actors.find((actor) => actor.name === name) ?? null;
  }

  /**
   * Destroys every actor of the level, and removes the level from the world. If the level is still loading, the load is
   * aborted, and its promise rejects. Further calls have no effect.
   * @throws StateError `level-persistent` for the world's own level
   */
  unload(): void {
    if (this.state === 'unloaded') return;
    const world = this.#world;
    if (this === world.persistentLevel && !world.disposed.aborted) {
      throw new StateError(
        'level-persistent',
        "The world's own level can't be unloaded. Destroy its actors instead.",
      );
    }
    const isLoading = this.state === 'loading';
    this.state = 'unloaded';
    if (isLoading) {
      this.cancel?.(
        new DOMException(`Level "${this.name}" was unloaded while it was loading.`, 'AbortError'),
      );
    }
    this.clips?.unload();
    // From the last to the first actor, because children come after their parents.
    for (const actor of [...this.#actors].reverse()) actor.destroy();
    for (const texture of this.textures) world.updates.resources.textures?.release(texture);
    this.textures = [];
    world.removeLevel(this);
  }

  /** @internal */
  add(actor: Actor): void {
    this.#actors.add(actor);
  }
  /** @internal */
  remove(actor: Actor): void {
    this.#actors.delete(actor);
  }
}
