/**
 * Validation as a reader around a reader (SYSTEMS H8): it stands before any executor, checks each record against a
 * model of the state, reports what is wrong, and leaves out what would break. Whoever does not import it carries
 * none of it. What depends on something refused is dropped in silence: the cause was reported.
 *
 *   stream ─► next ─► check ──fine──────────────────────────► executor
 *                       ├───wrong────► error; the next record
 *                       └───not ended► error; the missing end, then the record ─► executor
 *
 * What is fine is handed on with pages: a stretch of records is a page to whoever reads, who may then take runs of
 * records. Of a reader whose pages can't be looked into each record is one.
 *
 *   source's page   | beginRenderPass | set … draw … | draw: wrong | draw … | endRenderPass |
 *   handed on       | beginRenderPass | set … draw … |             | draw … | endRenderPass |     five steps: next, turnPage
 *
 * A stretch is looked at when the one before was read to its end: nothing in it changes what a check of a later record
 * sees too early, because all but the draws of a pass, and what they need, are stretches of their own.
 */
import type { RhiError } from '../../core/errors.js';
import { checkOption } from '../../core/options/check-options.js';
import { isObject } from '../../core/options/shown-value.js';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import {
  type Attachment,
  isPageCursor,
  type PageCursor,
  type StreamReader,
} from '../../core/streams/stream.js';
import { type StreamWatcher, StreamWatchers } from '../../core/streams/stream-watchers.js';
import { Scope } from '../commands/command-rows.js';
import { ErrorScopes } from '../webgpu/device/error-scopes.js';
import { RecordCheck } from './record-check.js';

export interface ValidationOptions {
  readonly onError: (error: RhiError) => void;
  /** Answers a `readBuffer` that was left out, with no bytes; without it such a record goes on to the executor. */
  readonly onReadback?: (request: number, bytes: ArrayBuffer) => void;
  /**
   * How many frames the GPU has completed (`() => executor.completedFrames.value`), to judge a promise that nothing
   * pending uses a resource. Without it only the list being recorded counts as pending.
   */
  readonly completedLists?: () => number;
  /** A draw or dispatch was left out. */
  readonly onSkippedDraw?: () => void;
}

/** A reader that hands on only records which are valid. */
export interface ValidatingReader extends StreamReader {
  /** Draws and dispatches left out since `beginFrame`: the executor never saw them, so its figure lacks them. */
  readonly skippedDraws: number;
  /** For the WebGPU executor, so that what WebGPU finds wrong is told with the command and the object. */
  readonly errorScopes: typeof ErrorScopes;
}

/**
 * Wraps a reader, before an executor is given it.
 *
 * @throws OptionError `option-invalid`
 * @example
 * const executor = new WebGpuExecutor({ …, reader: validate(reader, { onError }) });
 */
export function validate(reader: StreamReader, options: ValidationOptions): ValidatingReader {
  const isReader = isObject(reader) && typeof reader.next === 'function';
  checkOption('The reader of validate', reader, isReader, 'the reader of a stream');
  const isOptions = isObject(options) && typeof options.onError === 'function';
  checkOption('The options of validate', options, isOptions, 'an object with onError, a function');
  return new Validator(reader, options);
}

export class Validator implements ValidatingReader, PageCursor {
  words: Uint32Array;
  ints: Int32Array;
  floats: Float32Array;
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  cursor = 0;
  used = 0;
  readonly errorScopes = ErrorScopes;
  readonly #source: StreamReader;
  /** The same, where its pages can be looked into. */
  readonly #pages: PageCursor | null;
  readonly #check: RecordCheck;
  readonly #watchers = new StreamWatchers();
  /** Where the stretch ends; while somebody watches, `used` may lie before it. */
  #end = 0;
  /** The source's current record waits behind what was put before it. */
  #isCurrentDue = false;

  constructor(source: StreamReader, options: ValidationOptions) {
    this.#source = source;
    this.#pages = isPageCursor(source) ? source : null;
    this.words = source.words;
    this.ints = source.ints;
    this.floats = source.floats;
    this.#check = new RecordCheck(options);
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
    const attachment = this.#source.attachment(number);
    this.#watchers.attachmentTaken(number, attachment);
    return attachment;
  }

  watch(watcher: StreamWatcher): () => void {
    const end = this.#watchers.add(watcher);
    this.used = this.cursor;
    return end;
  }

  close(reason?: Error): void {
    this.#source.close(reason);
  }

  /** Per record. */
  next(): boolean {
    if (this.cursor >= this.used && !this.turnPage()) return false;
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
    const pages = this.#pages;
    if (this.cursor < this.#end) return this.#handOn();
    if (this.#isCurrentDue) {
      this.#isCurrentDue = false;
      return this.#offerCurrent();
    }
    for (;;) {
      if (pages !== null) {
        if (pages.cursor === pages.used && !pages.turnPage()) return false;
        const at = pages.cursor;
        if (this.#check.state.pass.scope === Scope.renderPass && this.#offerRun(pages)) return true;
        if (pages.cursor !== at) continue;
      }
      if (!source.next()) return false;
      if (this.#lookAtCurrent()) return true;
    }
  }

  /** Of an open render pass, draws and what they need. False: none of it goes on. */
  #offerRun(pages: PageCursor): boolean {
    const { words, used, cursor: at } = pages;
    const stop = this.#check.checkRun(words, at, used);
    const end = stop < 0 ? ~stop : stop;
    pages.cursor = stop < 0 ? end + (words[end] >>> HEADER_LENGTH_SHIFT) : end;
    return end > at && this.#offer(pages, at, end);
  }

  /** False when the source's current record was left out. */
  #lookAtCurrent(): boolean {
    const source = this.#source;
    const { inserted } = this.#check.state;
    const goesOn = this.#check.isFine(source) || this.#check.mustGoOn(source);
    if (inserted.length === 0) return goesOn && this.#offerCurrent();
    this.#isCurrentDue = goesOn;
    // Commands without fields: each is its header.
    const words = Uint32Array.from(inserted, (opcode) => (1 << HEADER_LENGTH_SHIFT) | opcode);
    const { buffer } = words;
    inserted.length = 0;
    return this.#offer(
      { words, ints: new Int32Array(buffer), floats: new Float32Array(buffer) },
      0,
      words.length,
    );
  }

  #offerCurrent(): true {
    const { fields, fieldWords } = this.#source;
    return this.#offer(this.#source, fields - 1, fields + fieldWords);
  }

  #offer(
    { words, ints, floats }: Pick<StreamReader, 'words' | 'ints' | 'floats'>,
    from: number,
    to: number,
  ): true {
    this.words = words;
    this.ints = ints;
    this.floats = floats;
    this.cursor = from;
    this.#end = to;
    this.#watchers.turnPage();
    return this.#handOn();
  }

  #handOn(): true {
    this.used = this.#watchers.tell(this.words, this.cursor, this.#end);
    return true;
  }
}
