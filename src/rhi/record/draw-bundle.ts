/**
 * A draw bundle holds draws that stay the same. It is recorded once and executed in any frame. The record that creates
 * the bundle contains the records of the draws, so that captures, traces and other threads have the whole bundle.
 *
 *   createDrawBundle ─► | header | handle | label | count | setGraphicsPipeline … | setBindGroup … | draw … | … |
 *   executeDrawBundle ─► | header | handle |        executes those records; state is unset before and after
 *
 * Bundles hold the same commands as WebGPU's render bundles: pipeline, bind groups, vertex and index buffers, draws,
 * debug groups and markers. Viewport, scissor, blend constant and stencil reference belong to the pass.
 */
import { RhiError, StreamError } from '../../core/errors.js';
import { concatenate } from '../../core/records/concatenate.js';
import { encodeText, fieldWordsAt, stringAt } from '../../core/records/record-fields.js';
import {
  HEADER_ATTACHMENT_BIT,
  HEADER_LENGTH_SHIFT,
  MAXIMUM_RECORD_WORDS,
  wholeRecordEnd,
} from '../../core/records/record-table.js';
import type { Page } from '../../core/streams/page.js';
import type { Attachment, StreamWriter } from '../../core/streams/stream.js';
import { isBundled, isDraw, leastFieldWords } from '../commands/command-info.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import type { BufferHandle } from '../commands/descriptors.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { CommandContext } from './command-context.js';
import { ListPages, ListWriter } from './list-pages.js';

/** A fault in a bundle's records. */
interface BundleFault {
  readonly code: 'bundle-command' | 'bundle-debug-group' | 'bad-record';
  /** Name of the faulty command; empty if the words are not records. */
  readonly command: string;
}

/**
 * Returns the first fault of a bundle's records. Returns null if bundles may hold all of the commands, all lengths
 * agree with the fields, and all debug groups are closed.
 */
export function bundleFault(words: Uint32Array): BundleFault | null {
  let depth = 0;
  for (let at = 0; at < words.length; ) {
    const header = words[at];
    const opcode = header & 0xff;
    const end = wholeRecordEnd(words, at, words.length, rhiCommands.names.length);
    if (end === 0) return { code: 'bad-record', command: '' };
    const command: string = rhiCommands.names[opcode] as string;
    if (isBundled[opcode] === 0 || (header & HEADER_ATTACHMENT_BIT) !== 0) {
      return { code: 'bundle-command', command };
    }
    if (end - at - 1 !== fieldWordsOf(words, at + 1, end, opcode)) return { code: 'bad-record', command };
    if (opcode === RhiOpcode.pushDebugGroup) depth++;
    if (opcode === RhiOpcode.popDebugGroup && --depth < 0) return { code: 'bundle-debug-group', command };
    at = end;
  }
  return depth === 0 ? null : { code: 'bundle-debug-group', command: 'pushDebugGroup' };
}

/**
 * Returns the number of words of a record's fields, computed from the lengths in the record. Returns −1 if the fields
 * of fixed length or a text exceed the record.
 * @param at index of the first field
 * @param end index behind the record
 */
function fieldWordsOf(words: Uint32Array, at: number, end: number, opcode: number): number {
  const least = leastFieldWords[opcode];
  if (at + least > end) return -1;
  if (opcode === RhiOpcode.setBindGroup) return 3 + words[at + 2];
  const isText = opcode === RhiOpcode.pushDebugGroup || opcode === RhiOpcode.insertDebugMarker;
  // A length near 2³² would overflow when rounded to words, and fits no record anyway.
  if (isText) return words[at] > (end - at) * 4 ? -1 : fieldWordsAt(words, at);
  return least;
}

/** Counts the records whose opcode is accepted. @param words records without a fault */
const countOf = (words: Uint32Array, isCounted: (opcode: number) => boolean): number => {
  let count = 0;
  for (const { opcode } of new RecordSequence(words)) if (isCounted(opcode)) count++;
  return count;
};

export const countDraws = (words: Uint32Array): number => countOf(words, (opcode) => isDraw[opcode] === 1);

export const hasIndirectDraws = (words: Uint32Array): boolean =>
  countOf(words, (opcode) => opcode === RhiOpcode.drawIndirect || opcode === RhiOpcode.drawIndexedIndirect) >
  0;

