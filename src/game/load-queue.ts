/**
 * Loads run side by side and commit in call order, each between two frames (DESIGN §2). A load that fails, is
 * aborted or unloaded leaves the queue and nothing of it remains.
 *
 *   load A ────────────────► loaded ─► commit A ─► commit B        promises resolve in call order
 *   load B ────► loaded, waits for A ──────┘
 *
 * Answers arrive as tasks of their own, never inside a tick, so that a commit is always at a frame boundary.
 */
import { StateError } from '../core/errors.js';
import type { AssetSource, LoadProgress, SceneDescription } from '../proxy/scene-description.js';

/** Reads and parses a file; the engine passes one that asks a worker. */
export type LoadScene = (
  source: AssetSource,
  options: { readonly onProgress: (progress: LoadProgress) => void; readonly signal: AbortSignal },
) => Promise<SceneDescription>;

interface Load {
  readonly commit: (scene: SceneDescription) => void;
  readonly controller: AbortController;
  readonly reject: (reason: unknown) => void;
  scene: SceneDescription | null;
}

export class LoadQueue {
  readonly #loadScene: LoadScene;
  readonly #reportError: (error: unknown) => void;
  readonly #loads: Load[] = [];
  readonly #idle: (() => void)[] = [];
  #isClosed = false;

  constructor(loadScene: LoadScene, reportError: (error: unknown) => void) {
    this.#loadScene = loadScene;
    this.#reportError = reportError;
  }

  get pending(): number {
    return this.#loads.length;
  }

  /**
   * Starts a load. `commit` is called in turn; what it throws rejects the promise.
   * @returns the promise, and a function that ends the load with a reason
   */
  add(
    source: Promise<AssetSource>,
    commit: (scene: SceneDescription) => void,
    onProgress: ((progress: LoadProgress) => void) | undefined,
    signal: AbortSignal | undefined,
  ): { readonly promise: Promise<void>; readonly cancel: (reason: unknown) => void } {
    const controller = new AbortController();
    let cancel: (reason: unknown) => void = () => {};
    const promise = new Promise<void>((resolve, reject) => {
      const load: Load = {
        commit: (scene) => {
          try {
            commit(scene);
            resolve();
          } catch (error) {
            reject(error);
          }
        },
        controller,
        reject,
        scene: null,
      };
      this.#loads.push(load);
      cancel = (reason) => this.#end(load, reason);
      if (this.#isClosed) {
        cancel(disposedError());
        return;
      }
      const onAbort = (): void => cancel(signal?.reason);
      if (signal?.aborted) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      const report = (progress: LoadProgress): void => {
        if (controller.signal.aborted) return;
        try {
          onProgress?.(progress);
        } catch (error) {
          this.#reportError(error);
        }
      };
      source
        .then((asset) => {
          controller.signal.throwIfAborted();
          return this.#loadScene(asset, { onProgress: report, signal: controller.signal });
        })
        .then((scene) => {
          load.scene = scene;
          if (!this.#loads.includes(load)) closeImages(scene);
          this.#commitReady();
        }, cancel)
        .finally(() => signal?.removeEventListener('abort', onAbort));
    });
    return { promise, cancel };
  }

  /** Resolves when no load is under way. */
  whenIdle(): Promise<void> {
    return this.#loads.length ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  /** Rejects every load under way, and every later one, with `engine-disposed`. */
  close(): void {
    this.#isClosed = true;
    for (const load of [...this.#loads]) this.#end(load, disposedError());
  }

  #end(load: Load, reason: unknown): void {
    const index = this.#loads.indexOf(load);
    if (index < 0) return;
    this.#loads.splice(index, 1);
    load.controller.abort(reason);
    if (load.scene) closeImages(load.scene);
    load.reject(reason);
    this.#commitReady();
  }

  #commitReady(): void {
    for (let load = this.#loads[0]; load?.scene; load = this.#loads[0]) {
      this.#loads.shift();
      load.commit(load.scene);
    }
    if (!this.#loads.length) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function disposedError(): StateError {
  return new StateError('engine-disposed', 'The engine was disposed before the file was loaded.');
}

/** Decoded images hold memory that only `close` gives back at once. */
function closeImages(scene: SceneDescription): void {
  for (const { image } of scene.textures) if ('close' in image) image.close();
}
