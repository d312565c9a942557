/**
 * What the executor of lists (`list-executor.ts`) and a backend know of each other: the one decides when a record is
 * executed and what an error costs, the other what it does.
 *
 *   executor ─► backend   execute(record), endFrame, whenWorkDone …
 *   backend ─► executor   hold(until), release(resource), report(error) …
 */
import type { FencepostError } from '../../core/errors.js';
import type { PageCursor } from '../../core/streams/stream.js';
import type { WaitableFence } from '../../sync/waitable.js';
import { RhiOpcode } from '../commands/commands.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import type { FenceCommands } from './fence-commands.js';
import type { Resource, ResourceTable } from './resource-table.js';

/** What a backend and its handlers ask of the executor. */
export interface ExecutorHost {
  readonly submitted: WaitableFence;
  readonly completed: WaitableFence;
  /** Nothing is waited for any more: what is still in the stream is executed at once. */
  readonly isDisposing: boolean;
  /** The reader's current record has not been executed yet: it waits. */
  readonly isHeld: boolean;
  readonly hasReported: boolean;
  /** Holds the record while too many frames are with the GPU (DESIGN §4.4). */
  beginFrame(frame: number, flags: number): void;
  endFrame(): void;
  /** Holds the current record: it is executed again once the promise has settled. Nothing overtakes it. */
  hold(until: Promise<unknown>): void;
  /** Frees the resource once the list being recorded has completed; nothing recorded later may use it. */
  release(resource: object, isDescriptor?: boolean): void;
  purge(): void;
  /** @param key what makes the error another one than those reported before; default: its text without frames */
  report(error: unknown, key?: string): void;
  /** Executes a record that lies in another one. What it throws costs that record alone. */
  execute(record: CommandRecord): void;
  /** The device is gone. What still comes is read and dropped, so that its pages go back to the writer. */
  fail(error: FencepostError): void;
}

/** What carries out the records, and does the rest of the executor's work where backends differ. */
export interface Backend {
  readonly host: ExecutorHost;
  readonly fences: FenceCommands;
  readonly resources: {
    /** By `ResourceKind`. What they have at the end is a leak. */
    readonly tables: readonly (ResourceTable<Resource> | undefined)[];
    /** Number of the frame being executed, for the leak report. */
    frame: number;
  };
  /** What was drawn in this frame, or left out. */
  readonly pass: {
    drawCalls: number;
    instances: number;
    skippedDraws: number;
    workRefused?(): void;
  };
  /** Nothing is encoded that is not submitted, and no bytes are under way. */
  readonly isIdle: boolean;
  /** Its texture is acquired: the list may not wait. */
  readonly viewport?: { readonly isAcquired: boolean };
  /** Work is done as soon as it is submitted. */
  readonly isImmediate: boolean;
  /** Written since the last frame's end. */
  uploadBytes: number;
  /** Of the latest frame measured; null: not known. */
  readonly gpuMilliseconds?: number | null;
  /** An error that comes again word for word is told again. */
  readonly repeatsErrors?: boolean;
  /** False: the opcode is no command's. */
  execute(record: CommandRecord): boolean;
  /** Per record: executes those that come next straight from the page, as far as it can. */
  executeRun?(cursor: PageCursor): void;
  beginFrame?(frame: number, flags: number): void;
  /** Submits the frame's list. @param list how many have completed when it has */
  endFrame?(frame: number, list: number): void;
  /** Submits what was recorded so far, in the middle of a list. */
  submit?(): void;
  /** Submits what was recorded between frames. True when it gave the GPU anything. */
  endList?(): boolean;
  /** Calls back once the GPU has done what is submitted, or is lost. */
  whenWorkDone(listener: () => void): void;
  free(resource: object): void;
  /** @param completed how many lists the GPU has finished */
  recycle?(completed: number): void;
  /** What somebody else calls an error of this kind. */
  translate?(error: unknown): unknown;
  dispose?(keepsSurface: boolean): void;
}

/** Destroys the WebGPU object that a resource has, or what has to be ended in its place. */
export function destroyReleased(resource: object): void {
  // Pipelines, bind groups, samplers and shader modules have nothing to destroy; dropping them is enough.
  (resource as { gpu?: { destroy?: () => void } | null }).gpu?.destroy?.();
}

type Names = keyof typeof RhiOpcode;

/** Handlers by opcode. */
// @__NO_SIDE_EFFECTS__
export function handlerTable<Handler>(
  byName: { readonly [Name in Names]?: Handler },
): readonly (Handler | undefined)[] {
  const handlers: (Handler | undefined)[] = [];
  for (const name of Object.keys(byName) as Names[]) handlers[RhiOpcode[name]] = byName[name];
  return handlers;
}
