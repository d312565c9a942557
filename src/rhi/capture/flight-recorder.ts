/**
 * Keeps the last frames of RHI commands and render commands, so that the frames before an error can still be captured
 * after it. A keyframe is a snapshot of all resources, taken every `framesPerKeyframe` frames. Frames before the second
 * to last keyframe are dropped.
 *
 *   keyframe A ─ frames ─ keyframe B ─ frames ─ keyframe C ─ frames ─ now
 *   dropped               └──────────── write() ───────────────────┘      one to two intervals long
 *
 * A keyframe begins only after the GPU has returned the contents of the previous keyframe. These contents therefore
 * survive a device loss. Memory is bounded. An interval between two keyframes may use half of `maximumBytes`, and ends
 * early once it has used more.
 */
import { RhiError } from '../../core/errors.js';
import { checkOption } from '../../core/options/check-options.js';
import { amount, list, optional, text } from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { checkOptions } from '../commands/class-arguments.js';
import { encodeRecordings, type Recording } from './recording.js';
import { type CapturableRhi, type CaptureSource, StreamRecorder } from './stream-recorder.js';

export interface FlightRecorderOptions {
  /**
   * Number of frames from one snapshot to the next. Default 120: captures of two to four seconds at 60 frames a
   * second.
   */
  readonly framesPerKeyframe?: number;
  /** Maximum bytes held. Default 256 MiB. */
  readonly maximumBytes?: number;
  /** Names of the render commands by opcode. Required if render commands are recorded too. */
  readonly renderCommandNames?: readonly string[];
}

const OPTIONS = {
  framesPerKeyframe: optional(amount('frames')),
  maximumBytes: optional(amount('bytes')),
  renderCommandNames: optional(list(text(), 'a list of names')),
};

export class FlightRecorder {
  readonly #renderCommandNames: readonly string[] | undefined;
  readonly #framesPerKeyframe: number;
  readonly #bytesPerInterval: number;
  readonly #recorder: StreamRecorder;
  /** Intervals from one keyframe to the next, oldest first. */
  #intervals: Recording[] = [];
  #unwatch: (() => void) | undefined;

  /**
   * Records from the next frame on.
   * @throws OptionError `capture-source`, `option-unknown`, `option-invalid`; RhiError `capture-reader`
   */
  constructor(source: CapturableRhi | CaptureSource, options: FlightRecorderOptions = {}) {
    checkOptions('new FlightRecorder', options, OPTIONS);
    const { framesPerKeyframe = 120, maximumBytes = 2 ** 28 } = options;
    this.#renderCommandNames = options.renderCommandNames;
    this.#framesPerKeyframe = framesPerKeyframe;
    this.#bytesPerInterval = maximumBytes / 2;
    this.#recorder = new StreamRecorder(
      source,
      () => this.#onFrame(),
      () => {},
    );
  }

  /** Bytes held now. */
  get byteLength(): number {
    return this.#intervals.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Number of frames held now. */
  get frames(): number {
    return this.#intervals.reduce((sum, { frames }) => sum + frames, 0);
  }

  /**
   * Records the commands that the render thread executes, if it is this thread. If it is another thread, pass its words
   * to `addRenderCommands`.
   */
  tapRenderCommands(reader: StreamReader): void {
    const watch = isObject(reader) && typeof reader.watch === 'function' ? reader.watch : undefined;
    const expected = 'the reader that the render commands are read from';
    checkOption('The reader of tapRenderCommands', reader, watch !== undefined, expected);
    this.#unwatch?.();
    this.#unwatch = watch?.call(reader, {
      onRecords: (words, at, used) => {
        this.#intervals.at(-1)?.appendRender(words.slice(at, used));
        return used;
      },
    });
  }

  /** Adds render commands that another thread has executed. @param words complete records, in the order of execution */
  addRenderCommands(words: Uint32Array): void {
    checkOption('The words of addRenderCommands', words, words instanceof Uint32Array, 'a Uint32Array');
    this.#intervals.at(-1)?.appendRender(words.slice());
  }

  /**
   * Returns a file with the frames held now. Recording continues. After a device loss, the file begins at the oldest
   * held keyframe whose contents were read back before the loss.
   * @throws RhiError `capture-empty`, `capture-too-large`
   */
  async write(): Promise<ArrayBuffer> {
    const intervals = this.#intervals;
    // A lost device rejects the pending snapshots, but the contents of an older snapshot may be complete.
    for (let first = 0; first < intervals.length; first++) {
      const [from, ...rest] = intervals.slice(first);
      await from.contents.catch(() => {});
      if (from.contentBytes !== null && from.frames > 0)
        return encodeRecordings([from, ...rest], this.#recorder.capabilities, this.#renderCommandNames);
    }
    throw (
      this.#recorder.failure ??
      new RhiError(
        'capture-empty',
        'The flight recorder holds no whole frame whose resources could be read back. Start it earlier, or raise its maximumBytes.',
      )
    );
  }

  dispose(): void {
    this.#unwatch?.();
    this.#recorder.dispose();
    this.#intervals = [];
  }

  #onFrame(): void {
    const current = this.#intervals.at(-1);
    const hasGap = this.#recorder.recording === null;
    if (current !== undefined) {
      const { frames, contentBytes } = current;
      const isFull = current.byteLength > this.#bytesPerInterval;
      if (contentBytes !== null && contentBytes > this.#bytesPerInterval) {
        this.#intervals = [];
        throw new RhiError(
          'capture-too-large',
          `The flight recorder may hold ${this.#bytesPerInterval * 2} bytes, but one snapshot of this scene takes ${contentBytes}. Raise its maximumBytes to more than twice that.`,
        );
      }
      if (!hasGap && !isFull && frames < this.#framesPerKeyframe) return;
      // The GPU may never return the contents. Until they arrive, a full interval takes no more frames.
      if (contentBytes === null) {
        if (isFull) this.#recorder.end();
        return;
      }
    }
    const recording = this.#recorder.begin();
    this.#intervals = [...(hasGap ? [] : this.#intervals.slice(-1)), recording];
  }
}
