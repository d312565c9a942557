/**
 * Validation as a reader around a reader (SYSTEMS H8): it stands before any executor, checks each record against a
 * model of the state, reports what is wrong, and leaves out what would break. Whoever does not import it carries
 * none of it.
 *
 *   stream ─► next ─► check ──fine──────────────────────────► executor
 *                       ├───wrong────► error; the next record
 *                       └───not ended► error; the missing end, then the record ─► executor
 *
 * What depends on something refused is dropped in silence: the cause was reported.
 */
import { RhiError, StreamError } from '../../core/errors.js';
import type { Attachment, StreamReader } from '../../core/stream.js';
import { RhiOpcode } from '../commands.js';
import type { RhiCapabilities } from '../descriptors.js';
import { checkCold } from './cold-checks.js';
import { executeDrawBundle } from './draw-bundles.js';
import { DrawState } from './draws.js';
import { minimumFieldWords } from './record-lengths.js';
import { type Check, ValidationState } from './state.js';

export interface ValidationOptions {
  readonly onError: (error: RhiError) => void;
  /** What the device can do. Without it, the limits that every WebGPU device has, and every feature. */
  readonly capabilities?: RhiCapabilities;
  /** Answers a `readBuffer` that was left out, with no bytes; without it such a record goes on to the executor. */
  readonly onReadback?: (request: number, bytes: ArrayBuffer) => void;
  /**
   * How many lists the GPU has completed (`() => executor.completed.value`), to judge a promise that nothing pending
   * uses a resource. Without it only the list being recorded counts as pending.
   */
  readonly completedLists?: () => number;
  /** A draw or dispatch was left out. */
  readonly onSkippedDraw?: () => void;
}

/** A reader that hands on only records which are valid. */
export interface ValidatingReader extends StreamReader {
  /** Draws and dispatches left out since `beginFrame`: the executor never saw them, so its figure lacks them. */
  readonly skippedDraws: number;
}

/**
 * Wraps a reader, before an executor is given it:
 *
 * @example
 * const executor = new WebGpuExecutor({ …, reader: validate(reader, { onError, capabilities }) });
 */
export function validate(reader: StreamReader, options: ValidationOptions): ValidatingReader {
  return new Validator(reader, options);
}

// Constants of the module, because they are compared with for every record.
const SET_GRAPHICS_PIPELINE = RhiOpcode.setGraphicsPipeline;
const SET_BIND_GROUP = RhiOpcode.setBindGroup;
const SET_VERTEX_BUFFER = RhiOpcode.setVertexBuffer;
const SET_INDEX_BUFFER = RhiOpcode.setIndexBuffer;
const DRAW = RhiOpcode.draw;
const DRAW_INDEXED = RhiOpcode.drawIndexed;

class Validator implements ValidatingReader {
  words: Uint32Array;
  ints: Int32Array;
  floats: Float32Array;
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  readonly #source: StreamReader;
  readonly #options: ValidationOptions;
  readonly #state: ValidationState;
  readonly #draws: DrawState;
  /** Handed on already of `inserted`; behind them waits the source's current record. */
  #insertedCount = 0;
  #isCurrentFine = false;

  constructor(source: StreamReader, options: ValidationOptions) {
    this.#source = source;
    this.#options = options;
    this.words = source.words;
    this.ints = source.ints;
    this.floats = source.floats;
    this.#state = new ValidationState(options);
    this.#draws = new DrawState(this.#state);
  }

