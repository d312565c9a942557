/**
 * The result of `BufferMapping.map`: bytes of staging memory that represent a range of a buffer until `unmap`. This
 * file also checks the options and ranges of `map`.
 *
 *   map ─► MappedBuffer: bytes, words, floats ─► unmap: records the written data; these getters throw from then on
 */
import { RhiError } from '../../core/errors.js';
import { checkOption } from '../../core/options/check-options.js';
import { anything, boolean, optional } from '../../core/options/members.js';
import { checkOptions } from '../commands/class-arguments.js';
import type { BufferHandle } from '../commands/descriptors.js';

export type WriteMapMode = 'write-discard' | 'write-no-overwrite';
export type ReadMapMode = 'read' | 'read-write';
export type MapMode = WriteMapMode | ReadMapMode;

export interface MapOptions {
  /** Offset in bytes, a multiple of 4. Default 0. */
  readonly byteOffset?: number;
  /** Length in bytes, a multiple of 4. Default: to the buffer's end. */
  readonly byteLength?: number;
  /**
   * Whether `map` throws `was-still-drawing` instead of waiting. The write modes never wait, so they ignore this
   * option. Default false.
   */
  readonly doNotWait?: boolean;
  /**
   * Whether `map` may return the bytes that an earlier call has read, although the buffer may have changed since.
   * Allowed only with `doNotWait` and the mode `read`. Needed for buffers that the GPU changes every frame, because
   * their latest bytes never arrive without waiting. Default false.
   */
  readonly allowOlder?: boolean;
}

/** A range in bytes; both values are multiples of 4. */
export interface MapRange {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/**
 * A mapped buffer: read or fill the bytes, then call `unmap`. Afterwards `bytes`, `words`, `floats` and `unmap` throw
 * RhiError `not-mapped`.
 */
export class MappedBuffer {
  readonly byteOffset: number;
  readonly byteLength: number;
  #data: ArrayBuffer | null;
  readonly #label: string;
  readonly #unmap: (mapped: MappedBuffer, data: ArrayBuffer) => void;

  /** Called by `BufferMapping.map` only. */
  constructor(
    readonly buffer: BufferHandle,
    label: string,
    readonly mode: MapMode,
    { byteOffset, byteLength }: MapRange,
    data: ArrayBuffer,
    unmap: (mapped: MappedBuffer, data: ArrayBuffer) => void,
  ) {
    this.byteOffset = byteOffset;
    this.byteLength = byteLength;
    this.#label = label;
    this.#data = data;
    this.#unmap = unmap;
  }

  /** Bytes of the range. In the write modes they are write-only, and zeros at first. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#mapped());
  }

  get words(): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.#mapped());
  }

  get floats(): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#mapped());
  }

  /**
   * Unmaps the buffer and records the written data. Commands recorded earlier do not overwrite the data. The mode
   * `read-write` orders the write within the list. `write-no-overwrite` does so if earlier commands of the list may
   * change these bytes. An ordered write is not possible inside passes.
   * @throws RhiError `unmap-inside-pass`; the buffer then stays mapped. RhiError `buffer-mapped` if a command used the
   *   buffer while it was mapped and no refused submission has reported it; the buffer is then unmapped
   */
  unmap(): void {
    const data = this.#mapped();
    this.#unmap(this, data);
  }

  /** Makes later accesses throw `not-mapped`. Called by `BufferMapping` only. */
  close(): void {
    this.#data = null;
  }

  #mapped(): ArrayBuffer {
    if (this.#data !== null) return this.#data;
    throw new RhiError(
      'not-mapped',
      `The buffer "${this.#label}" was unmapped, so its bytes are no longer accessible. Map it again.`,
    );
  }
}

const OPTIONS = {
  byteOffset: anything(),
  byteLength: anything(),
  doNotWait: optional(boolean()),
  allowOlder: optional(boolean()),
};

/** Checks the options of `map`. @throws OptionError `option-unknown`, `option-invalid` */
export function checkMapOptions(options: MapOptions, mode: MapMode): void {
  checkOptions('map', options, OPTIONS);
  const { doNotWait, allowOlder } = options;
  if (!allowOlder) return;
  checkOption(
    `The option "allowOlder" of map, for the mode "${mode}",`,
    allowOlder,
    mode === 'read' && doNotWait === true,
    'left out, except for the mode "read" with doNotWait: true',
  );
}

/**
 * Returns the range that the options ask for.
 * @param size length of the buffer, in bytes
 * @throws RhiError `out-of-range`
 */
export function mapRange(label: string, size: number, { byteOffset = 0, byteLength }: MapOptions): MapRange {
  const range = { byteOffset, byteLength: byteLength ?? size - byteOffset };
  const isRight =
    isOffset(range.byteOffset) &&
    isOffset(range.byteLength) &&
    range.byteLength > 0 &&
    range.byteOffset + range.byteLength <= size;
  if (isRight) return range;
  throw new RhiError(
    'out-of-range',
    `The buffer "${label}" of ${size} bytes was mapped for ${range.byteLength} bytes at ${byteOffset}. Map a range inside it, with an offset and a length that are multiples of 4.`,
  );
}

function isOffset(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) % 4 === 0;
}
