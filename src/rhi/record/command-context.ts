/**
 * A context records commands as words. It holds no GPU object and never waits for the GPU. It has one method per
 * command of the table (`commands.ts`). This file has the methods called per draw. They write their words straight into
 * the stream's page and allocate nothing. `command-methods.ts` makes most other methods from the table.
 *
 *   context.drawIndexed(36, 1, 0, 0, 0)  ──►  | header | 36 | 1 | 0 | 0 | 0 |  in the stream's current page
 *
 * Offsets and lengths are in bytes if their names say so. A descriptor passed to `begin…Pass` is encoded once per
 * object, and later calls reuse the encoding. Treat the object as immutable. Pass a new object to change a value.
 */
import { RhiError } from '../../core/errors.js';
import { encodeRecord } from '../../core/records/record-codec.js';
import { PAGE_BYTES, type StreamWriter } from '../../core/streams/stream.js';
import { QueueHint, RhiOpcode, rhiCommands } from '../commands/commands.js';
import type {
  BindGroupHandle,
  BufferHandle,
  GraphicsPipelineHandle,
  TextureHandle,
  TextureRegion,
} from '../commands/descriptors.js';
import { describeHandle } from '../commands/handles.js';
import type { ArgumentChecks } from './argument-checks.js';
import { bytesOf, type Recorder, withCommands } from './command-methods.js';
import { write1, write3, write4, write5 } from './record-words.js';

const NO_OFFSETS: ArrayLike<number> = [];
/** Words of a record that writes a buffer, without its data: header, buffer, offset and length. */
const WRITE_WORDS = 4;
/** Bytes of data per record of a split write. Two such records, with their own words, fill a page exactly. */
export const INLINE_WRITE_BYTES = PAGE_BYTES / 2 - WRITE_WORDS * 4;
/** Maximum bytes of `reserveBufferWrite`: the bytes of a page, minus room for the record's own words. */
export const RESERVED_WRITE_BYTES = PAGE_BYTES - 64;
/**
 * Limit of bytes recorded since the last call of `beginInlineData`. Beyond it, large data is sent as attachments beside
 * the stream, because a recorder that never pauses would use up the stream's pages. The decision depends only on the
 * recorder's calls, never on timing.
 */
const INLINE_BYTES = 8 * 2 ** 20;
/** Data with fewer bytes is always copied into the stream. */
const BESIDE_BYTES = 4096;

abstract class RecordingBase implements Recorder {
  /**
   * @param writer stream that receives the records. It is public, because callers of `reserveBufferWrite` write
   *   into its views
   * @param checks checks of each call; null makes none
   * @param mark mark of the handles of this RHI (`handles.ts`)
   */
  constructor(
    readonly writer: StreamWriter,
    public checks: ArgumentChecks | null,
    public mark = 0,
  ) {}

  /** Called before a command that submits all records so far. If it throws, that command is not recorded. */
  beforeSubmission(): void {}

  /** Called after a command that reads data back. */
  readBackRecorded(): void {}
}

const TableContext = /* @__PURE__ */ withCommands(RecordingBase, 'any');

export abstract class CommandContext extends TableContext {
  /** The queue of the next command. */
  protected queue: QueueHint = QueueHint.graphics;
  /** The writer's `bytesWritten` at the last call of `beginInlineData`. */
  #inlineBegan = 0;

  // Commands that set state. They are called per draw, so they allocate nothing.

  setGraphicsPipeline(pipeline: GraphicsPipelineHandle): void {
    this.checks?.checkOwn(this, 'setGraphicsPipeline', 'pipeline', pipeline);
    write1(this.writer, RhiOpcode.setGraphicsPipeline, pipeline);
  }

  /**
   * Sets a bind group.
   * @param groupIndex the `@group` of the shader
   * @param dynamicOffsets offsets in bytes, multiples of 256. The list has one offset per binding with
   *   `hasDynamicOffset`, ordered by binding number
   * @throws RhiError `bad-argument` if `dynamicOffsets` is not a list
   */
  setBindGroup(
    groupIndex: number,
    bindGroup: BindGroupHandle,
    dynamicOffsets: ArrayLike<number> = NO_OFFSETS,
  ): void {
    this.checks?.checkOwn(this, 'setBindGroup', 'bindGroup', bindGroup);
    // Most bind groups have no dynamic offsets. `writeBindGroup` writes offsets, to keep this method small.
    if (dynamicOffsets === NO_OFFSETS) write3(this.writer, RhiOpcode.setBindGroup, groupIndex, bindGroup, 0);
    else writeBindGroup(this.writer, groupIndex, bindGroup, dynamicOffsets);
  }

