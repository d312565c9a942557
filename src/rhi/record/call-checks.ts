/**
 * What the calls of a context are given, checked at the call where that costs nothing that counts: not per draw. What
 * is of the wrong kind would be words that mean something else, and a misspelt name would do nothing.
 *
 *   writeTexture(texture, { width: 1, height: 1, mip: 2 }, …)
 *     └► bad-argument: writeTexture of the texture "sky" (texture 3.0) was given mip = 2. Give only width, height, …
 *
 * Whether values fit the resource is validation's matter. Pure.
 */
import { RhiError } from '../../core/errors.js';
import { checkOption, hasName, isObject, shownValue } from '../../core/option-names.js';

/** @param call as the caller wrote it, with the label of what it is about */
export function refuse(call: string, what: string, value: unknown, remedy: string): never {
  throw new RhiError('bad-argument', `${call} was given ${what} = ${shownValue(value)}. Give ${remedy}.`);
}

/** @throws RhiError `bad-argument`, as all of these */
export function checkText(call: string, what: string, value: unknown): void {
  if (typeof value !== 'string') refuse(call, what, value, 'a string');
}

/** What a word of a record can hold. */
export function isWord(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
}

export function checkWord(call: string, what: string, value: unknown): void {
  if (!isWord(value)) refuse(call, what, value, 'a whole number from 0 to 4294967295');
}

export function checkFinite(call: string, what: string, value: unknown): void {
  if (!Number.isFinite(value)) refuse(call, what, value, 'a number');
}

export function isHandle(value: unknown): value is number {
  return isWord(value) && value !== 0;
}

export function checkHandle(call: string, what: string, value: unknown): void {
  if (!isHandle(value)) refuse(call, what, value, 'the handle that its create… call has returned');
}

export function checkFunction(call: string, what: string, value: unknown): void {
  if (typeof value !== 'function') refuse(call, what, value, 'a function');
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** An ArrayBuffer, which can be transferred. */
export function checkArrayBuffer(call: string, data: unknown): void {
  if (tagOf(data) !== '[object ArrayBuffer]')
    refuse(call, 'the data', data, 'an ArrayBuffer; of a view, its buffer with offset and length');
  if ((data as ArrayBuffer).byteLength === 0) checkAttached(call, data as ArrayBuffer);
}

/** What holds bytes: memory, or a view of it. */
export function isData(data: unknown): data is ArrayBufferView | ArrayBufferLike {
  return ArrayBuffer.isView(data) || /^\[object (Shared)?ArrayBuffer\]$/.test(tagOf(data));
}

/** The bytes of any view, or of an ArrayBuffer, whose memory is still here. */
export function asBytes(call: string, data: unknown): Uint8Array {
  if (!isData(data)) return refuse(call, 'the data', data, 'a Uint8Array');
  if (data.byteLength === 0) checkAttached(call, data);
  if (data instanceof Uint8Array) return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** What was transferred is empty, as is what was made empty: only an attempt tells them apart. */
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

/** Per draw. */
export function checkIndexFormat(format: 'uint16' | 'uint32'): void {
  if (format !== 'uint16' && format !== 'uint32')
    refuse('setIndexBuffer', 'the format', format, '"uint16" or "uint32"');
}

/** An ImageBitmap that is not closed; some of another window, too. */
export function checkImage(call: string, source: unknown): void {
  const isImage = isObject(source) && typeof source.close === 'function';
  if (!isImage)
    refuse(call, 'the source', source, 'an ImageBitmap, which createImageBitmap makes of other images');
  if (source.width === 0)
    refuse(
      call,
      'the source’s width',
      0,
      'an ImageBitmap that is not closed, and was not transferred before',
    );
}

/** Any kind of context. @throws OptionError `option-invalid` */
export function checkContext(call: string, context: unknown): void {
  const isContext = isObject(context) && isWriter(context.writer);
  checkOption(`The context of ${call}`, context, isContext, 'one that records commands');
}

/** @throws OptionError `option-invalid` */
export function checkWriter(call: string, writer: unknown): void {
  checkOption(
    `The writer of ${call}`,
    writer,
    isWriter(writer),
    'the writer of a stream, createLocalStream makes one',
  );
}

const isWriter = (writer: unknown): boolean => isObject(writer) && typeof writer.reserve === 'function';

type Members = Readonly<Record<string, (call: string, what: string, value: unknown) => void>>;

/** Of a box of texels, and of what is cleared. */
const MEMBERS: Members = {
  aspect: (call, what, value) => {
    if (!hasName('all, depth-only, stencil-only', String(value)))
      refuse(call, what, value, '"all", "depth-only" or "stencil-only"');
  },
  origin: checkOrigin,
  sourceOrigin: checkOrigin,
  color: (call, what, value) => checkNumbers(call, what, value, 4),
  depth: checkFinite,
  stencil: checkFinite,
  flipY: checkFlag,
  premultipliedAlpha: checkFlag,
};
const REGION =
  'width, height, depthOrArrayLayers, mipLevel, sourceMipLevel, sourceOrigin, origin, aspect, byteOffset, bytesPerRow, rowsPerImage, flipY, premultipliedAlpha';
const CLEAR = 'aspect, baseMipLevel, mipLevelCount, baseArrayLayer, arrayLayerCount, color, depth, stencil';

/** Of a write or copy. @throws RhiError `bad-argument` */
export function checkRegion(call: string, region: object): void {
  checkMembers(call, 'the region', region, REGION);
  checkWord(call, 'width', (region as { readonly width?: unknown }).width);
  checkWord(call, 'height', (region as { readonly height?: unknown }).height);
}

/** @throws RhiError `bad-argument` */
export function checkClear(call: string, clear: object): void {
  checkMembers(call, 'the values', clear, CLEAR);
}

function checkMembers(call: string, what: string, value: object, names: string): void {
  if (!isObject(value)) refuse(call, what, value, `an object with ${names}`);
  for (const name in value) {
    if (!hasName(names, name)) refuse(call, name, value[name], `only ${names}`);
    if (value[name] !== undefined) (MEMBERS[name] ?? checkWord)(call, name, value[name]);
  }
}

function checkOrigin(call: string, what: string, value: unknown): void {
  checkNumbers(call, what, value, 3);
}

function checkNumbers(call: string, what: string, value: unknown, count: number): void {
  const isRight = Array.isArray(value) && value.length === count && value.every(Number.isFinite);
  if (!isRight) refuse(call, what, value, `a list of ${count} numbers`);
}

function checkFlag(call: string, what: string, value: unknown): void {
  if (typeof value !== 'boolean') refuse(call, what, value, 'true or false');
}
