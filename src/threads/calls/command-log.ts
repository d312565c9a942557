import { concatenate } from '../../core/records/concatenate.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { endOfRecord, type StreamWatcher } from '../../core/streams/stream-watchers.js';
import { RenderOpcode } from '../../proxy/commands.js';

/**
 * The render commands of the last frames, as words: what the flight recorder keeps of the game's side.
 *
 *   frame 5 │ frame 6 │ frame 7 ─ words so far        with room for 3: frame 4 has been forgotten
 */
export class CommandLog implements StreamWatcher {
  readonly #frames: Uint32Array[] = [];
  readonly #maximumFrames: number;
  #current: Uint32Array[] = [];

  /** @param maximumFrames forgotten one by one beyond this */
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

  /** The words of all frames that are kept, and forgets them. */
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
