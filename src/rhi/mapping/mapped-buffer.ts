/**
 * What `BufferMapping.map` answers with: bytes of staging that stand for a range of a buffer until they are unmapped,
 * and what a range may be.
 *
 *   map ─► MappedBuffer: bytes, words, floats ─► unmap: records what was written; its views throw from here on
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
  /** In bytes, a multiple of 4. Default 0. */
  readonly byteOffset?: number;
  /** A multiple of 4. Default: to the buffer's end. */
  readonly byteLength?: number;
  /** Answer `was-still-drawing` instead of waiting. Without meaning for the write modes, which never wait. */
  readonly doNotWait?: boolean;
  /**
   * With `doNotWait` and the mode `read`: what an earlier call asked for will do, though the buffer may have changed
   * since. For buffers that the GPU changes every frame, whose latest bytes are never there without a wait.
   */
  readonly allowOlder?: boolean;
}

/** In bytes, both multiples of 4. */
export interface MapRange {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** A mapped buffer: read or fill the bytes, then `unmap`. Its views throw RhiError `not-mapped` afterwards. */
export class MappedBuffer {
  readonly byteOffset: number;
  readonly byteLength: number;
  #data: ArrayBuffer | null;
  readonly #label: string;
  readonly #unmap: (mapped: MappedBuffer, data: ArrayBuffer) => void;

  /** Made by `BufferMapping.map`. */
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

  /** The range's bytes; in the write modes zeros at first. Write-only in those. */
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
   * Records what was written, at this place among the commands. What was recorded before does not overwrite it: where
   * earlier commands of the list change these bytes, and in the mode `read-write`, the write is one of the list's own
   * commands, and those stand outside of passes.
   * @throws RhiError `unmap-inside-pass`: it stays mapped; `buffer-mapped` when something used the buffer while it was
   *   mapped and no `endFrame` has said so: it is unmapped all the same
   */
  unmap(): void {
    const data = this.#mapped();
    this.#unmap(this, data);
  }

  /** For `BufferMapping`. */
  close(): void {
    this.#data = null;
  }

  #mapped(): ArrayBuffer {
    if (this.#data !== null) return this.#data;
    throw new RhiError(
      'not-mapped',
      `The buffer "${this.#label}" was unmapped, and its bytes with it. Map it again.`,
    );
  }
}

const OPTIONS = {
  byteOffset: anything(),
  byteLength: anything(),
  doNotWait: optional(boolean()),
  allowOlder: optional(boolean()),
};

/** @throws OptionError `option-unknown`, `option-invalid` */
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
 * The range that is asked for.
 * @param size of the buffer
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
    `The buffer "${label}" of ${size} bytes was mapped for ${range.byteLength} bytes at ${byteOffset}. Map multiples of 4 that lie inside.`,
  );
}

function isOffset(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) % 4 === 0;
}
