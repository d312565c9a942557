/**
 * Loads run side by side and commit in call order, each between two frames (DESIGN §2). A load that fails or is
 * aborted leaves the queue and nothing of it remains.
 *
 *   load A ────────────────► loaded ─► commit A ─► commit B        promises resolve in call order
 *   load B ────► loaded, waits for A ──────┘
 *
 * Answers arrive as tasks of their own, never inside a tick, so that a commit is always at a frame boundary.
 */
import { closeImages } from '../../proxy/images/close-images.js';
import type {
  AssetSource,
  CubePictures,
  EnvironmentImage,
  LoadProgress,
  SceneDescription,
} from '../../proxy/scene-description.js';

/** Reads and parses a file; the engine passes one that asks a worker. */
export type LoadScene = (
  source: AssetSource,
  options: { readonly onProgress: (progress: LoadProgress) => void; readonly signal: AbortSignal },
) => Promise<SceneDescription>;

/** Reads an equirectangular image or a cube of radiance, likewise. */
export type LoadEnvironment = (
  source: AssetSource | CubePictures,
  options: { readonly signal: AbortSignal },
) => Promise<EnvironmentImage>;

interface Load {
  readonly commit: (scene: SceneDescription) => void;
  /** Those before it have been committed, or have left. */
  readonly becomeFirst: () => void;
  scene: SceneDescription | null;
}

export class LoadQueue {
  readonly #loads: Load[] = [];

  /**
   * Adds a load. `commit` is called in turn; what it throws rejects the promise, as does an abort at any time.
   * @param start begins to load; `whenFirst` resolves when all loads before it have been committed, or have left
   */
  add(
    start: (whenFirst: Promise<void>) => Promise<SceneDescription>,
    commit: (scene: SceneDescription) => void,
    signal: AbortSignal,
  ): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      signal.throwIfAborted();
      let becomeFirst = (): void => {};
      const whenFirst = new Promise<void>((isFirst) => {
        becomeFirst = isFirst;
      });
      const load: Load = {
        becomeFirst,
        commit: (scene) => {
          try {
            commit(scene);
            resolve();
          } catch (error) {
            closeImages(scene.textures);
            reject(error);
          }
        },
        scene: null,
      };
      this.#loads.push(load);
      this.#loads[0]?.becomeFirst();
      const end = (reason: unknown): void => {
        const index = this.#loads.indexOf(load);
        if (index < 0) return;
        this.#loads.splice(index, 1);
        if (load.scene) closeImages(load.scene.textures);
        reject(reason);
        this.#commitReady();
      };
      signal.addEventListener('abort', () => end(signal.reason), { once: true });
      start(whenFirst).then((scene) => {
        load.scene = scene;
        if (!this.#loads.includes(load)) closeImages(scene.textures);
        this.#commitReady();
      }, end);
    });
  }

  #commitReady(): void {
    for (let load = this.#loads[0]; load?.scene; load = this.#loads[0]) {
      this.#loads.shift();
      load.commit(load.scene);
    }
    this.#loads[0]?.becomeFirst();
  }
}
