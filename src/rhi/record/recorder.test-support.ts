/** A checked immediate context together with a reader, so that a test can read the records of its calls. */

import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import { CheckedImmediateContext } from './checked-contexts.js';

export interface RecordedCommand {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export class RecorderBench {
  readonly context: CheckedImmediateContext;
  readonly #reader;
  #frame = 0;

  constructor() {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    this.context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    this.#reader = reader;
  }

  inFrame(work: () => void = () => {}): void {
    this.context.beginFrame(this.#frame++);
    work();
    this.context.endFrame();
  }

  /** Publishes and returns the records since the last call. */
  take(): RecordedCommand[] {
    this.context.publish();
    const records: RecordedCommand[] = [];
    while (this.#reader.next()) records.push(structuredClone(decodeRecord(rhiCommands, this.#reader)));
    return records;
  }

  names(): string[] {
    return this.take().map(({ name }) => name);
  }
}
