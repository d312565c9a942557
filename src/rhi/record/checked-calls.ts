/**
 * A context's calls with checks of what they are given, and the methods that WebGPU has nothing for. All contexts of
 * `fencepost/rhi` have them; the engine's worker carries none.
 *
 *   CommandContext ─► CheckedCalls ─► DeferredContext, draw bundles
 *   ImmediateContext ─► CheckedImmediateContext, with the same calls ─► DescribedContext ─► CompleteImmediateContext
 *
 * Data of a frame, or of a deferred list, beyond `INLINE_BYTES` travels beside the stream: pages have a limit, and what
 * records much without a pause would meet it. Which data that is depends on the calls alone.
 */

import type { StreamWriter } from '../../core/stream.js';
import type { QueueHint } from '../commands/commands.js';
import type {
  BufferHandle,
  ComputePassDescriptor,
  FenceHandle,
  QuerySetHandle,
  RenderPassDescriptor,
  TextureClear,
  TextureHandle,
  TextureRegion,
} from '../commands/descriptors.js';
import { describeHandle } from '../commands/handles.js';
import {
  type UnsupportedCommand,
  unsupported,
  unsupportedCommands,
} from '../commands/unsupported-commands.js';
import {
  asBytes,
  checkArrayBuffer,
  checkAttached,
  checkClear,
  checkFinite,
  checkHandle,
  checkImage,
  checkRegion,
  checkText,
  checkWord,
  isData,
  isHandle,
  isWord,
  refuse,
} from './call-checks.js';
import { CommandContext } from './command-context.js';
import { checkWrite } from './data-commands.js';
import { checkPass } from './descriptor-checks.js';
import { ImmediateContext, type ImmediateContextOptions } from './immediate-context.js';

/** Bytes of records since a frame or list began, from which on data goes beside the stream. */
export const INLINE_BYTES = 8 * 2 ** 20;
/** Less goes into the stream nevertheless. */
const BESIDE_BYTES = 4096;

/** How much had been written when the frame, or the list, began. */
const beginnings = /* @__PURE__ */ new WeakMap<CommandContext, number>();

/** A frame, or a list, begins. */
export function beginInlineData(context: CommandContext): void {
  beginnings.set(context, context.writer.bytesWritten);
}

function goesBeside(context: CommandContext, byteLength: number): boolean {
  if (byteLength < BESIDE_BYTES) return false;
  return context.writer.bytesWritten - (beginnings.get(context) ?? 0) + byteLength > INLINE_BYTES;
}

/** For messages: the call, and what it is about, with its label where that is known. */
function callOf(context: CommandContext, name: string, handle: number): string {
  if (!isHandle(handle)) return name;
  const label = context instanceof ImmediateContext ? context.handles.label(handle) : '';
  return `${name} of the ${describeHandle(handle, label)}`;
}

/** Not per draw: those calls are what they are. */
export class CheckedCalls extends CommandContext {
  constructor(writer: StreamWriter) {
    super(writer);
    addUnsupported(CheckedCalls.prototype);
  }

  override writeBuffer(buffer: BufferHandle, byteOffset: number, data: ArrayBufferView | ArrayBuffer): void {
    if (!isHandle(buffer)) checkHandle('writeBuffer', 'the buffer', buffer);
    const byteLength = isData(data) ? data.byteLength : Number.NaN;
    checkWrite(byteOffset, byteLength);
    if (byteLength === 0) checkAttached(callOf(this, 'writeBuffer', buffer), data);
    if (goesBeside(this, byteLength)) {
      super.writeBufferFromAttachment(
        buffer,
        byteOffset,
        new Uint8Array(asBytes('writeBuffer', data)).buffer,
      );
    } else super.writeBuffer(buffer, byteOffset, data);
  }

  override writeBufferFromAttachment(
    buffer: BufferHandle,
    byteOffset: number,
    data: ArrayBuffer,
    dataByteOffset = 0,
    byteLength = data?.byteLength - dataByteOffset,
  ): void {
    const call = callOf(this, 'writeBufferFromAttachment', buffer);
    checkHandle(call, 'the buffer', buffer);
    checkArrayBuffer(call, data);
    checkWord(call, 'dataByteOffset', dataByteOffset);
    if (!(isWord(byteLength) && dataByteOffset + byteLength <= data.byteLength))
      refuse(call, 'byteLength', byteLength, `at most what is left of the data’s ${data.byteLength} bytes`);
    super.writeBufferFromAttachment(buffer, byteOffset, data, dataByteOffset, byteLength);
  }

