/**
 * A reader that stands before another one and passes everything on: for who wants to see, count or refuse records
 * on their way. Extend it and override `next`.
 */
import type { Attachment, StreamReader } from './stream.js';

export class ForwardingReader implements StreamReader {
  protected readonly source: StreamReader;

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
    return this.source.next();
  }

  attachment(number: number): Attachment {
    return this.source.attachment(number);
  }

  close(reason?: Error): void {
    this.source.close(reason);
  }
}
