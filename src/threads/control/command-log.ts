import type { StreamReader } from '../../core/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { tapReader } from '../../rhi/capture/record-tap.js';

/**
 * The render commands of the last frames, as words: what the flight recorder keeps of the game's side.
 *
 *   frame 5 │ frame 6 │ frame 7 ─ words so far        with room for 3: frame 4 has been forgotten
 */
export class CommandLog {
  readonly #frames: Uint32Array[] = [];
  readonly #maximumFrames: number;
  #current: Uint32Array[] = [];

  /** @param maximumFrames forgotten one by one beyond this */
  constructor(reader: StreamReader, maximumFrames: number) {
    this.#maximumFrames = maximumFrames;
    tapReader(reader, {
      onRecord: ({ words, opcode, fields, fieldWords }) => {
        this.#current.push(words.slice(fields - 1, fields + fieldWords));
        if (opcode === RenderOpcode.endFrame) this.#endFrame();
      },
      onAttachment: () => {},
    });
  }

  /** The words of all frames that are kept, and forgets them. */
  take(): Uint32Array<ArrayBuffer> {
    this.#endFrame();
    return join(this.#frames.splice(0));
  }

  #endFrame(): void {
    this.#frames.push(join(this.#current));
    this.#current = [];
    if (this.#frames.length > this.#maximumFrames) this.#frames.shift();
  }
}

function join(runs: readonly Uint32Array[]): Uint32Array<ArrayBuffer> {
  const joined = new Uint32Array(runs.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const run of runs) {
    joined.set(run, at);
    at += run.length;
  }
  return joined;
}
