/**
 * A capture and its file, with all data needed to execute some frames again elsewhere. The file is one little-endian
 * ArrayBuffer. It begins with a header of words and a JSON manifest with the lengths of the parts. The parts follow in
 * the manifest's order, each padded with zeros to a whole word.
 *
 *   magic · version · table · byte length · byte length of the manifest · checksum of all else       6 words
 *   manifest │ creations │ stream │ content │ content … │ attachment … │ render commands
 *
 * `table` is the checksum of the command names in order, because opcodes have a meaning only within one table.
 */
import { RhiError } from '../../core/errors.js';
import { encodeJson } from '../../core/records/record-fields.js';
import { rhiCommands } from '../commands/commands.js';
import type { RhiCapabilities } from '../commands/descriptors.js';

/** The letters 'FPRC'. */
export const CAPTURE_MAGIC = 0x43525046;
/** Version of the format, which increases whenever the file's layout or a record's fields change. */
export const CAPTURE_VERSION = 2;
export const HEADER_WORDS = 6;

/** The bytes of a buffer, or the texels of one mip level with all its layers, as rows without padding. */
export interface CapturedContent {
  readonly handle: number;
  /** Mip level of a texture; 0 for buffers. */
  readonly mipLevel: number;
  readonly bytes: Uint8Array;
}

export const AttachmentKind = {
  /** An unchanged ArrayBuffer. */
  bytes: 0,
  /**
   * The texels that `copyExternalImage` wrote, in the texture's own format. Flipping, alpha and colour space are
   * already applied. Empty if there was no GPU to read them from.
   */
  texels: 1,
} as const;
export type AttachmentKind = (typeof AttachmentKind)[keyof typeof AttachmentKind];

export interface CapturedAttachment {
  /** The number by which a record of the stream refers to the attachment. */
  readonly number: number;
  readonly kind: AttachmentKind;
  readonly bytes: Uint8Array;
}

/** The render commands that led to the frames. They are for human readers; a replay does not execute them. */
export interface CapturedRenderCommands {
  /** Record names by opcode. */
  readonly names: readonly string[];
  readonly stream: Uint32Array;
}

export interface Capture {
  readonly capabilities: RhiCapabilities;
  /** Sentences about what could not be captured. */
  readonly notes: readonly string[];
  /** Records that create the resources alive at the start of the capture. */
  readonly creations: Uint32Array;
  /** Contents of buffers and textures at the start of the capture. */
  readonly contents: readonly CapturedContent[];
  /** The unchanged records of the frames; the first record is a `beginFrame`. */
  readonly stream: Uint32Array;
  readonly attachments: readonly CapturedAttachment[];
  readonly renderCommands: CapturedRenderCommands | null;
}

/** The file's description of itself. Lengths are in bytes. */
export interface Manifest extends Pick<Capture, 'capabilities' | 'notes'> {
  readonly creations: number;
  readonly stream: number;
  /** Rows of handle, mip level and length. */
  readonly contents: readonly (readonly [number, number, number])[];
  /** Rows of number, kind and length. */
  readonly attachments: readonly (readonly [number, number, number])[];
  readonly renderCommands: { readonly names: readonly string[]; readonly byteLength: number } | null;
}

/** Returns the capture's file. @throws RhiError `capture-too-large` from 4 GiB on, or if there is no memory for it */
export function encodeCapture(capture: Capture): ArrayBuffer {
  const { capabilities, notes, creations, contents, stream, attachments, renderCommands } = capture;
  const manifest: Manifest = {
    capabilities,
    notes,
    creations: creations.byteLength,
    stream: stream.byteLength,
    contents: contents.map(({ handle, mipLevel, bytes }) => [handle, mipLevel, bytes.length]),
    attachments: attachments.map(({ number, kind, bytes }) => [number, kind, bytes.length]),
    renderCommands: renderCommands && {
      names: renderCommands.names,
      byteLength: renderCommands.stream.byteLength,
    },
  };
  const text = encodeJson(manifest);
  const parts: (Uint8Array | Uint32Array)[] = [text, creations, stream];
  for (const { bytes } of [...contents, ...attachments]) parts.push(bytes);
  if (renderCommands) parts.push(renderCommands.stream);
  const byteLength = parts.reduce((sum, part) => sum + padded(part.byteLength), HEADER_WORDS * 4);
  const file = allocate(byteLength);
  const bytes = new Uint8Array(file);
  let at = HEADER_WORDS * 4;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += padded(part.byteLength);
  }
  const words = new Uint32Array(file);
  words.set([CAPTURE_MAGIC, CAPTURE_VERSION, tableChecksum(), byteLength, text.length]);
  words[HEADER_WORDS - 1] = captureChecksum(words);
  return file;
}

/** Returns the checksum of a whole file, without the checksum word. */
export const captureChecksum = (words: Uint32Array): number =>
  checksum(words.subarray(HEADER_WORDS), checksum(words.subarray(0, HEADER_WORDS - 1)));

/**
 * Returns the checksum of the command names. If a file has another checksum of names, its opcodes have other meanings.
 */
export const tableChecksum = (): number =>
  checksum(Uint32Array.from(rhiCommands.names.join(), (character) => character.charCodeAt(0)));

/**
 * Returns an FNV-1a hash of 32-bit words. Every step is a bijection, so one changed word always changes the hash.
 * Several changed words remain undetected with a probability of 1 in 2³². The hash detects accidents, but not
 * forgeries, so decoders check everything that they rely on.
 */
function checksum(words: Uint32Array, before = 0x811c9dc5): number {
  let hash = before;
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words[i], 0x01000193);
  return hash >>> 0;
}

export const padded = (byteLength: number): number => Math.ceil(byteLength / 4) * 4;

/** Allocates a file. It must have less than 4 GiB, because its header has 32 bits for the length. */
function allocate(byteLength: number): ArrayBuffer {
  try {
    if (byteLength >= 2 ** 32) throw new RangeError('it would have 4 GiB or more');
    return new ArrayBuffer(byteLength);
  } catch (cause) {
    throw new RhiError(
      'capture-too-large',
      `A capture of ${byteLength} bytes is too large: its file must be below 4 GiB and fit into memory. Capture fewer frames, or a smaller scene.`,
      { cause },
    );
  }
}
