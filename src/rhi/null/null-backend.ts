/**
 * The null executor's backend, the counterpart of `webgpu/webgpu-backend.ts`.
 *
 *   record ─► checked by its command's info ─┬─► invalid: typed error
 *                                            └─► valid: handler, or creation of the resource, or no effect ─► counted
 */
import type { CommandInfo } from '../commands/command-info.js';
import type { RhiOpcode } from '../commands/commands.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { type Backend, destroyReleased, type ExecutorHost } from '../execute/backend.js';
import { FenceCommands } from '../execute/fence-commands.js';
import { type RecordCheck, recordCheck } from './checks.js';
import type { NullExecutorOptions } from './executor.js';
import { handlers } from './handlers.js';
import { Resources } from './resources.js';

/** Executes a record. A handler that must wait calls `host.hold`; it is then called again with the same record. */
export type Handler = (backend: NullBackend, record: CommandRecord) => void;

export type CommandName = keyof typeof RhiOpcode;

export class NullBackend implements Backend {
  readonly fences: FenceCommands;
  readonly resources: Resources;
  readonly commandCounts = new Map<CommandName, number>();
  // Work is done as soon as it is executed, so nothing is pending or in flight.
  readonly isIdle = true;
  readonly isImmediate = true;
  readonly repeatsErrors = true;
  readonly free = destroyReleased;
  readonly pass = { drawCalls: 0, instances: 0, skippedDraws: 0 };
  uploadBytes = 0;
  readonly #checks: readonly (RecordCheck | undefined)[];

  constructor(
    readonly options: NullExecutorOptions,
    readonly host: ExecutorHost,
    readonly infoByOpcode: readonly (CommandInfo | undefined)[],
  ) {
    this.#checks = infoByOpcode.map((info) => info && recordCheck(info));
    this.fences = new FenceCommands(this);
    this.resources = new Resources(this.fences.table);
  }

  execute(record: CommandRecord): boolean {
    const { opcode } = record;
    const info = this.infoByOpcode[opcode];
    if (info === undefined) return false;
    this.#checks[opcode]?.(record, this.resources);
    const handler = handlers[opcode];
    if (handler !== undefined) handler(this, record);
    else if (info.creates !== 0) this.resources.create(info, record);
    if (this.host.isHeld) return true;
    const name = info.name as CommandName;
    this.commandCounts.set(name, (this.commandCounts.get(name) ?? 0) + 1);
    return true;
  }

  whenWorkDone(listener: () => void): void {
    listener();
  }
}
