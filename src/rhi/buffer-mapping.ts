/**
 * Access to buffers from the CPU, on the recorder's side (SYSTEMS M1, M2, M6, M7). The GPU's memory is never mapped
 * itself: what the CPU sees is staging, whose bytes travel in the stream. So two modes never wait:
 *
 *   write-discard        staging ─ unmap ─► renameBuffer, writeBufferUnordered    the buffer has new memory; draws
 *                                                                                 recorded before keep the old one
 *   write-no-overwrite   staging ─ unmap ─► writeBufferUnordered                  for ranges that nothing pending reads
 *   read, read-write     readBuffer ─► frame submitted, done ─► staging ─ unmap ─► (nothing), writeBuffer
 *
 * Coherency (M7). A read is a record: it comes after every write recorded before it, and what an earlier `doNotWait`
 * call brought is thrown away when the buffer may have changed since. A write is given to the queue before the
 * submission of the list that it was recorded in: unordered ones at once, ordered ones within that list.
 *
 * Bounds (M6). Staging that is mapped, being read, or read and not collected counts against a budget. When that is
 * used up, a read waits its turn; a write, which may not wait, reports `staging-exhausted`. While a buffer is mapped
 * nothing may use it: unmapping it, or ending the frame, says so with its label.
 */
import { RhiError } from '../core/errors.js';
import { BufferLedger } from './buffer-ledger.js';
import type { CompleteImmediateContext } from './complete-context.js';
import { type BufferHandle, BufferUsage } from './descriptors.js';
import { handled } from './read-backs.js';
import { StagingBudget } from './staging-budget.js';
import { writeWordsUnordered } from './unordered-write.js';

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
}

export interface BufferMappingOptions {
  /** Most bytes of staging at a time. Default 64 MiB. */
  readonly stagingBytes?: number;
}

/** What mapping needs of the RHI; what `createRhi` returns has it. */
export interface MappableRhi {
  readonly context: CompleteImmediateContext;
  /** As `Rhi.read`. */
  read(buffer: BufferHandle, byteOffset: number, byteLength: number): Promise<ArrayBuffer>;
}

interface Range {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** A read-back that a `doNotWait` call began and none has collected. */
interface Prefetch extends Range {
  /** The ledger's count when it was recorded. */
  readonly sequence: number;
  bytes: ArrayBuffer | null;
  error: unknown;
  /** Its buffer was destroyed or changed: what arrives is nobody's. */
  isDropped: boolean;
}

/** A mapped buffer: read or fill the bytes, then `unmap`. Its views throw RhiError `not-mapped` afterwards. */
export class MappedBuffer {
  readonly buffer: BufferHandle;
  readonly mode: MapMode;
  readonly byteOffset: number;
  readonly byteLength: number;
  #data: ArrayBuffer | null;
  readonly #label: string;
  readonly #unmap: (mapped: MappedBuffer, data: ArrayBuffer) => void;

  /** Made by `BufferMapping.map`. */
  constructor(
    buffer: BufferHandle,
    label: string,
    mode: MapMode,
    { byteOffset, byteLength }: Range,
    data: ArrayBuffer,
    unmap: (mapped: MappedBuffer, data: ArrayBuffer) => void,
  ) {
    this.buffer = buffer;
    this.mode = mode;
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
   * Records what was written. A `read-write` range is written in order, so outside passes.
   * @throws RhiError `buffer-mapped` when something used the buffer while it was mapped; it is unmapped all the same
   */
  unmap(): void {
    const data = this.#mapped();
    this.#data = null;
    this.#unmap(this, data);
  }

  #mapped(): ArrayBuffer {
    if (this.#data !== null) return this.#data;
    throw new RhiError(
      'not-mapped',
      `The buffer "${this.#label}" was unmapped, and its bytes with it. Map it again.`,
    );
  }
}

/** The state of a buffer from the call of `map` to `unmap`. */
interface Mapping {
  readonly mode: MapMode;
  /** The ledger's count from which on nothing may use the buffer; infinite while a read is under way. */
  since: number;
}

export class BufferMapping {
  readonly #rhi: MappableRhi;
  readonly #ledger: BufferLedger;
  readonly #staging: StagingBudget;
  readonly #mappings = new Map<BufferHandle, Mapping>();
  readonly #prefetches = new Map<BufferHandle, Prefetch>();
  readonly #stopListening: () => void;

