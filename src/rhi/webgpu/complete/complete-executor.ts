import type { StreamReader } from '../../../core/stream.js';
import { WebGpuExecutor, type WebGpuExecutorOptions } from '../executor.js';
import type { ExecutorExtension, ExecutorParts } from '../extension.js';
import { executeCompute } from './compute.js';
import { executeCopy } from './copies.js';
import { executePassCommand } from './pass-commands.js';

/** All commands of the table that the executor itself does not know. */
export class CompleteCommands implements ExecutorExtension {
  readonly #parts: ExecutorParts;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  execute(reader: StreamReader): boolean {
    const parts = this.#parts;
    return executePassCommand(reader, parts) || executeCopy(reader, parts) || executeCompute(reader, parts);
  }
}

/** Executes every command of the table on WebGPU. */
export class CompleteWebGpuExecutor extends WebGpuExecutor {
  constructor(options: WebGpuExecutorOptions) {
    super({ ...options, extension: (parts) => new CompleteCommands(parts) });
  }
}
