/**
 * A snapshot of the resources, and the frames executed after it as unchanged records with their attachments. A
 * recording consists of whole frames: records after the last `endFrame` are not part of it.
 *
 *   creations │ contents │ frame │ frame │ frame ─ one byte more than `maximumBytes` ─► error, and nothing is held
 */
import { RhiError } from '../../core/errors.js';
import { concatenate } from '../../core/records/concatenate.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import {
  type AttachmentKind,
  type CapturedAttachment,
  type CapturedContent,
  encodeCapture,
} from './capture-file.js';
import type { Snapshot } from './staging.js';

/** The snapshot of a backend without contents. */
export const EMPTY_SNAPSHOT: Snapshot = { byteLength: 0, read: () => Promise.resolve([]) };

export class Recording {
  /**
   * Resolves with the snapshot's contents of buffers and textures. Rejects if the GPU can't return them, or if the
   * recording exceeds its limit.
   */
  contents: Promise<readonly CapturedContent[]>;
  /** Bytes of the snapshot's contents; null until the GPU has returned them. */
  contentBytes: number | null = null;
  /** Bytes held. The snapshot's contents are included once the GPU has returned them. */
  byteLength: number;
  frames = 0;

  /** Copies of the render commands executed during the recording, including those of an unfinished frame. */
  readonly renderRuns: Uint32Array[] = [];
  /** Copies of all recorded words, including those of an unfinished frame. */
  readonly #runs: Uint32Array[] = [];
  readonly #attachments: Promise<CapturedAttachment>[] = [];
  #wholeRuns = 0;
  #wholeAttachments = 0;
  /** Bytes of contents that the GPU has not returned yet. */
  #awaitedBytes: number;
  readonly #maximumBytes: number;
  #isFull = false;

  /**
   * @param creations records that create the resources alive at the beginning
   * @param snapshot the contents of these resources; not read if creations and contents exceed the limit together
   * @param maximumBytes limit of the bytes held, contents included. A recording that would exceed it ends.
   */
  constructor(
    readonly creations: Uint32Array,
    readonly notes: readonly string[],
    snapshot: Snapshot,
    maximumBytes = Number.POSITIVE_INFINITY,
  ) {
    this.byteLength = 0;
    this.contents = Promise.resolve([]);
    this.#awaitedBytes = snapshot.byteLength;
    this.#maximumBytes = maximumBytes;
    if (!this.#take(creations.byteLength)) return;
    this.contents = snapshot.read();
    this.contents.then(
      (settled) => {
        if (this.#isFull) return;
        this.#awaitedBytes = 0;
        this.contentBytes = settled.reduce((sum, { bytes }) => sum + bytes.length, 0);
        this.byteLength += this.contentBytes;
      },
      // The rejection is handled here, because callers that need the contents await `contents` itself.
      () => {
        this.#awaitedBytes = 0;
      },
    );
  }

  /** Copies of the words of whole frames. */
  get runs(): readonly Uint32Array[] {
    return this.#runs.slice(0, this.#wholeRuns);
  }

  get attachments(): readonly Promise<CapturedAttachment>[] {
    return this.#attachments.slice(0, this.#wholeAttachments);
  }

  append(words: Uint32Array, start: number, end: number): void {
    if (this.#take((end - start) * 4)) this.#runs.push(words.slice(start, end));
  }

  /** @param words a copy, which the recording keeps */
  appendRender(words: Uint32Array): void {
    if (this.#take(words.byteLength)) this.renderRuns.push(words);
  }

  endFrame(): void {
    if (this.#isFull) return;
    this.frames++;
    this.#wholeRuns = this.#runs.length;
    this.#wholeAttachments = this.#attachments.length;
  }

  /** @param read returns a copy of the bytes; not called if the recording has no room for them */
  attach(number: number, kind: AttachmentKind, byteLength: number, read: () => Promise<Uint8Array>): void {
    if (!this.#take(byteLength)) return;
    const attachment = read().then((settled) => ({ number, kind, bytes: settled }));
    // The attachment may never be requested, so a rejection counts as handled.
    attachment.catch(() => {});
    this.#attachments.push(attachment);
  }

  /** Counts bytes to hold. @returns false if the recording has ended, or ends now because the bytes exceed its limit */
  #take(byteLength: number): boolean {
    if (this.#isFull) return false;
    this.byteLength += byteLength;
    if (this.byteLength + this.#awaitedBytes <= this.#maximumBytes) return true;
    this.#endFull();
    return false;
  }

  /** Ends the recording with an error, and drops everything that it holds. */
  #endFull(): void {
    const contentBytes = this.contentBytes ?? this.#awaitedBytes;
    const byteLength = this.byteLength + this.#awaitedBytes;
    const error = new RhiError(
      'capture-too-large',
      `The capture ended in its frame ${this.frames + 1}. It may hold ${this.#maximumBytes} bytes, but with that frame it needs ${byteLength}: ${contentBytes} for contents of resources, and ${byteLength - contentBytes} for commands and uploads. Capture fewer frames or a smaller scene, or raise maximumBytes (in createEngine: maximumCaptureBytes).`,
    );
    this.#isFull = true;
    this.contents = Promise.reject(error);
    // The contents may never be requested, so the rejection counts as handled.
    this.contents.catch(() => {});
    this.#runs.length = this.#attachments.length = this.renderRuns.length = 0;
    this.#wholeRuns = this.#wholeAttachments = this.byteLength = 0;
  }
}

/**
 * Encodes recordings as one file.
 * @param recordings consecutive recordings; the file has the creations and contents of the first recording
 * @param renderCommandNames names by opcode, if render commands are recorded too
 * @throws RhiError `readback-failed`, `capture-too-large`
 */
export async function encodeRecordings(
  recordings: readonly [Recording, ...Recording[]],
  capabilities: RhiCapabilities,
  renderCommandNames?: readonly string[],
): Promise<ArrayBuffer> {
  const [{ creations, notes, contents }] = recordings;
  // Copied now, because more frames may be recorded while this function waits for the GPU.
  const stream = concatenate(recordings.flatMap(({ runs }) => runs));
  const renderCommands = renderCommandNames
    ? { names: renderCommandNames, stream: concatenate(recordings.flatMap(({ renderRuns }) => renderRuns)) }
    : null;
  const attachments = recordings.flatMap((recording) => recording.attachments);
  return encodeCapture({
    capabilities,
    notes,
    creations,
    contents: await contents,
    stream,
    attachments: await Promise.all(attachments),
    renderCommands,
  });
}
