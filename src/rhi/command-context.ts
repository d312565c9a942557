/**
 * A context records commands as words; it holds no GPU object and never asks the GPU anything. One method per
 * command of the table; those called per draw write their words straight into the page and allocate nothing.
 *
 *   context.drawIndexed(36, 1, 0, 0, 0)  ──►  | header | 36 | 1 | 0 | 0 | 0 |  in the stream's current page
 *
 * Offsets and lengths are bytes where their name says so. Descriptors given to `begin…Pass` are encoded once
 * per object and remembered: treat them as immutable, and pass another object to say something else.
 */

import { writeDouble } from '../core/double-words.js';
import { RhiError } from '../core/errors.js';
import { PAGE_BYTES, type StreamWriter } from '../core/stream.js';
import { type QueueHint, RhiOpcode } from './commands.js';
import type {
  BindGroupHandle,
  BufferHandle,
  ComputePassDescriptor,
  ComputePipelineHandle,
  FenceHandle,
  GraphicsPipelineHandle,
  QuerySetHandle,
  RenderPassDescriptor,
  TextureClear,
  TextureHandle,
  TextureRegion,
} from './descriptors.js';
import { encodeJson, encodeText, writeRecord } from './record-fields.js';

/** Larger writes are split into records of this size, so that several fit in a page. */
export const INLINE_WRITE_BYTES = 32768;
/** Most bytes `reserveBufferWrite` takes: one page, less room for the record's own words. */
export const RESERVED_WRITE_BYTES = PAGE_BYTES - 64;

const NO_OFFSETS: ArrayLike<number> = [];
const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/** Of an ArrayBuffer, or of a view. */
interface DataParts {
  readonly byteLength?: number;
  readonly byteOffset?: number;
  readonly buffer?: ArrayBuffer;
}

export class CommandContext {
  /** Public for `reserveBufferWrite`: its views are where the bytes go. */
  readonly writer: StreamWriter;
  readonly #encodedDescriptors = new WeakMap<object, Uint32Array>();

  constructor(writer: StreamWriter) {
    this.writer = writer;
  }

  // Data

  /**
   * Copies the bytes into the stream. Offset and length are multiples of 4. Outside passes. Per frame.
   * @throws RhiError `bad-write`
   */
  writeBuffer(buffer: BufferHandle, byteOffset: number, data: ArrayBufferView | ArrayBuffer): void {
    // What is no object has no length either, and is refused for that.
    const parts: DataParts = Object(data);
    const { byteLength = Number.NaN, byteOffset: begin = 0, buffer: bytes = data as ArrayBuffer } = parts;
    this.#checkWrite(byteOffset, byteLength);
    if ((begin & 3) !== 0) {
      this.writeBuffer(buffer, byteOffset, bytes.slice(begin, begin + byteLength));
      return;
    }
    const source = new Uint32Array(bytes, begin, byteLength >> 2);
    for (let done = 0; done < byteLength; done += INLINE_WRITE_BYTES) {
      const bytes = Math.min(INLINE_WRITE_BYTES, byteLength - done);
      const index = this.reserveBufferWrite(buffer, byteOffset + done, bytes);
      const isWhole = bytes === byteLength;
      this.writer.words.set(isWhole ? source : source.subarray(done >> 2, (done + bytes) >> 2), index);
    }
  }

  /**
   * Makes room for a write and leaves filling it to the caller, at once: `writer.words`, `floats` and `ints`
   * from the returned index on. Per frame; allocates nothing.
   * @param byteLength a multiple of 4, at most `RESERVED_WRITE_BYTES`
   * @returns the index in `writer.words` of the first word of the data
   */
  reserveBufferWrite(buffer: BufferHandle, byteOffset: number, byteLength: number): number {
    this.#checkWrite(byteOffset, byteLength);
    if (byteLength > RESERVED_WRITE_BYTES) {
      throw new RhiError(
        'bad-write',
        `A reserved write takes at most ${RESERVED_WRITE_BYTES} bytes, not ${byteLength}. Split it, or send an attachment.`,
      );
    }
    const { writer } = this;
    const index = writer.reserve(RhiOpcode.writeBuffer, 3 + (byteLength >> 2));
    const { words } = writer;
    words[index] = buffer;
    words[index + 1] = byteOffset;
    words[index + 2] = byteLength;
    return index + 3;
  }

