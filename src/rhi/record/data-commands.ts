/**
 * The commands that move data: writes and copies of buffers and textures, clears and reads. All but
 * `writeBufferUnordered` and `renameBuffer` stand outside passes.
 *
 *   writeBuffer                 │ header │ buffer │ byteOffset │ byteLength │ bytes … │     in a page of the stream
 *   writeBufferFromAttachment   │ header │ … │ ─► ArrayBuffer, beside the stream
 *
 * Offsets and lengths are bytes where their name says so.
 */
import { RhiError } from '../../core/errors.js';
import { PAGE_BYTES, type StreamWriter } from '../../core/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import type { BufferHandle, TextureClear, TextureHandle, TextureRegion } from '../commands/descriptors.js';
import { encodeJson, writeRecord } from '../commands/record-fields.js';
import { write1, write3, write4, write5 } from '../commands/record-words.js';

/** Of a record that writes a buffer: header, buffer, offset and length. */
const WRITE_WORDS = 4;
/** Larger writes are split into records of this size, two of which fill a page to its last word. */
export const INLINE_WRITE_BYTES = PAGE_BYTES / 2 - WRITE_WORDS * 4;
/** Most bytes `reserveBufferWrite` takes: one page, less room for the record's own words. */
export const RESERVED_WRITE_BYTES = PAGE_BYTES - 64;

/** Of an ArrayBuffer, or of a view. */
interface DataParts {
  readonly byteLength?: number;
  readonly byteOffset?: number;
  readonly buffer?: ArrayBuffer;
}

export class DataCommands {
  /** Public for `reserveBufferWrite`: its views are where the bytes go. */
  readonly writer: StreamWriter;

  constructor(writer: StreamWriter) {
    this.writer = writer;
  }

  /**
   * Copies the bytes into the stream. Offset and length are multiples of 4. Outside passes. Per frame.
   * @throws RhiError `bad-write`
   */
  writeBuffer(buffer: BufferHandle, byteOffset: number, data: ArrayBufferView | ArrayBuffer): void {
    // What is no object has no length either, and is refused for that.
    const parts: DataParts = Object(data);
    const { byteLength = Number.NaN, byteOffset: begin = 0, buffer: bytes = data as ArrayBuffer } = parts;
    checkWrite(byteOffset, byteLength);
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
    checkWrite(byteOffset, byteLength);
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
    write3(this.writer, RhiOpcode.clearBuffer, buffer, byteOffset, byteLength);
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
    checkWrite(byteOffset, data.byteLength);
    writeRecord(this.writer, RhiOpcode.writeBufferUnordered, [buffer, byteOffset], [data]);
  }

  /**
   * Gives the buffer new memory of the same size, zeroed. The handle stays; what was recorded before means the old
   * memory, what follows the new one, whatever bind group it is used through (SYSTEMS M1).
   */
  renameBuffer(buffer: BufferHandle): void {
    write1(this.writer, RhiOpcode.renameBuffer, buffer);
  }

  /** Two buffers, or ranges of one that do not overlap. Offsets and length are multiples of 4. */
  copyBufferToBuffer(
    source: BufferHandle,
    sourceByteOffset: number,
    target: BufferHandle,
    targetByteOffset: number,
    byteLength: number,
  ): void {
    write5(
      this.writer,
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
    write4(this.writer, RhiOpcode.readBuffer, request, buffer, byteOffset, byteLength);
  }
}

/** @throws RhiError `bad-write` */
export function checkWrite(byteOffset: number, byteLength: number): void {
  if (((byteOffset | byteLength) & 3) !== 0 || !(byteOffset >= 0 && byteOffset + byteLength < 2 ** 32)) {
    throw new RhiError(
      'bad-write',
      `A write of ${byteLength} bytes at ${byteOffset} was asked for. Give an ArrayBuffer or a view, and multiples of 4.`,
    );
  }
}
