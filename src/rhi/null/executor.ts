/**
 * An executor without a GPU, for servers and unit tests (SYSTEMS H8). It runs the same lists by the same rules: it counts
 * commands by name, keeps handles and lifetimes, refuses what is stale or out of range, signals fences, holds waits, and
 * keeps what is written, copied and cleared. Every frame completes at once. Nothing is drawn or computed.
 */
import { commandInfo } from '../commands/command-info.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import type { ExecutorOptions } from '../execute/executor.js';
import { ListExecutor } from '../execute/list-executor.js';
import { type CommandName, NullBackend } from './null-backend.js';

export type NullExecutorOptions = ExecutorOptions;

export function nullCapabilities(): RhiCapabilities {
  return {
    backend: 'null',
    adapter: 'null',
    surfaceFormat: 'rgba8unorm',
    features: [],
    limits: { maxTextureDimension2D: 8192, maxBufferSize: 2 ** 30, maxStorageBufferBindingSize: 2 ** 27 },
  };
}

export class NullExecutor extends ListExecutor<NullBackend> {
  /** @param infoByOpcode of the table whose commands the reader brings */
  constructor(options: NullExecutorOptions, infoByOpcode = commandInfo) {
    super(options, (host) => new NullBackend(options, host, infoByOpcode));
  }

  /** How often each command was executed. */
  get commandCounts(): ReadonlyMap<CommandName, number> {
    return this.backend.commandCounts;
  }
}
