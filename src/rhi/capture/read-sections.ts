/**
 * A capture's header and sections, from the outside in: that it is one, of this version, whole, and that each section
 * lies behind the one before and matches its checksum. What the sections hold is `decodeCapture`'s to check.
 *
 *   header ─► | section | section | section |      no gaps, nothing behind the last
 */
import { RhiError } from '../../core/errors.js';
import { shownValue } from '../../core/option-names.js';
import {
  CAPTURE_MAGIC,
  CAPTURE_VERSION,
  HEADER_WORDS,
  SECTION_WORDS,
  tableChecksum,
} from './capture-file.js';
import { corrupt } from './check-records.js';
import { checksum } from './checksum.js';

/** More than the format has; a count beyond is an accident. */
const MAXIMUM_SECTIONS = 16;

/** Bytes by kind of section. */
export type Sections = ReadonlyMap<number, Uint8Array<ArrayBuffer>>;

/** @throws RhiError `capture-format`, `capture-version`, `capture-truncated`, `capture-corrupt` */
export function readSections(given: ArrayBuffer): Sections {
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
  const [, version, table, byteLength, count, headerChecksum] = words;
  if (version !== CAPTURE_VERSION || table !== tableChecksum()) {
    throw new RhiError(
      'capture-version',
      `The capture was made by another version of Fencepost (format ${version}, this one reads ${CAPTURE_VERSION}${version === CAPTURE_VERSION ? ', with other commands' : ''}). Open it with the version that made it.`,
    );
  }
  if (byteLength > file.byteLength) throw truncated(byteLength, file.byteLength);
  if (byteLength < file.byteLength)
    throw corrupt(`it says it has ${byteLength} bytes, and has ${file.byteLength}`);
  const headerEnd = HEADER_WORDS + count * SECTION_WORDS;
  if (count > MAXIMUM_SECTIONS || headerEnd > words.length) throw corrupt(`it says it has ${count} sections`);
  const header = words.slice(0, headerEnd);
  header[5] = 0;
  if (checksum(header) !== headerChecksum) throw corrupt('its header does not match its checksum');
  const sections = new Map<number, Uint8Array<ArrayBuffer>>();
  let expected = headerEnd * 4;
  for (let at = HEADER_WORDS; at < headerEnd; at += SECTION_WORDS) {
    const [kind, byteOffset, length, sum] = header.subarray(at, at + SECTION_WORDS);
    const end = byteOffset + length;
    if (byteOffset !== expected || (length & 3) !== 0 || end > byteLength || sections.has(kind)) {
      throw corrupt(`section ${kind} does not lie where a section can lie`);
    }
    if (checksum(words, byteOffset >>> 2, end >>> 2) !== sum) {
      throw corrupt(`section ${kind} does not match its checksum`);
    }
    sections.set(kind, new Uint8Array(file, byteOffset, length));
    expected = end;
  }
  if (expected !== byteLength) throw corrupt('bytes follow its last section');
  return sections;
}

export function bytesOf(sections: Sections, kind: number): Uint8Array<ArrayBuffer> {
  const bytes = sections.get(kind);
  if (bytes === undefined) throw corrupt(`section ${kind} is missing`);
  return bytes;
}

export function wordsOf(sections: Sections, kind: number): Uint32Array<ArrayBuffer> {
  const bytes = bytesOf(sections, kind);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
}

export function jsonOf(sections: Sections, kind: number): Readonly<Record<string, unknown>> {
  // Sections are padded with zeros, and no JSON ends with one.
  const text = new TextDecoder().decode(bytesOf(sections, kind)).replace(/\0+$/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw corrupt(`section ${kind} is not JSON`, cause);
  }
  if (typeof value !== 'object' || value === null) throw corrupt(`section ${kind} is no object`);
  return value as Readonly<Record<string, unknown>>;
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
