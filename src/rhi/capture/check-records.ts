/**
 * Checks the words of a capture, which may come from an unknown source. The words have to be records of the table of
 * commands, with the lengths that their fields imply, and with JSON in the JSON fields. Executors can execute checked
 * words without reading out of bounds.
 */
import { RhiError } from '../../core/errors.js';
import { isObject } from '../../core/options/shown-value.js';
import { decodeRecord, isVariable } from '../../core/records/record-codec.js';
import { HEADER_ATTACHMENT_BIT, wholeRecordEnd } from '../../core/records/record-table.js';
import { type CommandInfo, commandInfo } from '../commands/command-info.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { bundleFault } from '../record/draw-bundle.js';

/**
 * Checks the records that create a capture's resources.
 * @returns descriptors of the resources that are alive after these records, by handle
 * @throws RhiError `capture-corrupt`
 */
export function checkCreations(words: Uint32Array): ReadonlyMap<number, unknown> {
  const alive = new Map<number, unknown>();
  checkRecords(words, 'its creations', (info, handle, descriptor) => {
    if (info.creates !== 0) alive.set(handle, descriptor);
    else if (info.name === 'destroyResource') alive.delete(handle);
    else throw corrupt('its creations hold a record that does not create a resource');
  });
  return alive;
}

/**
 * Checks the records of a capture's frames.
 * @param attachments numbers of the existing attachments. Each may be used once; used numbers are removed
 * from the set
 * @throws RhiError `capture-corrupt`
 */
export function checkFrames(words: Uint32Array, attachments: Set<number>): void {
  if (words.length > 0 && (words[0] & 0xff) !== RhiOpcode.beginFrame) {
    throw corrupt('its frames do not begin with a frame');
  }
  checkRecords(words, 'its frames', ({ fields }, number) => {
    if (fields[0]?.brings !== undefined && !attachments.delete(number)) {
      throw corrupt(`a record names attachment ${number}, which does not exist`);
    }
  });
}

/**
 * Checks records and calls `visit` for each.
 * @param visit receives the first field, and the descriptor if there is one
 */
function checkRecords(
  words: Uint32Array,
  section: string,
  visit: (info: CommandInfo, first: number, descriptor: unknown) => void,
): void {
  const records = new RecordSequence(words);
  while (records.cursor < words.length) {
    const at = records.cursor;
    const header = words[at];
    const info = commandInfo[header & 0xff];
    const hasAttachment = (header & HEADER_ATTACHMENT_BIT) !== 0;
    const isWhole = wholeRecordEnd(words, at, words.length, rhiCommands.names.length) > 0;
    if (info === undefined || !isWhole || hasAttachment !== (info.fields[0]?.wire === 'attachment')) {
      throw corrupt(
        `${section} hold the header 0x${header.toString(16)} at word ${at}, which no recorder writes`,
      );
    }
    records.next();
    let descriptor: unknown;
    try {
      descriptor = checkFields(info, records);
    } catch (cause) {
      throw corrupt(`${section} hold a "${info.name}" at word ${at} whose length or fields are wrong`, cause);
    }
    if (info.creates !== 0) checkCreation(info.creates, words[at + 1], descriptor);
    visit(info, words[at + 1], descriptor);
  }
}

/** Checks the fields of a record. @returns its descriptor; undefined if it has none */
function checkFields(info: CommandInfo, record: RecordSequence): unknown {
  // Most records are draws and their state. Their length is fixed, so they need no decoding.
  if (!info.fields.some(({ wire }) => isVariable(wire))) {
    if (record.fieldWords !== info.leastWords) throw new RangeError(`It has ${record.fieldWords} words.`);
    return undefined;
  }
  const values: Readonly<Record<string, unknown>> = decodeRecord(rhiCommands, record).values;
  if (record.opcode === RhiOpcode.createDrawBundle && bundleFault(values.commands as Uint32Array) !== null)
    throw new RangeError('It holds a bundle that no recorder writes.');
  const json = info.fields.find(({ wire }) => wire === 'json');
  if (json !== undefined && !isObject(values[json.name]))
    throw new TypeError('Its descriptor is not an object.');
  return json && values[json.name];
}

function checkCreation(kind: ResourceKind, handle: number, descriptor: unknown): void {
  if (handleKind(handle) !== kind) throw corrupt(`the handle ${handle} is not of the kind that is created`);
  if (descriptor === undefined) return;
  const { label, usage } = descriptor as { label?: unknown; usage?: unknown };
  if (typeof label !== 'string') throw corrupt('a resource has no label');
  const hasUsage = kind === ResourceKind.buffer || kind === ResourceKind.texture;
  if (hasUsage && typeof usage !== 'number') throw corrupt(`the resource "${label}" has no usage`);
}

/** Returns the error for a damaged capture. @param what completes "The capture can't be read: …" */
export function corrupt(what: string, cause?: unknown): RhiError {
  return new RhiError(
    'capture-corrupt',
    `The capture can't be read: ${what}. The file was damaged; obtain the file again from its source.`,
    { cause },
  );
}
