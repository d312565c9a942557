/**
 * Reads a capture's file, which may come from anywhere: whatever is cut off, changed or inserted in it, the answer is
 * a capture that executors can run, or a typed error. Checks go from the outside in.
 *
 *   header ─► sections: order, bounds, checksums ─► records ─► rows: bounds, handles, sizes
 */
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
import {
  ATTACHMENT_ROW_WORDS,
  type Capture,
  type CapturedAttachment,
  type CapturedContent,
  type CapturedRenderCommands,
  CONTENT_ROW_WORDS,
  SectionKind,
} from './capture-file.js';
import { checkRecords, corrupt } from './check-records.js';
import { bytesOf, jsonOf, readSections, type Sections, wordsOf } from './read-sections.js';

/** Opcodes that create, with the kind of resource; all have the handle first. */
const CREATED_KINDS: ReadonlyMap<number, ResourceKind> = new Map([
  [RhiOpcode.createBuffer, ResourceKind.buffer],
  [RhiOpcode.createTexture, ResourceKind.texture],
  [RhiOpcode.createSampler, ResourceKind.sampler],
  [RhiOpcode.createShaderModule, ResourceKind.shaderModule],
  [RhiOpcode.createBindGroupLayout, ResourceKind.bindGroupLayout],
  [RhiOpcode.createBindGroup, ResourceKind.bindGroup],
  [RhiOpcode.createGraphicsPipeline, ResourceKind.graphicsPipeline],
  [RhiOpcode.createComputePipeline, ResourceKind.computePipeline],
  [RhiOpcode.createQuerySet, ResourceKind.querySet],
  [RhiOpcode.createFence, ResourceKind.fence],
  [RhiOpcode.createDrawBundle, ResourceKind.drawBundle],
]);

/** @throws RhiError `capture-format`, `capture-version`, `capture-truncated`, `capture-corrupt` */
export function decodeCapture(file: ArrayBuffer): Capture {
  const sections = readSections(file);
  const { capabilities, notes } = information(jsonOf(sections, SectionKind.information));
  const creations = wordsOf(sections, SectionKind.creations);
  const created = checkCreations(creations);
  const contents = readContents(sections, created);
  const stream = wordsOf(sections, SectionKind.stream);
  const attachments = readAttachments(sections);
  checkStream(stream, new Set(attachments.map(({ number }) => number)));
  return {
    capabilities,
    notes,
    creations,
    contents,
    stream,
    attachments,
    renderCommands: renderCommands(sections),
  };
}

