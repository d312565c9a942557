/**
 * Loads a file into a level, for `world.load`: resolves the source, requests the scene, uploads it and creates the
 * actors. They are spawned after those of earlier loads.
 *
 *   source ─► assetSource ─► loadScene (a worker) ─► StagedUploads ─► actors ─► LoadQueue ─► spawn
 */
import { messageOf, SceneError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber, checkSignal } from '../../core/options/check-value.js';
import { closeImages } from '../../proxy/images/close-images.js';
import type { LoadProgress } from '../../proxy/scene-description.js';
import { LevelClips } from '../animation/level-clips.js';
import { Actor } from '../components/actor.js';
import { SceneComponent } from '../components/scene-component.js';
import { TRANSFORM_OPTIONS, type TransformOptions } from '../transforms/transform-options.js';
import type { Level, LoadedLevel } from '../world/level.js';
import type { LoadOptions, World, WorldServices } from '../world/world.js';
import { assetSource, type LoadSource } from './asset-source.js';
import {
  buildActors,
  buildActorsInTurns,
  createLevelSource,
  type LevelSource,
  variantsOf,
} from './level-builder.js';
import { LoadQueue } from './load-queue.js';
import { StagedUploads, UPLOAD_BYTES_PER_FRAME } from './staged-uploads.js';

export class LevelLoader {
  readonly #world: World;
  readonly #services: WorldServices;
  readonly #queue = new LoadQueue();
  readonly #staged: StagedUploads;

  constructor(world: World, services: WorldServices) {
    this.#world = world;
    this.#services = services;
    this.#staged = new StagedUploads(world.updates);
  }

  /** @param controller aborts the load, as `options.signal` does */
  async load(
    level: Level,
    root: Actor,
    source: LoadSource,
    options: LoadOptions,
    controller: AbortController,
  ): Promise<void> {
    const { loadScene, reportError } = this.#services;
    const { signal } = controller;
    const callerSignal = checkSignal('load', options.signal);
    const onAbort = (): void => controller.abort(callerSignal?.reason);
    callerSignal?.addEventListener('abort', onAbort, { signal });
    if (callerSignal?.aborted) onAbort();
    const onProgress = (progress: LoadProgress): void => {
      try {
        if (!signal.aborted) options.onProgress?.(progress);
      } catch (cause) {
        const text = `onProgress of the load of "${level.name}" threw: ${messageOf(cause)}`;
        reportError(new SceneError('progress-failed', text, { cause }));
      }
    };
    const { uploadBytesPerFrame = UPLOAD_BYTES_PER_FRAME } = options;
    let release = (): void => {};
    try {
      checkNumber('load', 'uploadBytesPerFrame', uploadBytesPerFrame, 1, Number.POSITIVE_INFINITY);
      const asset = assetSource(source);
      let loaded: LevelSource | null = null;
      let actors: readonly Actor[] = [];
      const start = async (whenFirst: Promise<void>): Promise<LevelSource> => {
        const scene = await loadScene(asset, { onProgress, signal });
        let source: LevelSource | undefined;
        try {
          signal.throwIfAborted();
          source = createLevelSource(scene);
          release = await this.#staged.add(source, uploadBytesPerFrame, signal, whenFirst);
          actors = await buildActorsInTurns(source, root, signal);
        } catch (error) {
          if (source) source.closeImages();
          else closeImages(scene.textures);
          release();
          throw error;
        }
        // After an abort, `finally` below may already have run, before `release` was set.
        if (signal.aborted) release();
        loaded = source;
        return source;
      };
      await this.#queue.add(
        start,
        () => this.#spawnActors(level, root, loaded as LevelSource, actors),
        signal,
      );
    } finally {
      release();
      callerSignal?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Adds a file's actors to the world. Errors in the description are found earlier, so this adds all actors
   * or none.
   */
  #spawnActors(level: Level, root: Actor, source: LevelSource, actors: readonly Actor[]): void {
    const world = this.#world;
    const { scene, textures, levels } = source;
    level.root = root;
    level.fileMaterials = source.materials;
    level.warnings = scene.warnings;
    level.environment = scene.environment ?? null;
    level.copy = (options) => this.#copy(level, source, options);
    levels.add(level);
    world.spawn(root, { level });
    level.textures = textures.map((texture) => world.updates.resources.holdTexture(texture));
    // The checks of `spawn` are skipped, because a file may have many thousands of actors, all created here.
    for (const actor of actors) {
      actor.spawnIn(world, level);
      level.add(actor);
    }
    if (scene.clips.length > 0) level.clips = new LevelClips(level, world.updates, source, actors);
    level.looks = variantsOf(source, actors);
    level.cancel = null;
    level.state = 'ready';
  }

  /** Clones a level at once. Its geometries and textures are already in the world. */
  #copy(original: Level, source: LevelSource, options: TransformOptions): LoadedLevel {
    checkOptions('clone', options, TRANSFORM_OPTIONS);
    const root = new Actor(new SceneComponent(options), options.name ?? original.name);
    const level = this.#world.addLevel(root.name);
    level.state = 'loading';
    this.#spawnActors(level, root, source, buildActors(source, root));
    return level as LoadedLevel;
  }
}
