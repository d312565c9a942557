/**
 * A ledger of buffer uses on the recorder's side. For each buffer, it keeps the last record that uses the buffer and
 * the last record that may change it. It learns these by reading the written records. Only `BufferMapping` creates a
 * ledger (SYSTEMS M2, M6, M7).
 *
 *   context ─► writer ─► page ─ onSeal ─► reader          settle(): reads the page's records since the last call
 *   records    … writeBuffer b │ draw │ copy a→b │             b changed at 4, a used at 4
 *   sequence        2              3      4
 *
 * A record's fields are filled after its words have been reserved. So the ledger reads records later: before their page
 * is sent to the reader, and when mapping calls `settle`. Appended deferred lists are written to the same pages, so the
 * ledger reads them too.
 *
 * An unordered write goes to the queue at once. Earlier commands of the list run after it, and overwrite it if they
 * change the same bytes. The ledger therefore also tracks which bytes of each buffer the list changes. Local commands,
 * and groups and bundles made before the ledger, have unknown effects. They count as changes of every buffer.
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

/** The known uses of a buffer. */
interface BufferEntry {
  /** Sequence number of the last record that uses the buffer. */
  lastUse: number;
  /** Sequence number of the last record that may change the buffer. */
  lastChange: number;
  /**
   * Sequence number of the last record that may change the buffer in list order; 0 if there is none since the last
   * rename.
   */
  lastOrderedChange: number;
  /** First byte that ordered changes of the current list may cover. */
  changedFrom: number;
  /** Byte after the last byte that ordered changes of the current list may cover. */
  changedTo: number;
}

export class BufferLedger {
  /** Number of records seen. */
  sequence = 0;
  /** Sequence number of the record that began the frame. */
  frameBegan = 0;
  /** Whether a pass is open. */
  isInPass = false;
  /** Sequence number of the last `endFrame`. Commands between frames count as part of the next frame's list. */
  #listEnded = 0;
  /** Sequence number of the last record with unknown effects, which counts as a change of every buffer. */
  #lastUnknownChange = 0;
  /** Sequence number of the last record with unknown effects in list order. */
  #lastUnknownOrderedChange = 0;
  readonly #buffers = new Map<number, BufferEntry>();
  readonly #layouts = new Map<number, WritableBindings>();
  /** Effects by handle of a bind group or draw bundle. */
  readonly #effects = new Map<number, Effect>();
  readonly #writer: StreamWriter;
  /** Index of the page's first word that has not been read yet. */
  #begin: number;

  constructor(writer: StreamWriter) {
    this.#writer = writer;
    this.#begin = writer.usedWords;
    writer.onSeal = () => {
      this.settle();
      this.#begin = 0;
    };
  }

  /** Stops reading records. */
  detach(): void {
    this.settle();
    this.#writer.onSeal = null;
  }

  /** Reads all records that have been written since the last call. */
  settle(): void {
    const { words, usedWords } = this.#writer;
    for (let at = this.#begin; at < usedWords; ) {
      const header = words[at];
      this.sequence++;
      const length = Math.max(1, header >>> HEADER_LENGTH_SHIFT);
      this.#readRecord(words, header & 0xff, at + 1, length - 1);
      at += length;
    }
    this.#begin = usedWords;
  }

  /** Returns the entry of a live buffer. Call `settle` first. */
  entry(handle: number): BufferEntry {
    // Handles of callers have a mark above 32 bits (`handles.ts`); handles in records do not.
    const buffer = handle >>> 0;
    let entry = this.#buffers.get(buffer);
    if (entry === undefined) {
      entry = { lastUse: 0, lastChange: 0, lastOrderedChange: 0, changedFrom: 0, changedTo: 0 };
      this.#buffers.set(buffer, entry);
    }
    return entry;
  }

  /** Returns whether a record after `sequence` may have changed the buffer. */
  isChangedSince(buffer: number, sequence: number): boolean {
    return Math.max(this.entry(buffer).lastChange, this.#lastUnknownChange) > sequence;
  }

  /**
   * Returns whether a record of the current list may change these bytes in list order. Such a record would overwrite an
   * unordered write. Records with unknown effects do not count (`isListUnknown`).
   */
  isChangedInList(buffer: number, byteOffset: number, byteLength: number): boolean {
    const { lastOrderedChange, changedFrom, changedTo } = this.entry(buffer);
    if (lastOrderedChange <= this.#listEnded) return false;
    return byteOffset < changedTo && byteOffset + byteLength > changedFrom;
  }

  /** Whether the current list has a record with unknown effects in list order. */
  get isListUnknown(): boolean {
    return this.#lastUnknownOrderedChange > this.#listEnded;
  }

  /** Reads one record. Called per record. */
  #readRecord(words: Uint32Array, opcode: number, fields: number, fieldWords: number): void {
    const { read = -1, changed = -1, from = -1, length = -1 } = bufferWords[opcode] ?? {};
    if (read >= 0) this.#use(words[fields + read]);
    if (changed >= 0) {
      const begin = from >= 0 ? words[fields + from] : 0;
      const end = length >= 0 ? begin + words[fields + length] : Number.POSITIVE_INFINITY;
      this.#change(words[fields + changed], begin, end);
    }
    this.#readSpecial(words, opcode, fields, fieldWords);
  }

  #readSpecial(words: Uint32Array, opcode: number, fields: number, fieldWords: number): void {
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
        // No record has changed the new memory yet.
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
        // A local command runs after the submission of all earlier records, and before all later ones. So its unknown
        // changes precede unordered writes.
        this.#lastUnknownChange = this.sequence;
    }
  }

  /** Applies the effect of setting a bind group, or of executing a draw bundle. */
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
