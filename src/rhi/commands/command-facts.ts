/**
 * What a table's annotations say of each command, by opcode, for all that looks at records without executing them:
 * validation, the null backend, captures, the ledger of buffers, draw bundles. Plain arrays, so that one look at a
 * header's lowest byte answers.
 *
 *   copyBufferToBuffer   | header | source | sourceByteOffset | target | targetByteOffset | byteLength |
 *   handles                         0 reads                     2 changes
 *   words                                    1 of 4                       3 of 4             4 of 4
 */
import type { FieldType } from '../../core/record-table.js';
import { type CommandRows, PLACES, Place } from './command-rows.js';
import { commandRows } from './commands.js';
import type { Field, UsageName } from './fields.js';
import type { ResourceKind } from './handles.js';

/** A word of a record that is a handle. */
export interface HandleWord {
  /** Among the record's fields, from 0. */
  readonly word: number;
  /** The field's name. */
  readonly field: string;
  readonly kinds: readonly ResourceKind[];
  readonly isCreated: boolean;
  readonly usage: UsageName | undefined;
  /** Where the command changes the contents of this buffer; words of an offset and a length in bytes, −1: unknown. */
  readonly changes: { readonly fromWord: number; readonly lengthWord: number } | null;
}

/** A word of a record that has to be a multiple of something, or at most something. */
export interface BoundedWord {
  readonly word: number;
  readonly field: string;
  readonly multipleOf: number;
  readonly most: number;
}

export interface CommandFact {
  readonly name: string;
  /** Bits of `Place`. */
  readonly places: number;
  readonly queue: 'copy' | 'compute' | 'graphics';
  readonly isDraw: boolean;
  /** Fewest words of its fields: a length word for those that vary. */
  readonly leastWords: number;
  readonly handles: readonly HandleWord[];
  readonly boundedWords: readonly BoundedWord[];
  readonly fields: readonly (Field & { readonly name: string })[];
}

/** By opcode; undefined at 0, which is none. */
// @__NO_SIDE_EFFECTS__
export function factsOf(rows: CommandRows): readonly (CommandFact | undefined)[] {
  return [undefined, ...Object.entries(rows).map(([name, row]) => factOf(name, row))];
}

function factOf(name: string, row: CommandRows[string]): CommandFact {
  const places = wordPlaces(row.fields);
  const fields = Object.entries(row.fields).map(([field, annotation]) => ({ ...annotation, name: field }));
  const wordOf = (field: string | undefined): number =>
    field === undefined ? -1 : (places.get(field) ?? -1);
  return {
    name,
    places: PLACES[row.place],
    queue: row.queue ?? 'copy',
    isDraw: row.isDraw === true,
    leastWords: fields.reduce((sum, { wire }) => sum + leastWordsOf(wire), 0),
    handles: fields
      .filter(({ kinds }) => kinds !== undefined)
      .map(({ name: field, kinds = [], isCreated, usage, changes }) => ({
        word: wordOf(field),
        field,
        kinds,
        isCreated: isCreated === true,
        usage,
        changes: changes ? { fromWord: wordOf(changes.from), lengthWord: wordOf(changes.length) } : null,
      })),
    boundedWords: fields
      .filter(({ rule }) => rule?.multipleOf !== undefined || rule?.most !== undefined)
      .map(({ name: field, rule }) => ({
        word: wordOf(field),
        field,
        multipleOf: rule?.multipleOf ?? 1,
        most: rule?.most ?? 2 ** 32 - 1,
      })),
    fields,
  };
}

const leastWordsOf = (wire: FieldType): number => (wire === 'f64' ? 2 : 1);

/**
 * Words of the fields that stand at the same place in each record: those before, and with, the first that varies, whose
 * place is that of its length.
 */
function wordPlaces(fields: Readonly<Record<string, Field>>): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let at = 0;
  for (const [name, { wire }] of Object.entries(fields)) {
    places.set(name, at);
    if (isVariable(wire)) break;
    at += leastWordsOf(wire);
  }
  return places;
}

/** A length, and so much behind it. */
export const isVariable = (wire: FieldType): boolean =>
  wire === 'bytes' || wire === 'string' || wire === 'json' || wire === 'u32[]' || wire === 'f32[]';

/** Of the RHI's commands, by opcode. */
export const commandFacts = /* @__PURE__ */ factsOf(commandRows);

/** A number of each command, by opcode; 0 for none. */
// @__NO_SIDE_EFFECTS__
export function byOpcode(numberOf: (fact: CommandFact) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, opcode) => {
    const fact = commandFacts[opcode];
    return fact === undefined ? 0 : numberOf(fact);
  });
}

export const leastFieldWords = /* @__PURE__ */ byOpcode(({ leastWords }) => leastWords);
/** 1: a draw. */
export const isDraw = /* @__PURE__ */ byOpcode((fact) => Number(fact.isDraw));
/** 1: may stand in a draw bundle, as in WebGPU's render bundles: state, draws, debug groups and markers. */
export const isBundled = /* @__PURE__ */ byOpcode(({ places }) => Number((places & Place.bundle) !== 0));
/** Which word of a record that a bundle may hold is a handle, its header counted; 0 for none. */
export const handleField = /* @__PURE__ */ byOpcode(({ places, handles }) =>
  (places & Place.bundle) !== 0 && handles[0] !== undefined ? handles[0].word + 1 : 0,
);
