/**
 * Follows the records that an executor executes: knows what is alive, and copies records into a recording while there
 * is one. Recordings begin between two frames.
 *
 *   record n executed ── tap hears of record n + 1 ─► create, destroy → history
 *                                                  ─► beginFrame → `onFrame` may begin a recording: snapshot first
 *                                                  ─► every record → the recording
 *
 * An image is followed to where it went: after `copyExternalImage` has been executed the texels are read out of its
 * target, in order with everything else, because an ImageBitmap's own can't be had exactly.
 */
import type { Attachment, StreamReader } from '../../core/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import type { RhiCapabilities, TextureDescriptor, TextureRegion } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import { boxLayout } from '../commands/texel-levels.js';
import { DrawBundleResource } from '../webgpu/bundles.js';
import type { ExecutorParts } from '../webgpu/parts.js';
import { AttachmentKind } from './capture-file.js';
import { CreationHistory } from './creation-history.js';
import { type RecordListener, type TappedRecord, tapReader } from './record-tap.js';
import { Recording } from './recording.js';
import { takeSnapshot } from './snapshot.js';
import { stage, textureCopy } from './staging.js';

/** What of an executor on `webgpu` a capture needs; `executor.parts` has it. */
export type CapturedParts = Pick<ExecutorParts, 'device' | 'list' | 'resources' | 'options'>;

/** Whose frames: an executor on `webgpu` by its parts, any other by the reader that it reads. */
export type CaptureSource = { readonly capabilities: RhiCapabilities } & (
  | { readonly parts: CapturedParts; readonly reader?: undefined }
  | { readonly reader: StreamReader; readonly parts?: undefined }
);

const CREATES: ReadonlySet<number> = new Set([
  RhiOpcode.createBuffer,
  RhiOpcode.createTexture,
  RhiOpcode.createSampler,
  RhiOpcode.createShaderModule,
  RhiOpcode.createBindGroupLayout,
  RhiOpcode.createBindGroup,
  RhiOpcode.createGraphicsPipeline,
  RhiOpcode.createComputePipeline,
  RhiOpcode.createQuerySet,
  RhiOpcode.createFence,
  RhiOpcode.createDrawBundle,
]);

const noBytes = new Uint8Array(0);

interface PendingImage {
  readonly number: number;
  readonly handle: number;
  readonly region: TextureRegion;
}

export class StreamRecorder implements RecordListener {
  /** Of the device, with the surface's format as the executor has it. */
  readonly capabilities: RhiCapabilities;
  readonly #parts: CapturedParts | undefined;
  readonly #onFrame: () => void;
  readonly #onFrameEnd: () => void;
  readonly #history = new CreationHistory();
  readonly #untap: () => void;
  #recording: Recording | null = null;
  #pendingImage: PendingImage | null = null;
  /** What ended the recording; null while all is well. */
  failure: unknown = null;
  /** Between `beginFrame` and `endFrame`. */
  isInFrame = false;

  /**
   * @param onFrame before a frame: the place for `begin`
   * @param onFrameEnd the recording holds one whole frame more
   */
  constructor(source: CaptureSource, onFrame: () => void, onFrameEnd: () => void) {
    const { parts, capabilities } = source;
    const { surfaceFormat } = parts?.options ?? {};
    this.#parts = parts;
    this.capabilities = surfaceFormat ? { ...capabilities, surfaceFormat } : capabilities;
    this.#onFrame = onFrame;
    this.#onFrameEnd = onFrameEnd;
    for (const table of parts?.resources.tables ?? []) {
      // By kind, which is an order in which they can be created; the viewport's has no record.
      for (const resource of table?.values() ?? []) {
        const isBundle = resource instanceof DrawBundleResource;
        const creation = isBundle ? resource.record : parts?.resources.creationOf(resource);
        if (creation) this.#history.add(creation);
      }
    }
    this.#untap = tapReader(parts ? parts.options.reader : source.reader, this);
  }

  get recording(): Recording | null {
    return this.#recording;
  }

  /** Records from here on, in place of what was recorded before. Only inside `onFrame`. */
  begin(): Recording {
    const parts = this.#parts;
    const contents = parts ? takeSnapshot(parts, this.#history.live()) : Promise.resolve([]);
    const creations = this.#history.prologue();
    const notes = this.#history.incomplete();
    if (!parts) notes.push('What the resources held is not in this capture: its backend has no contents.');
    this.#recording = new Recording({ creations, notes }, contents);
    return this.#recording;
  }

  /** Ends the recording; whoever has it keeps it. */
  end(): void {
    this.#recording = null;
  }

  dispose(): void {
    this.#untap();
    this.end();
  }

  /** Per record while the tap is in. */
  onRecord(record: TappedRecord): void {
    if (this.failure !== null) return;
    try {
      this.#follow(record);
    } catch (error) {
      // The executor's work goes on: whoever wants the recording is told.
      this.failure = error;
      this.end();
    }
  }

  #follow({ words, opcode, fields, fieldWords }: TappedRecord): void {
    if (this.#pendingImage !== null) this.#readImage(this.#pendingImage);
    const first = words[fields];
    if (opcode === RhiOpcode.beginFrame) {
      this.isInFrame = true;
      this.#onFrame();
    } else if (opcode === RhiOpcode.destroyResource) this.#history.destroy(first);
    else if (CREATES.has(opcode)) this.#history.add(words.slice(fields - 1, fields + fieldWords));
    const recording = this.#recording;
    recording?.append(words, fields - 1, fields + fieldWords);
    if (opcode === RhiOpcode.copyExternalImage && recording !== null) {
      this.#pendingImage = { number: first, handle: words[fields + 1], region: jsonAt(words, fields, 2) };
    }
    if (opcode !== RhiOpcode.endFrame) return;
    this.isInFrame = false;
    recording?.endFrame();
    this.#onFrameEnd();
  }

  onAttachment(number: number, attachment: Attachment): void {
    if (!(attachment instanceof ArrayBuffer)) return;
    const bytes = new Uint8Array(attachment.slice(0));
    this.#recording?.attach(number, AttachmentKind.bytes, Promise.resolve(bytes), bytes.length);
  }

  #readImage({ number, handle, region }: PendingImage): void {
    this.#pendingImage = null;
    const parts = this.#parts;
    const resource = parts?.resources.textures.find(handle);
    const texture = resource?.gpu;
    const creation = resource && parts?.resources.creationOf(resource);
    const format = creation ? jsonAt<TextureDescriptor>(creation, 1, 1).format : '';
    const { width, height, depthOrArrayLayers = 1, mipLevel, origin } = region;
    const layout = boxLayout(format, width, height, depthOrArrayLayers);
    const recording = this.#recording;
    if (!parts || !texture || layout === null) {
      recording?.attach(number, AttachmentKind.texels, Promise.resolve(noBytes), 0);
      return;
    }
    const texels = stage([textureCopy({ texture, mipLevel, origin }, layout)], parts).then(
      ([bytes]) => bytes,
    );
    recording?.attach(number, AttachmentKind.texels, texels, layout.byteLength);
  }
}
