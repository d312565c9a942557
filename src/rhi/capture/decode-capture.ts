/**
 * Reads a capture's file, which may come from an unknown source. The result is a capture that executors can run, or a
 * typed error, even if the file was cut off or changed. The checks proceed from the header to the frames:
 *
 *   header, checksum ─► manifest ─► creations ─► contents: handles, sizes ─► other parts, no gaps ─► frames
 */
import { RhiError } from '../../core/errors.js';
import { isObject, shownValue } from '../../core/options/shown-value.js';
import { wholeRecordEnd } from '../../core/records/record-table.js';
import type { BufferDescriptor, RhiCapabilities, TextureDescriptor } from '../commands/descriptors.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import {
  CAPTURE_MAGIC,
  CAPTURE_VERSION,
  type Capture,
  type CapturedRenderCommands,
  captureChecksum,
  HEADER_WORDS,
  type Manifest,
  padded,
  tableChecksum,
} from './capture-file.js';
import { checkCreations, checkFrames, corrupt } from './check-records.js';
import { capturedLayout } from './texture-contents.js';

/**
 * The forms of a capture that functions accept: a file from `stop` of `RhiCapture`, a view of its bytes, or a decoded
 * capture.
 */
export type CaptureInput = ArrayBuffer | ArrayBufferView | Capture;

/** Decodes a capture unless it is decoded already. @throws RhiError like `decodeCapture` */
export function openCapture(input: CaptureInput): Capture {
  // The bytes are copied, because the view may begin at any offset, and its memory may be shared.
  if (ArrayBuffer.isView(input))
    return decodeCapture(copyOf(input.buffer, input.byteOffset, input.byteLength));
  return isObject(input) && 'stream' in input ? (input as Capture) : decodeCapture(input as ArrayBuffer);
}

/** Decodes a file. @throws RhiError `capture-format`, `capture-version`, `capture-truncated`, `capture-corrupt` */
export function decodeCapture(file: ArrayBuffer): Capture {
  const reader = new CaptureReader(ownBytes(file));
  const { capabilities, notes, ...lengths } = reader.manifest;
  if (!areCapabilities(capabilities) || !isTextList(notes)) {
    throw corrupt('its capabilities or its notes are missing');
  }
  const creations = reader.words(lengths.creations);
  const stream = reader.words(lengths.stream);
  const created = checkCreations(creations);
  const contents = rowsOf(lengths.contents, 'contents').map(([handle, mipLevel, byteLength]) => {
    if (byteLength !== contentBytes(handle, mipLevel, created.get(handle))) {
      throw corrupt(`the content of handle ${handle} does not have the size of its resource`);
    }
    return { handle, mipLevel, bytes: reader.bytes(byteLength) };
  });
  const attachments = rowsOf(lengths.attachments, 'attachments').map(([number, kind, byteLength]) => {
    if (kind !== 0 && kind !== 1) throw corrupt(`attachment ${number} has the unknown kind ${kind}`);
    return { number, kind, bytes: reader.bytes(byteLength) } as const;
  });
  checkOnce(contents.map(({ handle, mipLevel }) => `content ${handle}, level ${mipLevel},`));
  checkOnce(attachments.map(({ number }) => `attachment ${number}`));
  const { renderCommands } = lengths;
  const capture: Capture = {
    capabilities,
    notes,
    creations,
    stream,
    contents,
    attachments,
    renderCommands: renderCommands && readRenderCommands(renderCommands, reader),
  };
  reader.end();
  checkFrames(stream, new Set(attachments.map(({ number }) => number)));
  return capture;
}

/** Reads a file's manifest and then its parts, one by one. The constructor checks the header and the checksum. */
class CaptureReader {
  readonly manifest: Manifest;
  readonly #file: ArrayBuffer;
  #at = HEADER_WORDS * 4;

  /** @throws RhiError like `decodeCapture` */
  constructor(file: ArrayBuffer) {
    this.#file = file;
    const words = new Uint32Array(file, 0, file.byteLength >>> 2);
    if (words.length > 0 && words[0] !== CAPTURE_MAGIC)
      throw noCapture('it does not begin with the letters FPRC');
    if (words.length < HEADER_WORDS) throw truncated(HEADER_WORDS * 4, file.byteLength);
    const [, version, table, byteLength, manifestBytes, sum] = words;
    if (version !== CAPTURE_VERSION || table !== tableChecksum()) {
      throw new RhiError(
        'capture-version',
        `The capture was made by another version of Fencepost (format ${version}, this version reads ${CAPTURE_VERSION}${version === CAPTURE_VERSION ? ', with other commands' : ''}). Open it with the version that made it.`,
      );
    }
    if (byteLength > file.byteLength) throw truncated(byteLength, file.byteLength);
    if (byteLength < file.byteLength)
      throw corrupt(`its header states ${byteLength} bytes, but it has ${file.byteLength}`);
    if (captureChecksum(words) !== sum) throw corrupt('it does not match its checksum');
    const text = new TextDecoder().decode(this.bytes(manifestBytes));
    try {
      this.manifest = JSON.parse(text) ?? {};
    } catch (cause) {
      throw corrupt('its manifest is not JSON', cause);
    }
  }

