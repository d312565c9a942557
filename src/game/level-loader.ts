/**
 * What `world.load` does, apart from the world so that pages which load nothing don't fetch its code: resolve
 * the source, ask for the scene, wait for its turn, and make actors of it.
 *
 *   source ─► assetSource ─► loadScene (a worker) ─► LoadQueue ─► buildLevel ─► spawn under the level's root
 */
import { messageOf, SceneError } from '../core/errors.js';
import type { LoadProgress, SceneDescription } from '../proxy/scene-description.js';
import type { Actor } from './actor.js';
import { assetSource, type LoadSource } from './asset-source.js';
import type { Level } from './level.js';
import { buildLevel, type SceneClasses } from './level-builder.js';
import { LevelClips } from './level-clips.js';
import { LoadQueue } from './load-queue.js';
import type { LoadOptions, World, WorldServices } from './world.js';

export class LevelLoader {
  readonly #world: World;
  readonly #services: WorldServices;
  readonly #classes: SceneClasses;
  readonly #queue = new LoadQueue();

  constructor(world: World, services: WorldServices, classes: SceneClasses) {
    this.#world = world;
    this.#services = services;
    this.#classes = classes;
  }

  /** @param controller ends the load, as `options.signal` does */
  async load(
    level: Level,
    root: Actor,
    source: LoadSource,
    options: LoadOptions,
    controller: AbortController,
  ): Promise<void> {
    const { loadScene, reportError } = this.#services;
    const { signal } = controller;
    const onAbort = (): void => controller.abort(options.signal?.reason);
    options.signal?.addEventListener('abort', onAbort, { signal });
    if (options.signal?.aborted) onAbort();
    const onProgress = (progress: LoadProgress): void => {
      try {
        if (!signal.aborted) options.onProgress?.(progress);
      } catch (cause) {
        const text = `onProgress of the load of "${level.name}" threw: ${messageOf(cause)}`;
        reportError(new SceneError('progress-failed', text, { cause }));
      }
    };
    try {
      const asset = assetSource(source);
      const start = (): Promise<SceneDescription> => loadScene(asset, { onProgress, signal });
      await this.#queue.add(start, (scene) => this.#commit(level, root, scene), signal);
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** All or nothing: whatever is wrong with the description is found before the first actor is spawned. */
  #commit(level: Level, root: Actor, scene: SceneDescription): void {
    const world = this.#world;
    const { actors, textures } = buildLevel(scene, this.#classes);
    level.root = root;
    level.warnings = scene.warnings;
    world.spawn(root, { level });
    level.textures = textures.map((texture) => world.updates.resources.holdTexture(texture));
    for (const actor of actors) {
      const isRoot = !actor.root.parent;
      world.spawn(actor, { level });
      if (isRoot) actor.attachTo(root);
    }
    if (scene.clips.length > 0) level.clips = new LevelClips(level, world.updates, scene.clips, actors);
    level.cancel = null;
    level.state = 'ready';
  }
}
