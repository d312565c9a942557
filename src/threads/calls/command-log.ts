import { concatenate } from '../../core/records/concatenate.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { endOfRecord, type StreamWatcher } from '../../core/streams/stream-watchers.js';
import { RenderOpcode } from '../../proxy/commands.js';

/**
 * Keeps the render commands of the last frames, as words, for the flight recorder.
 *
 *   frame 5 │ frame 6 │ frame 7 ─ words so far        for at most 3 frames: frame 4 was dropped
 */
export class CommandLog implements StreamWatcher {
  readonly #frames: Uint32Array[] = [];
  readonly #maximumFrames: number;
  #current: Uint32Array[] = [];

  /** @param maximumFrames number of frames to keep, with the open frame; older frames are dropped */
  constructor(reader: StreamReader, maximumFrames: number) {
    this.#maximumFrames = maximumFrames;
    reader.watch?.(this);
  }

  onRecords(words: Uint32Array, at: number, used: number): number {
    let taken = at;
    for (let record = at; record < used; ) {
      const end = endOfRecord(words, record, used);
      if ((words[record] & 0xff) === RenderOpcode.endFrame) {
        this.#current.push(words.slice(taken, end));
        this.#endFrame();
        taken = end;
      }
      record = end;
    }
    this.#current.push(words.slice(taken, used));
    return used;
  }

  /** Returns the words of all kept frames, and drops them. */
  take(): Uint32Array<ArrayBuffer> {
    this.#endFrame();
    return concatenate(this.#frames.splice(0));
  }

  #endFrame(): void {
    this.#frames.push(concatenate(this.#current));
    this.#current = [];
    if (this.#frames.length > this.#maximumFrames) this.#frames.shift();
  }
}