  /** Returns the next part. @throws RhiError `capture-corrupt` */
  bytes(byteLength: unknown): Uint8Array<ArrayBuffer> {
    const at = this.#at;
    const isInside = Number.isInteger(byteLength) && Number(byteLength) >= 0;
    this.#at += isInside ? padded(Number(byteLength)) : Number.NaN;
    if (!(this.#at <= this.#file.byteLength)) throw corrupt(`it has no part of ${byteLength} bytes at ${at}`);
    return new Uint8Array(this.#file, at, Number(byteLength));
  }

  words(byteLength: unknown): Uint32Array<ArrayBuffer> {
    const { buffer, byteOffset, length } = this.bytes(byteLength);
    return new Uint32Array(buffer, byteOffset, length >>> 2);
  }

  end(): void {
    if (this.#at !== this.#file.byteLength) throw corrupt('bytes follow its last part');
  }
}

function areCapabilities(value: unknown): value is RhiCapabilities {
  const { backend, adapter, surfaceFormat, features, limits } = (value ?? {}) as Partial<RhiCapabilities>;
  return (
    (backend === 'webgpu' || backend === 'null') &&
    typeof adapter === 'string' &&
    (surfaceFormat === 'rgba8unorm' || surfaceFormat === 'bgra8unorm') &&
    isTextList(features) &&
    isObject(limits)
  );
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Checks that the manifest has a list of rows of whole numbers. @param what name of the list in errors */
function rowsOf(rows: Manifest['contents'], what: string): Manifest['contents'] {
  const areRows =
    Array.isArray(rows) && rows.every((row) => Array.isArray(row) && row.every(Number.isInteger));
  if (!areRows) throw corrupt(`its list of ${what} is missing or wrong`);
  return rows;
}

function checkOnce(names: readonly string[]): void {
  if (new Set(names).size === names.length) return;
  throw corrupt(`${names.find((name, index) => names.indexOf(name) !== index)} exists twice`);
}

/** Returns the number of bytes of a resource's content in the file; NaN if the resource can't have content. */
function contentBytes(handle: number, mipLevel: number, descriptor: unknown): number {
  if (descriptor === undefined) return Number.NaN;
  if (handleKind(handle) === ResourceKind.texture) {
    return capturedLayout(descriptor as TextureDescriptor, mipLevel)?.byteLength ?? Number.NaN;
  }
  if (handleKind(handle) !== ResourceKind.buffer || mipLevel !== 0) return Number.NaN;
  const { byteLength } = descriptor as BufferDescriptor;
  return typeof byteLength === 'number' ? Math.floor(byteLength / 4) * 4 : Number.NaN;
}

function readRenderCommands(
  { names, byteLength }: NonNullable<Manifest['renderCommands']>,
  reader: CaptureReader,
): CapturedRenderCommands {
  if (!isTextList(names)) throw corrupt('its render commands have no names');
  const stream = reader.words(byteLength);
  for (let at = 0; at < stream.length; ) {
    const end = wholeRecordEnd(stream, at, stream.length, names.length);
    if (end === 0) throw corrupt(`its render commands hold no record at word ${at}`);
    at = end;
  }
  return { names, stream };
}

/**
 * Returns memory that does not change during decoding. Shared memory is copied, because text can't be decoded from it.
 * Buffers of other windows are accepted too.
 */
function ownBytes(given: ArrayBuffer): ArrayBuffer {
  const kind = Object.prototype.toString.call(given);
  if (kind === '[object SharedArrayBuffer]') return copyOf(given, 0, given.byteLength);
  if (kind !== '[object ArrayBuffer]') throw noCapture(`${shownValue(given)} was given`);
  // The file is empty, or its memory was transferred to another thread.
  if (given.byteLength === 0) throw truncated(HEADER_WORDS * 4, 0);
  return given;
}

const copyOf = (memory: ArrayBufferLike, byteOffset: number, byteLength: number): ArrayBuffer =>
  new Uint8Array(new Uint8Array(memory, byteOffset, byteLength)).buffer;

function noCapture(reason: string): RhiError {
  return new RhiError(
    'capture-format',
    `This is not a capture: ${reason}. Give the ArrayBuffer that a capture’s stop resolves to, bytes of such a file, or a capture that decodeCapture has returned.`,
  );
}

function truncated(expected: number, actual: number): RhiError {
  return new RhiError(
    'capture-truncated',
    `The capture is cut off: it should have ${expected} bytes and has ${actual}. Get the whole file again.`,
  );
}
