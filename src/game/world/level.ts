/**
 * A level is a set of actors that come and go together: a loaded file, or the world's own (SYSTEMS G1).
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
import { CameraComponent } from '../components/camera-component.js';
import type { LevelVariants } from '../loading/level-variants.js';
import type { TextureEntry } from '../textures/texture-registry.js';
import type { TransformOptions } from '../transforms/transform-options.js';
import type { World } from './world.js';

export class Level {
  readonly name: string;
  state: 'loading' | 'ready' | 'unloaded' = 'ready';
  /** Features of the file that were left out, each a sentence. */
  warnings: readonly string[] = [];
  /** The actor that everything in a loaded level is attached to: moving it moves the level. */
  root: Actor | null = null;
  readonly #world: World;
  readonly #actors = new Set<Actor>();
  /** @internal Of a loaded file that has some. */
  clips: LevelClips | null = null;
  /**
   * The light from all around that the file brings for its scene, shown by nobody until it is set; null: it has none.
   * @example if (level.environment) await world.setEnvironment(level.environment, { background: true });
   */
  environment: LevelEnvironment | null = null;
  /** @internal Of a loaded file that has some. */
  looks: LevelVariants | null = null;
  /** @internal Images that belong to the level. */
  textures: readonly TextureEntry[] = [];
  /** @internal Of a loaded file. */
  copy: ((options: TransformOptions) => Level) | null = null;
  /** @internal Ends a load that is under way. */
  cancel: ((reason: unknown) => void) | null = null;

  /** @internal Use `world.load()` or `world.addLevel()`. */
  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
  }

  /** In the order in which they were added; for a loaded file in the file's order of nodes. */
  get actors(): readonly Actor[] {
    return [...this.#actors].filter((actor) => actor !== this.root);
  }

  /** @internal Of all actors, the root included. */
  get components(): readonly ActorComponent[] {
    return [...this.#actors].flatMap((actor) => actor.components);
  }

  /** The cameras among the actors. */
  get cameras(): readonly Actor[] {
    return this.actors.filter((actor) => actor.component(CameraComponent));
  }

  /** The box around every primitive as it stands now; computed at each call. */
  get bounds(): Bounds {
    return boundsOf(this.components);
  }

  /** What the file can do, in its order: to be given to `play`, by name or place. */
  get animations(): readonly AnimationClip[] {
    return this.clips?.animations ?? [];
  }

  /**
   * Plays an animation of the file, from the next frame on.
   * @param which its name, or its place among `animations`
   * @throws OptionError `animation-unknown`, `option-invalid`, `option-out-of-range`; StateError `level-unloaded`
   * @example const walk = level.play('walk', { fadeSeconds: 0.2 }); … walk.stop({ fadeSeconds: 0.2 });
   */
  play(which: string | number, options: PlayOptions = {}): Playback {
    if (this.clips) return this.clips.play(which, options);
    throw new OptionError(
      'animation-unknown',
      `Level "${this.name}" has no animation ${JSON.stringify(which)}. It has none.`,
    );
  }

  /** Names of the looks that the file offers, in its order. */
  get variants(): readonly string[] {
    return this.looks?.names ?? [];
  }

  /**
   * The look that is shown, one of `variants`; null: the file's own.
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
        `Level "${this.name}" has no variant ${JSON.stringify(name)}. It has none.`,
      );
    }
  }

  /**
   * Another level of the same file, there at once. It shares geometry, textures, materials and clips, and moves and plays by itself.
   * @throws StateError `level-unloaded`, `level-not-cloneable` where it is no loaded file; OptionError
   * @example const second = level.clone({ position: [2, 0, 0] }); second.play('walk');
   */
  clone(options: TransformOptions = {}): Level {
    if (this.state === 'ready' && this.copy) return this.copy(options);
    if (this.state === 'ready') {
      throw new StateError(
        'level-not-cloneable',
        `Level "${this.name}" is no loaded file, so there is nothing to clone.`,
      );
    }
    throw new StateError(
      'level-unloaded',
      `Level "${this.name}" is ${this.state}; only a level that is ready can be cloned.`,
    );
  }

  /** The first actor of that name, in the file's order; null: there is none. */
  find(name: string): Actor | null {
    return this.actors.find((actor) => actor.name === name) ?? null;
  }

  /**
   * Destroys every actor of the level; ends its load if that is under way (its promise rejects). Throws
   * `level-persistent` for the world's own.
   */
  unload(): void {
    if (this.state === 'unloaded') return;
    const world = this.#world;
    if (this === world.persistentLevel && !world.disposed.aborted) {
      throw new StateError('level-persistent', "The world's own level stays. Destroy its actors instead.");
    }
    const isLoading = this.state === 'loading';
    this.state = 'unloaded';
    if (isLoading) {
      this.cancel?.(
        new DOMException(`Level "${this.name}" was unloaded while it was loading.`, 'AbortError'),
      );
    }
    this.clips?.unload();
    // Last first: children come after their parents.
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
