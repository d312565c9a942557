/**
 * One execution of a capture on a device: creates what was alive, fills it with what it held, and then executes
 * records as they are fed. Handles are those of the capture; the executor's tables are its own, so they collide
 * with nobody.
 *
 *   creations ─► executor     contents ─► queue     records ─► executor ─► pictures at each `endDrawingViewport`
 *
 * What reaches out of the list is left out: fences (one queue keeps the order anyhow), local commands, video frames,
 * read-backs. Images are written as the texels they became.
 */
import type { TextureDescriptor, TextureRegion } from '../commands/descriptors.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import { jsonAt } from '../commands/record-fields.js';
import { boxLayout, levelLayout } from '../commands/texel-levels.js';
import { emptyFrameStats, type RhiFrameStats } from '../host/executor.js';
import { WebGpuExecutor } from '../webgpu/executor.js';
import type { HandlersByName } from '../webgpu/handlers.js';
import type { ExecutorParts, Handler } from '../webgpu/parts.js';
import type { Surface } from '../webgpu/viewport.js';
import type { Capture, CapturedContent } from './capture-file.js';
import { prepareRecords } from './prepare-records.js';
import { RecordReader } from './record-reader.js';

export interface ReplayRunOptions {
  readonly surface?: Surface | null;
  readonly onError: (error: unknown) => void;
  readonly onFrame?: (stats: RhiFrameStats) => void;
}

export class ReplayRun {
  readonly parts: ExecutorParts;
  readonly reader: RecordReader;
  readonly #executor: WebGpuExecutor;

  private constructor(capture: Capture, device: GPUDevice, options: ReplayRunOptions) {
    const attachments = new Map(capture.attachments.map(({ number, bytes }) => [number, bytes]));
    this.reader = new RecordReader(attachments);
    const executorOptions = {
      device,
      reader: this.reader,
      surface: options.surface ?? null,
      surfaceFormat: capture.capabilities.surfaceFormat,
      maxFramesInFlight: 2,
      onError: options.onError,
      onReadback: () => {},
      onFrame: options.onFrame,
    };
    this.#executor = new WebGpuExecutor(executorOptions, { isMeasured: false, handlers: replayHandlers });
    this.parts = this.#executor.parts;
  }

  /** Creates and fills what was alive. */
  static async begin(capture: Capture, device: GPUDevice, options: ReplayRunOptions): Promise<ReplayRun> {
    const run = new ReplayRun(capture, device, options);
    await run.reader.feed(prepareRecords(capture.creations));
    // What the GPU refuses is known now, and is not filled.
    device.pushErrorScope('validation');
    await device.popErrorScope().catch(() => null);
    try {
      for (const content of capture.contents) fill(run.parts, content);
    } catch (error) {
      run.dispose();
      throw error;
    }
    return run;
  }

  /** Settles when the last record has been executed. @param records from `prepareRecords` */
  execute(records: Uint32Array): Promise<void> {
    return this.reader.feed(records);
  }

  /** Settles when the GPU has done what was submitted; rejects when the device is lost. */
  whenCompleted(): Promise<void> {
    return this.#executor.completed.whenReached(this.#executor.submitted.value);
  }

  get stats(): RhiFrameStats {
    return { ...emptyFrameStats(), ...this.#executor.stats };
  }

  /** Frees everything; what was submitted is still drawn. */
  dispose(): void {
    this.#executor.dispose();
  }
}

function fill({ device, resources }: ExecutorParts, { handle, mipLevel, bytes }: CapturedContent): void {
  const data = bytes as Uint8Array<ArrayBuffer>;
  if (handleKind(handle) === ResourceKind.buffer) {
    const gpu = resources.buffers.find(handle)?.gpu;
    if (gpu) device.queue.writeBuffer(gpu, 0, data);
    return;
  }
  const resource = resources.textures.find(handle);
  const creation = resource && resources.creationOf(resource);
  const descriptor = creation && jsonAt<TextureDescriptor>(creation, 1, 1);
  const layout = descriptor && levelLayout(descriptor, mipLevel);
  if (!resource?.gpu || !layout) return;
  device.queue.writeTexture({ texture: resource.gpu, mipLevel }, data, layout, layout);
}

const leaveOut: Handler = () => {};

/** Instead of those that reach out of the list. */
const replayHandlers: Partial<HandlersByName> = {
  signalFence: leaveOut,
  waitFence: leaveOut,
  localCommand: leaveOut,
  outputVideoFrame: leaveOut,
  readBuffer: leaveOut,
  debugBreak: leaveOut,
  copyExternalImage: (parts, record) => {
    const { words, fields } = record;
    const { device, list, resources } = parts;
    parts.outsidePass();
    const resource = resources.textures.get(words[fields + 1]);
    const texels = record.attachment(words[fields]) as ArrayBuffer;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const { width, height, depthOrArrayLayers = 1, mipLevel, origin } = region;
    const creation = resources.creationOf(resource);
    const format = creation ? jsonAt<TextureDescriptor>(creation, 1, 1).format : '';
    const layout = boxLayout(format, width, height, depthOrArrayLayers);
    if (resource.gpu === null || layout === null || texels.byteLength !== layout.byteLength) return;
    list.submit();
    device.queue.writeTexture({ texture: resource.gpu, mipLevel, origin }, texels, layout, layout);
  },
};