  override writeTexture(texture: TextureHandle, region: TextureRegion, data: Uint8Array): void {
    const call = callOf(this, 'writeTexture', texture);
    checkHandle(call, 'the texture', texture);
    checkRegion(call, region);
    const bytes = asBytes(call, data);
    if (goesBeside(this, bytes.length)) {
      super.writeTextureFromAttachment(texture, region, new Uint8Array(bytes).buffer);
    } else super.writeTexture(texture, region, bytes);
  }

  override writeTextureFromAttachment(
    texture: TextureHandle,
    region: TextureRegion,
    data: ArrayBuffer,
  ): void {
    const call = callOf(this, 'writeTextureFromAttachment', texture);
    checkHandle(call, 'the texture', texture);
    checkRegion(call, region);
    checkArrayBuffer(call, data);
    super.writeTextureFromAttachment(texture, region, data);
  }

  override copyExternalImage(source: ImageBitmap, texture: TextureHandle, region: TextureRegion): void {
    const call = callOf(this, 'copyExternalImage', texture);
    checkImage(call, source);
    checkHandle(call, 'the texture', texture);
    checkRegion(call, region);
    super.copyExternalImage(source, texture, region);
  }

  override clearBuffer(buffer: BufferHandle, byteOffset: number, byteLength: number): void {
    if (!(isHandle(buffer) && isWord(byteOffset) && isWord(byteLength))) {
      const call = callOf(this, 'clearBuffer', buffer);
      checkHandle(call, 'the buffer', buffer);
      checkWord(call, 'byteOffset', byteOffset);
      checkWord(call, 'byteLength', byteLength);
    }
    super.clearBuffer(buffer, byteOffset, byteLength);
  }

  override clearTexture(texture: TextureHandle, clear: TextureClear = {}): void {
    const call = callOf(this, 'clearTexture', texture);
    checkHandle(call, 'the texture', texture);
    checkClear(call, clear);
    super.clearTexture(texture, clear);
  }

  override writeBufferUnordered(buffer: BufferHandle, byteOffset: number, data: Uint8Array): void {
    const call = callOf(this, 'writeBufferUnordered', buffer);
    checkHandle(call, 'the buffer', buffer);
    super.writeBufferUnordered(buffer, byteOffset, asBytes(call, data));
  }

  override renameBuffer(buffer: BufferHandle): void {
    checkHandle('renameBuffer', 'the buffer', buffer);
    super.renameBuffer(buffer);
  }

  override copyBufferToBuffer(
    source: BufferHandle,
    sourceByteOffset: number,
    target: BufferHandle,
    targetByteOffset: number,
    byteLength: number,
  ): void {
    const areHandles = isHandle(source) && isHandle(target);
    const areWords = isWord(sourceByteOffset) && isWord(targetByteOffset) && isWord(byteLength);
    if (!(areHandles && areWords)) {
      const call = callOf(this, 'copyBufferToBuffer', source);
      checkHandle(call, 'the source', source);
      checkHandle(call, 'the target', target);
      checkWord(call, 'sourceByteOffset', sourceByteOffset);
      checkWord(call, 'targetByteOffset', targetByteOffset);
      checkWord(call, 'byteLength', byteLength);
    }
    super.copyBufferToBuffer(source, sourceByteOffset, target, targetByteOffset, byteLength);
  }

  override copyBufferToTexture(source: BufferHandle, target: TextureHandle, region: TextureRegion): void {
    checkCopy(this, 'copyBufferToTexture', source, target, region);
    super.copyBufferToTexture(source, target, region);
  }

  override copyTextureToBuffer(source: TextureHandle, target: BufferHandle, region: TextureRegion): void {
    checkCopy(this, 'copyTextureToBuffer', source, target, region);
    super.copyTextureToBuffer(source, target, region);
  }

  override copyTextureToTexture(source: TextureHandle, target: TextureHandle, region: TextureRegion): void {
    checkCopy(this, 'copyTextureToTexture', source, target, region);
    super.copyTextureToTexture(source, target, region);
  }

  override beginRenderPass(descriptor: RenderPassDescriptor): void {
    checkPass('render pass', descriptor);
    super.beginRenderPass(descriptor);
  }

  override beginComputePass(descriptor: ComputePassDescriptor): void {
    checkPass('compute pass', descriptor);
    super.beginComputePass(descriptor);
  }

  override readBuffer(request: number, buffer: BufferHandle, byteOffset: number, byteLength: number): void {
    const call = callOf(this, 'readBuffer', buffer);
    checkWord(call, 'the request', request);
    checkHandle(call, 'the buffer', buffer);
    checkWord(call, 'byteOffset', byteOffset);
    checkWord(call, 'byteLength', byteLength);
    super.readBuffer(request, buffer, byteOffset, byteLength);
  }

