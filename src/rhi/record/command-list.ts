/**
 * A deferred command list: plain data that any thread may fill and that travels to the immediate context and back.
 * The immediate context opens it, a deferred context records into it, the immediate context executes it once, and
 * its pages go back to the pool of a deferred context.
 *
 *   openSubList ─► open ─► begin ─► recording ─► finish ─► recorded ─► executeSubLists ─► executed ─► recycle
 *                                                              └─────► discardSubList ──► discarded ─────┘
 *
 * It starts, closes and executes within one frame (SYSTEMS H4). Attachments are numbered from 0 in each list.
 */
import { RhiError } from '../../core/errors.js';
import { isObject } from '../../core/options/shown-value.js';
import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import { appendRecords } from '../../core/streams/append-records.js';
import type { Page } from '../../core/streams/page.js';
import type { Attachment, StreamWriter } from '../../core/streams/stream.js';
import { type QueueHint, rhiCommands } from '../commands/commands.js';
import { refuse } from './call-checks.js';

export type CommandListState = 'open' | 'recording' | 'recorded' | 'executed' | 'discarded';

/** The immediate context that opened a list, as it travels with it. */
export interface ListOwner {
  /** Unlike that of any other context, also on other threads: drawn at random. */
  readonly id: number;
  readonly label: string;
}

/** Post it as it is, with `transferablesOf(list)`; a copy at the other end is the same list. */
export interface CommandList {
  /** The context that executes it; what is in it are that context's handles. */
  readonly owner: ListOwner;
  /** Unique in its immediate context. */
  readonly id: number;
  readonly label: string;
  /** The frame that opened it. */
  readonly frame: number;
  /** The queue that its first command is meant for (SYSTEMS H6). */
  readonly queue: QueueHint;
  /** The queue in force after its last command. */
  lastQueue: QueueHint;
  /** One of its commands reads something back. */
  readsBack: boolean;
  state: CommandListState;
  /** Name of the thread that recorded it; empty where nobody checks threads. */
  thread: string;
  readonly pages: Page[];
  readonly attachments: Attachment[];
  /** Handles to be destroyed once it has executed, or has been discarded. */
  readonly destroys: number[];
}

let ownersMade = 0;

/** @param label default: `context 1` and so on, in the order in which this thread makes them */
export function makeListOwner(label?: string): ListOwner {
  ownersMade++;
  return { id: Math.floor(Math.random() * 2 ** 53), label: label ?? `context ${ownersMade}` };
}

export function makeList(
  fields: Pick<CommandList, 'owner' | 'id' | 'label' | 'frame' | 'queue'>,
): CommandList {
  return {
    ...fields,
    lastQueue: fields.queue,
    readsBack: false,
    state: 'open',
    thread: '',
    pages: [],
    attachments: [],
    destroys: [],
  };
}

/** @param call as the caller wrote it @throws RhiError `bad-argument` for what is no list */
export function checkList(call: string, list: CommandList): void {
  const isList = isObject(list) && Array.isArray(list.pages) && isObject(list.owner);
  if (!isList) refuse(call, 'the list', list, 'one that openSubList has returned');
}

/**
 * What `postMessage` has to transfer with a list.
 * @throws RhiError `bad-argument`
 */
export function transferablesOf(list: CommandList): Transferable[] {
  checkList('transferablesOf', list);
  const { pages, attachments } = list;
  return [...pages.map(({ words }) => words.buffer as ArrayBuffer), ...attachments];
}

/** `"shadows" of frame 7`, and the thread where it is known. */
export function describeList({ label, frame, thread }: CommandList): string {
  return `deferred list "${label}" of frame ${frame}${thread && `, recorded on the thread "${thread}",`}`;
}

/** @param late what a frame leaves behind */
export function listsLeftBehind(late: readonly CommandList[]): RhiError {
  const names = late.map(describeList).join(' and the ');
  // As far as this thread knows.
  const wereOpen = late.some(({ state }) => state !== 'recorded');
  return wereOpen
    ? new RhiError(
        'list-left-open',
        `The frame ended while the ${names} was still open or had not come back. Finish and execute deferred lists before endFrame, or call discardSubList; its commands are lost.`,
      )
    : new RhiError(
        'list-not-executed',
        `The frame ended before the ${names} was executed. Call executeSubLists or discardSubList before endFrame; its commands are lost.`,
      );
}

/**
 * Copies a list's records behind those of the writer. Attachments get the numbers that come next there.
 * @throws RhiError `list-corrupt` when the words are not records
 */
export function appendList(writer: StreamWriter, list: CommandList): void {
  for (const { words: source, usedWords } of list.pages) {
    let from = 0;
    for (let at = 0; at < usedWords; ) {
      const next = at + recordWords(list, source, at, usedWords);
      if ((source[at] & HEADER_ATTACHMENT_BIT) !== 0) {
        appendRecords(writer, source, from, at);
        appendWithAttachment(writer, list, source, at, next);
        from = next;
      }
      at = next;
    }
    appendRecords(writer, source, from, usedWords);
  }
}

function appendWithAttachment(
  writer: StreamWriter,
  list: CommandList,
  source: Uint32Array,
  at: number,
  end: number,
): void {
  const attachment = list.attachments[source[at + 1]];
  if (attachment === undefined || end === at + 1) corrupt(list, at);
  const number = writer.attach(attachment);
  const index = writer.reserveWithAttachment(source[at] & 0xff, end - at - 1);
  writer.words.set(source.subarray(at + 1, end), index);
  writer.words[index] = number;
}

/** A list comes from another thread, so its headers are checked as a stream's reader does. */
function recordWords(list: CommandList, source: Uint32Array, at: number, usedWords: number): number {
  const header = source[at] ?? 0;
  const words = header >>> HEADER_LENGTH_SHIFT;
  const opcode = header & 0xff;
  if (words === 0 || at + words > usedWords || opcode === 0 || opcode >= rhiCommands.names.length) {
    corrupt(list, at);
  }
  return words;
}

function corrupt(list: CommandList, at: number): never {
  throw new RhiError(
    'list-corrupt',
    `The ${describeList(list)} holds words at ${at} of a page that no deferred context writes. Post lists with transferablesOf(list), and write to no page after finish().`,
  );
}