  /**
   * For big data: the ArrayBuffer is transferred beside the stream, and is empty here afterwards. Offsets and length
   * are multiples of 4.
   * @throws RhiError `bad-write`
   */
  writeBufferFromAttachment(
    buffer: BufferHandle,
    byteOffset: number,
    data: ArrayBuffer,
    dataByteOffset = 0,
    byteLength = data.byteLength - dataByteOffset,
  ): void {
    this.#checkWrite(byteOffset, byteLength);
    const leading = [buffer, byteOffset, dataByteOffset, byteLength];
    writeRecord(this.writer, RhiOpcode.writeBufferFromAttachment, leading, [], data);
  }

  /** Copies texels into the stream, laid out as the region says. Outside passes, as are all copies. */
  writeTexture(texture: TextureHandle, region: TextureRegion, data: Uint8Array): void {
    writeRecord(this.writer, RhiOpcode.writeTexture, [texture], [encodeJson(region), data]);
  }

  /** As `writeTexture`; the ArrayBuffer is transferred beside the stream, and is empty here afterwards. */
  writeTextureFromAttachment(texture: TextureHandle, region: TextureRegion, data: ArrayBuffer): void {
    writeRecord(this.writer, RhiOpcode.writeTextureFromAttachment, [texture], [encodeJson(region)], data);
  }

  /** The image is transferred beside the stream, and closed once it is copied. The texture needs `renderAttachment` too. */
  copyExternalImage(source: ImageBitmap, texture: TextureHandle, region: TextureRegion): void {
    writeRecord(this.writer, RhiOpcode.copyExternalImage, [texture], [encodeJson(region)], source);
  }

  /** Fills a range with zeros. Offset and length are multiples of 4. */
  clearBuffer(buffer: BufferHandle, byteOffset: number, byteLength: number): void {
    this.#write3(RhiOpcode.clearBuffer, buffer, byteOffset, byteLength);
  }

  /** Zeros, or what `clear` says, for all of the texture or a part. */
  clearTexture(texture: TextureHandle, clear: TextureClear = {}): void {
    writeRecord(this.writer, RhiOpcode.clearTexture, [texture], [encodeJson(clear)]);
  }

  /**
   * As `writeBuffer`, also inside a pass, but not ordered with the draws of its list: for ranges that nothing
   * pending reads, such as memory just renamed (SYSTEMS M1).
   */
  writeBufferUnordered(buffer: BufferHandle, byteOffset: number, data: Uint8Array): void {
    this.#checkWrite(byteOffset, data.byteLength);
    writeRecord(this.writer, RhiOpcode.writeBufferUnordered, [buffer, byteOffset], [data]);
  }

  /**
   * Gives the buffer new memory of the same size, zeroed. The handle stays; what was recorded before means the old
   * memory, what follows the new one, whatever bind group it is used through (SYSTEMS M1).
   */
  renameBuffer(buffer: BufferHandle): void {
    this.#write1(RhiOpcode.renameBuffer, buffer);
  }

