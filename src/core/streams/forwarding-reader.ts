/**
 * A reader that wraps another one and forwards everything, to inspect, count or reject records on their way.
 * Subclasses override `next`. Watchers of this reader see the records that it forwards.
 */
import type { Attachment, StreamReader } from './stream.js';
import { type StreamWatcher, StreamWatchers } from './stream-watchers.js';

export class ForwardingReader implements StreamReader {
  protected readonly source: StreamReader;
  readonly #watchers = new StreamWatchers();

  constructor(source: StreamReader) {
    this.source = source;
  }

  get words(): Uint32Array {
    return this.source.words;
  }

  get ints(): Int32Array {
    return this.source.ints;
  }

  get floats(): Float32Array {
    return this.source.floats;
  }

  get opcode(): number {
    return this.source.opcode;
  }

  get fields(): number {
    return this.source.fields;
  }

  get fieldWords(): number {
    return this.source.fieldWords;
  }

  get onAvailable(): (() => void) | null {
    return this.source.onAvailable;
  }

  set onAvailable(listener: (() => void) | null) {
    this.source.onAvailable = listener;
  }

  next(): boolean {
    if (!this.source.next()) return false;
    const { words, fields, fieldWords } = this;
    this.#watchers.turnPage();
    this.#watchers.show(words, fields - 1, fields + fieldWords);
    return true;
  }

  attachment(number: number): Attachment {
    const attachment = this.source.attachment(number);
    this.#watchers.attachmentTaken(number, attachment);
    return attachment;
  }

  watch(watcher: StreamWatcher): () => void {
    return this.#watchers.add(watcher);
  }

  close(reason?: Error): void {
    this.source.close(reason);
  }
}