  /**
   * Sets a vertex buffer.
   * @param slot index in the pipeline's `vertex.buffers`
   * @param byteOffset a multiple of 4
   * @param byteLength default: up to the buffer's end, whose position only the immediate context knows
   */
  setVertexBuffer(
    slot: number,
    buffer: BufferHandle,
    byteOffset = 0,
    byteLength = this.bytesFrom(buffer, byteOffset),
  ): void {
    this.checks?.checkOwn(this, 'setVertexBuffer', 'buffer', buffer);
    write4(this.writer, RhiOpcode.setVertexBuffer, slot, buffer, byteOffset, byteLength);
  }

  /**
   * Sets the index buffer.
   * @param byteOffset a multiple of the size of an index
   * @param byteLength default: up to the buffer's end, whose position only the immediate context knows
   */
  setIndexBuffer(
    buffer: BufferHandle,
    format: 'uint16' | 'uint32',
    byteOffset = 0,
    byteLength = this.bytesFrom(buffer, byteOffset),
  ): void {
    this.checks?.checkCall(this, 'setIndexBuffer', [format]);
    this.checks?.checkOwn(this, 'setIndexBuffer', 'buffer', buffer);
    const formatWord = format === 'uint32' ? 1 : 0;
    write4(this.writer, RhiOpcode.setIndexBuffer, buffer, formatWord, byteOffset, byteLength);
  }

  // Draws. They are called per draw, so they allocate nothing.

  /**
   * Draws vertices in order. The executor skips and counts every draw whose pipeline is not ready, or for which
   * required state is missing.
   */
  draw(vertexCount: number, instanceCount = 1, firstVertex = 0, firstInstance = 0): void {
    write4(this.writer, RhiOpcode.draw, vertexCount, instanceCount, firstVertex, firstInstance);
  }

  /**
   * Draws vertices in the order of the index buffer.
   * @param firstIndex counted in indices, not bytes
   * @param baseVertex added to each index; may be negative
   */
  drawIndexed(
    indexCount: number,
    instanceCount = 1,
    firstIndex = 0,
    baseVertex = 0,
    firstInstance = 0,
  ): void {
    const { drawIndexed } = RhiOpcode;
    // A negative baseVertex keeps its bits when stored as an unsigned word.
    write5(this.writer, drawIndexed, indexCount, instanceCount, firstIndex, baseVertex, firstInstance);
  }

  // Data

