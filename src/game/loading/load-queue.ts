/**
 * Loads run in parallel and commit in call order, each between two frames. A load that fails or is aborted
 * leaves the queue, and nothing of it remains.
 *
 *   load A ────────────────► loaded ─► commit A ─► commit B        promises resolve in call order
 *   load B ────► loaded, waits for A ──────┘
 *
 * Results arrive as tasks of their own, never inside a tick, so that a commit is always at a frame boundary.
 */
import type {
  AssetSource,
  CubePictures,
  EnvironmentImage,
  LoadProgress,
  SceneDescription,
} from '../../proxy/scene-description.js';

/** Reads and parses a file; the engine's implementation runs in a worker. */
export type LoadScene = (
  source: AssetSource,
  options: { readonly onProgress: (progress: LoadProgress) => void; readonly signal: AbortSignal },
) => Promise<SceneDescription>;

/** Reads an equirectangular image or a cube of radiance; the engine's implementation runs in a worker. */
export type LoadEnvironment = (
  source: AssetSource | CubePictures,
  options: { readonly signal: AbortSignal },
) => Promise<EnvironmentImage>;

/** A file that has been loaded and is not committed yet. */
interface LoadedFile {
  /** Closes the images that have not been sent. */
  closeImages(): void;
}

interface Load {
  readonly commit: (file: LoadedFile) => void;
  /** Resolves `whenFirst`: all earlier loads have been committed or have left the queue. */
  readonly becomeFirst: () => void;
  file: LoadedFile | null;
}

export class LoadQueue {
  readonly #loads: Load[] = [];

  /**
   * Adds a load. `commit` is called after the commits of earlier loads. The promise rejects if the load fails,
   * `commit` throws or the signal is aborted.
   * @param start starts to load; `whenFirst` resolves when all earlier loads have been committed or have left
   * the queue
   */
  add(
    start: (whenFirst: Promise<void>) => Promise<LoadedFile>,
    commit: () => void,
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
        commit: (file) => {
          try {
            commit();
            resolve();
          } catch (error) {
            file.closeImages();
            reject(error);
          }
        },
        file: null,
      };
      this.#loads.push(load);
      this.#loads[0]?.becomeFirst();
      const end = (reason: unknown): void => {
        const index = this.#loads.indexOf(load);
        if (index < 0) return;
        this.#loads.splice(index, 1);
        load.file?.closeImages();
        reject(reason);
        this.#commitReady();
      };
      signal.addEventListener('abort', () => end(signal.reason), { once: true });
      start(whenFirst).then((file) => {
        load.file = file;
        if (!this.#loads.includes(load)) file.closeImages();
        this.#commitReady();
      }, end);
    });
  }

  #commitReady(): void {
    for (let load = this.#loads[0]; load?.file; load = this.#loads[0]) {
      this.#loads.shift();
      load.commit(load.file);
    }
    this.#loads[0]?.becomeFirst();
  }
}