  get skippedDraws(): number {
    return this.#state.skippedDraws;
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
    const source = this.#source;
    const state = this.#state;
    const { inserted } = state;
    if (inserted.length > 0 && this.#nextInserted()) return true;
    while (source.next()) {
      this.words = source.words;
      this.ints = source.ints;
      this.floats = source.floats;
      this.opcode = state.opcode = source.opcode;
      this.fields = source.fields;
      this.fieldWords = source.fieldWords;
      const isFine = this.#isFine();
      if (inserted.length > 0) {
        this.#isCurrentFine = isFine;
        this.#nextInserted();
        return true;
      }
      if (isFine || this.#mustGoOn()) return true;
    }
    return false;
  }

  /** The next inserted record, or the one that it was put before; false when neither is left. */
  #nextInserted(): boolean {
    const { inserted } = this.#state;
    if (this.#insertedCount < inserted.length) {
      this.opcode = inserted[this.#insertedCount++];
      this.fieldWords = 0;
      return true;
    }
    inserted.length = this.#insertedCount = 0;
    this.opcode = this.#source.opcode;
    this.fieldWords = this.#source.fieldWords;
    return this.#isCurrentFine || this.#mustGoOn();
  }

  #isFine(): boolean {
    const { opcode } = this;
    try {
      if (this.fieldWords < minimumFieldWords[opcode]) return this.#badRecord('it is too short.');
      return this.#check(opcode);
    } catch (error) {
      if (error instanceof StreamError) throw error;
      // A descriptor that is no JSON, or that lacks what these checks read.
      return this.#badRecord(
        error instanceof RhiError ? error.message : `its descriptor is not whole (${error}).`,
      );
    }
  }

  #badRecord(reason: string): false {
    return this.#state.report('bad-record', { command: this.#state.command, reason });
  }

  #check(opcode: number): boolean {
    const { words, fields } = this;
    const draws = this.#draws;
    switch (opcode) {
      case SET_BIND_GROUP:
        return draws.setBindGroup(words, fields, this.fieldWords);
      case DRAW_INDEXED:
        return draws.drawIndexed(words, fields) || this.#skipped();
      case SET_VERTEX_BUFFER:
        return draws.setVertexBuffer(words, fields);
      case SET_INDEX_BUFFER:
        return draws.setIndexBuffer(words, fields);
      case DRAW:
        return draws.draw(words, fields) || this.#skipped();
      case SET_GRAPHICS_PIPELINE:
        return draws.setGraphicsPipeline(words[fields]);
      default:
        return this.#checkRare(opcode, words, fields);
    }
  }

  #checkRare(opcode: number, words: Uint32Array, fields: number): boolean {
    const draws = this.#draws;
    switch (opcode) {
      case RhiOpcode.setComputePipeline:
        return draws.setComputePipeline(words[fields]);
      case RhiOpcode.drawIndirect:
        return draws.drawIndirect(words, fields, false) || this.#skipped();
      case RhiOpcode.drawIndexedIndirect:
        return draws.drawIndirect(words, fields, true) || this.#skipped();
      case RhiOpcode.dispatch:
        return draws.dispatch(words, fields) || this.#skipped();
      case RhiOpcode.dispatchIndirect:
        return draws.dispatchIndirect(words, fields) || this.#skipped();
      case RhiOpcode.executeDrawBundle:
        return executeDrawBundle(this.#cold(words, fields), this.#options.onSkippedDraw);
      default:
        return checkCold(this.#cold(words, fields));
    }
  }

  #cold(words: Uint32Array, at: number): Check {
    return { state: this.#state, draws: this.#draws, reader: this, words, at };
  }

  #skipped(): false {
    this.#options.onSkippedDraw?.();
    return false;
  }

  /** A record that was refused: its attachment is freed, and who waits for an answer gets one. */
  #mustGoOn(): boolean {
    const { words, fields } = this;
    switch (this.opcode) {
      case RhiOpcode.readBuffer:
        this.#options.onReadback?.(words[fields], new ArrayBuffer(0));
        return this.#options.onReadback === undefined;
      case RhiOpcode.writeBufferFromAttachment:
      case RhiOpcode.writeTextureFromAttachment:
      case RhiOpcode.copyExternalImage:
        this.#freeAttachment(words[fields]);
        return false;
      default:
        return false;
    }
  }

  #freeAttachment(number: number): void {
    try {
      const attachment = this.#source.attachment(number);
      if ('close' in attachment) attachment.close();
    } catch {
      // A record that can't be read may name an attachment that never was.
    }
  }
}
