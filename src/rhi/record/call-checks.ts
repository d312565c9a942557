/**
 * Checks of a call's arguments, one function per kind of argument. A failed check throws an error that names the call,
 * the argument and the remedy. The error's code is `bad-argument`, unless the function's comment names another code.
 */
import { RhiError } from '../../core/errors.js';
import type { Member } from '../../core/options/member.js';
import { wholeFrom } from '../../core/options/members.js';
import { isObject, shownValue } from '../../core/options/shown-value.js';
import { isFenceValue } from '../../sync/fences/fence-value.js';
import type { WordRule } from '../commands/fields.js';
import { describeHandle, isForeign } from '../commands/handles.js';

/**
 * Throws `bad-argument`.
 * @param call name of the call and label of its resource
 * @param what name of the argument
 */
export function refuse(call: string, what: string, value: unknown, remedy: string): never {
  throw new RhiError('bad-argument', `${call} was given ${what} = ${shownValue(value)}. Give ${remedy}.`);
}

/** Checks an argument with a member of a shape. The member defines the accepted values and the remedy in the error. */
export function checkIs(call: string, what: string, value: unknown, { accepts, remedy }: Member): void {
  if (!accepts(value)) refuse(call, what, value, remedy);
}

/** The values that a word of a record can hold. */
export const word = /* @__PURE__ */ wholeFrom(0, 2 ** 32 - 1);

export function checkBoundedWord(
  call: string,
  what: string,
  value: unknown,
  { multipleOf = 1, most = 2 ** 32 - 1 }: WordRule = {},
): void {
  checkIs(call, what, value, word);
  if ((value as number) % multipleOf !== 0) refuse(call, what, value, `a multiple of ${multipleOf}`);
  if ((value as number) > most) refuse(call, what, value, `0 to ${most}`);
}

export function isHandle(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) >>> 0 !== 0;
}

/**
 * Checks for a handle of any kind.
 * @param mark mark of the RHI's handles (`handles.ts`). Default: any mark is accepted
 * @throws RhiError `bad-argument`, `foreign-handle`
 */
export function checkHandle(call: string, what: string, value: unknown, mark?: number): void {
  if (!isHandle(value)) refuse(call, what, value, 'the handle that its create… call has returned');
  else if (mark !== undefined) checkOwn(`${call} was given ${what}`, value, mark);
}

/**
 * Checks that a handle belongs to this RHI. Called per draw.
 * @param subject the call and the field, for the error
 * @param mark mark of the RHI's handles
 * @throws RhiError `foreign-handle`
 */
export function checkOwn(subject: string, handle: number, mark: number): void {
  if (!isForeign(handle, mark)) return;
  throw new RhiError(
    'foreign-handle',
    `${subject} = the ${describeHandle(handle)}, which belongs to another RHI. Give a handle that a create… call of this RHI has returned.`,
  );
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** Checks for an ArrayBuffer, which can be transferred. */
export function checkArrayBuffer(call: string, what: string, data: unknown): void {
  if (tagOf(data) !== '[object ArrayBuffer]')
    refuse(call, what, data, 'an ArrayBuffer; for a view, its buffer with an offset and a length');
  if ((data as ArrayBuffer).byteLength === 0) checkAttached(call, data as ArrayBuffer);
}

/** Returns whether the value holds bytes: an ArrayBuffer, a SharedArrayBuffer, or a view of one. */
export function isData(data: unknown): data is ArrayBufferView | ArrayBufferLike {
  return ArrayBuffer.isView(data) || /^\[object (Shared)?ArrayBuffer\]$/.test(tagOf(data));
}

/** Checks for data whose memory was not transferred to another thread. */
export function checkBytes(call: string, what: string, data: unknown): void {
  if (!isData(data)) refuse(call, what, data, 'a Uint8Array');
  else if (data.byteLength === 0) checkAttached(call, data);
}

/**
 * Checks that data is not detached. The length of detached data is 0, as is that of empty data. Only an access to
 * detached data throws.
 */
export function checkAttached(call: string, data: ArrayBufferView | ArrayBufferLike): void {
  try {
    new Uint8Array(ArrayBuffer.isView(data) ? data.buffer : data);
  } catch (cause) {
    throw new RhiError(
      'bad-argument',
      `${call} was given data whose memory was transferred away. Give a buffer that is still on this thread.`,
      { cause },
    );
  }
}

/** Checks for an ImageBitmap that is not closed. Bitmaps of other windows are accepted too. */
export function checkImage(call: string, what: string, source: unknown): void {
  const isImage = isObject(source) && typeof source.close === 'function';
  if (!isImage) refuse(call, what, source, 'an ImageBitmap, which createImageBitmap makes of other images');
  if (source.width === 0)
    refuse(call, `${what}.width`, 0, 'an ImageBitmap that is not closed, and was not transferred before');
}

/** Checks a value that a fence can be signalled with. @throws RhiError `bad-fence-value` */
export function checkFenceValue(call: string, value: unknown): void {
  if (isFenceValue(value)) return;
  throw new RhiError(
    'bad-fence-value',
    `${call} was given the value ${shownValue(value)}. Give a whole number from 0 to 2^53 − 1, or a bigint below 2^64 − 1.`,
  );
}
