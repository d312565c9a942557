/**
 * A context records commands as words; it holds no GPU object and never asks the GPU anything. One method per
 * command of the table; those called per draw write their words straight into the page and allocate nothing.
 *
 *   context.drawIndexed(36, 1, 0, 0, 0)  ──►  | header | 36 | 1 | 0 | 0 | 0 |  in the stream's current page
 *
 * Offsets and lengths are bytes where their name says so. Descriptors given to `begin…Pass` are encoded once
 * per object and remembered: treat them as immutable, and pass another object to say something else.
 */

import { writeDouble } from '../../core/double-words.js';
import { RhiError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/stream.js';
import { type QueueHint, RhiOpcode } from '../commands/commands.js';
import type {
  BindGroupHandle,
  BufferHandle,
  ComputePassDescriptor,
  ComputePipelineHandle,
  FenceHandle,
  GraphicsPipelineHandle,
  QuerySetHandle,
  RenderPassDescriptor,
  TextureHandle,
} from '../commands/descriptors.js';
import { describeHandle } from '../commands/handles.js';
import { encodeJson, encodeText, writeRecord } from '../commands/record-fields.js';
import { write1, write2, write3, write4, write5 } from '../commands/record-words.js';
import { DataCommands } from './data-commands.js';

const NO_OFFSETS: ArrayLike<number> = [];
const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

export class CommandContext extends DataCommands {
  readonly #encodedDescriptors = new WeakMap<object, Uint32Array>();

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
    write1(this.writer, RhiOpcode.setGraphicsPipeline, pipeline);
  }

  setComputePipeline(pipeline: ComputePipelineHandle): void {
    write1(this.writer, RhiOpcode.setComputePipeline, pipeline);
  }

  /**
   * @param groupIndex the `@group` of the shader
   * @param dynamicOffsets in bytes, one for each binding with `hasDynamicOffset`, by rising binding number; multiples
   *   of 256
   * @throws RhiError `bad-argument` for what is no list
   */
  setBindGroup(
    groupIndex: number,
    bindGroup: BindGroupHandle,
    dynamicOffsets: ArrayLike<number> = NO_OFFSETS,
  ): void {
    // Most groups have none; the others are written elsewhere, to keep what is called per draw small.
    if (dynamicOffsets === NO_OFFSETS) write3(this.writer, RhiOpcode.setBindGroup, groupIndex, bindGroup, 0);
    else writeBindGroup(this.writer, groupIndex, bindGroup, dynamicOffsets);
  }

  /** @param slot index in the pipeline's `vertex.buffers` @param byteOffset a multiple of 4 */
  setVertexBuffer(slot: number, buffer: BufferHandle, byteOffset: number, byteLength: number): void {
    write4(this.writer, RhiOpcode.setVertexBuffer, slot, buffer, byteOffset, byteLength);
  }

  /** @param byteOffset a multiple of the index's size */
  setIndexBuffer(
    buffer: BufferHandle,
    format: 'uint16' | 'uint32',
    byteOffset: number,
    byteLength: number,
  ): void {
    write4(
      this.writer,
      RhiOpcode.setIndexBuffer,
      buffer,
      format === 'uint32' ? 1 : 0,
      byteOffset,
      byteLength,
    );
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
    write4(this.writer, RhiOpcode.setScissorRect, x, y, width, height);
  }

  /** What the pipeline's stencil operations compare with and write. 0 at a pass's begin. */
  setStencilRef(reference: number): void {
    write1(this.writer, RhiOpcode.setStencilRef, reference);
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
    write4(this.writer, RhiOpcode.draw, vertexCount, instanceCount, firstVertex, firstInstance);
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
    write5(
      this.writer,
      RhiOpcode.drawIndexed,
      indexCount,
      instanceCount,
      firstIndex,
      baseVertex,
      firstInstance,
    );
  }

  /** The four arguments of `draw` from a buffer, as u32. @param byteOffset a multiple of 4 */
  drawIndirect(buffer: BufferHandle, byteOffset: number): void {
    write2(this.writer, RhiOpcode.drawIndirect, buffer, byteOffset);
  }

  /** The five arguments of `drawIndexed` from a buffer, 32 bits each. @param byteOffset a multiple of 4 */
  drawIndexedIndirect(buffer: BufferHandle, byteOffset: number): void {
    write2(this.writer, RhiOpcode.drawIndexedIndirect, buffer, byteOffset);
  }

  /** In workgroups, not invocations. */
  dispatch(x: number, y = 1, z = 1): void {
    write3(this.writer, RhiOpcode.dispatch, x, y, z);
  }

  /** The three arguments of `dispatch` from a buffer, as u32. @param byteOffset a multiple of 4 */
  dispatchIndirect(buffer: BufferHandle, byteOffset: number): void {
    write2(this.writer, RhiOpcode.dispatchIndirect, buffer, byteOffset);
  }

  // Queries and debugging

  /** Counts the samples that pass until `endOcclusionQuery`, into a query of the pass's `occlusionQuerySet`. */
  beginOcclusionQuery(queryIndex: number): void {
    write1(this.writer, RhiOpcode.beginOcclusionQuery, queryIndex);
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
    write5(
      this.writer,
      RhiOpcode.resolveQuerySet,
      querySet,
      firstQuery,
      queryCount,
      target,
      targetByteOffset,
    );
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
    write1(this.writer, RhiOpcode.setQueue, queue);
  }

  /**
   * The resource has been used as `before`, and is used as `after` from here on: bits of `BufferUsage` or
   * `TextureUsage`. WebGPU places its barriers itself; the validation layer compares with the real use.
   */
  transition(resource: BufferHandle | TextureHandle, before: number, after: number): void {
    write3(this.writer, RhiOpcode.transition, resource, before, after);
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
}

function writeBindGroup(
  writer: StreamWriter,
  groupIndex: number,
  bindGroup: BindGroupHandle,
  dynamicOffsets: ArrayLike<number>,
): void {
  const count = dynamicOffsets?.length;
  // A number in the place of [number] has no length.
  if (count >>> 0 !== count) {
    throw new RhiError(
      'bad-argument',
      `The ${describeHandle(bindGroup)} takes a list of dynamic offsets, not ${dynamicOffsets}. Give [256], say.`,
    );
  }
  const index = writer.reserve(RhiOpcode.setBindGroup, 3 + count);
  const { words } = writer;
  words[index] = groupIndex;
  words[index + 1] = bindGroup;
  words[index + 2] = count;
  for (let i = 0; i < count; i++) words[index + 3 + i] = dynamicOffsets[i] ?? 0;
}
