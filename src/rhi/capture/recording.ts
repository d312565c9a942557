/**
 * A snapshot of the resources, and the frames executed after it as unchanged records with their attachments. A
 * recording consists of whole frames: records after the last `endFrame` are not part of it.
 */

import { concatenate } from '../../core/records/concatenate.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import {
  type AttachmentKind,
  type CapturedAttachment,
  type CapturedContent,
  encodeCapture,
} from './capture-file.js';

export class Recording {
  /** Resolves with the snapshot's contents of buffers and textures. */
  readonly contents: Promise<readonly CapturedContent[]>;
  /** Bytes of the snapshot's contents; null until the GPU has returned them. */
  contentBytes: number | null = null;
  /** Bytes held. The snapshot's contents count once the GPU has returned them. */
  byteLength: number;
  frames = 0;

  /** Copies of the render commands executed during the recording. */
  readonly renderRuns: Uint32Array[] = [];
  /** Copies of all recorded words, including those of an unfinished frame. */
  readonly #runs: Uint32Array[] = [];
  readonly #attachments: Promise<CapturedAttachment>[] = [];
  #wholeRuns = 0;
  #wholeAttachments = 0;

  /** @param creations records that create the resources alive at the beginning */
  constructor(
    readonly creations: Uint32Array,
    readonly notes: readonly string[],
    contents: Promise<readonly CapturedContent[]>,
  ) {
    this.byteLength = creations.byteLength;
    this.contents = contents;
    contents.then(
      (settled) => {
        this.contentBytes = settled.reduce((sum, { bytes }) => sum + bytes.length, 0);
        this.byteLength += this.contentBytes;
      },
      // Callers that need the contents await the promise itself, so the rejection counts as handled.
      () => {},
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
    this.#runs.push(words.slice(start, end));
    this.byteLength += (end - start) * 4;
  }

  /** @param words a copy, which the recording keeps */
  appendRender(words: Uint32Array): void {
    this.renderRuns.push(words);
    this.byteLength += words.byteLength;
  }

  endFrame(): void {
    this.frames++;
    this.#wholeRuns = this.#runs.length;
    this.#wholeAttachments = this.#attachments.length;
  }

  attach(number: number, kind: AttachmentKind, bytes: Promise<Uint8Array>, byteLength: number): void {
    const attachment = bytes.then((settled) => ({ number, kind, bytes: settled }));
    // The attachment may never be requested, so a rejection counts as handled.
    attachment.catch(() => {});
    this.#attachments.push(attachment);
    this.byteLength += byteLength;
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
