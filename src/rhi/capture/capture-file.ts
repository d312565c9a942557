/**
 * A capture and its file: all that is needed to run some frames again elsewhere. One ArrayBuffer, little-endian
 * words; sections follow each other, each padded with zeros to a whole word and guarded by a checksum.
 *
 *   magic · version · table · byte length · section count · header checksum        6 words
 *   kind · byte offset · byte length · checksum                                    4 words per section
 *   information (JSON) │ creations │ contents: rows, bytes │ stream │ attachments: rows, bytes │ render commands
 *
 * `table` is the checksum of the command names in order: opcodes mean something only within one table.
 */
import { RhiError } from '../../core/errors.js';
import { rhiCommands } from '../commands/commands.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import { encodeJson } from '../commands/record-fields.js';
import { checksum, textChecksum } from './checksum.js';

/** 'FPRC'. */
export const CAPTURE_MAGIC = 0x43525046;
/** Rises whenever the file's layout or a record's fields change. */
export const CAPTURE_VERSION = 1;
export const HEADER_WORDS = 6;
export const SECTION_WORDS = 4;
/** Words per row of the tables of contents and of attachments. */
export const CONTENT_ROW_WORDS = 4;
export const ATTACHMENT_ROW_WORDS = 4;

export const SectionKind = {
  information: 1,
  creations: 2,
  contentRows: 3,
  contentBytes: 4,
  stream: 5,
  attachmentRows: 6,
  attachmentBytes: 7,
  renderInformation: 8,
  renderStream: 9,
} as const;

/** The bytes of a buffer, or the texels of one mip level with all its layers, rows without padding. */
export interface CapturedContent {
  readonly handle: number;
  /** 0 for buffers. */
  readonly mipLevel: number;
  readonly bytes: Uint8Array;
}

export const AttachmentKind = {
  /** An ArrayBuffer as it was. */
  bytes: 0,
  /**
   * What `copyExternalImage` wrote: the region's texels in the texture's own format, so that flipping, alpha and
   * colour space are settled. None where there was no GPU to ask.
   */
  texels: 1,
} as const;
export type AttachmentKind = (typeof AttachmentKind)[keyof typeof AttachmentKind];

export interface CapturedAttachment {
  /** By which the stream names it. */
  readonly number: number;
  readonly kind: AttachmentKind;
  readonly bytes: Uint8Array;
}

/** The stream of render commands that led to the frames; for people, it is not replayed. */
export interface CapturedRenderCommands {
  /** Record names by opcode. */
  readonly names: readonly string[];
  readonly stream: Uint32Array;
}

export interface Capture {
  readonly capabilities: RhiCapabilities;
  /** Sentences about what could not be captured. */
  readonly notes: readonly string[];
  /** Records that create what was alive when the capture began. */
  readonly creations: Uint32Array;
  /** What those held then. */
  readonly contents: readonly CapturedContent[];
  /** The records from there on, word for word; it begins with `beginFrame`. */
  readonly stream: Uint32Array;
  readonly attachments: readonly CapturedAttachment[];
  readonly renderCommands: CapturedRenderCommands | null;
}

/** Opcodes are those of this table, or the file is another version's. */
export const tableChecksum = (): number => textChecksum(rhiCommands.names.join());

interface Section {
  readonly kind: number;
  readonly parts: readonly (Uint8Array | Uint32Array)[];
}

/** @throws RhiError `capture-too-large` when there is no memory for the file */
export function encodeCapture(capture: Capture): ArrayBuffer {
  const { capabilities, notes, creations, contents, stream, attachments, renderCommands } = capture;
  const sections: Section[] = [
    { kind: SectionKind.information, parts: [encodeJson({ capabilities, notes })] },
    { kind: SectionKind.creations, parts: [creations] },
    {
      kind: SectionKind.contentRows,
      parts: [rows(contents, ({ handle, mipLevel }) => [handle, mipLevel])],
    },
    { kind: SectionKind.contentBytes, parts: contents.map(({ bytes }) => bytes) },
    { kind: SectionKind.stream, parts: [stream] },
    { kind: SectionKind.attachmentRows, parts: [rows(attachments, ({ number, kind }) => [number, kind])] },
    { kind: SectionKind.attachmentBytes, parts: attachments.map(({ bytes }) => bytes) },
  ];
  if (renderCommands !== null) {
    sections.push(
      { kind: SectionKind.renderInformation, parts: [encodeJson({ names: renderCommands.names })] },
      { kind: SectionKind.renderStream, parts: [renderCommands.stream] },
    );
  }
  return assemble(sections);
}

/** Two words of the item's own, then where its bytes lie in the section behind. */
function rows<T extends { readonly bytes: Uint8Array }>(
  items: readonly T[],
  own: (item: T) => readonly [number, number],
): Uint32Array {
  const table = new Uint32Array(items.length * CONTENT_ROW_WORDS);
  let byteOffset = 0;
  items.forEach((item, index) => {
    table.set([...own(item), byteOffset, item.bytes.length], index * CONTENT_ROW_WORDS);
    byteOffset += padded(item.bytes.length);
  });
  return table;
}

function assemble(sections: readonly Section[]): ArrayBuffer {
  let at = (HEADER_WORDS + sections.length * SECTION_WORDS) * 4;
  const places = sections.map(({ kind, parts }) => {
    const byteOffset = at;
    for (const part of parts) at += padded(part.byteLength);
    return { kind, byteOffset, byteLength: at - byteOffset };
  });
  const file = allocate(at);
  const words = new Uint32Array(file);
  const bytes = new Uint8Array(file);
  words.set([CAPTURE_MAGIC, CAPTURE_VERSION, tableChecksum(), at, sections.length]);
  sections.forEach(({ parts }, index) => {
    const { kind, byteOffset, byteLength } = places[index];
    let to = byteOffset;
    for (const part of parts) {
      bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), to);
      to += padded(part.byteLength);
    }
    words.set([kind, byteOffset, byteLength], HEADER_WORDS + index * SECTION_WORDS);
  });
  sealCapture(file);
  return file;
}

/** Computes the checksums anew; for tests that change what lies under them. A file too broken to seal stays as it is. */
export function sealCapture(file: ArrayBuffer): void {
  const words = new Uint32Array(file, 0, file.byteLength >>> 2);
  const count = words[4];
  const end = HEADER_WORDS + count * SECTION_WORDS;
  if (!(end <= words.length)) return;
  for (let at = HEADER_WORDS; at < end; at += SECTION_WORDS) {
    const [, byteOffset, byteLength] = words.subarray(at, at + SECTION_WORDS);
    const sectionEnd = (byteOffset + byteLength) >>> 2;
    words[at + 3] = sectionEnd <= words.length ? checksum(words, byteOffset >>> 2, sectionEnd) : 0;
  }
  words[5] = 0;
  words[5] = checksum(words, 0, end);
}

const padded = (byteLength: number): number => Math.ceil(byteLength / 4) * 4;

/** Offsets in the file are 32 bits. */
function allocate(byteLength: number): ArrayBuffer {
  try {
    if (byteLength >= 2 ** 32) throw new RangeError('it would have 4 GiB or more');
    return new ArrayBuffer(byteLength);
  } catch (cause) {
    throw new RhiError(
      'capture-too-large',
      `There is no memory for a capture of ${byteLength} bytes. Capture fewer frames, or a smaller scene.`,
      { cause },
    );
  }
}