  /** Create it before the buffers that are to be mapped, so that their sizes are known. One per context. */
  constructor(rhi: MappableRhi, { stagingBytes = 64 * 1024 * 1024 }: BufferMappingOptions = {}) {
    this.#rhi = rhi;
    this.#ledger = new BufferLedger(rhi.context.writer);
    this.#staging = new StagingBudget(stagingBytes);
    this.#stopListening = rhi.context.onFrameFinished(() => this.#checkSubmission());
  }

  /** Bytes of staging: now, and at most so far. */
  get stagingBytes(): { readonly now: number; readonly peak: number } {
    const { usedBytes: now, peakBytes: peak } = this.#staging;
    return { now, peak };
  }

  /**
   * @returns what is mapped; for `read` and `read-write` without `doNotWait` a promise of it, which needs the frame
   *   (or, between frames, `publish`) to be submitted. It rejects with `readback-failed` when the GPU refuses
   * @throws RhiError (promises reject with it) `already-mapped`, `map-mode`, `out-of-range`, `usage-missing`, `stale-handle`;
   *   `staging-exhausted` when the range exceeds the whole budget, or for a write what is left of it;
   *   `was-still-drawing` when it may not wait and the bytes are not there: call again later
   */
  map(buffer: BufferHandle, mode: WriteMapMode, options?: MapOptions): MappedBuffer;
  map(
    buffer: BufferHandle,
    mode: ReadMapMode,
    options: MapOptions & { readonly doNotWait: true },
  ): MappedBuffer;
  map(buffer: BufferHandle, mode: ReadMapMode, options?: MapOptions): Promise<MappedBuffer>;
  map(buffer: BufferHandle, mode: MapMode, options: MapOptions = {}): MappedBuffer | Promise<MappedBuffer> {
    if (mode === 'write-discard' || mode === 'write-no-overwrite') {
      return this.#mapForWriting(buffer, mode, options);
    }
    if (mode !== 'read' && mode !== 'read-write') {
      throw new RhiError(
        'map-mode',
        `The buffer "${this.#rhi.context.handles.label(buffer)}" was to be mapped for "${mode}". Choose write-discard, write-no-overwrite, read or read-write.`,
      );
    }
    return options.doNotWait
      ? this.#mapAtOnce(buffer, mode, options)
      : this.#mapForReading(buffer, mode, options);
  }

  /** Forgets everything; who waits for staging is refused with `mapping-disposed`. */
  dispose(): void {
    this.#stopListening();
    this.#ledger.detach();
    this.#mappings.clear();
    this.#prefetches.clear();
    this.#staging.fail(
      new RhiError(
        'mapping-disposed',
        'The mapping was disposed of while a read waited for staging memory. Dispose of it when nothing is awaited.',
      ),
    );
  }

  #mapForWriting(buffer: BufferHandle, mode: WriteMapMode, options: MapOptions): MappedBuffer {
    const range = this.#check(buffer, mode, options);
    if (!this.#take(range.byteLength)) throw this.#exhausted(buffer, range);
    return this.#open(
      buffer,
      { mode, since: this.#ledger.sequence },
      range,
      new ArrayBuffer(range.byteLength),
    );
  }

  #mapForReading(buffer: BufferHandle, mode: ReadMapMode, options: MapOptions): Promise<MappedBuffer> {
    let range: Range;
    try {
      range = this.#check(buffer, mode, options);
    } catch (error) {
      return Promise.reject(error);
    }
    // What fails from here on is told to the RHI's error listener too, or follows from disposing.
    return handled(this.#readToMap(buffer, mode, range));
  }

