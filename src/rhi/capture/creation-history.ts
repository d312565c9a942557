/**
 * Keeps the records that create all live resources: the creates and destroys so far, without those that no live
 * resource needs. The records stay in order, so that slots are reused as in the original run. Resources that a live
 * pipeline or bind group refers to are kept even after their destroy.
 *
 *   create module 1 · create pipeline A (of module 1) · destroy module 1 · create module 2 · destroy module 2
 *   ►  create module 1 · create pipeline A · destroy module 1
 */

import { concatenate } from '../../core/records/concatenate.js';
import { jsonAt } from '../../core/records/record-fields.js';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import { commandInfo } from '../commands/command-info.js';
import { RhiOpcode } from '../commands/commands.js';
import { visitHandles } from '../commands/descriptor-shapes.js';
import { describeHandle } from '../commands/handles.js';

interface Entry {
  /** The record with its header; its first field is the handle. */
  readonly words: Uint32Array;
  /** Position among all creates and destroys. */
  readonly createdAt: number;
  /** Position of the destroy; infinite while the resource is alive. */
  destroyedAt: number;
}

/** Number of destroyed resources between two removals of entries that no live resource needs. */
const DEAD_ENTRIES = 1024;

export class CreationHistory {
  readonly #entries = new Map<number, Entry>();
  #sequence = 0;
  #dead = 0;
  #pruneAt = DEAD_ENTRIES;

  /** Number of records kept. */
  get length(): number {
    return this.#entries.size;
  }

  /** @param words the record with its header; it is kept without a copy */
  add(words: Uint32Array): void {
    const entry = { words, createdAt: this.#sequence++, destroyedAt: Number.POSITIVE_INFINITY };
    this.#entries.set(words[1], entry);
  }

  destroy(handle: number): void {
    const entry = this.#entries.get(handle);
    if (entry === undefined || isDead(entry)) return;
    entry.destroyedAt = this.#sequence++;
    if (++this.#dead <= this.#pruneAt) return;
    const needed = this.#needed();
    for (const [dead, entry] of this.#entries) if (!needed.has(entry)) this.#entries.delete(dead);
    this.#dead = [...needed].filter(isDead).length;
    this.#pruneAt = this.#dead + DEAD_ENTRIES;
  }

  /**
   * Returns records that create all live resources. If they create a resource that is not alive, they also destroy it.
   */
  prologue(): Uint32Array<ArrayBuffer> {
    const records: { readonly at: number; readonly words: Uint32Array }[] = [];
    for (const entry of this.#needed()) {
      records.push({ at: entry.createdAt, words: entry.words });
      if (isDead(entry)) records.push({ at: entry.destroyedAt, words: destroyRecord(entry.words[1]) });
    }
    records.sort((a, b) => a.at - b.at);
    return concatenate(records.map(({ words }) => words));
  }

  /**
   * Returns a sentence for each needed resource whose parts are missing, because they were created before this history
   * began.
   */
  incomplete(): string[] {
    const sentences: string[] = [];
    for (const { words } of this.#needed()) {
      const { label, named } = namedBy(words);
      if (named.every((handle) => this.#entries.has(handle))) continue;
      sentences.push(
        `The ${describeHandle(words[1], label)} is incomplete: its parts were created before the capture was prepared. Prepare the capture first.`,
      );
    }
    return sentences;
  }

  /** Returns the live entries and, recursively, the entries that they refer to. */
  #needed(): Set<Entry> {
    const needed = new Set<Entry>();
    const visit = (entry: Entry): void => {
      if (needed.has(entry)) return;
      needed.add(entry);
      for (const handle of namedBy(entry.words).named) {
        const named = this.#entries.get(handle);
        if (named !== undefined && named.createdAt < entry.createdAt) visit(named);
      }
    };
    for (const entry of this.#entries.values()) if (!isDead(entry)) visit(entry);
    return needed;
  }
}

const isDead = ({ destroyedAt }: Entry): boolean => destroyedAt !== Number.POSITIVE_INFINITY;

const destroyRecord = (handle: number): Uint32Array =>
  Uint32Array.of(RhiOpcode.destroyResource | (2 << HEADER_LENGTH_SHIFT), handle);

/** Returns the handles in the descriptor of a created resource, and its label. */
function namedBy(words: Uint32Array): { readonly label: string; readonly named: readonly number[] } {
  const named: number[] = [];
  if (commandInfo[words[0] & 0xff]?.fields[1]?.wire !== 'json') return { label: '', named };
  const descriptor = jsonAt<{ readonly label: string }>(words, 1, 1);
  visitHandles(descriptor, (handle) => named.push(handle));
  return { label: descriptor.label, named };
}
