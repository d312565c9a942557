/**
 * Uploads the geometries and textures of loaded files in parts, so that a large file does not make one frame long.
 * Each frame of a running engine sends a limited number of bytes, but at least one object. The actors of a file are
 * spawned once the whole file was sent.
 *
 *   file of 12 MB arrives │ frame 7: 4 MB │ frame 8: 4 MB │ frame 9: 4 MB ─► its actors
 *
 * An engine that is not running makes no frames by itself: the page steps it, or has not started it yet. Large files
 * are then sent between frames, in tasks of a limited number of bytes, in the order of the calls. A frame that is made
 * meanwhile sends the whole rest. If a running engine stops, or its page is hidden, the actors are spawned after a
 * delay. The next frame then sends the rest together with them.
 */
import { isStreamError } from '../../core/errors.js';
import { eventTurn } from '../../core/events/event-turn.js';
import type { TextureDescription } from '../../proxy/scene-description.js';
import type { Geometry } from '../geometry/updatable-geometry.js';
import type { Texture } from '../textures/texture.js';
import type { TextureEntry } from '../textures/texture-registry.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { LevelSource } from './level-builder.js';

/** Default number of bytes per frame. Copying them takes the main thread one or two milliseconds. */
export const UPLOAD_BYTES_PER_FRAME = 4 * 2 ** 20;
/**
 * Bytes per task between frames. Copying them takes the main thread a few milliseconds, even on a slow
 * machine.
 */
const BYTES_PER_TASK = 2 ** 20;
/**
 * Milliseconds for which files wait for a frame while the page is hidden or the engine is stopped. Then their actors
 * are spawned without waiting for the rest of the uploads.
 */
const HOLD_MILLISECONDS = 1000;
/** Factor on `HOLD_MILLISECONDS` for a visible page with a running engine, whose next frame may be late. */
const VISIBLE_PAGE_FACTOR = 10;

/** The uploads of one file. Sent objects are counted as used until the file's actors use them. */
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

  /** Bytes of the next object. An object is sent as a whole. */
  get #nextBytes(): number {
    const geometry = this.#geometries[this.#next];
    if (geometry) return bytesOfGeometry(geometry);
    return bytesOfImage(this.#images[this.#next - this.#geometries.length] as TextureDescription);
  }

  /**
   * Sends objects until `limit` bytes are reached, but at least one per frame.
   * @param before bytes already sent in this frame
   * @returns bytes sent in total
   */
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
        // The mesh that uses this geometry reports the error when it is spawned.
      }
    } else {
      const texture = this.#textures[at - this.#geometries.length] as Texture;
      const entry = resources.holdTexture(texture);
      this.#heldTextures.push(entry);
      resources.textures?.sendNow(entry);
    }
  }

  /** Releases the objects. The file's actors use them now, or the load has ended. */
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
   * Sends a file in parts if it has more than `bytesPerFrame`. Resolves when the file was sent, or when the rest can
   * be sent together with its actors.
   * @param whenFirst resolves when all earlier loads have been committed or have left the queue
   * @returns a function that releases the sent objects; call it once the actors are spawned or the load has ended
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
      const isBetweenFrames = !this.#updates.isRunning;
      // Ids are allocated in the order of the calls, whichever file arrives first.
      if (isBetweenFrames) await Promise.race([whenFirst, staged.whenSent]);
      this.#files.push(staged);
      this.#updates.staged = this;
      if (isBetweenFrames) void this.#sendBetweenFrames(staged, signal);
      else {
        // An engine that draws only changes makes no frames by itself.
        this.#updates.onChange();
        this.#wait();
      }
      await staged.whenSent;
      signal.removeEventListener('abort', staged.end);
      this.#drop(staged);
    }
    return () => staged.release();
  }

  /** Per frame while files are left: sends their next parts. */
  send(): void {
    this.#wait();
    let bytes = 0;
    for (const file of this.#files) {
      bytes = file.send(bytes, this.#updates.isRunning ? file.bytesPerFrame : Number.POSITIVE_INFINITY);
      if (!file.isSent) return;
      file.end();
    }
  }

  /** While no frames are drawn: sends one part per task, at most as much as a frame would. */
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
      // Do not report the end of a stream. Either the load was aborted, or the next stream sends the whole file again.
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

  #wait(turns = VISIBLE_PAGE_FACTOR): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const isVisible = this.#updates.isRunning && globalThis.document?.hidden === false;
      if (isVisible && turns > 1) this.#wait(turns - 1);
      else for (const file of this.#files) file.end();
    }, HOLD_MILLISECONDS);
  }
}

const bytesOfGeometry = ({ data, morph }: Geometry): number =>
  data.byteLength + (morph?.deltas.byteLength ?? 0);

/** Returns the bytes of an image. A decoded image has four per pixel. */
const bytesOfImage = ({ image, width, height }: TextureDescription): number =>
  image instanceof ArrayBuffer ? image.byteLength : width * height * 4;

function bytesOf({ geometries, scene }: LevelSource): number {
  let bytes = 0;
  for (const geometry of geometries) bytes += bytesOfGeometry(geometry);
  for (const texture of scene.textures) bytes += bytesOfImage(texture);
  return bytes;
}
