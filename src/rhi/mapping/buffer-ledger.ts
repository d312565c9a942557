/**
 * What the recorder's side knows about buffers from the records that pass by: when one was last named, and when it
 * may last have been changed. Mapping needs it (SYSTEMS M2, M6, M7); who maps nothing has none.
 *
 *   context ─► writer ─► page ─ onSeal ─► reader          settle(): walks the page's records since the last time
 *   records    … writeBuffer b │ draw │ copy a→b │             b changed at 4, a used at 4
 *   sequence        2              3      4
 *
 * The fields of a record are filled after it is reserved, so records are looked at later: before their page is passed on, and
 * when somebody asks. Lists that are appended whole go through the same page.
 *
 * Where the list itself changes a buffer, a write that goes to the queue at once would be overwritten; so it also
 * knows which bytes of each buffer the list changes. What can't be known (local commands, groups and draw bundles made
 * before the ledger) counts as a change of every buffer.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import {
  bufferWords,
  bundleEffect,
  type Effect,
  groupEffect,
  type WritableBindings,
  writableBindings,
} from './buffer-effects.js';

/** A buffer, as far as it is known. */
interface BufferEntry {
  /** Sequence numbers of records: the last that names it, and the last that may change it. */
  lastUse: number;
  lastChange: number;
  /** The last that may change it at its place in the list; 0: none since it was renamed. */
  lastOrderedChange: number;
  /** Bytes that such records of the list may change: from the first to behind the last. */
  changedFrom: number;
  changedTo: number;
}

export class BufferLedger {
  /** Records seen. */
  sequence = 0;
  /** The record that began the frame. */
  frameBegan = 0;
  /** A pass is open. */
  isInPass = false;
  /** The last record that ended a list. */
  #listEnded = 0;
  /** The last record that may have changed any buffer. */
  #lastUnknownChange = 0;
  /** The last of them that did so at its place in the list. */
  #lastUnknownOrderedChange = 0;
  readonly #buffers = new Map<number, BufferEntry>();
  readonly #layouts = new Map<number, WritableBindings>();
  /** Of bind groups and draw bundles. */
  readonly #effects = new Map<number, Effect>();
  readonly #writer: StreamWriter;
  /** The first word of the page being written that was not looked at yet. */
  #begin: number;

  constructor(writer: StreamWriter) {
    this.#writer = writer;
    this.#begin = writer.usedWords;
    writer.onSeal = () => {
      this.settle();
      this.#begin = 0;
    };
  }

  /** Knows nothing more from here on. */
  detach(): void {
    this.settle();
    this.#writer.onSeal = null;
  }

  /** Looks at all records so far. */
  settle(): void {
    const { words, usedWords } = this.#writer;
    for (let at = this.#begin; at < usedWords; ) {
      const header = words[at];
      this.sequence++;
      const length = Math.max(1, header >>> HEADER_LENGTH_SHIFT);
      this.#look(words, header & 0xff, at + 1, length - 1);
      at += length;
    }
    this.#begin = usedWords;
  }

  /** The entry of a live buffer, after `settle`. */
  entry(handle: number): BufferEntry {
    // Records hold no mark, callers' handles do.
    const buffer = handle >>> 0;
    let entry = this.#buffers.get(buffer);
    if (entry === undefined) {
      entry = { lastUse: 0, lastChange: 0, lastOrderedChange: 0, changedFrom: 0, changedTo: 0 };
      this.#buffers.set(buffer, entry);
    }
    return entry;
  }

