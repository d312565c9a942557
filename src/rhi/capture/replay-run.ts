/**
 * One execution of a capture on a device. It creates the resources of the snapshot, fills them, and executes records
 * passed to `execute`. Handles keep their numbers, because the replay's executor has resource tables of its own.
 *
 *   creations ─► executor     contents ─► queue     records ─► executor ─► pictures at each `endDrawingViewport`
 *
 * Commands with effects outside the GPU are left out: local commands, video frames, read-backs and debugger breaks.
 * Fences are left out too, because one queue keeps the order. Images are written as the captured texels. Two
 * differences change no pixel. Resources get further usages, so that the replay can write and read them. Frames wait
 * for their pipelines.
 */
import { RhiError } from '../../core/errors.js';
import { jsonAt } from '../../core/records/record-fields.js';
import type { Attachment, StreamReader } from '../../core/streams/stream.js';
import { FrameFlag } from '../commands/commands.js';
import {
  type BufferDescriptor,
  BufferUsage,
  type TextureDescriptor,
  type TextureRegion,
  TextureUsage,
} from '../commands/descriptors.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { descriptorAt } from '../commands/resource-fields.js';
import { boxLayout } from '../commands/texel-levels.js';
import type { RhiFrameStats } from '../execute/executor.js';
import { WebGpuExecutor } from '../webgpu/executor.js';
import { type HandlersByName, handlersByName } from '../webgpu/handlers.js';
import type { Surface } from '../webgpu/transfers/viewport.js';
import type { Handler, WebGpuBackend } from '../webgpu/webgpu-backend.js';
import type { Capture, CapturedAttachment, CapturedContent } from './capture-file.js';
import { writeContents } from './texture-contents.js';

interface ReplayRunOptions {
  readonly surface?: Surface | null;
  readonly onError: (error: unknown) => void;
  readonly onFrame?: (stats: RhiFrameStats) => void;
  /** Called before a viewport ends, while its texture can be read. */
  readonly onViewport?: (backend: WebGpuBackend, target: number) => void;
}

export class ReplayRun {
  readonly backend: WebGpuBackend;
  readonly #reader: RecordReader;
  readonly #executor: WebGpuExecutor;

  private constructor(capture: Capture, device: GPUDevice, options: ReplayRunOptions) {
    const { surface = null, onError, onFrame, onViewport } = options;
    this.#reader = new RecordReader(capture.attachments);
    const executorOptions = {
      device,
      reader: this.#reader,
      surface,
      surfaceFormat: capture.capabilities.surfaceFormat,
      maxFramesInFlight: 2,
      onError,
      onReadback: () => {},
      onFrame,
    };
    const endDrawingViewport: Handler = (backend, record) => {
      onViewport?.(backend, record.words[record.fields]);
      handlersByName.endDrawingViewport(backend, record);
    };
    const handlers = { ...replayHandlers, endDrawingViewport };
    this.#executor = new WebGpuExecutor(executorOptions, { isMeasured: false, handlers });
    this.backend = this.#executor.gpuBackend;
  }

  /** Creates and fills the resources of the snapshot. */
  static async begin(capture: Capture, device: GPUDevice, options: ReplayRunOptions): Promise<ReplayRun> {
    const run = new ReplayRun(capture, device, options);
    await run.execute(capture.creations);
    // After the scope is popped, it is known which resources the GPU has refused. `fill` skips these.
    device.pushErrorScope('validation');
    await device.popErrorScope().catch(() => null);
    try {
      for (const content of capture.contents) fill(run.backend, content);
    } catch (error) {
      run.dispose();
      throw error;
    }
    return run;
  }

  /** Executes records. Resolves when the last record has been executed. */
  execute(records: Uint32Array): Promise<void> {
    return this.#reader.feed(records);
  }

  /** Resolves when the GPU has finished the submitted work; rejects if the device is lost. */
  whenCompleted(): Promise<void> {
    return this.#executor.completed.whenReached(this.#executor.submitted.value);
  }

  /** Frees all resources. The GPU still finishes submitted work. */
  dispose(): void {
    this.#executor.dispose();
  }
}

