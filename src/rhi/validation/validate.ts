/**
 * Validation wraps the reader of any executor (SYSTEMS H8). It checks each record against a model of the state, reports
 * faults, and drops faulty records. Records that depend on a dropped record are dropped without a report, because the
 * cause has been reported. Programs that do not import `validate` contain none of its code.
 *
 *   stream ─► next ─► check ──valid─────────────────────────► executor
 *                       ├───faulty───► error; the next record
 *                       └───open scope► error; the missing end, then the record ─► executor
 *
 * Valid records are passed on in stretches. Each stretch looks like a page of a stream, so that executors can
 * read several records in one loop. If the source's pages are not accessible, each record is a stretch of its
 * own.
 *
 *   source's page   | beginRenderPass | set … draw … | draw: faulty | draw … | endRenderPass |
 *   passed on       | beginRenderPass | set … draw … |              | draw … | endRenderPass |   stretch by stretch
 *
 * A stretch is checked as a whole, once the stretch before it has been read to its end. A stretch of several records
 * consists either of draws and their state commands in a render pass, or of inserted ends. Every other record is a
 * stretch of its own.
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
  /**
   * Receives the empty answer to a `readBuffer` that was dropped. Without this function, the faulty record is passed
   * on, and the executor answers it.
   */
  readonly onReadback?: (request: number, bytes: ArrayBuffer) => void;
  /**
   * Returns the number of frames that the GPU has completed (`() => executor.completedFrames.value`). The check of
   * `assumeNotInUse` needs it. Without it, only the current list counts as pending.
   */
  readonly completedFrames?: () => number;
  /** Called when a draw or dispatch was dropped. */
  readonly onSkippedDraw?: () => void;
}

/** A reader that drops invalid records. It passes on unknown commands, which the executor reports. */
export interface ValidatingReader extends StreamReader {
  /** Number of draws and dispatches dropped since `beginFrame`. The executor's `skippedDraws` does not include them. */
  readonly skippedDraws: number;
  /** Error scopes for the WebGPU executor, so that WebGPU's errors name the command and the object. */
  readonly errorScopes: typeof ErrorScopes;
}

/**
 * Wraps the reader of an executor, so that invalid records are reported and dropped before the executor sees them.
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
  /** The source; null if its pages are not accessible. */
  readonly #pages: PageCursor | null;
  readonly #check: RecordCheck;
  readonly #watchers = new StreamWatchers();
  /** Index behind the stretch. If there are watchers, `used` may be smaller. */
  #end = 0;
  /** Whether the source's current record has to be passed on after the inserted commands. */
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

  /** Moves to the next record. Called per record. */
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

  /** Moves to the next valid stretch. @returns false if the source has no more records now */
  turnPage(): boolean {
    const source = this.#source;
    const pages = this.#pages;
    if (this.cursor < this.#end) return this.#passOn();
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
      if (this.#checkCurrent()) return true;
    }
  }

  /** Checks successive draws and state commands of an open render pass. Returns false if none is passed on. */
  #offerRun(pages: PageCursor): boolean {
    const { words, used, cursor: at } = pages;
    const stop = this.#check.checkRun(words, at, used);
    const end = stop < 0 ? ~stop : stop;
    pages.cursor = stop < 0 ? end + (words[end] >>> HEADER_LENGTH_SHIFT) : end;
    return end > at && this.#offer(pages, at, end);
  }

  /** Checks the source's current record. Returns false if it was dropped. */
  #checkCurrent(): boolean {
    const source = this.#source;
    const { inserted } = this.#check.state;
    const isPassedOn = this.#check.isFine(source) || this.#check.mustPassOn(source);
    if (inserted.length === 0) return isPassedOn && this.#offerCurrent();
    this.#isCurrentDue = isPassedOn;
    // Inserted commands have no fields, so each record is its header only.
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
    return this.#passOn();
  }

  #passOn(): true {
    this.used = this.#watchers.show(this.words, this.cursor, this.#end);
    return true;
  }
}
