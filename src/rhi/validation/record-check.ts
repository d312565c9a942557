/**
 * One record against the model of the state: which check looks at it, and what becomes of a record that is refused.
 * Where the records come from is the readers' affair (`record-validator.ts`, `page-validator.ts`).
 */
import { isStreamError, isTyped } from '../../core/errors.js';
import type { StreamReader } from '../../core/stream.js';
import { leastFieldWords } from '../commands/command-facts.js';
import { RhiOpcode } from '../commands/commands.js';
import { checkCold } from './cold-checks.js';
import { executeDrawBundle } from './draw-bundles.js';
import { DrawState } from './draws.js';
import { type CheckedRecord, ValidationState } from './state.js';
import type { ValidationOptions } from './validate.js';

// Constants of the module, because they are compared with for every record.
const SET_GRAPHICS_PIPELINE = RhiOpcode.setGraphicsPipeline;
const SET_BIND_GROUP = RhiOpcode.setBindGroup;
const SET_VERTEX_BUFFER = RhiOpcode.setVertexBuffer;
const SET_INDEX_BUFFER = RhiOpcode.setIndexBuffer;
const DRAW = RhiOpcode.draw;
const DRAW_INDEXED = RhiOpcode.drawIndexed;

export class RecordCheck {
  readonly state: ValidationState;
  readonly draws: DrawState;
  readonly #options: ValidationOptions;

  constructor(options: ValidationOptions) {
    this.#options = options;
    this.state = new ValidationState(options);
    this.draws = new DrawState(this.state);
  }

  /** Per record. What is wrong is reported. */
  isFine(record: CheckedRecord): boolean {
    const { opcode } = record;
    this.state.opcode = opcode;
    try {
      if (record.fieldWords < leastFieldWords[opcode]) return this.#badRecord('it is too short.');
      return this.#check(record, opcode);
    } catch (error) {
      if (isStreamError(error)) throw error;
      // A descriptor that is no JSON, or that lacks what these checks read.
      return this.#badRecord(isTyped(error) ? error.message : `its descriptor is not whole (${error}).`);
    }
  }

  /**
   * Of a record that was refused: its attachment is freed, and who waits for an answer gets one. True when it must go
   * on to the executor all the same, to be answered there.
   */
  mustGoOn({ opcode, words, fields }: CheckedRecord, source: StreamReader): boolean {
    switch (opcode) {
      case RhiOpcode.readBuffer:
        this.#options.onReadback?.(words[fields], new ArrayBuffer(0));
        return this.#options.onReadback === undefined;
      case RhiOpcode.writeBufferFromAttachment:
      case RhiOpcode.writeTextureFromAttachment:
      case RhiOpcode.copyExternalImage:
        freeAttachment(source, words[fields]);
        return false;
      default:
        return false;
    }
  }

  /** A draw was left out. */
  skipped(): false {
    this.#options.onSkippedDraw?.();
    return false;
  }

  #badRecord(reason: string): false {
    return this.state.report('bad-record', { command: this.state.command, reason });
  }

  #check(record: CheckedRecord, opcode: number): boolean {
    const { words, fields } = record;
    const { draws } = this;
    switch (opcode) {
      case SET_BIND_GROUP:
        return draws.setBindGroup(words, fields, record.fieldWords);
      case DRAW_INDEXED:
        return draws.drawIndexed(words, fields) || this.skipped();
      case SET_VERTEX_BUFFER:
        return draws.setVertexBuffer(words, fields);
      case SET_INDEX_BUFFER:
        return draws.setIndexBuffer(words, fields);
      case DRAW:
        return draws.draw(words, fields) || this.skipped();
      case SET_GRAPHICS_PIPELINE:
        return draws.setGraphicsPipeline(words[fields]);
      default:
        return this.#checkRare(record, opcode, words, fields);
    }
  }

  #checkRare(record: CheckedRecord, opcode: number, words: Uint32Array, fields: number): boolean {
    const { state, draws } = this;
    switch (opcode) {
      case RhiOpcode.setComputePipeline:
        return draws.setComputePipeline(words[fields]);
      case RhiOpcode.drawIndirect:
        return draws.drawIndirect(words, fields, false) || this.skipped();
      case RhiOpcode.drawIndexedIndirect:
        return draws.drawIndirect(words, fields, true) || this.skipped();
      case RhiOpcode.dispatch:
        return draws.dispatch(words, fields) || this.skipped();
      case RhiOpcode.dispatchIndirect:
        return draws.dispatchIndirect(words, fields) || this.skipped();
      case RhiOpcode.executeDrawBundle:
        return executeDrawBundle(
          { state, draws, reader: record, words, at: fields },
          this.#options.onSkippedDraw,
        );
      default:
        return checkCold({ state, draws, reader: record, words, at: fields });
    }
  }
}

function freeAttachment(source: StreamReader, number: number): void {
  try {
    const attachment = source.attachment(number);
    if ('close' in attachment) attachment.close();
  } catch {
    // A record that can't be read may name an attachment that never was.
  }
}
