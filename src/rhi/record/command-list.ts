/**
 * A deferred command list is plain data that can be posted between threads. The immediate context opens the list, a
 * deferred context on any thread records into it, and the immediate context executes it once. Then the list's pages
 * return to the pool of a deferred context.
 *
 *   openSubList ─► open ─► begin ─► recording ─► finish ─► recorded ─► executeSubLists ─► executed ─► recycle
 *                                                              └─────► discardSubList ──► discarded ─────┘
 *
 * A list is opened, recorded and executed within one frame (SYSTEMS H4). Each list numbers its attachments from 0.
 */
import { RhiError } from '../../core/errors.js';
import { isObject } from '../../core/options/shown-value.js';
import { wholeRecordEnd } from '../../core/records/record-table.js';
import { appendRecords } from '../../core/streams/append-records.js';
import type { Page } from '../../core/streams/page.js';
import type { Attachment, StreamWriter } from '../../core/streams/stream.js';
import { type QueueHint, rhiCommands } from '../commands/commands.js';
import { refuse } from './call-checks.js';

export type CommandListState = 'open' | 'recording' | 'recorded' | 'executed' | 'discarded';

/**
 * Identity of the immediate context that opened a list. It is part of the list, so copies of the list have the same
 * identity.
 */
export interface ListOwner {
  /** A random 53-bit number, so that contexts on all threads have different ids. */
  readonly id: number;
  readonly label: string;
}

/** A command list. Post it unchanged, with `transferablesOf(list)`. The copy that arrives counts as the same list. */
export interface CommandList {
  /** The context that executes the list and that owns the handles in it. */
  readonly owner: ListOwner;
  /** Number of the list, unique in its immediate context. */
  readonly id: number;
  readonly label: string;
  /** The frame in which the list was opened. */
  readonly frame: number;
  /** The queue of the list's first command (SYSTEMS H6). */
  readonly queue: QueueHint;
  /** The queue after the list's last command. */
  lastQueue: QueueHint;
  /** Whether one of the list's commands reads data back. */
  readsBack: boolean;
  state: CommandListState;
  /** Name of the thread that recorded the list; empty without `guardThread`. */
  thread: string;
  readonly pages: Page[];
  readonly attachments: Attachment[];
  /** Handles to destroy after the list has been executed or discarded. */
  readonly destroys: number[];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

let ownersMade = 0;

/** Returns a new identity. @param label default: `context 1` and so on, in the order of creation on this thread */
export function makeListOwner(label?: string): ListOwner {
  ownersMade++;
  return { id: Math.floor(Math.random() * 2 ** 53), label: label ?? `context ${ownersMade}` };
}

/** Returns an open list. */
export function makeList({
  owner,
  id,
  label,
  frame,
  queue,
}: Pick<CommandList, 'owner' | 'id' | 'label' | 'frame' | 'queue'>): CommandList {
  // The members are written one by one, because V8 takes 5 µs to spread an object.
  return {
    owner,
    id,
    label,
    frame,
    queue,
    lastQueue: queue,
    readsBack: false,
    state: 'open',
    thread: '',
    pages: [],
    attachments: [],
    destroys: [],
  };
}

/** Opens an ended list again, for a frame. Allocates nothing. */
export function reopenList(list: CommandList, id: number, frame: number): void {
  const opened: Mutable<CommandList> = list;
  opened.id = id;
  opened.frame = frame;
  opened.lastQueue = list.queue;
  opened.readsBack = false;
  opened.thread = '';
  opened.state = 'open';
}

/**
 * Marks an open list as recorded by another thread, which has written the page into shared memory. Such a list is
 * not posted. Allocates nothing.
 */
export function markRecorded(list: CommandList, page: Page): void {
  list.pages.length = 1;
  list.pages[0] = page;
  list.state = 'recorded';
}

export const isEnded = ({ state }: CommandList): boolean => state === 'executed' || state === 'discarded';

/**
 * Checks that a list has been executed or discarded.
 * @param effect action that is possible after that, for the error
 * @throws RhiError `list-in-flight`
 */
export function checkEnded(list: CommandList, effect: string): void {
  if (isEnded(list)) return;
  throw new RhiError(
    'list-in-flight',
    `The ${describeList(list)} is ${list.state}; ${effect} once it is executed or discarded.`,
  );
}

/** Checks that a value is a list. @param call name of the call, for the error @throws RhiError `bad-argument` */
export function checkList(call: string, list: CommandList): void {
  const isList = isObject(list) && Array.isArray(list.pages) && isObject(list.owner);
  if (!isList) refuse(call, 'the list', list, 'a list that openSubList has returned');
}

/** Returns the objects that `postMessage` has to transfer with a list. @throws RhiError `bad-argument` */
export function transferablesOf(list: CommandList): Transferable[] {
  checkList('transferablesOf', list);
  const { pages, attachments } = list;
  return [...pages.map(({ words }) => words.buffer as ArrayBuffer), ...attachments];
}

/** Describes a list for errors, as in `deferred list "shadows" of frame 7`, with the thread if it is known. */
export function describeList({ label, frame, thread }: CommandList): string {
  return `deferred list "${label}" of frame ${frame}${thread && `, recorded on the thread "${thread}",`}`;
}

/** Returns the error of a frame that ends before its lists. @param late lists neither executed nor discarded */
export function listsLeftBehind(late: readonly CommandList[]): RhiError {
  const names = late.map(describeList).join(' and the ');
  // A list on another thread counts as open, because this thread does not know its state.
  const wereOpen = late.some(({ state }) => state !== 'recorded');
  return wereOpen
    ? new RhiError(
        'list-left-open',
        `The frame ended while the ${names} was still open or had not come back from another thread. Its commands are lost. Finish and execute deferred lists before endFrame, or call discardSubList.`,
      )
    : new RhiError(
        'list-not-executed',
        `The frame ended before the ${names} was executed. Its commands are lost. Call executeSubLists or discardSubList before endFrame.`,
      );
}

/**
 * Appends a list's records to the writer's stream. Attachments get the writer's next numbers.
 * @throws RhiError `list-corrupt` if the words are not records. Records before them have been appended
 */
export function appendList(writer: StreamWriter, list: CommandList): void {
  const { pages } = list;
  const opcodes = rhiCommands.names.length;
  for (let index = 0; index < pages.length; index++) {
    const { words, usedWords } = pages[index];
    for (let at = 0; at < usedWords; ) {
      at = appendRecords(writer, words, at, usedWords, opcodes);
      if (at < usedWords) at = appendWithAttachment(writer, list, words, at, usedWords);
    }
  }
}

/** Appends a record that names an attachment. @returns the index behind it @throws RhiError `list-corrupt` */
function appendWithAttachment(
  writer: StreamWriter,
  list: CommandList,
  source: Uint32Array,
  at: number,
  usedWords: number,
): number {
  const end = wholeRecordEnd(source, at, usedWords, rhiCommands.names.length);
  const attachment = list.attachments[source[at + 1]];
  if (attachment === undefined || end <= at + 1) corrupt(list, at);
  const number = writer.attach(attachment);
  const index = writer.reserveWithAttachment(source[at] & 0xff, end - at - 1);
  writer.words.set(source.subarray(at + 1, end), index);
  writer.words[index] = number;
  return end;
}

function corrupt(list: CommandList, at: number): never {
  throw new RhiError(
    'list-corrupt',
    `The ${describeList(list)} holds words at index ${at} of a page that are not records. Post lists with transferablesOf(list), and don't write to a page after finish().`,
  );
}
