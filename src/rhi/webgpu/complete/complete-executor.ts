import type { StreamReader } from '../../../core/stream.js';
import type { QueuedFence } from '../../../sync/monitored/fence-queue.js';
import type { SignallableFence } from '../../../sync/waitable.js';
import { RhiOpcode } from '../../commands/commands.js';
import type { FenceHandle } from '../../commands/descriptors.js';
import type { LeakReport } from '../../host/executor.js';
import { runLocalCommand } from '../../host/local-commands.js';
import type { CompleteCommandOptions, CompleteExecutor } from '../../record/complete-options.js';
import { WebGpuExecutor, type WebGpuExecutorOptions } from '../executor.js';
import type { ExecutorExtension, ExecutorParts } from '../extension.js';
import { GpuTimer } from '../gpu-timer.js';
import { PassBundles } from '../pass-bundles.js';
import { executeAssumption } from './assume-not-in-use.js';
import { TextureClears } from './clear-texture.js';
import { executeCompute } from './compute.js';
import { executeCopy } from './copies.js';
import { DrawBundles } from './draw-bundles.js';
import { FenceCommands } from './fences.js';
import { executeFrameCommand } from './frame-commands.js';
import { GpuErrors } from './gpu-errors.js';
import { executePassCommand } from './pass-commands.js';
import { Renaming } from './renaming.js';
import { VideoFrames } from './video-frames.js';

/** All commands of the table that the executor itself does not know. */
export class CompleteCommands implements ExecutorExtension {
  readonly fences: FenceCommands;
  readonly #parts: ExecutorParts;
  readonly #options: CompleteCommandOptions;
  readonly #clears: TextureClears;
  readonly #videoFrames: VideoFrames;
  readonly #renaming: Renaming;
  readonly #bundles: DrawBundles;

  constructor(parts: ExecutorParts, options: CompleteCommandOptions = {}) {
    this.#parts = parts;
    this.#options = options;
    this.fences = new FenceCommands(parts);
    this.#clears = new TextureClears(parts);
    this.#videoFrames = new VideoFrames(parts, options);
    this.#renaming = new Renaming(parts);
    this.#bundles = new DrawBundles(parts);
  }

  execute(reader: StreamReader): boolean {
    const parts = this.#parts;
    return (
      executePassCommand(reader, parts) ||
      this.#bundles.execute(reader) ||
      executeCopy(reader, parts) ||
      executeCompute(reader, parts) ||
      executeFrameCommand(reader, parts) ||
      this.fences.execute(reader) ||
      this.#renaming.execute(reader) ||
      executeAssumption(reader, parts) ||
      this.#executeOther(reader)
    );
  }

  frameSubmitted(): void {
    this.#videoFrames.frameSubmitted();
    this.#renaming.frameSubmitted();
  }

  dispose(): void {
    this.#clears.dispose();
    this.#renaming.dispose();
  }

  #executeOther({ opcode, words, fields }: StreamReader): boolean {
    const { device, list, pass } = this.#parts;
    switch (opcode) {
      case RhiOpcode.clearTexture:
        this.#clears.clear(words, fields);
        return true;
      case RhiOpcode.outputVideoFrame:
        this.#videoFrames.request(words, fields);
        return true;
      case RhiOpcode.localCommand:
        // Inside a pass nothing can be submitted; there it runs while what is recorded before it is pending.
        if (!pass.isOpen) list.submit();
        runLocalCommand(words, fields, this.#options.localCommands, device);
        return true;
      default:
        return false;
    }
  }
}

export interface CompleteExecutorOptions extends WebGpuExecutorOptions, CompleteCommandOptions {}

/** Executes every command of the table on WebGPU. */
export class CompleteWebGpuExecutor extends WebGpuExecutor implements CompleteExecutor {
  readonly #commands: CompleteCommands;

  constructor(options: CompleteExecutorOptions) {
    let commands: CompleteCommands | undefined;
    const gpuErrors = new GpuErrors(options.device);
    super({
      ...options,
      gpuErrors,
      extension: (parts) => {
        commands = new CompleteCommands(parts, options);
        return commands;
      },
    });
    this.#commands = commands as unknown as CompleteCommands;
    gpuErrors.resources = this.parts.resources;
    this.parts.list.owner = gpuErrors.owner;
    this.passBundles = new PassBundles(this.parts);
    this.parts.timer = GpuTimer.create(this.parts);
  }

  fence(handle: FenceHandle): SignallableFence {
    return this.#commands.fences.fence(handle);
  }

  bindFence(handle: FenceHandle, fence: QueuedFence): void {
    this.#commands.fences.bind(handle, fence);
  }

  override dispose(): LeakReport {
    this.#commands.fences.isDisposing = true;
    return super.dispose();
  }
}
