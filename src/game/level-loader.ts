/**
 * What `world.load` does, apart from the world so that pages which load nothing don't fetch its code: resolve
 * the source, ask for the scene, wait for its turn, and make actors of it.
 *
 *   source ─► assetSource ─► loadScene (a worker) ─► LoadQueue ─► buildLevel ─► spawn under the level's root
 */
import type { LoadProgress, SceneDescription } from '../proxy/scene-description.js';
import type { Actor } from './actor.js';
import { assetSource, type LoadSource } from './asset-source.js';
import type { Level } from './level.js';
import { buildLevel } from './level-builder.js';
import { LoadQueue, type LoadScene } from './load-queue.js';
import type { World } from './world.js';

export class LevelLoader {
  readonly #world: World;
  readonly #loadScene: LoadScene;
  readonly #queue = new LoadQueue();

  constructor(world: World, loadScene: LoadScene) {
    this.#world = world;
    this.#loadScene = loadScene;
  }

  load(
    level: Level,
    root: Actor,
    source: LoadSource,
    onProgress: (progress: LoadProgress) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const asset = assetSource(source);
    const start = (): Promise<SceneDescription> => this.#loadScene(asset, { onProgress, signal });
    return this.#queue.add(start, (scene) => this.#commit(level, root, scene), signal);
  }

  /** All or nothing: whatever is wrong with the description is found before the first actor is spawned. */
  #commit(level: Level, root: Actor, scene: SceneDescription): void {
    const world = this.#world;
    const { actors, textures } = buildLevel(scene);
    level.root = root;
    level.warnings = scene.warnings;
    world.spawn(root, { level });
    level.textures = textures.map((texture) => world.updates.resources.holdTexture(texture));
    for (const actor of actors) {
      const isRoot = !actor.root.parent;
      world.spawn(actor, { level });
      if (isRoot) actor.attachTo(root);
    }
    level.cancel = null;
    level.state = 'ready';
  }
}
