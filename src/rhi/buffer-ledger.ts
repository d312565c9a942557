/**
 * What the recorder's side knows about buffers from the records that pass by: when one was last named, and when it
 * may last have been changed. Mapping needs it (SYSTEMS M2, M6, M7); who maps nothing has none.
 *
 *   context ─► writer.reserve ─ counts words ─► page          settle(): walks the records since the last time
 *   records    … writeBuffer b │ draw │ copy a→b │             b changed at 4, a used at 4
 *   sequence        2              3      4
 *
 * It hooks the two methods of the writer through which every record goes, lists appended whole included. The fields
 * of a record are filled after it is reserved, so records are looked at later: before their page is passed on, and
 * when somebody asks.
 *
 * A bind group changes the buffers that its layout binds as writable storage, in whatever pass sets it. What can't
 * be known (local commands, groups made before the ledger) counts as a change of every buffer.
 */
import { HEADER_LENGTH_SHIFT } from '../core/record-table.js';
import type { StreamWriter } from '../core/stream.js';
import { RhiOpcode } from './commands.js';
import type { BindGroupDescriptor, BindGroupLayoutDescriptor } from './descriptors.js';
import { handleKind, ResourceKind } from './handles.js';
import { jsonAt } from './record-fields.js';

/** A buffer, as far as it is known. */
export interface BufferEntry {
  /** Sequence numbers of records: the last that names it, and the last that may change it. */
  lastUse: number;
  lastChange: number;
}

interface GroupEntry {
  readonly uses: readonly number[];
  readonly changes: readonly number[];
}

/** Field that names a buffer which the command reads, plus 1; by opcode. */
const READ_FIELD = new Uint8Array(256);
/** Field that names a buffer which the command changes, plus 1. */
const CHANGED_FIELD = new Uint8Array(256);
/** Commands with a case of their own in `#look`. */
const SPECIAL = new Uint8Array(256);

READ_FIELD[RhiOpcode.setVertexBuffer] = 2;
READ_FIELD[RhiOpcode.setIndexBuffer] = 1;
READ_FIELD[RhiOpcode.drawIndirect] = 1;
READ_FIELD[RhiOpcode.drawIndexedIndirect] = 1;
READ_FIELD[RhiOpcode.dispatchIndirect] = 1;
READ_FIELD[RhiOpcode.copyBufferToBuffer] = 1;
READ_FIELD[RhiOpcode.copyBufferToTexture] = 1;
READ_FIELD[RhiOpcode.readBuffer] = 2;
CHANGED_FIELD[RhiOpcode.writeBuffer] = 1;
CHANGED_FIELD[RhiOpcode.writeBufferUnordered] = 1;
CHANGED_FIELD[RhiOpcode.renameBuffer] = 1;
CHANGED_FIELD[RhiOpcode.writeBufferFromAttachment] = 2;
CHANGED_FIELD[RhiOpcode.clearBuffer] = 1;
CHANGED_FIELD[RhiOpcode.copyBufferToBuffer] = 3;
CHANGED_FIELD[RhiOpcode.copyTextureToBuffer] = 2;
CHANGED_FIELD[RhiOpcode.resolveQuerySet] = 4;
for (const opcode of [
  RhiOpcode.beginFrame,
  RhiOpcode.createBindGroupLayout,
  RhiOpcode.createBindGroup,
  RhiOpcode.setBindGroup,
  RhiOpcode.destroyResource,
  RhiOpcode.localCommand,
]) {
  SPECIAL[opcode] = 1;
}

const NO_WORDS = new Uint32Array(0);

export class BufferLedger {
  /** Records seen. */
  sequence = 0;
  /** The record that began the frame. */
  frameBegan = 0;
  /** The last record that may have changed any buffer. */
  #lastUnknownChange = 0;
  readonly #buffers = new Map<number, BufferEntry>();
  /** Bindings that are writable storage, by layout. */
  readonly #layouts = new Map<number, ReadonlySet<number>>();
  readonly #groups = new Map<number, GroupEntry>();
  readonly #detach: () => void;
  // The records not looked at yet: a run of one page's words.
  #words = NO_WORDS;
  #begin = 0;
  #end = 0;

