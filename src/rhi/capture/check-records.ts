/**
 * Checks words that somebody else wrote: that they are records of the table, each as long as its fields say, with
 * JSON where the table says so. What passes can be given to any executor without reading out of bounds.
 */
import { RhiError } from '../../core/errors.js';
import { isObject } from '../../core/option-names.js';
import { decodeRecord } from '../../core/record-codec.js';
import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { byOpcode, type CommandFact, commandFacts, isVariable } from '../commands/command-facts.js';
import { rhiCommands } from '../commands/commands.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { bundleFault } from '../record/draw-bundle.js';

/** A record that is whole. */
export interface CheckedRecord {
  readonly fact: CommandFact;
  /** Its first field. */
  readonly first: number;
  /** What its `json` field holds; undefined when it has none. */
  readonly json: unknown;
}

/** Objects within objects in a descriptor; more would overflow the stack of who prints it. */
const MAXIMUM_DEPTH = 16;

/** 1: every record of the command is as long as the other. Most are draws, and what they need. */
const isFixed = /* @__PURE__ */ byOpcode(({ fields }) =>
  Number(!fields.some(({ wire }) => isVariable(wire))),
);

/** @throws RhiError `capture-corrupt` */
export function checkRecords(
  words: Uint32Array,
  section: string,
  visit: (record: CheckedRecord) => void,
): void {
  const records = new RecordSequence(words);
  while (records.cursor < words.length) {
    const at = records.cursor;
    const header = words[at];
    const fact = commandFacts[header & 0xff];
    const end = at + (header >>> HEADER_LENGTH_SHIFT);
    const hasAttachment = (header & HEADER_ATTACHMENT_BIT) !== 0;
    const isWhole = end > at && end <= words.length;
    if (fact === undefined || !isWhole || hasAttachment !== (fact.fields[0]?.wire === 'attachment')) {
      throw corrupt(
        `${section} hold the header 0x${header.toString(16)} at word ${at}, which no recorder writes`,
      );
    }
    records.next();
    let json: unknown;
    try {
      json = checkFields(fact, records);
    } catch (cause) {
      throw corrupt(`${section} hold a "${fact.name}" at word ${at} that is not what its fields say`, cause);
    }
    visit({ fact, first: words[at + 1], json });
  }
}

/** @returns its descriptor */
function checkFields(fact: CommandFact, record: RecordSequence): unknown {
  if (isFixed[record.opcode] === 1) {
    if (record.fieldWords !== fact.leastWords) throw new RangeError(`It has ${record.fieldWords} words.`);
    return undefined;
  }
  const values: Readonly<Record<string, unknown>> = decodeRecord(rhiCommands, record).values;
  // What a bundle holds are records too.
  const { commands } = values;
  if (fact.name === 'createDrawBundle' && bundleFault(commands as Uint32Array) !== null)
    throw new RangeError('It holds what no recorder writes.');
  const json = fact.fields.find(({ wire }) => wire === 'json');
  if (json === undefined) return undefined;
  const value = values[json.name];
  if (!isObject(value)) throw new TypeError('Its descriptor is no object.');
  if (isDeeper(value, MAXIMUM_DEPTH)) throw new RangeError('Its descriptor is nested too deep.');
  return value;
}

function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((member) => isDeeper(member, limit - 1));
}

/** @param what completes "The capture can't be read: …" */
export function corrupt(what: string, cause?: unknown): RhiError {
  return new RhiError(
    'capture-corrupt',
    `The capture can't be read: ${what}. The file was damaged; get it again from where it was made.`,
    { cause },
  );
}