  /** Two buffers, or ranges of one that do not overlap. Offsets and length are multiples of 4. */
  copyBufferToBuffer(
    source: BufferHandle,
    sourceByteOffset: number,
    target: BufferHandle,
    targetByteOffset: number,
    byteLength: number,
  ): void {
    this.#write5(
      RhiOpcode.copyBufferToBuffer,
      source,
      sourceByteOffset,
      target,
      targetByteOffset,
      byteLength,
    );
  }

  /** The region's `byteOffset`, `bytesPerRow` (a multiple of 256) and `rowsPerImage` say how the texels lie. */
  copyBufferToTexture(source: BufferHandle, target: TextureHandle, region: TextureRegion): void {
    writeRecord(this.writer, RhiOpcode.copyBufferToTexture, [source, target], [encodeJson(region)]);
  }

  /** As `copyBufferToTexture`, the other way. */
  copyTextureToBuffer(source: TextureHandle, target: BufferHandle, region: TextureRegion): void {
    writeRecord(this.writer, RhiOpcode.copyTextureToBuffer, [source, target], [encodeJson(region)]);
  }

  /** From the region's `sourceOrigin` and `sourceMipLevel` to its `origin` and `mipLevel`, without conversion. */
  copyTextureToTexture(source: TextureHandle, target: TextureHandle, region: TextureRegion): void {
    writeRecord(this.writer, RhiOpcode.copyTextureToTexture, [source, target], [encodeJson(region)]);
  }

  /** The bytes arrive as `onReadback(request, bytes)` once the GPU has written them. Offset and length: multiples of 4. */
  readBuffer(request: number, buffer: BufferHandle, byteOffset: number, byteLength: number): void {
    this.#write4(RhiOpcode.readBuffer, request, buffer, byteOffset, byteLength);
  }

  // Passes

  /** Per pass and frame; encoded once per descriptor object. */
  beginRenderPass(descriptor: RenderPassDescriptor): void {
    this.#writeDescriptor(RhiOpcode.beginRenderPass, descriptor);
  }

  endRenderPass(): void {
    this.writer.reserve(RhiOpcode.endRenderPass, 0);
  }

  beginComputePass(descriptor: ComputePassDescriptor): void {
    this.#writeDescriptor(RhiOpcode.beginComputePass, descriptor);
  }

  endComputePass(): void {
    this.writer.reserve(RhiOpcode.endComputePass, 0);
  }

  // State. Per draw: these allocate nothing.

  setGraphicsPipeline(pipeline: GraphicsPipelineHandle): void {
    this.#write1(RhiOpcode.setGraphicsPipeline, pipeline);
  }

  setComputePipeline(pipeline: ComputePipelineHandle): void {
    this.#write1(RhiOpcode.setComputePipeline, pipeline);
  }

  /**
   * @param groupIndex the `@group` of the shader
   * @param dynamicOffsets in bytes, one for each binding with `hasDynamicOffset`, by rising binding number; multiples
   *   of 256
   */
  setBindGroup(
    groupIndex: number,
    bindGroup: BindGroupHandle,
    dynamicOffsets: ArrayLike<number> = NO_OFFSETS,
  ): void {
    const count = dynamicOffsets.length;
    const { writer } = this;
    const index = writer.reserve(RhiOpcode.setBindGroup, 3 + count);
    const { words } = writer;
    words[index] = groupIndex;
    words[index + 1] = bindGroup;
    words[index + 2] = count;
    for (let i = 0; i < count; i++) words[index + 3 + i] = dynamicOffsets[i] ?? 0;
  }

  /** @param slot index in the pipeline's `vertex.buffers` @param byteOffset a multiple of 4 */
  setVertexBuffer(slot: number, buffer: BufferHandle, byteOffset: number, byteLength: number): void {
    this.#write4(RhiOpcode.setVertexBuffer, slot, buffer, byteOffset, byteLength);
  }

  /** @param byteOffset a multiple of the index's size */
  setIndexBuffer(
    buffer: BufferHandle,
    format: 'uint16' | 'uint32',
    byteOffset: number,
    byteLength: number,
  ): void {
    this.#write4(RhiOpcode.setIndexBuffer, buffer, format === 'uint32' ? 1 : 0, byteOffset, byteLength);
  }

  /** In pixels from the top left; depths 0 to 1. */
  setViewport(x: number, y: number, width: number, height: number, minDepth: number, maxDepth: number): void {
    const { writer } = this;
    const index = writer.reserve(RhiOpcode.setViewport, 6);
    const { floats } = writer;
    floats[index] = x;
    floats[index + 1] = y;
    floats[index + 2] = width;
    floats[index + 3] = height;
    floats[index + 4] = minDepth;
    floats[index + 5] = maxDepth;
  }

  /** In pixels from the top left, inside the attachments; nothing is drawn outside of it. */
  setScissorRect(x: number, y: number, width: number, height: number): void {
    this.#write4(RhiOpcode.setScissorRect, x, y, width, height);
  }

  /** What the pipeline's stencil operations compare with and write. 0 at a pass's begin. */
  setStencilRef(reference: number): void {
    this.#write1(RhiOpcode.setStencilRef, reference);
  }

  /** What the blend factors `constant` and `one-minus-constant` mean. Zeros at a pass's begin. */
  setBlendFactor(red: number, green: number, blue: number, alpha: number): void {
    const { writer } = this;
    const index = writer.reserve(RhiOpcode.setBlendFactor, 4);
    const { floats } = writer;
    floats[index] = red;
    floats[index + 1] = green;
    floats[index + 2] = blue;
    floats[index + 3] = alpha;
  }

  // Work. Per draw: these allocate nothing.

  /** Left out, and counted, when the pipeline is not ready or something that it needs is not set. So are all draws. */
  draw(vertexCount: number, instanceCount = 1, firstVertex = 0, firstInstance = 0): void {
    this.#write4(RhiOpcode.draw, vertexCount, instanceCount, firstVertex, firstInstance);
  }

  /** @param firstIndex in indices, not bytes @param baseVertex added to each index; may be negative */
  drawIndexed(
    indexCount: number,
    instanceCount = 1,
    firstIndex = 0,
    baseVertex = 0,
    firstInstance = 0,
  ): void {
    // A negative baseVertex keeps its bits when stored as an unsigned word.
    this.#write5(RhiOpcode.drawIndexed, indexCount, instanceCount, firstIndex, baseVertex, firstInstance);
  }

  /** The four arguments of `draw` from a buffer, as u32. @param byteOffset a multiple of 4 */
  drawIndirect(buffer: BufferHandle, byteOffset: number): void {
    this.#write2(RhiOpcode.drawIndirect, buffer, byteOffset);
  }

  /** The five arguments of `drawIndexed` from a buffer, 32 bits each. @param byteOffset a multiple of 4 */
  drawIndexedIndirect(buffer: BufferHandle, byteOffset: number): void {
    this.#write2(RhiOpcode.drawIndexedIndirect, buffer, byteOffset);
  }

  /** In workgroups, not invocations. */
  dispatch(x: number, y = 1, z = 1): void {
    this.#write3(RhiOpcode.dispatch, x, y, z);
  }

  /** The three arguments of `dispatch` from a buffer, as u32. @param byteOffset a multiple of 4 */
  dispatchIndirect(buffer: BufferHandle, byteOffset: number): void {
    this.#write2(RhiOpcode.dispatchIndirect, buffer, byteOffset);
  }

  // Queries and debugging

  /** Counts the samples that pass until `endOcclusionQuery`, into a query of the pass's `occlusionQuerySet`. */
  beginOcclusionQuery(queryIndex: number): void {
    this.#write1(RhiOpcode.beginOcclusionQuery, queryIndex);
  }

  endOcclusionQuery(): void {
    this.writer.reserve(RhiOpcode.endOcclusionQuery, 0);
  }

  /**
   * Writes results into a buffer with `queryResolve`, 8 bytes each: samples, or nanoseconds. Outside passes.
   * @param targetByteOffset a multiple of 256
   */
  resolveQuerySet(
    querySet: QuerySetHandle,
    firstQuery: number,
    queryCount: number,
    target: BufferHandle,
    targetByteOffset: number,
  ): void {
    this.#write5(RhiOpcode.resolveQuerySet, querySet, firstQuery, queryCount, target, targetByteOffset);
  }

  /** Names what follows, up to `popDebugGroup`, in GPU debuggers and traces. Groups nest, within a pass or outside. */
  pushDebugGroup(label: string): void {
    writeRecord(this.writer, RhiOpcode.pushDebugGroup, [], [encodeText(label)]);
  }

  popDebugGroup(): void {
    this.writer.reserve(RhiOpcode.popDebugGroup, 0);
  }

  /** Names one place, as a debug group does. */
  insertDebugMarker(label: string): void {
    writeRecord(this.writer, RhiOpcode.insertDebugMarker, [], [encodeText(label)]);
  }

  /** Stops a debugger on the device's thread, where one is attached. */
  debugBreak(): void {
    this.writer.reserve(RhiOpcode.debugBreak, 0);
  }

  /** What is set next is set anew, though it be the same; for code that went past the executor to the device. */
  invalidateCachedState(): void {
    this.writer.reserve(RhiOpcode.invalidateCachedState, 0);
  }

  // Order

  /**
   * What follows is meant for this queue (SYSTEMS H6). WebGPU has one, so the order stays; the validation layer
   * refuses what such a queue can't do.
   */
  setQueue(queue: QueueHint): void {
    this.#write1(RhiOpcode.setQueue, queue);
  }

  /**
   * The resource has been used as `before`, and is used as `after` from here on: bits of `BufferUsage` or
   * `TextureUsage`. WebGPU places its barriers itself; the validation layer compares with the real use.
   */
  transition(resource: BufferHandle | TextureHandle, before: number, after: number): void {
    this.#write3(RhiOpcode.transition, resource, before, after);
  }

  /**
   * The fence gets this value once the GPU has finished everything before. Ends the submission so far.
   * @param value whole, above all signalled before, at most 2^53 − 1
   */
  signalFence(fence: FenceHandle, value: number): void {
    this.#writeFence(RhiOpcode.signalFence, fence, value);
  }

  /** What follows is executed when the fence has reached the value. Ends the submission so far; blocks nobody. */
  waitFence(fence: FenceHandle, value: number): void {
    this.#writeFence(RhiOpcode.waitFence, fence, value);
  }

  /** Calls what the executor has registered under this name, on the device's thread, with a copy of the bytes. */
  localCommand(name: string, data: Uint8Array = NO_BYTES): void {
    writeRecord(this.writer, RhiOpcode.localCommand, [], [encodeText(name), data]);
  }

  #checkWrite(byteOffset: number, byteLength: number): void {
    if (((byteOffset | byteLength) & 3) !== 0 || !(byteOffset + byteLength >= 0)) {
      throw new RhiError(
        'bad-write',
        `A write of ${byteLength} bytes at ${byteOffset} was asked for. Give an ArrayBuffer or a view, and multiples of 4.`,
      );
    }
  }

  #writeDescriptor(opcode: number, descriptor: object): void {
    let encoded = this.#encodedDescriptors.get(descriptor);
    if (encoded === undefined) {
      const json = encodeJson(descriptor);
      encoded = new Uint32Array(1 + ((json.length + 3) >> 2));
      encoded[0] = json.length;
      new Uint8Array(encoded.buffer, 4).set(json);
      this.#encodedDescriptors.set(descriptor, encoded);
    }
    const index = this.writer.reserve(opcode, encoded.length);
    this.writer.words.set(encoded, index);
  }

  #writeFence(opcode: number, fence: FenceHandle, value: number): void {
    if (!(Number.isSafeInteger(value) && value >= 0)) {
      throw new RhiError(
        'bad-fence-value',
        `A fence takes whole numbers from 0 to 2^53 − 1, not ${value}. Signal one.`,
      );
    }
    const index = this.writer.reserve(opcode, 3);
    this.writer.words[index] = fence;
    writeDouble(this.writer.words, index + 1, value);
  }

  #write1(opcode: number, a: number): void {
    const index = this.writer.reserve(opcode, 1);
    this.writer.words[index] = a;
  }

  #write2(opcode: number, a: number, b: number): void {
    const index = this.writer.reserve(opcode, 2);
    const { words } = this.writer;
    words[index] = a;
    words[index + 1] = b;
  }

  #write3(opcode: number, a: number, b: number, c: number): void {
    const index = this.writer.reserve(opcode, 3);
    const { words } = this.writer;
    words[index] = a;
    words[index + 1] = b;
    words[index + 2] = c;
  }

  #write4(opcode: number, a: number, b: number, c: number, d: number): void {
    const index = this.writer.reserve(opcode, 4);
    const { words } = this.writer;
    words[index] = a;
    words[index + 1] = b;
    words[index + 2] = c;
    words[index + 3] = d;
  }

  #write5(opcode: number, a: number, b: number, c: number, d: number, e: number): void {
    const index = this.writer.reserve(opcode, 5);
    const { words } = this.writer;
    words[index] = a;
    words[index + 1] = b;
    words[index + 2] = c;
    words[index + 3] = d;
    words[index + 4] = e;
  }
}
