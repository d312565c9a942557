/**
 * Follows the records that an executor executes. It tracks the live resources, and copies the records into the current
 * recording, if there is one. Recordings begin between two frames.
 *
 *   records executed ── watched before execution ─► create, destroy → history
 *                                                ─► beginFrame → `onFrame` may begin a recording: snapshot first
 *                                                ─► all of them → the recording
 *
 * The texels of an image are read from the texture that it was copied to, because an ImageBitmap does not expose its
 * own texels exactly. The read follows the `copyExternalImage` in the order of the GPU's commands.
 */
import { OptionError, RhiError } from '../../core/errors.js';
import { jsonAt } from '../../core/records/record-fields.js';
import type { Attachment, StreamReader } from '../../core/streams/stream.js';
import { endOfRecord, type StreamWatcher } from '../../core/streams/stream-watchers.js';
import { commandInfo } from '../commands/command-info.js';
import { RhiOpcode } from '../commands/commands.js';
import type { RhiCapabilities, TextureRegion } from '../commands/descriptors.js';
import { handleIndex, handleKind, makeHandle } from '../commands/handles.js';
import { boxLayout } from '../commands/texel-levels.js';
import type { Executor } from '../execute/executor.js';
import type { WebGpuBackend } from '../webgpu/webgpu-backend.js';
import { AttachmentKind } from './capture-file.js';
import { CreationHistory } from './creation-history.js';
import { EMPTY_SNAPSHOT, Recording } from './recording.js';
import { planSnapshot, stage, textureCopy } from './staging.js';

/** The members of a WebGPU executor that a capture uses; `executor.gpuBackend` has them. */
export type CapturedBackend = Pick<WebGpuBackend, 'device' | 'list' | 'resources' | 'options'>;

/** The source of the frames: the parts of a `webgpu` executor, or the reader of any other executor. */
export type CaptureSource = { readonly capabilities: RhiCapabilities } & (
  | { readonly gpuBackend: CapturedBackend; readonly reader?: undefined }
  | { readonly reader: StreamReader; readonly gpuBackend?: undefined }
);

/** The parts of an RHI that a capture needs. */
export interface CapturableRhi {
  readonly capabilities: RhiCapabilities;
  readonly executor: Executor;
  readonly reader: StreamReader;
}

export class StreamRecorder implements StreamWatcher {
  /** Capabilities of the device, with the executor's surface format. */
  readonly capabilities: RhiCapabilities;
  readonly #gpuBackend: CapturedBackend | undefined;
  readonly #onFrame: () => void;
  readonly #onFrameEnd: () => void;
  readonly #history = new CreationHistory();
  readonly #unwatch: () => void;
  /** Reads the texels that the current `copyExternalImage` has written. Null during other commands. */
  #readImage: (() => void) | null = null;
  recording: Recording | null = null;
  /** The error that ended the recording; null if there was no error. */
  failure: unknown = null;
  /** Whether a frame is open, between `beginFrame` and `endFrame`. */
  isInFrame = false;

  /**
   * @param onFrame called before each frame; `begin` may be called only inside it
   * @param onFrameEnd called after each frame, once the frame is part of the recording, if there is one; and after a
   *   failure, because the open frame is then not recorded to its end
   * @throws OptionError `capture-source`; RhiError `capture-reader`
   */
  constructor(source: CaptureSource | CapturableRhi, onFrame: () => void, onFrameEnd: () => void) {
    const { capabilities, executor, ...own } = (source ?? {}) as Partial<CapturableRhi & CaptureSource>;
    const gpuBackend =
      (executor as { readonly gpuBackend?: CapturedBackend } | undefined)?.gpuBackend ?? own.gpuBackend;
    const { reader, surfaceFormat } = gpuBackend?.options ?? { reader: own.reader };
    if (!capabilities || !reader) {
      throw new OptionError(
        'capture-source',
        'A capture was given no RHI. Pass the RHI that createRhi returned, or an object with capabilities and the gpuBackend or reader of an executor.',
      );
    }
    if (!reader.watch) {
      throw new RhiError(
        'capture-reader',
        'The reader can\'t be watched: it has no "watch". Give the executor the stream\'s own reader, or wrap that reader with the option wrapReader of createRhi.',
      );
    }
    this.#gpuBackend = gpuBackend;
    this.capabilities = surfaceFormat ? { ...capabilities, surfaceFormat } : capabilities;
    this.#onFrame = onFrame;
    this.#onFrameEnd = onFrameEnd;
    if (gpuBackend) this.#learnFrom(gpuBackend.resources);
    this.#unwatch = reader.watch(this);
  }