  /** Whether a record after `sequence` may have changed the buffer. */
  isChangedSince(buffer: number, sequence: number): boolean {
    return Math.max(this.entry(buffer).lastChange, this.#lastUnknownChange) > sequence;
  }

  /**
   * Whether a record of the list that is being recorded changes these bytes at its place among the commands: a write
   * that is not ordered with them would be overwritten by it.
   */
  isChangedInList(buffer: number, byteOffset: number, byteLength: number): boolean {
    const { lastOrderedChange, changedFrom, changedTo } = this.entry(buffer);
    if (lastOrderedChange <= this.#listEnded) return false;
    return byteOffset < changedTo && byteOffset + byteLength > changedFrom;
  }

  /** Whether a record of the list may change any buffer, at its place among the commands. */
  get isListUnknown(): boolean {
    return this.#lastUnknownOrderedChange > this.#listEnded;
  }

  /** Per record. */
  #look(words: Uint32Array, opcode: number, fields: number, fieldWords: number): void {
    const { read = -1, changed = -1, from = -1, length = -1 } = bufferWords[opcode] ?? {};
    if (read >= 0) this.#use(words[fields + read]);
    if (changed >= 0) {
      const begin = from >= 0 ? words[fields + from] : 0;
      const end = length >= 0 ? begin + words[fields + length] : Number.POSITIVE_INFINITY;
      this.#change(words[fields + changed], begin, end);
    }
    this.#lookAtSpecial(words, opcode, fields, fieldWords);
  }

  #lookAtSpecial(words: Uint32Array, opcode: number, fields: number, fieldWords: number): void {
    const first = words[fields];
    switch (opcode) {
      case RhiOpcode.beginFrame:
        this.frameBegan = this.sequence;
        break;
      case RhiOpcode.endFrame:
        this.#listEnded = this.sequence;
        this.isInPass = false;
        break;
      case RhiOpcode.beginRenderPass:
      case RhiOpcode.beginComputePass:
        this.isInPass = true;
        break;
      case RhiOpcode.endRenderPass:
      case RhiOpcode.endComputePass:
        this.isInPass = false;
        break;
      case RhiOpcode.writeBufferUnordered:
      case RhiOpcode.renameBuffer: {
        const entry = this.entry(first);
        entry.lastUse = entry.lastChange = this.sequence;
        // Nothing has named the new memory.
        if (opcode === RhiOpcode.renameBuffer) entry.lastOrderedChange = 0;
        break;
      }
      case RhiOpcode.createBindGroupLayout:
        this.#layouts.set(first, writableBindings(words, fields));
        break;
      case RhiOpcode.createBindGroup:
        this.#effects.set(first, groupEffect(words, fields, this.#layouts));
        break;
      case RhiOpcode.setBindGroup:
        this.#apply(words[fields + 1]);
        break;
      case RhiOpcode.createDrawBundle:
        this.#effects.set(first, bundleEffect(words, fields, fieldWords));
        break;
      case RhiOpcode.executeDrawBundle:
        this.#apply(first);
        break;
      case RhiOpcode.destroyResource:
        if (handleKind(first) === ResourceKind.buffer) this.#buffers.delete(first);
        this.#layouts.delete(first);
        this.#effects.delete(first);
        break;
      case RhiOpcode.localCommand:
        // What was recorded before it has been submitted, and what it does itself comes before what follows.
        this.#lastUnknownChange = this.sequence;
    }
  }

  /** A bind group is set, or a draw bundle executed. */
  #apply(handle: number): void {
    const effect = this.#effects.get(handle);
    if (effect === undefined) {
      this.#changeUnknown();
      return;
    }
    for (const buffer of effect.uses) this.#use(buffer);
    for (const { buffer, begin, end } of effect.changes) this.#change(buffer, begin, end);
    for (const group of effect.groups) this.#apply(group);
  }

  #use(buffer: number): void {
    this.entry(buffer).lastUse = this.sequence;
  }

  #change(buffer: number, begin: number, end: number): void {
    const entry = this.entry(buffer);
    const isFirst = entry.lastOrderedChange <= this.#listEnded;
    entry.changedFrom = isFirst ? begin : Math.min(entry.changedFrom, begin);
    entry.changedTo = isFirst ? end : Math.max(entry.changedTo, end);
    entry.lastUse = entry.lastChange = entry.lastOrderedChange = this.sequence;
  }

  #changeUnknown(): void {
    this.#lastUnknownChange = this.#lastUnknownOrderedChange = this.sequence;
  }
}
