/**
 * An executor without a GPU, for servers and unit tests (SYSTEMS H8). It executes the same lists by the same rules as
 * the WebGPU executor. It counts commands by name, tracks handles and lifetimes, signals fences, and holds the list at
 * a fence wait. It refuses stale handles and ranges outside a resource. It keeps written, copied and cleared bytes, but
 * it does not execute draws and dispatches. Every frame completes at once.
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
  /** @param infoByOpcode command infos by opcode; default: those of the RHI's own commands */
  constructor(options: NullExecutorOptions, infoByOpcode = commandInfo) {
    super(options, (host) => new NullBackend(options, host, infoByOpcode));
  }

  /** Number of executions of each command. */
  get commandCounts(): ReadonlyMap<CommandName, number> {
    return this.backend.commandCounts;
  }
}
