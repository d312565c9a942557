/**
 * Checks the records of a reader whose pages can be looked into, a stretch at a time, and hands them on as a reader
 * with pages: a stretch is a page to whoever reads, who may then take runs of records, and replay passes.
 *
 *   source's page   | beginRenderPass | set … draw … | draw: wrong | draw … | endRenderPass |
 *   handed on       | beginRenderPass | set … draw … |             | draw … | endRenderPass |     five steps: next, turnPage
 *
 * A stretch is looked at when the one before was read to its end: nothing in it changes what a check of a later record
 * sees too early, because all but the records of a pass are stretches of their own.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import type { Attachment, PageCursor } from '../../core/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import { checkRun, isRunDraw } from './draw-run.js';
import { PassMemo } from './pass-memo.js';
import { RecordCheck } from './record-check.js';
import { PassKind } from './state.js';
import type { ValidatingReader, ValidationOptions } from './validate.js';

export class PageValidator implements ValidatingReader, PageCursor {
  words: Uint32Array;
  ints: Int32Array;
  floats: Float32Array;
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  cursor = 0;
  used = 0;
  /** Public, so that tests can see what it spared. */
  readonly memo: PassMemo | null;
  readonly #source: PageCursor;
  readonly #check: RecordCheck;
  /** The source's current record waits behind what was put before it. */
  #isCurrentDue = false;
  #isCurrentFine = false;

  /** @param leastWords of a pass that is worth remembering; Infinity: none is */
  constructor(source: PageCursor, options: ValidationOptions, leastWords?: number) {
    this.#source = source;
    this.words = source.words;
    this.ints = source.ints;
    this.floats = source.floats;
    this.#check = new RecordCheck(options);
    this.memo = leastWords === Number.POSITIVE_INFINITY ? null : new PassMemo(this.#check, leastWords);
  }

  get skippedDraws(): number {
    return this.#check.state.skippedDraws;
  }

  get onAvailable(): (() => void) | null {
    return this.#source.onAvailable;
  }

  set onAvailable(listener: (() => void) | null) {
    this.#source.onAvailable = listener;
  }

  attachment(number: number): Attachment {
    return this.#source.attachment(number);
  }

  close(reason?: Error): void {
    this.#source.close(reason);
  }

  /** Per record. */
  next(): boolean {
    if (this.cursor === this.used && !this.turnPage()) return false;
    const at = this.cursor;
    const header = this.words[at];
    this.opcode = header & 0xff;
    this.fields = at + 1;
    this.fieldWords = (header >>> HEADER_LENGTH_SHIFT) - 1;
    this.cursor = at + 1 + this.fieldWords;
    return true;
  }

  /** Looks at the next stretch. */
  turnPage(): boolean {
    const source = this.#source;
    const { pass } = this.#check.state;
    if (this.#isCurrentDue) {
      this.#isCurrentDue = false;
      if (this.#isCurrentFine) return this.#offer(source.fields - 1, source.cursor);
    }
    for (;;) {
      if (source.cursor === source.used && !source.turnPage()) return false;
      if (pass.kind === PassKind.render) {
        const at = source.cursor;
        if (this.#offerRun()) return true;
        if (source.cursor !== at) continue;
      }
      if (!source.next()) return false;
      if (this.#offerCurrent()) return true;
    }
  }

  /** Of an open render pass, what needs no reader's own check. False: none of it goes on. */
  #offerRun(): boolean {
    const source = this.#source;
    const { state, draws } = this.#check;
    const { memo } = this;
    const { words, used, cursor: at } = source;
    memo?.meet(words[at] & 0xff);
    if (memo?.isComparing) {
      const sound = memo.compare(source);
      source.cursor = at + sound;
      if (sound > 0) return this.#offer(at, at + sound);
    }
    const stop = checkRun(state, draws, words, at, used);
    const end = stop < 0 ? ~stop : stop;
    source.cursor = end;
    memo?.keep(words, at, end);
    if (stop < 0) {
      memo?.abandon();
      source.cursor = end + (words[end] >>> HEADER_LENGTH_SHIFT);
      if (isRunDraw(words[end] & 0xff)) this.#check.skipped();
    }
    return end > at && this.#offer(at, end);
  }

  /** The source's current record, by itself. False when it was left out. */
  #offerCurrent(): boolean {
    const source = this.#source;
    const check = this.#check;
    const { inserted, pass } = check.state;
    const isFine = check.isFine(source);
    const from = source.fields - 1;
    const to = source.cursor;
    this.memo?.keepOne(isFine && inserted.length === 0, source.opcode, source.words, from, to);
    if (isFine && source.opcode === RhiOpcode.beginRenderPass && !pass.isDropped) this.memo?.begin();
    const goesOn = isFine || check.mustGoOn(source, source);
    if (inserted.length === 0) return goesOn && this.#offer(from, to);
    this.#isCurrentDue = true;
    this.#isCurrentFine = goesOn;
    // Commands without fields: each is its header.
    this.words = Uint32Array.from(inserted, (opcode) => (1 << HEADER_LENGTH_SHIFT) | opcode);
    this.ints = new Int32Array(this.words.buffer);
    this.floats = new Float32Array(this.words.buffer);
    this.cursor = 0;
    this.used = inserted.length;
    inserted.length = 0;
    return true;
  }

  #offer(from: number, to: number): true {
    const { words, ints, floats } = this.#source;
    this.words = words;
    this.ints = ints;
    this.floats = floats;
    this.cursor = from;
    this.used = to;
    return true;
  }
}
