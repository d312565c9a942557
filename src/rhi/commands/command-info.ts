/**
 * The annotations of a table of commands, as arrays by opcode. Validation, the null backend, captures, buffer
 * mapping and draw bundles use them to inspect records without executing them. The lowest byte of a header is
 * the opcode.
 *
 *   copyBufferToBuffer   | header | source | sourceByteOffset | target | targetByteOffset | byteLength |
 *   handles                         0 reads                     2 changes
 *     multiples of 4                           1                            3                  4
 */
import { fixedWords, isVariable } from '../../core/records/record-codec.js';
import { type CommandRows, SCOPES, Scope } from './command-rows.js';
import { commandRows } from './commands.js';
import type { BufferRange, Field, UsageName } from './fields.js';
import type { ResourceKind } from './handles.js';

/** Indices of the words with an offset and a length in bytes; −1 if the record has no such word. */
export interface RangeWords {
  readonly fromWord: number;
  readonly lengthWord: number;
}

/** A word of a record that is a handle. */
export interface HandleWord {
  /** Index among the words of the record's fields, from 0. */
  readonly word: number;
  /** The field's name. */
  readonly field: string;
  readonly kinds: readonly ResourceKind[];
  readonly isCreated: boolean;
  readonly usage: UsageName | undefined;
  /** Range of this buffer whose contents the command changes. */
  readonly changes: RangeWords | null;
  /** Range of this buffer that the command reads, if fields of the record specify it. */
  readonly reads: RangeWords | null;
}

/** A word of a record with a required divisor or a maximum. */
export interface BoundedWord {
  readonly word: number;
  readonly field: string;
  readonly multipleOf: number;
  readonly most: number;
}

export interface CommandInfo {
  readonly name: string;
  /** Bits of `Scope`. */
  readonly scopes: number;
  readonly queue: 'copy' | 'compute' | 'graphics';
  readonly isDraw: boolean;
  /** A draw or a dispatch, direct or indirect. */
  readonly isWork: boolean;
  /** Kind of the resource that the command creates and that lives until it is destroyed; 0: none. */
  readonly creates: ResourceKind | 0;
  /** Minimum number of field words; a field of variable length counts as its length word. */
  readonly leastWords: number;
  readonly handles: readonly HandleWord[];
  readonly boundedWords: readonly BoundedWord[];
  /**
   * The fields in wire order. `word` is the index of the field's first word among the field words. For a field of
   * variable length, that is its length word. Fields that follow one of variable length have −1.
   */
  readonly fields: readonly (Field & { readonly name: string; readonly word: number })[];
}

/** Returns the infos of a table by opcode. Opcode 0 is unused, so its entry is undefined. */
// @__NO_SIDE_EFFECTS__
export function infoOf(rows: CommandRows): readonly (CommandInfo | undefined)[] {
  return [undefined, ...Object.entries(rows).map(([name, row]) => rowInfo(name, row))];
}

function rowInfo(name: string, row: CommandRows[string]): CommandInfo {
  const indices = wordIndices(row.fields);
  const wordOf = (field: string | undefined): number =>
    field === undefined ? -1 : (indices.get(field) ?? -1);
  const rangeOf = (part: BufferRange | undefined): RangeWords | null =>
    part === undefined ? null : { fromWord: wordOf(part.from), lengthWord: wordOf(part.length) };
  const handles: HandleWord[] = [];
  const boundedWords: BoundedWord[] = [];
  const fields = Object.entries(row.fields).map(([field, annotation]) => {
    const word = wordOf(field);
    const { kinds, usage, changes, reads, rule } = annotation;
    if (kinds !== undefined) {
      const isCreated = annotation.isCreated === true;
      handles.push({
        word,
        field,
        kinds,
        isCreated,
        usage,
        changes: rangeOf(changes),
        reads: rangeOf(reads),
      });
    }
    const { multipleOf = 1, most = 2 ** 32 - 1 } = rule ?? {};
    if (multipleOf > 1 || most < 2 ** 32 - 1) boundedWords.push({ word, field, multipleOf, most });
    return { ...annotation, name: field, word };
  });
  const isDraw = row.isDraw === true;
  return {
    name,
    scopes: SCOPES[row.scope],
    queue: row.queue ?? 'copy',
    isDraw,
    isWork: isDraw || name.startsWith('dispatch'),
    // A viewport's target has no label and ends with its frame, so it does not count as created.
    creates:
      (fields.some(({ wire }) => isVariable(wire)) && handles.find((each) => each.isCreated)?.kinds[0]) || 0,
    leastWords: fields.reduce((sum, { wire }) => sum + fixedWords(wire), 0),
    handles,
    boundedWords,
    fields,
  };
}

/**
 * Returns the word indices of the fields that have the same index in every record. These are all fields up to
 * and including the first one of variable length.
 */
function wordIndices(fields: Readonly<Record<string, Field>>): ReadonlyMap<string, number> {
  const indices = new Map<string, number>();
  let at = 0;
  for (const [name, { wire }] of Object.entries(fields)) {
    indices.set(name, at);
    if (isVariable(wire)) break;
    at += fixedWords(wire);
  }
  return indices;
}

/** Infos of the RHI's commands, by opcode. */
export const commandInfo = /* @__PURE__ */ infoOf(commandRows);

/** Returns one number for each command, by opcode; 0 for unused opcodes. */
// @__NO_SIDE_EFFECTS__
function byOpcode(numberOf: (info: CommandInfo) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, opcode) => {
    const info = commandInfo[opcode];
    return info === undefined ? 0 : numberOf(info);
  });
}

export const leastFieldWords = /* @__PURE__ */ byOpcode(({ leastWords }) => leastWords);
/** 1 for draws, by opcode. */
export const isDraw = /* @__PURE__ */ byOpcode((info) => Number(info.isDraw));
/** 1 for commands that draw bundles may hold, as in WebGPU's render bundles: state, draws, debug groups and markers. */
export const isBundled = /* @__PURE__ */ byOpcode(({ scopes }) => Number((scopes & Scope.bundle) !== 0));
/** Index of the handle in a record of a draw bundle, counted from the header; 0 if the record has no handle. */
export const handleField = /* @__PURE__ */ byOpcode(({ scopes, handles }) =>
  (scopes & Scope.bundle) !== 0 && handles[0] !== undefined ? handles[0].word + 1 : 0,
);
