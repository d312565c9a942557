/**
 * What a table's annotations say of each command, by opcode, for all that looks at records without executing them:
 * validation, the null backend, captures, the ledger of buffers, draw bundles. Plain arrays, so that one look at a
 * header's lowest byte answers.
 *
 *   copyBufferToBuffer   | header | source | sourceByteOffset | target | targetByteOffset | byteLength |
 *   handles                         0 reads                     2 changes
 *   words                                    1 of 4                       3 of 4             4 of 4
 */
import { fixedWords, isVariable } from '../../core/records/record-codec.js';
import { type CommandRows, SCOPES, Scope } from './command-rows.js';
import { commandRows } from './commands.js';
import type { BufferRange, Field, UsageName } from './fields.js';
import type { ResourceKind } from './handles.js';

/** Words of an offset and a length in bytes; −1: unknown. */
export interface RangeWords {
  readonly fromWord: number;
  readonly lengthWord: number;
}

/** A word of a record that is a handle. */
export interface HandleWord {
  /** Among the record's fields, from 0. */
  readonly word: number;
  /** The field's name. */
  readonly field: string;
  readonly kinds: readonly ResourceKind[];
  readonly isCreated: boolean;
  readonly usage: UsageName | undefined;
  /** Where the command changes the contents of this buffer. */
  readonly changes: RangeWords | null;
  /** Where it reads them, as far as its fields say. */
  readonly reads: RangeWords | null;
}

/** A word of a record that has to be a multiple of something, or at most something. */
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
  /** A draw or a dispatch, whatever its arguments come from. */
  readonly isWork: boolean;
  /** The kind of the resource that it creates, to live until it is destroyed; 0: none. */
  readonly creates: ResourceKind | 0;
  /** Fewest words of its fields: a length word for those that vary. */
  readonly leastWords: number;
  readonly handles: readonly HandleWord[];
  readonly boundedWords: readonly BoundedWord[];
  /** `word`: where the field lies in all records alike; −1 behind one that varies, whose place is that of its length. */
  readonly fields: readonly (Field & { readonly name: string; readonly word: number })[];
}

/** By opcode; undefined at 0, which is none. */
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
    // The viewport's target has no label, and ends with its frame.
    creates:
      (fields.some(({ wire }) => isVariable(wire)) && handles.find((each) => each.isCreated)?.kinds[0]) || 0,
    leastWords: fields.reduce((sum, { wire }) => sum + fixedWords(wire), 0),
    handles,
    boundedWords,
    fields,
  };
}

/**
 * Words of the fields that stand at the same place in each record: those before, and with, the first that varies, whose
 * place is that of its length.
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

/** Of the RHI's commands, by opcode. */
export const commandInfo = /* @__PURE__ */ infoOf(commandRows);

/** A number of each command, by opcode; 0 for none. */
// @__NO_SIDE_EFFECTS__
function byOpcode(numberOf: (info: CommandInfo) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, opcode) => {
    const info = commandInfo[opcode];
    return info === undefined ? 0 : numberOf(info);
  });
}

export const leastFieldWords = /* @__PURE__ */ byOpcode(({ leastWords }) => leastWords);
/** 1: a draw. */
export const isDraw = /* @__PURE__ */ byOpcode((info) => Number(info.isDraw));
/** 1: may stand in a draw bundle, as in WebGPU's render bundles: state, draws, debug groups and markers. */
export const isBundled = /* @__PURE__ */ byOpcode(({ scopes }) => Number((scopes & Scope.bundle) !== 0));
/** Which word of a record that a bundle may hold is a handle, its header counted; 0 for none. */
export const handleField = /* @__PURE__ */ byOpcode(({ scopes, handles }) =>
  (scopes & Scope.bundle) !== 0 && handles[0] !== undefined ? handles[0].word + 1 : 0,
);