  constructor(writer: StreamWriter) {
    const { reserve, publish } = writer;
    // On the object itself, because others hold it too and publish past the context.
    writer.reserve = (opcode, fieldWords) => {
      // It will not fit, so this page is passed on.
      if (this.#end + 1 + fieldWords > this.#words.length) this.settle();
      const index = reserve.call(writer, opcode, fieldWords);
      if (this.#words !== writer.words || this.#end !== index - 1) {
        // The writer passed the page on by itself, so what stood there can't be known any more.
        if (this.#begin < this.#end) this.#lastUnknownChange = ++this.sequence;
        this.#words = writer.words as Uint32Array<ArrayBuffer>;
        this.#begin = index - 1;
      }
      this.#end = index + fieldWords;
      return index;
    };
    writer.publish = () => {
      this.settle();
      // Where the next record goes is not known, so the run ends here.
      this.#words = NO_WORDS;
      this.#begin = this.#end = 0;
      publish.call(writer);
    };
    this.#detach = () => {
      writer.reserve = reserve;
      writer.publish = publish;
    };
  }

  /** Knows nothing more from here on. */
  detach(): void {
    this.settle();
    this.#detach();
  }

  /** Looks at all records so far. */
  settle(): void {
    const words = this.#words;
    for (let at = this.#begin; at < this.#end; ) {
      const header = words[at];
      this.sequence++;
      this.#look(words, header & 0xff, at + 1);
      at += Math.max(1, header >>> HEADER_LENGTH_SHIFT);
    }
    this.#begin = this.#end;
  }

  /** The entry of a live buffer, after `settle`. */
  entry(buffer: number): BufferEntry {
    let entry = this.#buffers.get(buffer);
    if (entry === undefined) {
      entry = { lastUse: 0, lastChange: 0 };
      this.#buffers.set(buffer, entry);
    }
    return entry;
  }

  has(buffer: number): boolean {
    return this.#buffers.has(buffer);
  }

  /** Whether a record after `sequence` may have changed the buffer. */
  isChangedSince(buffer: number, sequence: number): boolean {
    return Math.max(this.entry(buffer).lastChange, this.#lastUnknownChange) > sequence;
  }

  /** Per record. */
  #look(words: Uint32Array, opcode: number, fields: number): void {
    const readField = READ_FIELD[opcode];
    if (readField > 0) this.#use(words[fields + readField - 1]);
    const changedField = CHANGED_FIELD[opcode];
    if (changedField > 0) this.#change(words[fields + changedField - 1]);
    if (SPECIAL[opcode] === 1) this.#lookAtSpecial(words, opcode, fields);
  }

  #lookAtSpecial(words: Uint32Array, opcode: number, fields: number): void {
    const first = words[fields];
    switch (opcode) {
      case RhiOpcode.beginFrame:
        this.frameBegan = this.sequence;
        break;
      case RhiOpcode.createBindGroupLayout: {
        const { entries } = jsonAt<BindGroupLayoutDescriptor>(words, fields, 1);
        const writable = entries.filter(({ buffer }) => buffer?.type === 'storage');
        this.#layouts.set(first, new Set(writable.map(({ binding }) => binding)));
        break;
      }
      case RhiOpcode.createBindGroup: {
        const { layout, entries } = jsonAt<BindGroupDescriptor>(words, fields, 1);
        const writable = this.#layouts.get(layout);
        const buffers = entries.flatMap((entry) => ('buffer' in entry ? [entry] : []));
        this.#groups.set(first, {
          uses: buffers.map(({ buffer }) => buffer),
          changes: buffers
            .filter(({ binding }) => writable?.has(binding) ?? true)
            .map(({ buffer }) => buffer),
        });
        break;
      }
      case RhiOpcode.setBindGroup: {
        const group = this.#groups.get(words[fields + 1]);
        if (group === undefined) this.#lastUnknownChange = this.sequence;
        else {
          for (const buffer of group.uses) this.#use(buffer);
          for (const buffer of group.changes) this.#change(buffer);
        }
        break;
      }
      case RhiOpcode.destroyResource:
        if (handleKind(first) === ResourceKind.buffer) this.#buffers.delete(first);
        this.#layouts.delete(first);
        this.#groups.delete(first);
        break;
      case RhiOpcode.localCommand:
        this.#lastUnknownChange = this.sequence;
    }
  }

  #use(buffer: number): void {
    this.entry(buffer).lastUse = this.sequence;
  }

  #change(buffer: number): void {
    const entry = this.entry(buffer);
    entry.lastUse = entry.lastChange = this.sequence;
  }
}