  /**
   * Adds existing resources to the history: live resources, and destroyed resources that a live pipeline or bind group
   * still uses. The time of such a destroy is unknown. The replay destroys the resource when its slot is reused, or
   * after the last creation.
   */
  #learnFrom(resources: CapturedBackend['resources']): void {
    const bySlot = new Map<number, number>();
    for (const resource of resources.inOrderOfCreation()) {
      const creation = resources.creationOf(resource);
      // No record creates the viewport's texture.
      if (creation === null) continue;
      const slot = makeHandle(handleKind(resource.handle), 0, handleIndex(resource.handle));
      this.#history.destroy(bySlot.get(slot) ?? 0);
      this.#history.add(creation);
      bySlot.set(slot, resource.handle);
    }
    for (const handle of bySlot.values()) {
      if (!resources.tables[handleKind(handle)]?.find(handle)) this.#history.destroy(handle);
    }
  }

  /**
   * Begins a new recording, which replaces the current one. Call it inside `onFrame` only.
   * @param maximumBytes see `Recording`
   */
  begin(maximumBytes?: number): Recording {
    const gpuBackend = this.#gpuBackend;
    const snapshot = gpuBackend ? planSnapshot(gpuBackend) : EMPTY_SNAPSHOT;
    const notes = this.#history.incomplete();
    if (!gpuBackend)
      notes.push(
        "The contents of the resources are not in this capture, because its backend can't return them.",
      );
    this.recording = new Recording(this.#history.prologue(), notes, snapshot, maximumBytes);
    return this.recording;
  }

  /** Ends the recording. The `Recording` that `begin` has returned stays valid. */
  end(): void {
    this.recording = null;
  }

  dispose(): void {
    this.#unwatch();
    this.end();
  }

  /**
   * Records a run of records that are about to be executed, and returns the index behind the run. A `beginFrame` starts
   * a run, an `endFrame` is a run of its own, and a `copyExternalImage` whose texels are recorded ends a run.
   */
  onRecords(words: Uint32Array, at: number, used: number): number {
    if (this.failure !== null) return used;
    try {
      this.#readImage?.();
      this.#readImage = null;
      if (isEnd(words, at)) {
        const end = endOfRecord(words, at, used);
        this.recording?.append(words, at, end);
        this.isInFrame = false;
        this.recording?.endFrame();
        this.#onFrameEnd();
        return end;
      }
      let end = at;
      do {
        const next = endOfRecord(words, end, used);
        this.#follow(words, end, next);
        end = next;
      } while (end < used && !isBegin(words, end) && !isEnd(words, end) && this.#readImage === null);
      this.recording?.append(words, at, end);
      return end;
    } catch (error) {
      // The executor must not stop. Callers that request the recording receive the error.
      this.failure = error;
      this.isInFrame = false;
      this.end();
      this.#onFrameEnd();
      return used;
    }
  }

  onAttachment(number: number, attachment: Attachment): void {
    if (!(attachment instanceof ArrayBuffer)) return;
    this.recording?.attach(number, AttachmentKind.bytes, attachment.byteLength, () =>
      Promise.resolve(new Uint8Array(attachment.slice(0))),
    );
  }

  #follow(words: Uint32Array, at: number, end: number): void {
    const opcode = words[at] & 0xff;
    const first = words[at + 1];
    if (opcode === RhiOpcode.beginFrame) {
      this.isInFrame = true;
      this.#onFrame();
    } else if (opcode === RhiOpcode.destroyResource) this.#history.destroy(first);
    else if (commandInfo[opcode]?.creates) this.#history.add(words.slice(at, end));
    else if (opcode === RhiOpcode.copyExternalImage && this.recording !== null) {
      const region = jsonAt<TextureRegion>(words, at + 1, 2);
      const handle = words[at + 2];
      this.#readImage = () => this.#attachTexels(first, handle, region);
    }
  }

  /** Attaches the texels of an image. The attachment is empty without a GPU, or if the texture can't be read. */
  #attachTexels(number: number, handle: number, region: TextureRegion): void {
    const gpuBackend = this.#gpuBackend;
    const texture = gpuBackend?.resources.textures.find(handle)?.gpu;
    const { mipLevel, origin } = region;
    const layout = texture ? boxLayout(texture.format, region) : null;
    const read = async (): Promise<Uint8Array> => {
      if (!gpuBackend || !texture || !layout) return new Uint8Array();
      const [bytes] = await stage([textureCopy({ texture, mipLevel, origin }, layout)], gpuBackend);
      return bytes;
    };
    this.recording?.attach(number, AttachmentKind.texels, layout?.byteLength ?? 0, read);
  }
}

const isBegin = (words: Uint32Array, at: number): boolean => (words[at] & 0xff) === RhiOpcode.beginFrame;
const isEnd = (words: Uint32Array, at: number): boolean => (words[at] & 0xff) === RhiOpcode.endFrame;
