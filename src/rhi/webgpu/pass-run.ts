/**
 * A run of records kept from a render pass: state, draws and debug groups, which a render bundle can hold, up to and
 * with the pass's end. Kept so that the next frame's can be compared with it, word for word.
 *
 *   words  | setPipeline … | setBindGroup … | drawIndexed … | … | endRenderPass |        starts  0 2 6 12 …
 */

import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import type { PageCursor } from '../../core/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import { handleKind } from '../commands/handles.js';
import { countEqual, startOf, withRoom } from '../commands/kept-words.js';
import { handleField, isBundled, isDraw } from '../commands/record-kinds.js';
import { type CommandParts, executePassCommand, type PassRecord } from './complete/pass-commands.js';
import type { GpuResource, Resources } from './resources.js';
import type { RecordRun } from './run-executor.js';

const SET_GRAPHICS_PIPELINE = RhiOpcode.setGraphicsPipeline;
const DRAW = RhiOpcode.draw;
const DRAW_INDEXED = RhiOpcode.drawIndexed;

/** By opcode: may a record of it be kept. Scenes are debug groups. */
const isKept = isBundled.slice();
/** By opcode: 1 for what opens a debug group, −1 for what closes one. */
const depthChange = new Int8Array(256);
for (const opcode of [RhiOpcode.pushDebugGroup, RhiOpcode.beginScene]) {
  isKept[opcode] = depthChange[opcode] = 1;
}
for (const opcode of [RhiOpcode.popDebugGroup, RhiOpcode.endScene]) {
  isKept[opcode] = 1;
  depthChange[opcode] = -1;
}

/** Words from `cursor` to `used`: what is left of a page. */
type WordRun = Pick<PageCursor, 'words' | 'cursor' | 'used'>;

const INITIAL_WORDS = 1024;

export class PassRun implements PassRecord, RecordRun {
  words = new Uint32Array(INITIAL_WORDS);
  ints = new Int32Array(this.words.buffer);
  floats = new Float32Array(this.words.buffer);
  /** Words kept. */
  length = 0;
  draws = 0;
  /** The record being executed. */
  opcode = 0;
  fields = 0;
  cursor = 0;
  /** Where what is being executed ends. */
  used = 0;
  /** Where each record begins, rising. */
  starts = new Uint32Array(INITIAL_WORDS / 4);
  records = 0;
  #depth = 0;
  /** A group is closed that was opened before the run, or stays open. */
  #isUnbalanced = false;

  /** Every group opened in it is closed in it. */
  get isBalanced(): boolean {
    return this.#depth === 0 && !this.#isUnbalanced;
  }

  clear(): void {
    this.length = this.draws = this.records = this.#depth = 0;
    this.#isUnbalanced = false;
  }

  /**
   * Takes the records of the reader's page that may be kept, from its cursor on, and moves it behind them.
   * @returns true when the pass's end was taken as well
   */
  take(reader: WordRun): boolean {
    const { words, used } = reader;
    const first = reader.cursor;
    let at = first;
    while (at < used) {
      const header = words[at] as number;
      const opcode = header & 0xff;
      const end = at + (header >>> HEADER_LENGTH_SHIFT);
      const isEnd = opcode === RhiOpcode.endRenderPass;
      // What no writer produces is left to the reader, which refuses it.
      if (end <= at || end > used || (header & HEADER_ATTACHMENT_BIT) !== 0) break;
      if (!isEnd && isKept[opcode] === 0) break;
      this.#count(this.length + at - first, opcode);
      at = end;
      if (isEnd) {
        this.#append(reader, at);
        return true;
      }
    }
    this.#append(reader, at);
    return false;
  }

  /** Drops the records from `length` on, where one begins. */
  truncate(length: number): void {
    this.clear();
    let at = 0;
    while (at < length) {
      const header = this.words[at] as number;
      this.#count(at, header & 0xff);
      at += header >>> HEADER_LENGTH_SHIFT;
    }
    this.length = length;
  }

  /** Words from `position` on that are the same as the reader's from its cursor on, within its page. Per frame. */
  countEqual(position: number, { words, cursor, used }: PageCursor): number {
    return countEqual(this.words, position, this.length, words, cursor, used);
  }

  /** Where the record that `position` lies in begins. */
  startOf(position: number): number {
    if (position >= this.length) return this.length;
    return startOf(this.starts, this.records, position);
  }

  /**
   * Executes the record at `position`, and those behind it up to `end`. When one throws, `cursor` is where the record
   * behind it begins. Per draw; allocates nothing.
   */
  execute(parts: CommandParts, position: number, end: number): void {
    const { pass, runs } = parts;
    this.cursor = position;
    this.used = end;
    for (;;) {
      runs?.execute(this);
      if (this.cursor >= end) return;
      const header = this.words[this.cursor] as number;
      this.fields = this.cursor + 1;
      this.cursor += header >>> HEADER_LENGTH_SHIFT;
      this.opcode = header & 0xff;
      if (pass.execute(this.opcode, this.words, this.ints, this.fields)) continue;
      if (this.opcode === SET_GRAPHICS_PIPELINE) pass.setGraphicsPipeline(this.words[this.fields] as number);
      else executePassCommand(this, parts);
    }
  }

  /** Draws and instances, as the statistics count them. */
  countDraws(): { drawCalls: number; instances: number } {
    let instances = 0;
    for (let record = 0; record < this.records; record++) {
      const start = this.starts[record] as number;
      const opcode = this.words[start] & 0xff;
      if (opcode === DRAW || opcode === DRAW_INDEXED) instances += this.words[start + 2];
    }
    return { drawCalls: this.draws, instances };
  }

  /** Every resource that a record names, with its WebGPU object. Those in bind groups are the bind groups' affair. */
  usedResources({ tables }: Resources): Map<GpuResource<unknown>, unknown> {
    const used = new Map<GpuResource<unknown>, unknown>();
    for (let i = 0; i < this.records; i++) {
      const at = this.starts[i] as number;
      const field = handleField[(this.words[at] as number) & 0xff] as number;
      if (field === 0) continue;
      const handle = this.words[at + field] as number;
      const resource = tables[handleKind(handle)]?.find(handle);
      if (resource !== undefined) used.set(resource, resource.gpu);
    }
    return used;
  }

  #append(reader: WordRun, to: number): void {
    const count = to - reader.cursor;
    const length = this.length + count;
    const words = withRoom(this.words, this.length, length);
    if (words !== this.words) {
      this.words = words;
      this.ints = new Int32Array(words.buffer);
      this.floats = new Float32Array(words.buffer);
    }
    this.words.set(reader.words.subarray(reader.cursor, to), this.length);
    this.length = length;
    reader.cursor = to;
  }

  #count(start: number, opcode: number): void {
    this.draws += isDraw[opcode] as number;
    this.#depth += depthChange[opcode] as number;
    if (this.#depth < 0) this.#isUnbalanced = true;
    if (this.records === this.starts.length) {
      const starts = new Uint32Array(this.records * 2);
      starts.set(this.starts);
      this.starts = starts;
    }
    this.starts[this.records++] = start;
  }
}