  override setViewport(
    x: number,
    y: number,
    width: number,
    height: number,
    minDepth: number,
    maxDepth: number,
  ): void {
    checkFinite('setViewport', 'x', x);
    checkFinite('setViewport', 'y', y);
    checkFinite('setViewport', 'width', width);
    checkFinite('setViewport', 'height', height);
    checkFinite('setViewport', 'minDepth', minDepth);
    checkFinite('setViewport', 'maxDepth', maxDepth);
    super.setViewport(x, y, width, height, minDepth, maxDepth);
  }

  override setScissorRect(x: number, y: number, width: number, height: number): void {
    checkWord('setScissorRect', 'x', x);
    checkWord('setScissorRect', 'y', y);
    checkWord('setScissorRect', 'width', width);
    checkWord('setScissorRect', 'height', height);
    super.setScissorRect(x, y, width, height);
  }

  override setStencilRef(reference: number): void {
    checkWord('setStencilRef', 'the reference', reference);
    super.setStencilRef(reference);
  }

  override setBlendFactor(red: number, green: number, blue: number, alpha: number): void {
    checkFinite('setBlendFactor', 'red', red);
    checkFinite('setBlendFactor', 'green', green);
    checkFinite('setBlendFactor', 'blue', blue);
    checkFinite('setBlendFactor', 'alpha', alpha);
    super.setBlendFactor(red, green, blue, alpha);
  }

  override beginOcclusionQuery(queryIndex: number): void {
    checkWord('beginOcclusionQuery', 'the query’s index', queryIndex);
    super.beginOcclusionQuery(queryIndex);
  }

  override resolveQuerySet(
    querySet: QuerySetHandle,
    firstQuery: number,
    queryCount: number,
    target: BufferHandle,
    targetByteOffset: number,
  ): void {
    const call = callOf(this, 'resolveQuerySet', querySet);
    checkHandle(call, 'the query set', querySet);
    checkWord(call, 'firstQuery', firstQuery);
    checkWord(call, 'queryCount', queryCount);
    checkHandle(call, 'the target', target);
    checkWord(call, 'targetByteOffset', targetByteOffset);
    super.resolveQuerySet(querySet, firstQuery, queryCount, target, targetByteOffset);
  }

  override pushDebugGroup(label: string): void {
    checkText('pushDebugGroup', 'the label', label);
    super.pushDebugGroup(label);
  }

  override insertDebugMarker(label: string): void {
    checkText('insertDebugMarker', 'the label', label);
    super.insertDebugMarker(label);
  }

  override setQueue(queue: QueueHint): void {
    checkWord('setQueue', 'the queue', queue);
    super.setQueue(queue);
  }

  override transition(resource: BufferHandle | TextureHandle, before: number, after: number): void {
    const call = callOf(this, 'transition', resource);
    checkHandle(call, 'the resource', resource);
    checkWord(call, 'before', before);
    checkWord(call, 'after', after);
    super.transition(resource, before, after);
  }

  override signalFence(fence: FenceHandle, value: number): void {
    checkHandle('signalFence', 'the fence', fence);
    super.signalFence(fence, value);
  }

  override waitFence(fence: FenceHandle, value: number): void {
    checkHandle('waitFence', 'the fence', fence);
    super.waitFence(fence, value);
  }

  override localCommand(name: string, data?: Uint8Array): void {
    checkText('localCommand', 'the name', name);
    super.localCommand(name, data === undefined ? data : asBytes(`localCommand "${name}"`, data));
  }
}

/** As `CheckedCalls`, with handles of its own. */
export class CheckedImmediateContext extends ImmediateContext {
  constructor(writer: StreamWriter, options: ImmediateContextOptions) {
    super(writer, options);
    addChecks(CheckedImmediateContext.prototype);
  }
}

/**
 * Gives the checked calls to another heir of `CommandContext`, which must not override these calls itself. When the first
 * one is made, not when this module is: a bundler keeps what a module does, used or not.
 */
function addChecks(prototype: CommandContext): void {
  if (Object.hasOwn(prototype, 'writeBuffer')) return;
  const { constructor: _, ...calls } = Object.getOwnPropertyDescriptors(CheckedCalls.prototype);
  Object.defineProperties(prototype, calls);
  addUnsupported(prototype);
}

function addUnsupported(prototype: CommandContext): void {
  for (const name of Object.keys(unsupportedCommands)) {
    if (Object.hasOwn(prototype, name)) return;
    Object.defineProperty(prototype, name, { value: () => unsupported(name as UnsupportedCommand) });
  }
}

function checkCopy(
  context: CommandContext,
  name: string,
  source: number,
  target: number,
  region: TextureRegion,
): void {
  const call = callOf(context, name, source);
  checkHandle(call, 'the source', source);
  checkHandle(call, 'the target', target);
  checkRegion(call, region);
}
