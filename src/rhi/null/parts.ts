/** What the null executor is made of, and what its handlers see; the counterpart of `webgpu/parts.ts`. */
import type { SignallableFence } from '../../sync/waitable.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { FenceTable } from '../host/fence-table.js';
import type { NullExecutorOptions } from './executor.js';
import { Resources } from './resources.js';

/** Carries out a record. One that must wait calls `host.hold`, and is called again with the same record. */
export type Handler = (parts: ExecutorParts, record: CommandRecord) => void;

/** What handlers ask of the executor itself. */
export interface ExecutorHost {
  readonly submitted: SignallableFence;
  readonly completed: SignallableFence;
  /** Nothing is waited for any more. */
  readonly isDisposing: boolean;
  beginFrame(frame: number): void;
  endFrame(): void;
  /** Checks, executes and counts a record of a bundle. */
  execute(record: CommandRecord): void;
  /** Holds the current record: it is executed again once the promise has settled. Nothing overtakes it. */
  hold(until: Promise<unknown>): void;
}

export class ExecutorParts {
  readonly fences = new FenceTable();
  readonly resources = new Resources(this.fences);
  drawCalls = 0;
  instances = 0;
  uploadBytes = 0;
  /** The current record is a wait that was held and is executed again. */
  isHeldWait = false;

  constructor(
    readonly options: NullExecutorOptions,
    readonly host: ExecutorHost,
  ) {}
}