/**
 * A reader of words in memory, which `check-records.ts` must have checked. `feed` resolves when the executor
 * has executed the last record, even if it had to wait in between.
 */
export class RecordReader implements StreamReader {
  words: Uint32Array = new Uint32Array(0);
  ints: Int32Array = new Int32Array(0);
  floats: Float32Array = new Float32Array(0);
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  onAvailable: (() => void) | null = null;
  readonly #attachments: readonly CapturedAttachment[];
  #records = new RecordSequence(this.words);
  #onDrained: () => void = () => {};

  constructor(attachments: readonly CapturedAttachment[] = []) {
    this.#attachments = attachments;
  }

  /** Makes the reader return the records of these words. All words fed before must have been executed. */
  feed(words: Uint32Array): Promise<void> {
    return new Promise((resolve) => {
      this.#records = new RecordSequence(words);
      Object.assign(this, { words, ints: this.#records.ints, floats: this.#records.floats });
      this.#onDrained = resolve;
      this.onAvailable?.();
    });
  }

  next(): boolean {
    const records = this.#records;
    if (!records.next()) {
      this.#onDrained();
      return false;
    }
    this.opcode = records.opcode;
    this.fields = records.fields;
    this.fieldWords = records.fieldWords;
    return true;
  }

  attachment(number: number): Attachment {
    const found = this.#attachments.find((each) => each.number === number);
    if (found !== undefined) return found.bytes.slice().buffer as ArrayBuffer;
    throw new RhiError('bad-record', `Attachment ${number} is not in the capture. Capture the frames again.`);
  }

  close(): void {
    this.#onDrained();
  }
}

function fill({ device, resources }: WebGpuBackend, { handle, mipLevel, bytes }: CapturedContent): void {
  const data = bytes as Uint8Array<ArrayBuffer>;
  if (handleKind(handle) === ResourceKind.buffer) {
    const gpu = resources.buffers.find(handle)?.gpu;
    if (gpu) device.queue.writeBuffer(gpu, 0, data);
    return;
  }
  const texture = resources.textures.find(handle)?.gpu;
  if (texture) writeContents(device, texture, mipLevel, data);
}

const leaveOut: Handler = () => {};

/** Handlers of the commands that a replay leaves out or executes differently. */
const replayHandlers: Partial<HandlersByName> = {
  signalFence: leaveOut,
  waitFence: leaveOut,
  localCommand: leaveOut,
  outputVideoFrame: leaveOut,
  readBuffer: leaveOut,
  debugBreak: leaveOut,
  beginFrame: ({ host }, { words, fields }) =>
    host.beginFrame(words[fields], words[fields + 1] | FrameFlag.waitForPipelines),
  createBuffer: ({ resources }, { words, fields }) => {
    const descriptor = descriptorAt<BufferDescriptor>(words, fields);
    const isMapped = (descriptor.usage & (BufferUsage.mapRead | BufferUsage.mapWrite)) !== 0;
    const usage = isMapped ? descriptor.usage : descriptor.usage | BufferUsage.copyTarget;
    resources.createBuffer(words[fields], { ...descriptor, usage });
  },
  createTexture: ({ resources }, { words, fields }) => {
    const descriptor = descriptorAt<TextureDescriptor>(words, fields);
    const usage = descriptor.usage | TextureUsage.copyTarget | TextureUsage.textureBinding;
    resources.createTexture(words[fields], { ...descriptor, usage });
  },
  copyExternalImage: (backend, record) => {
    const { words, fields } = record;
    const { device, list, resources } = backend;
    backend.outsidePass();
    const texture = resources.textures.get(words[fields + 1]).gpu;
    const texels = record.attachment(words[fields]) as ArrayBuffer;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const layout = texture ? boxLayout(texture.format, region) : null;
    if (!texture || layout === null || texels.byteLength !== layout.byteLength) return;
    list.submit();
    const { mipLevel, origin } = region;
    device.queue.writeTexture({ texture, mipLevel, origin }, texels, layout, layout);
  },
};
