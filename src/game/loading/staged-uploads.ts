/**
 * What loaded files have for the GPU, sent in parts: with each frame of an engine that runs a bounded number of bytes, at least one
 * object, so that a file of many does not make one frame long. A file's actors are spawned when all of it was sent.
 *
 *   file of 12 MB arrives │ frame 7: 4 MB │ frame 8: 4 MB │ frame 9: 4 MB ─► its actors
 *
 * An engine that does not run has no frames to wait for: whoever steps it by hand, or loads before it starts. A large file is sent
 * between two frames then, in tasks of a bounded number of bytes, in the order of the calls; a frame that comes meanwhile sends all
 * that is left. One that stops meanwhile, or is hidden, does so after a while.
 */
import { isStreamError } from '../../core/errors.js';
import { eventTurn } from '../../core/events/event-turn.js';
import type { TextureDescription } from '../../proxy/scene-description.js';
import type { Geometry } from '../geometry/updatable-geometry.js';
import type { Texture } from '../textures/texture.js';
import type { TextureEntry } from '../textures/texture-registry.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { LevelSource } from './level-builder.js';

/** Bytes of a frame unless a load says otherwise: copying them takes a page's thread a millisecond or two. */
export const UPLOAD_BYTES_PER_FRAME = 4 * 2 ** 20;
/** Bytes of a task between two frames: copying them takes a page's thread a few milliseconds, on a slow machine as well. */
const BYTES_PER_TASK = 2 ** 20;
/** Without a frame for so long nothing is held back any more, where the page is hidden or the engine stands still. Milliseconds. */
const PATIENCE = 1000;
/** A page that is seen is given so many times that: its frames may be that long. */
const TURNS_WHEN_SEEN = 10;

/** One file. What it has sent is held until its actors use it. */
class Staged {
  readonly whenSent: Promise<void>;
  readonly bytesPerFrame: number;
  end: () => void = () => {};
  readonly #updates: SceneUpdates;
  readonly #geometries: readonly Geometry[];
  readonly #textures: readonly Texture[];
  readonly #images: readonly TextureDescription[];
  readonly #heldGeometries: Geometry[] = [];
  readonly #heldTextures: TextureEntry[] = [];
  #next = 0;

  constructor(updates: SceneUpdates, { geometries, textures, scene }: LevelSource, bytesPerFrame: number) {
    this.#updates = updates;
    this.#geometries = geometries;
    this.#textures = textures;
    this.#images = scene.textures;
    this.bytesPerFrame = bytesPerFrame;
    this.whenSent = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  get isSent(): boolean {
    return this.#next === this.#geometries.length + this.#textures.length;
  }

  /** Of what is to be sent next: an object is not divided. */
  get #nextBytes(): number {
    const geometry = this.#geometries[this.#next];
    if (geometry) return bytesOfGeometry(geometry);
    return bytesOfImage(this.#images[this.#next - this.#geometries.length] as TextureDescription);
  }

  /** Sends objects until they have `limit` bytes with those that were sent before; one at least. @returns the bytes of all */
  send(before: number, limit: number): number {
    let bytes = before;
    while (!this.isSent) {
      const nextBytes = this.#nextBytes;
      if (bytes > 0 && bytes + nextBytes > limit) break;
      bytes += nextBytes;
      this.#sendNext();
    }
    return bytes;
  }

  #sendNext(): void {
    const { resources } = this.#updates;
    const at = this.#next++;
    const geometry = this.#geometries[at];
    if (geometry) {
      try {
        resources.useGeometry(geometry, geometry.label);
        this.#heldGeometries.push(geometry);
      } catch {
        // The mesh that shows it is told when it is spawned.
      }
    } else {
      const texture = this.#textures[at - this.#geometries.length] as Texture;
      this.#heldTextures.push(resources.holdTexture(texture));
    }
  }

  /** The file's actors have it now, or nobody will. */
  release(): void {
    const { resources } = this.#updates;
    for (const geometry of this.#heldGeometries) resources.release(geometry);
    for (const entry of this.#heldTextures) resources.textures?.release(entry);
    this.#heldGeometries.length = this.#heldTextures.length = 0;
  }
}

export class StagedUploads {
  readonly #updates: SceneUpdates;
  readonly #files: Staged[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(updates: SceneUpdates) {
    this.#updates = updates;
  }

  /**
   * Resolves when the file was sent, or is to be sent with its actors.
   * @param whenFirst resolves when it is the file's turn among the loads
   * @returns to be called when they have been spawned, or never will be
   */
  async add(
    source: LevelSource,
    bytesPerFrame: number,
    signal: AbortSignal,
    whenFirst: Promise<void>,
  ): Promise<() => void> {
    const staged = new Staged(this.#updates, source, bytesPerFrame);
    if (bytesOf(source) > bytesPerFrame) {
      signal.addEventListener('abort', staged.end, { once: true });
      const isLate = !this.#updates.isRunning;
      // Ids are given in the order of the calls, whichever file arrives first.
      if (isLate) await Promise.race([whenFirst, staged.whenSent]);
      this.#files.push(staged);
      this.#updates.staged = this;
      if (isLate) void this.#sendBetweenFrames(staged, signal);
      else this.#wait();
      await staged.whenSent;
      signal.removeEventListener('abort', staged.end);
      this.#drop(staged);
    }
    return () => staged.release();
  }

  /** Per frame, while there is something to send. */
  send(): void {
    this.#wait();
    let bytes = 0;
    for (const file of this.#files) {
      bytes = file.send(bytes, this.#updates.isRunning ? file.bytesPerFrame : Number.POSITIVE_INFINITY);
      if (!file.isSent) return;
      file.end();
    }
  }

  /** As long as nobody draws: a part per task, at most as much as a frame would send. */
  async #sendBetweenFrames(file: Staged, signal: AbortSignal): Promise<void> {
    try {
      while (!file.isSent && !signal.aborted) {
        if (this.#updates.isRunning) {
          this.#wait();
          return;
        }
        file.send(0, Math.min(file.bytesPerFrame, BYTES_PER_TASK));
        this.#updates.writer.publish();
        await eventTurn();
      }
    } catch (error) {
      // Of a stream that has ended, another one gets all of it, or nobody waits any more.
      if (!isStreamError(error)) this.#updates.reportError(error);
    }
    file.end();
  }

  #drop(file: Staged): void {
    this.#files.splice(this.#files.indexOf(file), 1);
    if (this.#files.length > 0) return;
    clearTimeout(this.#timer);
    this.#updates.staged = undefined;
  }

  #wait(turns = TURNS_WHEN_SEEN): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const isSeen = this.#updates.isRunning && globalThis.document?.hidden === false;
      if (isSeen && turns > 1) this.#wait(turns - 1);
      else for (const file of this.#files) file.end();
    }, PATIENCE);
  }
}

const bytesOfGeometry = ({ data, morph }: Geometry): number =>
  data.byteLength + (morph?.deltas.byteLength ?? 0);

/** Pixels of a decoded image have four bytes. */
const bytesOfImage = ({ image, width, height }: TextureDescription): number =>
  image instanceof ArrayBuffer ? image.byteLength : width * height * 4;

function bytesOf({ geometries, scene }: LevelSource): number {
  let bytes = 0;
  for (const geometry of geometries) bytes += bytesOfGeometry(geometry);
  for (const texture of scene.textures) bytes += bytesOfImage(texture);
  return bytes;
}
