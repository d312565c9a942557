/**
 * A capture's file from the outside in: that it is one, of this version, whole and unchanged, and where its parts lie.
 * What the parts hold is `decodeCapture`'s to check.
 *
 *   header ─► manifest ─► part │ part │ part │        no gaps, nothing behind the last
 */
import { RhiError } from '../../core/errors.js';
import { shownValue } from '../../core/option-names.js';
import {
  CAPTURE_MAGIC,
  CAPTURE_VERSION,
  captureChecksum,
  HEADER_WORDS,
  padded,
  tableChecksum,
} from './capture-file.js';
import { corrupt } from './check-records.js';

/** Hands out a file's parts, one behind the other. */
export class CaptureParts {
  readonly #file: ArrayBuffer;
  #at: number;

  constructor(file: ArrayBuffer, byteOffset: number) {
    this.#file = file;
    this.#at = byteOffset;
  }

  /** @throws RhiError `capture-corrupt` */
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

/** @throws RhiError `capture-format`, `capture-version`, `capture-truncated`, `capture-corrupt` */
export function readFile(given: ArrayBuffer): { readonly manifest: object; readonly parts: CaptureParts } {
  const file = ownBytes(given);
  // Empty, or it was transferred away.
  if (file.byteLength === 0) throw truncated(HEADER_WORDS * 4, 0);
  const words = new Uint32Array(file, 0, file.byteLength >>> 2);
  if (words.length > 0 && words[0] !== CAPTURE_MAGIC) {
    throw new RhiError(
      'capture-format',
      'This is no capture: it begins otherwise. Choose a file that a capture’s stop has made.',
    );
  }
  if (words.length < HEADER_WORDS) throw truncated(HEADER_WORDS * 4, file.byteLength);
  const [, version, table, byteLength, manifestBytes, sum] = words;
  if (version !== CAPTURE_VERSION || table !== tableChecksum()) {
    throw new RhiError(
      'capture-version',
      `The capture was made by another version of Fencepost (format ${version}, this one reads ${CAPTURE_VERSION}${version === CAPTURE_VERSION ? ', with other commands' : ''}). Open it with the version that made it.`,
    );
  }
  if (byteLength > file.byteLength) throw truncated(byteLength, file.byteLength);
  if (byteLength < file.byteLength)
    throw corrupt(`it says it has ${byteLength} bytes, and has ${file.byteLength}`);
  if (captureChecksum(words) !== sum) throw corrupt('it does not match its checksum');
  const parts = new CaptureParts(file, HEADER_WORDS * 4);
  const text = new TextDecoder().decode(parts.bytes(manifestBytes));
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (cause) {
    throw corrupt('its manifest is not JSON', cause);
  }
  if (typeof manifest !== 'object' || manifest === null) throw corrupt('its manifest is no object');
  return { manifest, parts };
}

/** One of another page's as well. */
export function isBuffer(value: unknown): value is ArrayBuffer {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));
}

/** What is decoded must not change on the way, and text is not decoded from shared memory. */
function ownBytes(file: ArrayBuffer): ArrayBuffer {
  if (!isBuffer(file)) throw noCapture(file);
  if (Object.prototype.toString.call(file) === '[object ArrayBuffer]') return file;
  const copy = new Uint8Array(file.byteLength);
  copy.set(new Uint8Array(file));
  return copy.buffer;
}

export function noCapture(given: unknown): RhiError {
  return new RhiError(
    'capture-format',
    `This is no capture: ${shownValue(given)} was given. Give the ArrayBuffer that a capture’s stop resolves to, bytes of such a file, or what decodeCapture returns.`,
  );
}

function truncated(expected: number, actual: number): RhiError {
  return new RhiError(
    'capture-truncated',
    `The capture is cut off: it should have ${expected} bytes and has ${actual}. Get the whole file again.`,
  );
}