  async #readToMap(buffer: BufferHandle, mode: ReadMapMode, range: Range): Promise<MappedBuffer> {
    const { byteLength } = range;
    // To write back what was read, nobody may change it meanwhile; to only read, a copy will do.
    const since = mode === 'read' ? Number.POSITIVE_INFINITY : this.#ledger.sequence;
    const mapping = { mode, since };
    this.#mappings.set(buffer, mapping);
    let isTaken = false;
    try {
      if (!this.#take(byteLength)) await this.#staging.wait(byteLength);
      isTaken = true;
      const reading = this.#rhi.read(buffer, range.byteOffset, byteLength);
      // The read itself is a use, but not one against the rule.
      this.#ledger.settle();
      if (mode === 'read-write') mapping.since = this.#ledger.sequence;
      const data = await reading;
      this.#ledger.settle();
      if (mode === 'read') mapping.since = this.#ledger.sequence;
      return this.#open(buffer, mapping, range, data);
    } catch (error) {
      if (isTaken) this.#staging.release(byteLength);
      this.#close(buffer, mapping);
      throw error;
    }
  }

  #mapAtOnce(buffer: BufferHandle, mode: ReadMapMode, options: MapOptions): MappedBuffer {
    const range = this.#check(buffer, mode, options);
    const prefetch = this.#prefetches.get(buffer);
    const isUseful =
      prefetch !== undefined &&
      prefetch.byteOffset === range.byteOffset &&
      prefetch.byteLength === range.byteLength &&
      !this.#ledger.isChangedSince(buffer, prefetch.sequence);
    if (!isUseful) {
      if (prefetch) this.#drop(buffer, prefetch);
      this.#prefetch(buffer, range);
      throw this.#wasStillDrawing(buffer);
    }
    if (prefetch.error !== null) {
      this.#prefetches.delete(buffer);
      throw prefetch.error;
    }
    if (prefetch.bytes === null) throw this.#wasStillDrawing(buffer);
    this.#prefetches.delete(buffer);
    return this.#open(buffer, { mode, since: this.#ledger.sequence }, range, prefetch.bytes);
  }

  /** Begins a read-back, unless there is no staging for it: then the next call tries again. */
  #prefetch(buffer: BufferHandle, range: Range): void {
    if (!this.#take(range.byteLength)) return;
    const reading = this.#rhi.read(buffer, range.byteOffset, range.byteLength);
    this.#ledger.settle();
    const prefetch: Prefetch = {
      ...range,
      sequence: this.#ledger.sequence,
      bytes: null,
      error: null,
      isDropped: false,
    };
    this.#prefetches.set(buffer, prefetch);
    reading.then(
      (bytes) => {
        prefetch.bytes = bytes;
        if (prefetch.isDropped) this.#staging.release(range.byteLength);
        // Who waits for staging comes before who may come back.
        else if (this.#staging.isAwaited) this.#drop(buffer, prefetch);
      },
      (error: unknown) => {
        this.#staging.release(range.byteLength);
        prefetch.error = error;
      },
    );
  }

  #drop(buffer: BufferHandle, prefetch: Prefetch): void {
    this.#prefetches.delete(buffer);
    prefetch.isDropped = true;
    if (prefetch.bytes !== null) this.#staging.release(prefetch.byteLength);
  }

  /** Takes staging; where there is none, from what was read and not collected. */
  #take(byteLength: number): boolean {
    if (this.#staging.take(byteLength)) return true;
    for (const [buffer, prefetch] of this.#prefetches) {
      if (prefetch.bytes === null) continue;
      this.#drop(buffer, prefetch);
      if (this.#staging.take(byteLength)) return true;
    }
    return false;
  }

  #check(buffer: BufferHandle, mode: MapMode, { byteOffset = 0, byteLength }: MapOptions): Range {
    const { handles } = this.#rhi.context;
    handles.check(buffer, 'be mapped');
    this.#ledger.settle();
    const label = handles.label(buffer);
    const current = this.#mappings.get(buffer);
    if (current !== undefined) {
      throw new RhiError(
        'already-mapped',
        `The buffer "${label}" is mapped for ${current.mode} already. Unmap it before mapping it for ${mode}.`,
      );
    }
    const created = this.#rhi.context.descriptorOf(buffer);
    const { byteLength: size, usage } = created ?? { byteLength: 0, usage: 0 };
    const range = { byteOffset, byteLength: byteLength ?? size - byteOffset };
    const end = range.byteOffset + range.byteLength;
    const isWhole = range.byteOffset >= 0 && (range.byteOffset & 3) === 0 && (range.byteLength & 3) === 0;
    if (!isWhole || !(range.byteLength > 0) || end > size) {
      throw new RhiError(
        'out-of-range',
        `The buffer "${label}" of ${size} bytes was mapped for ${range.byteLength} bytes at ${byteOffset}. Map multiples of 4 that lie inside.`,
      );
    }
    if (mode !== 'read' && (usage & BufferUsage.copyTarget) === 0) {
      throw new RhiError(
        'usage-missing',
        `The buffer "${label}" can't be mapped for ${mode}: it was created without the usage copyTarget. Add it.`,
      );
    }
    if (range.byteLength > this.#staging.limit) throw this.#exhausted(buffer, range);
    return range;
  }

  #open(buffer: BufferHandle, mapping: Mapping, range: Range, data: ArrayBuffer): MappedBuffer {
    this.#mappings.set(buffer, mapping);
    const label = this.#rhi.context.handles.label(buffer);
    return new MappedBuffer(buffer, label, mapping.mode, range, data, (mapped, bytes) =>
      this.#unmap(mapped, mapping, bytes),
    );
  }

