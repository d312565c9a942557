/**
 * Checks words that somebody else wrote: that they are records of the table, each as long as its fields say, with
 * JSON where the table says so. What passes can be given to any executor without reading out of bounds.
 */
import { RhiError } from '../../core/errors.js';
import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import { fieldWordsAt, jsonAt } from '../commands/record-fields.js';
import { bundleAt, bundleFault } from '../record/draw-bundle.js';

/** A record's place: `fields − 1` is its header, `end` the header of the next. */
export interface RecordPlace {
  readonly opcode: number;
  readonly fields: number;
  readonly end: number;
  /** Its first `json` field; undefined when it has none. */
  readonly json: unknown;
}

/** Objects within objects in a descriptor; more would overflow the stack of who prints it. */
const MAXIMUM_DEPTH = 16;

const layouts: readonly (readonly string[])[] = rhiCommands.names.map((name) =>
  name ? Object.values(rhiCommands.fields[name]) : [],
);

/** @throws RhiError `capture-corrupt` */
export function checkRecords(
  words: Uint32Array,
  section: string,
  visit: (record: RecordPlace) => void,
): void {
  let at = 0;
  while (at < words.length) {
    const header = words[at];
    const opcode = header & 0xff;
    const end = at + (header >>> HEADER_LENGTH_SHIFT);
    const layout = layouts[opcode];
    const isRecord = opcode !== 0 && layout !== undefined && end > at && end <= words.length;
    const hasAttachment = (header & HEADER_ATTACHMENT_BIT) !== 0;
    if (!isRecord || hasAttachment !== (layout[0] === 'attachment')) {
      throw corrupt(
        `${section} hold the header 0x${header.toString(16)} at word ${at}, which no recorder writes`,
      );
    }
    const json = checkFields(words, at + 1, end, layout, opcode, section);
    if (opcode === RhiOpcode.createDrawBundle) checkBundle(words, at + 1, end, section);
    visit({ opcode, fields: at + 1, end, json });
    at = end;
  }
}

function checkFields(
  words: Uint32Array,
  fields: number,
  end: number,
  layout: readonly string[],
  opcode: number,
  section: string,
): unknown {
  let at = fields;
  let json: unknown;
  for (const type of layout) {
    if (at >= end) throw tooShort(section, opcode, fields);
    let size = 1;
    if (type === 'f64') size = 2;
    else if (type === 'u32[]' || type === 'f32[]') size = 1 + words[at];
    else if (type === 'bytes' || type === 'string' || type === 'json') size = textWords(words, at);
    if (at + size > end) throw tooShort(section, opcode, fields);
    if (type === 'json') json ??= checkJson(words, fields, at - fields, section, opcode);
    at += size;
  }
  if (at !== end) throw tooShort(section, opcode, fields);
  return json;
}

/** What a bundle holds are records too. */
function checkBundle(words: Uint32Array, fields: number, end: number, section: string): void {
  const { label, commands } = bundleAt(words, fields, end - fields);
  const fault = bundleFault(commands);
  if (fault === null) return;
  throw corrupt(`${section} hold the draw bundle "${label}", which holds what no recorder writes`);
}

/** A length near 2³² would wrap in whole words; it fits no record anyhow. */
function textWords(words: Uint32Array, at: number): number {
  return words[at] > words.length * 4 ? words.length + 1 : fieldWordsAt(words, at);
}

function checkJson(
  words: Uint32Array,
  fields: number,
  field: number,
  section: string,
  opcode: number,
): object {
  const at = fields + field;
  const name = rhiCommands.names[opcode];
  let value: unknown;
  try {
    value = jsonAt(words, fields, field);
  } catch (cause) {
    throw corrupt(`${section} hold a "${name}" at word ${at} whose descriptor is not JSON`, cause);
  }
  if (isDeeper(value, MAXIMUM_DEPTH)) {
    throw corrupt(`${section} hold a "${name}" at word ${at} whose descriptor is nested too deep`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw corrupt(`${section} hold a "${name}" at word ${at} whose descriptor is no object`);
}

function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((member) => isDeeper(member, limit - 1));
}

function tooShort(section: string, opcode: number, fields: number): RhiError {
  const name = rhiCommands.names[opcode];
  return corrupt(`${section} hold a "${name}" at word ${fields - 1} whose length is not that of its fields`);
}

/** @param what completes "The capture can't be read: …" */
export function corrupt(what: string, cause?: unknown): RhiError {
  return new RhiError(
    'capture-corrupt',
    `The capture can't be read: ${what}. The file was damaged; get it again from where it was made.`,
    { cause },
  );
}
