/**
 * Sends a world's declared motions with the end-of-frame update, and again after a change of streams. It also
 * computes the current scene time for reads of moved transforms. Created when a motion, a clip or orbit controls
 * first need it.
 *
 *   in a tick       the scene time of the frame that is being made
 *   between frames  the scene time of the last frame; in a running engine it advances with the page's clock, as the
 *                   picture does while the page is busy (`src/threads/render-side/late-frames.ts`)
 */
import { writeDouble } from '../../core/records/wide-words.js';
import { RenderOpcode } from '../../proxy/commands.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import { writeWords } from '../updates/write-record.js';

/** A motion declared for one node or material. */
export interface MotionSource {
  /** @internal Scene time after which nothing changes any more. Undefined: the source requests its frames itself. */
  readonly endSeconds?: number;
  /** @internal Writes the motion's record by `motions.write`, unless the owner has left the world. */
  declare(motions: MotionUpdates): void;
}

/** Milliseconds for which `timeSeconds` stays the same between frames, so that reads of x and y agree. */
const FROZEN_MILLISECONDS = 4;

export class MotionUpdates {
  readonly #updates: SceneUpdates;
  /** All declared motions. */
  readonly #sources = new Set<MotionSource>();
  readonly #changed = new Set<MotionSource>();
  /** Target and id of each declared motion that has ended since the last update. */
  readonly #ended: number[] = [];
  /** Scene time of the last frame that was sent. */
  #sentSeconds: number;
  /** `performance.now()` when the frame of `#sentSeconds` was sent; −1 while the engine does not run. */
  #sentAt = -1;
  #now = 0;
  /** Set while something is sent between two frames. */
  #isSendingNow = false;

  constructor(updates: SceneUpdates) {
    this.#updates = updates;
    this.#sentSeconds = updates.timeSeconds;
    // A hidden page is not drawn, so its motions stop.
    globalThis.document?.addEventListener('visibilitychange', this.#hold, { signal: updates.disposed });
  }

  /** Scene time of the update that is being sent. */
  get frameSeconds(): number {
    return this.#isSendingNow ? this.timeSeconds : this.#updates.timeSeconds;
  }

  /** Current scene time as the game sees it. */
  get timeSeconds(): number {
    const { timeSeconds } = this.#updates;
    if (this.#sentAt < 0 || timeSeconds !== this.#sentSeconds) return timeSeconds;
    const now = performance.now();
    if (now - this.#now > FROZEN_MILLISECONDS) this.#now = now;
    return timeSeconds + Math.max(this.#now - this.#sentAt, 0) / 1000;
  }

  /** Returns whether a motion changes something after this scene time. */
  isMovingAfter(seconds: number): boolean {
    for (const { endSeconds = seconds } of this.#sources) if (endSeconds > seconds) return true;
    return false;
  }

  /** Sends a source with the next update, and again whenever everything is resent. */
  add(source: MotionSource): void {
    this.#sources.add(source);
    this.#changed.add(source);
    this.#updates.onChange();
  }

  /** Removes a source whose owner has left the world. */
  remove(source: MotionSource): void {
    this.#sources.delete(source);
    this.#changed.delete(source);
  }

  /** Removes a source, and ends the motion of its node or material on the render thread with the next update. */
  end(source: MotionSource, target: number, id: number): void {
    this.remove(source);
    this.#ended.push(target, id);
    this.#updates.onChange();
  }

  /** Per frame, after nodes and materials are sent: sends the motions that have ended or changed. */
  send(): void {
    const { writer, timeSeconds, isRunning } = this.#updates;
    for (let index = 0; index < this.#ended.length; index += 2) {
      writeWords(writer, RenderOpcode.clearMotion, 2, this.#ended[index], this.#ended[index + 1]);
    }
    this.#ended.length = 0;
    if (this.#changed.size) {
      for (const source of this.#changed) source.declare(this);
      this.#changed.clear();
    }
    // A resend between two frames has the same scene time and must not restart the clock.
    if (!isRunning) this.#sentAt = -1;
    else if (this.#sentAt < 0 || timeSeconds !== this.#sentSeconds) this.#sentAt = performance.now();
    this.#sentSeconds = timeSeconds;
  }

  /** Writes the record of a motion. @param opcode `declareMotion`, or another record with the same fields */
  write(
    target: number,
    id: number,
    kind: number,
    startSeconds: number,
    parameters: Float64Array,
    opcode: number = RenderOpcode.declareMotion,
  ): void {
    const { writer } = this.#updates;
    const at = writer.reserve(opcode, 6 + parameters.length * 2);
    const { words } = writer;
    words[at] = target;
    words[at + 1] = id;
    words[at + 2] = kind;
    writeDouble(words, at + 3, startSeconds);
    words[at + 5] = parameters.length;
    for (let index = 0; index < parameters.length; index++)
      writeDouble(words, at + 6 + index * 2, parameters[index] as number);
  }

  /**
   * Sends a source with the next update, and also at once if a running engine is between two frames. The render
   * thread then has the source even if the page is busy afterwards.
   */
  sendNow(source: MotionSource): void {
    this.add(source);
    if (this.#sentAt < 0) return;
    this.#isSendingNow = true;
    this.#publish(() => source.declare(this));
    this.#isSendingNow = false;
  }

  /** Marks all motions to be sent to another stream. */
  resend(): void {
    this.#ended.length = 0;
    for (const source of this.#sources) this.#changed.add(source);
  }

  /** Stops scene time at its current value, when the engine stops. */
  pause(): void {
    this.#updates.timeSeconds = this.timeSeconds;
    this.#sentAt = -1;
    this.#hold();
  }

  /** Stops the render thread from drawing by itself until the next frame. */
  readonly #hold = (): void => {
    this.#publish(() => this.#updates.writer.reserve(RenderOpcode.holdMotion, 0));
  };

  /** Publishes a record between two frames. */
  #publish(write: () => void): void {
    try {
      const { inScene, writer } = this.#updates;
      if (inScene) inScene(write);
      else write();
      writer.publish();
    } catch {
      // The stream has ended, so nothing moves any more. Promises for a frame reject with the reason.
    }
  }
}

/** Returns a world's motions, creating them on first use. */
export function motionsOf(updates: SceneUpdates): MotionUpdates {
  updates.motions ??= new MotionUpdates(updates);
  return updates.motions;
}