  #unmap({ buffer, mode, byteOffset, byteLength }: MappedBuffer, mapping: Mapping, data: ArrayBuffer): void {
    const { context } = this.#rhi;
    this.#staging.release(byteLength);
    this.#close(buffer, mapping);
    // Destroyed while it was mapped: there is nothing to write to.
    if (!context.handles.isLive(buffer)) return;
    this.#ledger.settle();
    const isMisused = this.#ledger.entry(buffer).lastUse > mapping.since;
    if (mode === 'write-discard') context.renameBuffer(buffer);
    if (mode === 'read-write') context.writeBuffer(buffer, byteOffset, new Uint8Array(data));
    else if (mode !== 'read') {
      writeWordsUnordered(context.writer, buffer, byteOffset, new Uint32Array(data), 0, byteLength >> 2);
    }
    if (isMisused) throw this.#usedWhileMapped(buffer, mapping.mode, 'Unmap it before recording its use.');
  }

  #close(buffer: BufferHandle, mapping: Mapping): void {
    if (this.#mappings.get(buffer) === mapping) this.#mappings.delete(buffer);
  }

  /** At each frame's end. What was destroyed meanwhile is forgotten. */
  #checkSubmission(): void {
    const { handles } = this.#rhi.context;
    this.#ledger.settle();
    for (const [buffer, prefetch] of this.#prefetches) {
      if (!handles.isLive(buffer)) this.#drop(buffer, prefetch);
    }
    for (const [buffer, { mode, since }] of this.#mappings) {
      if (!handles.isLive(buffer)) this.#mappings.delete(buffer);
      else if (since < Number.POSITIVE_INFINITY && this.#isUsedInFrame(buffer, mode, since)) {
        throw this.#usedWhileMapped(buffer, mode, 'Unmap it before the frame ends.');
      }
    }
  }

  /** The read of a read-write is a use before `since`, and of this frame: it is none against the rule. */
  #isUsedInFrame(buffer: BufferHandle, mode: MapMode, since: number): boolean {
    const { lastUse } = this.#ledger.entry(buffer);
    return lastUse > (mode === 'read-write' ? since : Math.min(since, this.#ledger.frameBegan));
  }

  #usedWhileMapped(buffer: BufferHandle, mode: MapMode, remedy: string): RhiError {
    return new RhiError(
      'buffer-mapped',
      `The buffer "${this.#rhi.context.handles.label(buffer)}" is used by commands while it is mapped for ${mode}. ${remedy}`,
    );
  }

  #wasStillDrawing(buffer: BufferHandle): RhiError {
    return new RhiError(
      'was-still-drawing',
      `The bytes of the buffer "${this.#rhi.context.handles.label(buffer)}" are not there yet. Go on, and map it again in a later frame.`,
    );
  }

  #exhausted(buffer: BufferHandle, { byteLength }: Range): RhiError {
    const { usedBytes, limit } = this.#staging;
    return new RhiError(
      'staging-exhausted',
      `Mapping ${byteLength} bytes of the buffer "${this.#rhi.context.handles.label(buffer)}" exceeds the staging memory: ${usedBytes} of ${limit} bytes are in use. Unmap something, map less at a time, or raise stagingBytes.`,
    );
  }
}