function faultError(label: string, { code, command }: BundleFault): RhiError {
  switch (code) {
    case 'bundle-command':
      return new RhiError(
        'bundle-command',
        `The draw bundle "${label}" holds ${command}, which bundles do not allow. Record it in the pass; a bundle has state, draws, debug groups and markers.`,
      );
    case 'bundle-debug-group':
      return new RhiError(
        'bundle-debug-group',
        `The draw bundle "${label}" has a ${command} without its counterpart. Open and close each debug group in it.`,
      );
    default:
      return new RhiError(
        'bad-record',
        `The draw bundle "${label}" holds words that are not records. Record it with a context of this version.`,
      );
  }
}

/**
 * Returns the fields of a `createDrawBundle` record. `commands` is a view of the record. Its words are not checked.
 * @throws RhiError `bad-record` if the fields exceed the record
 */
export function bundleAt(words: Uint32Array, fields: number, fieldWords: number) {
  const label = stringAt(words, fields, 1);
  const at = fields + 1 + fieldWordsAt(words, fields + 1);
  const first = at + 1;
  const end = fields + fieldWords;
  if (at >= end || words[at] !== end - first) throw faultError(label, { code: 'bad-record', command: '' });
  return { label, commands: words.subarray(first, end) };
}

/**
 * Returns the fields of a `createDrawBundle` record after a check of `commands`.
 * @throws RhiError `bad-record`, `bundle-command`, `bundle-debug-group`
 */
export function checkedBundleAt(words: Uint32Array, fields: number, fieldWords: number) {
  const bundle = bundleAt(words, fields, fieldWords);
  const fault = bundleFault(bundle.commands);
  if (fault !== null) throw faultError(bundle.label, fault);
  return bundle;
}

/** Returns the words of the record that creates a bundle, header included. */
export function bundleRecord(handle: number, label: string, commands: Uint32Array): Uint32Array {
  const text = encodeText(label);
  const commandsAt = 3 + ((text.length + 3) >>> 2);
  const record = new Uint32Array(commandsAt + 1 + commands.length);
  record.set([RhiOpcode.createDrawBundle | (record.length << HEADER_LENGTH_SHIFT), handle, text.length]);
  new Uint8Array(record.buffer, 12, text.length).set(text);
  record[commandsAt] = commands.length;
  record.set(commands, commandsAt + 1);
  return record;
}

/** The methods that record a bundle's commands. They work as in a render pass. */
export type DrawRecorder = Pick<
  CommandContext,
  | 'setGraphicsPipeline'
  | 'setBindGroup'
  | 'setVertexBuffer'
  | 'setIndexBuffer'
  | 'draw'
  | 'drawIndexed'
  | 'drawIndirect'
  | 'drawIndexedIndirect'
  | 'pushDebugGroup'
  | 'popDebugGroup'
  | 'insertDebugMarker'
>;

class BundleContext extends CommandContext {
  readonly #context: CommandContext;

  constructor(writer: StreamWriter, context: CommandContext) {
    super(writer, context.checks, context.mark);
    this.#context = context;
  }

  override bytesFrom(buffer: BufferHandle, byteOffset: number): number {
    return this.#context.bytesFrom(buffer, byteOffset);
  }
}

/**
 * Records the draws of a bundle.
 * @param record callback that records them
 * @param context the context that creates the bundle
 * @returns the bundle's records
 * @throws RhiError `bundle-command`, `bundle-debug-group`, `bundle-too-large`; any error of the callback
 */
export function recordBundle(
  label: string,
  record: (draws: DrawRecorder) => void,
  context: CommandContext,
): Uint32Array {
  const pages: Page[] = [];
  const attachments: Attachment[] = [];
  const lists = new ListWriter(new ListPages());
  lists.begin({ label, pages, attachments });
  try {
    record(new BundleContext(lists.writer, context));
  } catch (error) {
    throw error instanceof StreamError ? tooLarge(label, error) : error;
  } finally {
    // After the callback, calls of its recorder throw `list-not-open`.
    lists.end();
    for (const attachment of attachments) if ('close' in attachment) attachment.close();
  }
  const commands = concatenate(pages.map(({ words, usedWords }) => words.subarray(0, usedWords)));
  const fault = bundleFault(commands);
  if (fault !== null) throw faultError(label, fault);
  const labelWords = (encodeText(label).length + 3) >>> 2;
  if (commands.length + labelWords + 4 > MAXIMUM_RECORD_WORDS) throw tooLarge(label);
  return commands;
}

function tooLarge(label: string, cause?: unknown): RhiError {
  return new RhiError(
    'bundle-too-large',
    `The draw bundle "${label}" does not fit into one record of ${MAXIMUM_RECORD_WORDS} words. Record several bundles.`,
    { cause },
  );
}