function information({
  capabilities,
  notes,
}: Readonly<Record<string, unknown>>): Pick<Capture, 'capabilities' | 'notes'> {
  const { backend, adapter, surfaceFormat, features, limits } = (capabilities ??
    {}) as Partial<RhiCapabilities>;
  const isSound =
    (backend === 'webgpu' || backend === 'null') &&
    typeof adapter === 'string' &&
    (surfaceFormat === 'rgba8unorm' || surfaceFormat === 'bgra8unorm') &&
    isTextList(features) &&
    typeof limits === 'object' &&
    limits !== null;
  if (!isSound || !isTextList(notes)) throw corrupt('it does not say what device it was made on');
  return { capabilities: capabilities as RhiCapabilities, notes };
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

type Descriptors = Map<number, unknown>;

/** The descriptors of what the creations leave alive, by handle. */
function checkCreations(words: Uint32Array): Descriptors {
  const alive: Descriptors = new Map();
  checkRecords(words, 'its creations', ({ opcode, fields, json }) => {
    const handle = words[fields];
    const kind = CREATED_KINDS.get(opcode);
    if (kind !== undefined) {
      checkCreation(handle, kind, json);
      alive.set(handle, json);
    } else if (opcode === RhiOpcode.destroyResource) alive.delete(handle);
    else throw corrupt('its creations hold a record that creates nothing');
  });
  return alive;
}

function checkCreation(handle: number, kind: ResourceKind, json: unknown): void {
  if (handleKind(handle) !== kind) throw corrupt(`the handle ${handle} is not of the kind that is created`);
  if (json === undefined) return;
  const { label, usage } = json as { label?: unknown; usage?: unknown };
  if (typeof label !== 'string') throw corrupt('a resource has no label');
  const hasUsage = kind === ResourceKind.buffer || kind === ResourceKind.texture;
  if (hasUsage && typeof usage !== 'number') throw corrupt(`the resource "${label}" does not say its usage`);
}

interface Row {
  readonly first: number;
  readonly second: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Rows lie one behind the other, without gaps, as they were written. */
function readRows(sections: Sections, rowKind: number, byteKind: number, rowWords: number): Row[] {
  const table = wordsOf(sections, rowKind);
  const bytes = bytesOf(sections, byteKind);
  if (table.length % rowWords !== 0) throw corrupt(`section ${rowKind} has no whole number of rows`);
  const rows: Row[] = [];
  let expected = 0;
  for (let at = 0; at < table.length; at += rowWords) {
    const [first, second, byteOffset, byteLength] = table.subarray(at, at + rowWords);
    const end = byteOffset + byteLength;
    if (byteOffset !== expected || end > bytes.length)
      throw corrupt(`a row of section ${rowKind} lies outside`);
    rows.push({ first, second, bytes: bytes.subarray(byteOffset, end) });
    expected = Math.ceil(end / 4) * 4;
  }
  if (expected !== bytes.length) throw corrupt(`section ${byteKind} is longer than its rows`);
  return rows;
}

function readContents(sections: Sections, created: Descriptors): CapturedContent[] {
  const seen = new Set<string>();
  const rows = readRows(sections, SectionKind.contentRows, SectionKind.contentBytes, CONTENT_ROW_WORDS);
  return rows.map(({ first: handle, second: mipLevel, bytes }) => {
    const descriptor = created.get(handle);
    const key = `${handle} ${mipLevel}`;
    if (bytes.length !== contentBytes(handle, mipLevel, descriptor) || seen.has(key)) {
      throw corrupt(`the content of handle ${handle} is not what its resource can hold`);
    }
    seen.add(key);
    return { handle, mipLevel, bytes };
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

function readAttachments(sections: Sections): CapturedAttachment[] {
  const rows = readRows(
    sections,
    SectionKind.attachmentRows,
    SectionKind.attachmentBytes,
    ATTACHMENT_ROW_WORDS,
  );
  const numbers = new Set<number>();
  return rows.map(({ first: number, second: kind, bytes }) => {
    if ((kind !== 0 && kind !== 1) || numbers.has(number)) throw corrupt(`attachment ${number} is not sound`);
    numbers.add(number);
    return { number, kind, bytes };
  });
}

/** @param attachments the numbers that are there; each may be named once */
function checkStream(words: Uint32Array, attachments: Set<number>): void {
  checkRecords(words, 'its frames', ({ opcode, fields, json }) => {
    if (fields === 1 && opcode !== RhiOpcode.beginFrame)
      throw corrupt('its frames do not begin with a frame');
    const first = words[fields];
    const kind = CREATED_KINDS.get(opcode);
    if (kind !== undefined) checkCreation(first, kind, json);
    if (opcode === RhiOpcode.beginRenderPass) checkPass(json as Partial<RenderPassDescriptor>);
    if (ATTACHMENT_OPCODES.has(opcode) && !attachments.delete(first)) {
      throw corrupt(`a record names attachment ${first}, which is not there`);
    }
  });
}

/** What shows a pass's target relies on this. */
function checkPass({ colorAttachments, depthStencilAttachment }: Partial<RenderPassDescriptor>): void {
  const isView = (view: unknown): boolean => typeof view === 'object' && view !== null;
  const isColor = (color: unknown): boolean => {
    if (color === null) return true;
    const { view, resolveTarget } = color as Partial<ColorAttachment>;
    return isView(view) && (resolveTarget === undefined || isView(resolveTarget));
  };
  const hasColors = Array.isArray(colorAttachments) && colorAttachments.every(isColor);
  const hasDepth = depthStencilAttachment === undefined || isView(depthStencilAttachment?.view);
  if (!hasColors || !hasDepth) throw corrupt('a render pass does not say what it draws to');
}

const ATTACHMENT_OPCODES: ReadonlySet<number> = new Set([
  RhiOpcode.writeBufferFromAttachment,
  RhiOpcode.writeTextureFromAttachment,
  RhiOpcode.copyExternalImage,
]);

function renderCommands(sections: Sections): CapturedRenderCommands | null {
  if (!sections.has(SectionKind.renderInformation)) return null;
  const { names } = jsonOf(sections, SectionKind.renderInformation);
  if (!isTextList(names)) throw corrupt('its render commands have no names');
  const stream = wordsOf(sections, SectionKind.renderStream);
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
