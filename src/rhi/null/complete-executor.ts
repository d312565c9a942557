/**
 * The null executor of `fencepost/rhi`: it runs every list that the WebGPU one runs, with fences that signal at
 * once, waits that hold, and local commands that run. The engine's worker carries only the small one.
 *
 *   stream ─► CheckedReader: handles, fences, local commands ─► NullExecutor: counts, lifetimes, frames
 *                  └ refused records end here, with a typed error
 */
import { type FencepostError, isTyped, messageOf, RhiError } from '../../core/errors.js';
import type { QueuedFence } from '../../sync/monitored/fence-queue.js';
import type { SignallableFence } from '../../sync/waitable.js';
import type { FenceHandle } from '../commands/descriptors.js';
import type { ExecutorOptions, LeakReport } from '../host/executor.js';
import type { CompleteCommandOptions, CompleteExecutor } from '../record/complete-options.js';
import { CheckedReader } from './checked-reader.js';
import { NullExecutor } from './executor.js';

export interface CompleteNullExecutorOptions extends ExecutorOptions, CompleteCommandOptions {}

export class CompleteNullExecutor extends NullExecutor implements CompleteExecutor {
  readonly #reader: CheckedReader;

  constructor(options: CompleteNullExecutorOptions) {
    const onError = (error: unknown): void => options.onError(typed(error));
    const reader = new CheckedReader({ ...options, onError }, () => this.pump());
    super({ ...options, onError, reader });
    this.#reader = reader;
    this.completed.subscribe(() => {
      if (this.completed.error !== null) reader.fences.fail(this.completed.error);
    });
  }

  fence(handle: FenceHandle): SignallableFence {
    return this.#reader.fences.get(handle).fence;
  }

  bindFence(handle: FenceHandle, fence: QueuedFence): void {
    this.#reader.fences.bind(handle, fence);
  }

  override purge(): void {
    super.purge();
    this.stats.liveResources += this.#reader.fences.count;
  }

  override dispose(): LeakReport {
    if (this.#reader.isDisposing) return { leaks: [] };
    this.#reader.isDisposing = true;
    const { leaks } = super.dispose();
    const { fences } = this.#reader;
    const report = { leaks: [...leaks, ...fences.leaks()] };
    const error = new RhiError(
      'executor-disposed',
      'The executor was disposed of; nothing more will complete.',
    );
    this.submitted.fail(error);
    this.completed.fail(error);
    // While they are still there; those, too, that were created behind an error which had ended the stream.
    fences.fail(error);
    for (const { handle } of [...fences.values()]) fences.take(handle);
    return report;
  }
}

function typed(error: unknown): FencepostError {
  if (isTyped(error)) return error;
  return new RhiError(
    'command-refused',
    `A command was refused: ${messageOf(error)} Correct its arguments.`,
    { cause: error },
  );
}
