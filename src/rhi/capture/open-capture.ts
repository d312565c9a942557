/** A capture as whoever replays it has it: a file's bytes, or decoded. */
import { isObject } from '../../core/option-names.js';
import type { Capture } from './capture-file.js';
import { decodeCapture } from './decode-capture.js';
import { isBuffer, noCapture } from './read-sections.js';

/** A file as `stop` of `RhiCapture` gives it and `readFile` reads it, or decoded. */
export type CaptureInput = ArrayBuffer | ArrayBufferView | Capture;

/** @throws RhiError as `decodeCapture` does */
export function openCapture(input: CaptureInput): Capture {
  if (!ArrayBuffer.isView(input)) {
    if (isBuffer(input)) return decodeCapture(input);
    if (isObject(input) && 'stream' in input) return input;
    throw noCapture(input);
  }
  // A copy: the view may begin anywhere in its memory, and that may be shared.
  const bytes = new Uint8Array(input.byteLength);
  bytes.set(new Uint8Array(input.buffer, input.byteOffset, input.byteLength));
  return decodeCapture(bytes.buffer);
}
