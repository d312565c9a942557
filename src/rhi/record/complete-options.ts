/**
 * What the page gives an executor for the commands that reach out of the list: work of its own on the device's
 * thread, and the place where pictures go. The same on every backend.
 */
import type { QueuedFence } from '../../sync/monitored/fence-queue.js';
import type { SignallableFence } from '../../sync/waitable.js';
import type { FenceHandle } from '../commands/descriptors.js';
import type { Executor } from '../host/executor.js';

/**
 * Called at its place in the list, on the device's thread. What was recorded before it has been submitted.
 * @param data a copy, the callee's to keep
 * @param device null on the null backend
 */
export type LocalCommand = (data: Uint8Array, device: GPUDevice | null) => void;

export interface CompleteCommandOptions {
  /** By name; entries may be added while the executor runs. */
  readonly localCommands?: ReadonlyMap<string, LocalCommand>;
  /** Receives what `outputVideoFrame` asked for. The frame is the receiver's: close it. */
  readonly onVideoFrame?: (request: number, frame: VideoFrame) => void;
}

/** An executor of every command of the table. */
export interface CompleteExecutor extends Executor {
  /**
   * The fence behind a handle, so that the CPU can wait for it and signal it. It exists once its `createFence` has
   * been executed, and fails when it is destroyed, the device is lost, or the executor disposed of.
   * @throws RhiError `stale-handle`
   */
  fence(handle: FenceHandle): SignallableFence;
  /**
   * Lets commands with this handle signal and wait for a fence of another owner, which outlives the handle and the
   * executor. Call it before the handle's `createFence` is executed; its first value then does not count.
   * `connectFences` is the way to share fences between threads and devices.
   * @throws RhiError `fence-exists`
   */
  bindFence(handle: FenceHandle, fence: QueuedFence): void;
}
