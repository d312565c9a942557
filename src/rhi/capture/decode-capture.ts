/**
 * Reads a capture's file, which may come from anywhere: whatever is cut off, changed or inserted in it, the answer is
 * a capture that executors can run, or a typed error. Checks go from the outside in.
 *
 *   header, checksum ─► manifest, bounds ─► records ─► contents: handles, sizes
 */
import { isObject } from '../../core/option-names.js';
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands/commands.js';
import type {
  BufferDescriptor,
  ColorAttachment,
  RenderPassDescriptor,
  RhiCapabilities,
  TextureDescriptor,
} from '../commands/descriptors.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import { levelLayout } from '../commands/texel-levels.js';
import type {
  Capture,
  CapturedAttachment,
  CapturedContent,
  CapturedRenderCommands,
  Manifest,
} from './capture-file.js';
import { type CheckedRecord, checkRecords, corrupt } from './check-records.js';
import { type CaptureParts, isBuffer, noCapture, readFile } from './read-file.js';

/** A capture as whoever replays it has it: a file as `stop` of `RhiCapture` gives it, bytes of one, or decoded. */
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

/** @throws RhiError `capture-format`, `capture-version`, `capture-truncated`, `capture-corrupt` */
export function decodeCapture(file: ArrayBuffer): Capture {
  const { manifest, parts } = readFile(file);
  const { capabilities, notes, creations, stream, contents, attachments, renderCommands } =
    manifest as Manifest;
  if (!areCapabilities(capabilities) || !isTextList(notes)) {
    throw corrupt('it does not say what device it was made on');
  }
  const creationWords = parts.words(creations);
  const streamWords = parts.words(stream);
  const capture: Capture = {
    capabilities,
    notes,
    creations: creationWords,
    stream: streamWords,
    contents: readContents(contents, parts, checkCreations(creationWords)),
    attachments: readAttachments(attachments, parts),
    renderCommands: renderCommands && readRenderCommands(renderCommands, parts),
  };
  parts.end();
  checkStream(streamWords, new Set(capture.attachments.map(({ number }) => number)));
  return capture;
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

/** The descriptors of what the creations leave alive, by handle. */
function checkCreations(words: Uint32Array): ReadonlyMap<number, unknown> {
  const alive = new Map<number, unknown>();
  checkRecords(words, 'its creations', (record) => {
    const { fact, first, json } = record;
    if (fact.creates !== 0) {
      checkCreation(record);
      alive.set(first, json);
    } else if (fact.name === 'destroyResource') alive.delete(first);
    else throw corrupt('its creations hold a record that creates nothing');
  });
  return alive;
}

function checkCreation({ fact, first: handle, json }: CheckedRecord): void {
  const kind = fact.creates;
  if (handleKind(handle) !== kind) throw corrupt(`the handle ${handle} is not of the kind that is created`);
  if (json === undefined) return;
  const { label, usage } = json as { label?: unknown; usage?: unknown };
  if (typeof label !== 'string') throw corrupt('a resource has no label');
  const hasUsage = kind === ResourceKind.buffer || kind === ResourceKind.texture;
  if (hasUsage && typeof usage !== 'number') throw corrupt(`the resource "${label}" does not say its usage`);
}

/** Three numbers each, of which the last is a length in bytes. */
function rowsOf(rows: Manifest['contents'], what: string): Manifest['contents'] {
  const areRows =
    Array.isArray(rows) && rows.every((row) => Array.isArray(row) && row.every(Number.isInteger));
  if (!areRows) throw corrupt(`it does not say what ${what} it has`);
  return rows;
}

function readContents(
  rows: Manifest['contents'],
  parts: CaptureParts,
  created: ReadonlyMap<number, unknown>,
): CapturedContent[] {
  const seen = new Set<string>();
  return rowsOf(rows, 'contents').map(([handle, mipLevel, byteLength]) => {
    const key = `${handle} ${mipLevel}`;
    if (byteLength !== contentBytes(handle, mipLevel, created.get(handle)) || seen.has(key)) {
      throw corrupt(`the content of handle ${handle} is not what its resource can hold`);
    }
    seen.add(key);
    return { handle, mipLevel, bytes: parts.bytes(byteLength) };
  });
}

/** How many bytes a resource's content has in the file; NaN when it can have none. */
function contentBytes(handle: number, mipLevel: number, descriptor: unknown): number {
  if (descriptor === undefined) return Number.NaN;
  if (handleKind(handle) === ResourceKind.texture) {
    return levelLayout(descriptor as TextureDescriptor, mipLevel)?.byteLength ?? Number.NaN;
  }
  if (handleKind(handle) !== ResourceKind.buffer || mipLevel !== 0) return Number.NaN;
  const { byteLength } = descriptor as BufferDescriptor;
  return typeof byteLength === 'number' ? Math.floor(byteLength / 4) * 4 : Number.NaN;
}

function readAttachments(rows: Manifest['attachments'], parts: CaptureParts): CapturedAttachment[] {
  const numbers = new Set<number>();
  return rowsOf(rows, 'attachments').map(([number, kind, byteLength]) => {
    if ((kind !== 0 && kind !== 1) || numbers.has(number)) throw corrupt(`attachment ${number} is not sound`);
    numbers.add(number);
    return { number, kind, bytes: parts.bytes(byteLength) };
  });
}

/** @param attachments the numbers that are there; each may be named once */
function checkStream(words: Uint32Array, attachments: Set<number>): void {
  if (words.length > 0 && (words[0] & 0xff) !== RhiOpcode.beginFrame) {
    throw corrupt('its frames do not begin with a frame');
  }
  checkRecords(words, 'its frames', (record) => {
    const { fact, first, json } = record;
    if (fact.creates !== 0) checkCreation(record);
    if (fact.name === 'beginRenderPass') checkPass(json as Partial<RenderPassDescriptor>);
    if (fact.fields[0]?.brings !== undefined && !attachments.delete(first)) {
      throw corrupt(`a record names attachment ${first}, which is not there`);
    }
  });
}

/** What shows a pass's target relies on this. */
function checkPass({ colorAttachments, depthStencilAttachment }: Partial<RenderPassDescriptor>): void {
  const isColor = (color: unknown): boolean => {
    if (color === null) return true;
    const { view, resolveTarget } = color as Partial<ColorAttachment>;
    return isObject(view) && (resolveTarget === undefined || isObject(resolveTarget));
  };
  const hasColors = Array.isArray(colorAttachments) && colorAttachments.every(isColor);
  const hasDepth = depthStencilAttachment === undefined || isObject(depthStencilAttachment?.view);
  if (!hasColors || !hasDepth) throw corrupt('a render pass does not say what it draws to');
}

function readRenderCommands(
  { names, byteLength }: NonNullable<Manifest['renderCommands']>,
  parts: CaptureParts,
): CapturedRenderCommands {
  if (!isTextList(names)) throw corrupt('its render commands have no names');
  const stream = parts.words(byteLength);
  for (let at = 0; at < stream.length; ) {
    const opcode = stream[at] & 0xff;
    const end = at + (stream[at] >>> HEADER_LENGTH_SHIFT);
    if (opcode === 0 || opcode >= names.length || end <= at || end > stream.length) {
      throw corrupt(`its render commands hold no record at word ${at}`);
    }
    at = end;
  }
  return { names, stream };
}