  /**
   * Writes a copy of the bytes into the buffer. Call it outside passes. Called per frame.
   * @param byteOffset a multiple of 4, as is the length of `data`
   * @throws RhiError `bad-write`
   */
  writeBuffer(buffer: BufferHandle, byteOffset: number, data: ArrayBufferView | ArrayBuffer): void {
    this.checks?.checkCall(this, 'writeBuffer', [buffer, data]);
    // `Object(data)` accepts primitive values. They have no `byteLength`, so `checkWrite` refuses them.
    const parts: Partial<ArrayBufferView<ArrayBuffer>> = Object(data);
    const { byteLength = Number.NaN, byteOffset: begin = 0, buffer: bytes = data as ArrayBuffer } = parts;
    checkWrite(byteOffset, byteLength);
    if (this.#isSentBeside(byteLength)) {
      const copy = new Uint8Array(new Uint8Array(bytes, begin, byteLength)).buffer;
      this.writeBufferFromAttachment(buffer, byteOffset, copy);
      return;
    }
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
   * Reserves a write whose data the caller then fills in, before the next call of this context. The data starts at
   * the returned index of `writer.words`, `writer.floats` and `writer.ints`. Called per frame; allocates nothing.
   * @param byteLength a multiple of 4, at most `RESERVED_WRITE_BYTES`
   * @returns the index of the first word of the data
   * @throws RhiError `bad-write`
   */
  reserveBufferWrite(buffer: BufferHandle, byteOffset: number, byteLength: number): number {
    this.checks?.checkOwn(this, 'writeBuffer', 'buffer', buffer);
    checkWrite(byteOffset, byteLength);
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
   * Writes large data. Do not use the ArrayBuffer afterwards: a stream between threads transfers it, which empties it.
   * Offsets and length are multiples of 4.
   * @throws RhiError `bad-write`
   */
  writeBufferFromAttachment(
    buffer: BufferHandle,
    byteOffset: number,
    data: ArrayBuffer,
    dataByteOffset = 0,
    byteLength = data?.byteLength - dataByteOffset,
  ): void {
    this.checks?.checkCall(this, 'writeBufferFromAttachment', [buffer, data, dataByteOffset, byteLength]);
    checkWrite(byteOffset, byteLength);
    const attachment = this.writer.attach(data);
    const values = { data: attachment, buffer, byteOffset, dataByteOffset, byteLength };
    encodeRecord(this.writer, rhiCommands, 'writeBufferFromAttachment', values);
  }

  /**
   * Writes a copy of the texels into a box of the texture. `region` gives the box and the layout of `data`. Call
   * it outside passes.
   */
  writeTexture(texture: TextureHandle, region: TextureRegion, data: Uint8Array): void {
    this.checks?.checkCall(this, 'writeTexture', [texture, region, data]);
    const bytes = bytesOf(data);
    if (this.#isSentBeside(bytes.length)) {
      this.writeTextureFromAttachment(texture, region, new Uint8Array(bytes).buffer);
    } else encodeRecord(this.writer, rhiCommands, 'writeTexture', { texture, region, data: bytes });
  }

  // Queues

  /**
   * Assigns the following commands to a queue (SYSTEMS H6). WebGPU has one queue, so the order of execution does not
   * change. The validation layer refuses commands that the named queue can't execute.
   */
  setQueue(queue: QueueHint): void {
    this.checks?.checkCall(this, 'setQueue', [queue]);
    write1(this.writer, RhiOpcode.setQueue, queue);
    this.queue = queue;
  }

  /**
   * Restarts the count of bytes in the stream, which decides when large data is sent as attachments. Called when a
   * frame or list begins, and when the recorder waits for the reader.
   */
  beginInlineData(): void {
    this.#inlineBegan = this.writer.bytesWritten;
  }

  /** Returns the number of bytes from an offset to the buffer's end. @throws RhiError if the length is unknown */
  abstract bytesFrom(buffer: BufferHandle, byteOffset: number): number;

  /** Returns whether data of this length is sent as an attachment beside the stream. */
  #isSentBeside(byteLength: number): boolean {
    if (byteLength < BESIDE_BYTES) return false;
    return this.writer.bytesWritten - this.#inlineBegan + byteLength > INLINE_BYTES;
  }
}

/** Checks offset and length of a write. @throws RhiError `bad-write` */
function checkWrite(byteOffset: number, byteLength: number): void {
  // Called per write. The type of the offset is checked, because `+` would join a string to the length.
  const isPlace = typeof byteOffset === 'number' && byteOffset >= 0 && byteOffset + byteLength < 2 ** 32;
  if (((byteOffset | byteLength) & 3) !== 0 || !isPlace) {
    throw new RhiError(
      'bad-write',
      `A write of ${byteLength} bytes at ${byteOffset} is not possible. Give an ArrayBuffer or a view, with offset and length as multiples of 4.`,
    );
  }
}

function writeBindGroup(
  writer: StreamWriter,
  groupIndex: number,
  bindGroup: BindGroupHandle,
  dynamicOffsets: ArrayLike<number>,
): void {
  const count = dynamicOffsets?.length;
  // A number in place of a list has no `length`, so `count` is undefined.
  if (count >>> 0 !== count) {
    throw new RhiError(
      'bad-argument',
      `The ${describeHandle(bindGroup)} takes a list of dynamic offsets, not ${dynamicOffsets}. Give a list, such as [256].`,
    );
  }
  const index = writer.reserve(RhiOpcode.setBindGroup, 3 + count);
  const { words } = writer;
  words[index] = groupIndex;
  words[index + 1] = bindGroup;
  words[index + 2] = count;
  for (let i = 0; i < count; i++) words[index + 3 + i] = dynamicOffsets[i] ?? 0;
}
