/**
 * Some frames as they were executed, from a snapshot on: records word for word, and what they brought beside the
 * stream. A recording is whole frames: what comes after the last `endFrame` is not part of it.
 */
import type { RhiCapabilities } from '../commands/descriptors.js';
import {
  type AttachmentKind,
  type CapturedAttachment,
  type CapturedContent,
  type CapturedRenderCommands,
  encodeCapture,
} from './capture-file.js';
import { WordList } from './word-list.js';

interface PendingAttachment {
  readonly number: number;
  readonly kind: AttachmentKind;
  readonly bytes: Promise<Uint8Array>;
}

export class Recording {
  /** Records that create what was alive at the beginning. */
  readonly creations: Uint32Array;
  readonly notes: readonly string[];
  /** Null while the GPU has not answered. */
  contents: readonly CapturedContent[] | null = null;
  /** Settles with the snapshot. */
  readonly whenContents: Promise<readonly CapturedContent[]>;
  frames = 0;
  /** Of everything held, in so far as it is known. */
  byteLength: number;
  /** Of `contents`. */
  contentBytes = 0;

  readonly #stream = new WordList();
  readonly #attachments: PendingAttachment[] = [];
  #completeWords = 0;
  #completeAttachments = 0;

  constructor(
    { creations, notes }: Pick<Recording, 'creations' | 'notes'>,
    contents: Promise<readonly CapturedContent[]>,
  ) {
    this.creations = creations;
    this.notes = notes;
    this.byteLength = creations.byteLength;
    this.whenContents = contents;
    contents.then(
      (settled) => {
        this.contents = settled;
        for (const { bytes } of settled) this.contentBytes += bytes.length;
        this.byteLength += this.contentBytes;
      },
      // Whoever needs the contents awaits `whenContents`.
      () => {},
    );
  }

  /** Whole words of the stream that hold whole frames. */
  stream(): Uint32Array<ArrayBuffer> {
    return this.#stream.toArray(this.#completeWords);
  }

  /** Those that whole frames name. */
  attachments(): Promise<CapturedAttachment[]> {
    const complete = this.#attachments.slice(0, this.#completeAttachments);
    return Promise.all(
      complete.map(async ({ number, kind, bytes }) => ({ number, kind, bytes: await bytes })),
    );
  }

  /** Per record. */
  append(words: Uint32Array, start: number, end: number): void {
    this.#stream.append(words, start, end);
    this.byteLength += (end - start) * 4;
  }

  endFrame(): void {
    this.frames++;
    this.#completeWords = this.#stream.length;
    this.#completeAttachments = this.#attachments.length;
  }

  attach(number: number, kind: AttachmentKind, bytes: Promise<Uint8Array>, byteLength: number): void {
    // It may never be asked for; then nobody misses it.
    bytes.catch(() => {});
    this.#attachments.push({ number, kind, bytes });
    this.byteLength += byteLength;
  }
}

/**
 * @param recordings frames that follow each other; creations and contents are the first one's
 * @throws RhiError `readback-failed`, `capture-too-large`
 */
export async function encodeRecordings(
  recordings: readonly [Recording, ...Recording[]],
  capabilities: RhiCapabilities,
  renderCommands: CapturedRenderCommands | null,
): Promise<ArrayBuffer> {
  const [{ creations, notes, whenContents }] = recordings;
  // The frames as they are now, not as they will be when the GPU has answered.
  const stream = new WordList();
  for (const recording of recordings) {
    const words = recording.stream();
    stream.append(words, 0, words.length);
  }
  const pending = recordings.map((recording) => recording.attachments());
  const contents = await whenContents;
  const attachments = (await Promise.all(pending)).flat();
  return encodeCapture({
    capabilities,
    notes,
    creations,
    contents,
    stream: stream.toArray(),
    attachments,
    renderCommands,
  });
}
