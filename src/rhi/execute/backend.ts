/**
 * The interface between the executor of lists (`list-executor.ts`) and a backend. The executor decides when a record is
 * executed and how to go on after an error. The backend executes the record.
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

/** The part of the executor that a backend and its handlers use. */
export interface ExecutorHost {
  readonly submitted: WaitableFence;
  readonly completed: WaitableFence;
  /** Whether the executor is being disposed of. Records left in the stream are then executed without waiting. */
  readonly isDisposing: boolean;
  /** Whether the reader's current record is held, to be executed again later. */
  readonly isHeld: boolean;
  readonly hasReported: boolean;
  /** Begins a frame, or holds its record while `maxFramesInFlight` lists or more are in flight on the GPU. */
  beginFrame(frame: number, flags: number): void;
  endFrame(): void;
  /**
   * Holds the current record until the promise has settled, and then executes it again. No other record overtakes it.
   */
  hold(until: Promise<unknown>): void;
  /** Frees the resource once the list being recorded has completed; later records must not use it. */
  release(resource: object, isDescriptor?: boolean): void;
  purge(): void;
  /** @param key identifies the error among those already reported; default: its text without frame numbers */
  report(error: unknown, key?: string): void;
  /** Executes a record that is part of another record, such as a bundle's. An error affects that record alone. */
  execute(record: CommandRecord): void;
  /**
   * Ends execution after a device loss. Records that still arrive are read and dropped, so that their pages return to
   * the writer.
   */
  fail(error: FencepostError): void;
}

/** A graphics backend. It executes the records, and does the backend-specific parts of the executor's work. */
export interface Backend {
  readonly host: ExecutorHost;
  readonly fences: FenceCommands;
  readonly resources: {
    /** Tables by `ResourceKind`. Resources left in them at the end are leaks. */
    readonly tables: readonly (ResourceTable<Resource> | undefined)[];
    /** Number of the frame being executed, for the leak report. */
    frame: number;
  };
  /** Draws of this frame, executed and skipped. */
  readonly pass: {
    drawCalls: number;
    instances: number;
    skippedDraws: number;
    workRefused?(): void;
  };
  /** Whether all encoded commands have been submitted, and no read-back is in flight. */
  readonly isIdle: boolean;
  /** The viewport. While its texture is acquired, the list must not wait. */
  readonly viewport?: { readonly isAcquired: boolean };
  /** Whether work is completed as soon as it is submitted, as on the null backend. */
  readonly isImmediate: boolean;
  /** Bytes written since the last frame's end. */
  uploadBytes: number;
  /** GPU time of the latest measured frame, in milliseconds; null if it is unknown. */
  readonly gpuMilliseconds?: number | null;
  /** Whether an error is reported each time that it occurs. Otherwise errors with the same text are reported once. */
  readonly repeatsErrors?: boolean;
  /** Executes a record. Returns false if no command has this opcode. */
  execute(record: CommandRecord): boolean;
  /** Executes the next records directly from the page, as many as the backend can. Called before each record. */
  executeRun?(cursor: PageCursor): void;
  beginFrame?(frame: number, flags: number): void;
  /** Submits the frame's list. @param list value of `completed` once this list has completed */
  endFrame?(frame: number, list: number): void;
  /** Submits the commands recorded so far, in the middle of a list. */
  submit?(): void;
  /** Submits the commands recorded between frames. Returns false if there were none. */
  endList?(): boolean;
  /** Calls back once the GPU has finished the submitted work, or is lost. */
  whenWorkDone(listener: () => void): void;
  free(resource: object): void;
  /** Reuses memory of completed lists. @param completed number of lists that the GPU has finished */
  recycle?(completed: number): void;
  /** Replaces an error by the error that the backend's own validation reports for the same fault. */
  translate?(error: unknown): unknown;
  dispose?(keepsSurface: boolean): void;
}

/** Destroys a resource's WebGPU object, or the substitute that a fence has in its place. */
export function destroyReleased(resource: object): void {
  // Pipelines, bind groups, layouts, samplers and shader modules have no `destroy`; dropping them is enough.
  (resource as { gpu?: { destroy?: () => void } | null }).gpu?.destroy?.();
}

type Names = keyof typeof RhiOpcode;

/** Returns handlers by opcode. */
// @__NO_SIDE_EFFECTS__
export function handlerTable<Handler>(
  byName: { readonly [Name in Names]?: Handler },
): readonly (Handler | undefined)[] {
  const handlers: (Handler | undefined)[] = [];
  for (const name of Object.keys(byName) as Names[]) handlers[RhiOpcode[name]] = byName[name];
  return handlers;
}
