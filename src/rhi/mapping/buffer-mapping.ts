/**
 * CPU access to buffers, on the recorder's side (SYSTEMS M1, M2, M6, M7). GPU memory itself is never mapped: the CPU
 * accesses staging memory, whose bytes travel in the stream. Therefore the two write modes never wait:
 *
 *   write-discard        staging ─ unmap ─► renameBuffer, writeBufferUnordered   the buffer gets new memory; draws
 *                                                                                recorded earlier keep the old one
 *   write-no-overwrite   staging ─ unmap ─► writeBufferUnordered                 no pending command may read the range
 *                                           writeBuffer                          instead, if the list itself changes it
 *   read, read-write     readBuffer ─► frame submitted, done ─► staging ─ unmap ─► (nothing), writeBuffer
 *
 * Coherency (M7). A read is a record, so it sees all writes recorded before it. Bytes that an earlier `doNotWait` call
 * has read are discarded if the buffer may have changed since, unless the caller allows older bytes. An unordered write
 * reaches the queue before the list in which it is recorded, so earlier commands of this list could overwrite it. The
 * buffer ledger (`buffer-ledger.ts`) follows the effects of records. If the ledger has a command that changes the same
 * bytes, the write is ordered within the list instead.
 *
 * Bounds (M6). A budget limits the staging memory that is mapped, being read, or read and not yet collected. If the
 * budget is used up, a read waits for its turn. A write must not wait, so it throws `staging-exhausted`. A list that
 * uses a mapped buffer is not submitted. `endFrame`, and every other call that would submit the list, throws an error
 * with the buffer's label.
 */
import { RhiError } from '../../core/errors.js';
import { amount, optional } from '../../core/options/members.js';
import { shownValue } from '../../core/options/shown-value.js';
import { checkOptions, checkRhi } from '../commands/class-arguments.js';
import { type BufferHandle, BufferUsage } from '../commands/descriptors.js';
import { checkHandle } from '../record/call-checks.js';
import type { CheckedImmediateContext } from '../record/checked-contexts.js';
import { handled } from '../record/read-backs.js';
import { BufferLedger } from './buffer-ledger.js';
import {
  checkMapOptions,
  type MapMode,
  type MapOptions,
  MappedBuffer,
  type MapRange,
  mapRange,
  type ReadMapMode,
  type WriteMapMode,
} from './mapped-buffer.js';
import { type Mapping, MappingWatch } from './mapping-watch.js';
import { PendingReads } from './pending-reads.js';
import { StagingBudget } from './staging-budget.js';
import { writeWordsUnordered } from './unordered-write.js';

export interface BufferMappingOptions {
  /** Maximum bytes of staging memory at a time. Default 64 MiB. */
  readonly stagingBytes?: number;
}

/** The parts of an RHI that mapping needs; `createRhi` returns them. */
export interface MappableRhi {
  readonly context: CheckedImmediateContext;
  /** Reads a range of a buffer back, as `Rhi.read` does. */
  read(buffer: BufferHandle, byteOffset: number, byteLength: number): Promise<ArrayBuffer>;
}

export class BufferMapping {
  readonly #rhi: MappableRhi;
  readonly #ledger: BufferLedger;
  readonly #staging: StagingBudget;
  readonly #pending: PendingReads;
  readonly #watch: MappingWatch;
  readonly #stopListening: () => void;

  /**
   * Creates a mapping. A context can have only one. Create it before the bind groups and draw bundles that use mapped
   * buffers, because their effects are unknown otherwise.
   * @throws OptionError `option-invalid`, `option-unknown`
   */
  constructor(rhi: MappableRhi, options: BufferMappingOptions = {}) {
    checkRhi('new BufferMapping', rhi);
    checkOptions('new BufferMapping', options, { stagingBytes: optional(amount('bytes')) });
    const { stagingBytes = 64 * 1024 * 1024 } = options;
    this.#rhi = rhi;
    this.#ledger = new BufferLedger(rhi.context.writer);
    this.#staging = new StagingBudget(stagingBytes);
    this.#pending = new PendingReads(this.#staging);
    this.#watch = new MappingWatch(rhi.context, this.#ledger);
    const { handles } = rhi.context;
    this.#stopListening = rhi.context.onFrameFinished(() =>
      this.#pending.dropDestroyed((buffer) => handles.isLive(buffer)),
    );
  }

  /** Bytes of staging memory: current and peak. */
  get stagingBytes(): { readonly now: number; readonly peak: number } {
    const { usedBytes: now, peakBytes: peak } = this.#staging;
    return { now, peak };
  }

  /**
   * Maps a range of a buffer.
   * @returns the mapped range. For `read` and `read-write` without `doNotWait`, a promise of the range, which resolves
   *   only after the frame has been submitted (between frames, after `publish`). The promise rejects with
   *   `readback-failed` if the GPU rejects the read
   * @throws RhiError (promises reject with it) `already-mapped`, `map-mode`, `out-of-range`, `usage-missing`,
   *   `stale-handle`; `staging-exhausted` if the range exceeds the whole budget, or for a write the remaining budget;
   *   `was-still-drawing` with `doNotWait` while the bytes have not arrived: call `map` again later. OptionError
   *   `option-unknown`, `option-invalid`
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
      checkHandle('map', 'the buffer', buffer);
      throw new RhiError(
        'map-mode',
        `The buffer "${this.#label(buffer)}" can't be mapped for ${shownValue(mode)}. Choose write-discard, write-no-overwrite, read or read-write.`,
      );
    }
    return options?.doNotWait
      ? this.#mapAtOnce(buffer, mode, options)
      : this.#mapForReading(buffer, mode, options);
  }

  /** Ends mapping. Reads that wait for staging memory reject with `mapping-disposed`. */
  dispose(): void {
    this.#stopListening();
    this.#watch.dispose();
    this.#ledger.detach();
    this.#pending.clear();
    this.#staging.fail(
      new RhiError(
        'mapping-disposed',
        'The mapping was disposed of while a read waited for staging memory. Dispose of the mapping when no read waits.',
      ),
    );
  }

  #mapForWriting(buffer: BufferHandle, mode: WriteMapMode, options: MapOptions): MappedBuffer {
    const range = this.#check(buffer, mode, options);
    if (!this.#pending.take(range.byteLength)) throw this.#exhausted(buffer, range);
    return this.#open(buffer, this.#mapping(mode), range, new ArrayBuffer(range.byteLength));
  }

  #mapForReading(buffer: BufferHandle, mode: ReadMapMode, options: MapOptions): Promise<MappedBuffer> {
    let range: MapRange;
    try {
      range = this.#check(buffer, mode, options);
    } catch (error) {
      return Promise.reject(error);
    }
    // The rejection counts as handled even if the caller drops the promise, because `onError` receives failed reads
    // too.
    return handled(this.#readToMap(buffer, mode, range));
  }

  async #readToMap(buffer: BufferHandle, mode: ReadMapMode, range: MapRange): Promise<MappedBuffer> {
    const { byteLength } = range;
    const mapping = this.#mapping(mode);
    // The bytes of a `read-write` are written back, so the buffer must not change before that. The bytes of a `read`
    // are only a copy, so the buffer may change.
    if (mode === 'read') mapping.since = Number.POSITIVE_INFINITY;
    this.#watch.mappings.set(buffer, mapping);
    let isTaken = false;
    try {
      if (!this.#pending.take(byteLength)) await this.#staging.wait(byteLength);
      isTaken = true;
      const reading = this.#rhi.read(buffer, range.byteOffset, byteLength);
      // The record of the read counts as a use of the buffer, but it is not forbidden.
      this.#ledger.settle();
      mapping.readAt = this.#ledger.sequence;
      if (mode === 'read-write') mapping.since = mapping.readAt;
      const data = await reading;
      this.#ledger.settle();
      if (mode === 'read') mapping.since = this.#ledger.sequence;
      return this.#open(buffer, mapping, range, data);
    } catch (error) {
      if (isTaken) this.#staging.release(byteLength);
      this.#forget(buffer, mapping);
      throw error;
    }
  }

  #mapAtOnce(buffer: BufferHandle, mode: ReadMapMode, options: MapOptions): MappedBuffer {
    const range = this.#check(buffer, mode, options);
    const readBack = this.#pending.find(buffer, range);
    const isUseful =
      readBack !== undefined &&
      (options.allowOlder === true || !this.#ledger.isChangedSince(buffer, readBack.sequence));
    if (!isUseful) {
      this.#pending.drop(buffer);
      this.#beginReadBack(buffer, range);
    } else {
      const { error, bytes, sequence } = readBack;
      if (error !== null || bytes !== null) this.#pending.collect(buffer);
      if (error !== null) throw error;
      if (bytes !== null) return this.#open(buffer, this.#mapping(mode, sequence), range, bytes);
    }
    throw new RhiError(
      'was-still-drawing',
      `The bytes of the buffer "${this.#label(buffer)}" have not arrived yet. Continue, and map it again in a later frame.`,
    );
  }

  /** Begins a read-back. If too little staging memory is free, does nothing: the next call of `map` tries again. */
  #beginReadBack(buffer: BufferHandle, range: MapRange): void {
    if (!this.#pending.take(range.byteLength)) return;
    const reading = this.#rhi.read(buffer, range.byteOffset, range.byteLength);
    this.#ledger.settle();
    this.#pending.begin(buffer, range, this.#ledger.sequence, reading);
  }

  #mapping(mode: MapMode, readAt = 0): Mapping {
    return { mode, since: this.#ledger.sequence, readAt, isOpen: false, isReported: false };
  }

  #check(buffer: BufferHandle, mode: MapMode, options: MapOptions): MapRange {
    checkHandle('map', 'the buffer', buffer);
    checkMapOptions(options, mode);
    const { context } = this.#rhi;
    context.handles.check(buffer, 'be mapped');
    this.#ledger.settle();
    const label = this.#label(buffer);
    const current = this.#watch.mappings.get(buffer);
    if (current !== undefined) {
      throw new RhiError(
        'already-mapped',
        `The buffer "${label}" is mapped for ${current.mode} already. Unmap it before mapping it for ${mode}.`,
      );
    }
    const { byteLength: size = 0, usage = 0 } = context.descriptorOf(buffer) ?? {};
    const range = mapRange(label, size, options);
    if (mode !== 'read' && (usage & BufferUsage.copyTarget) === 0) {
      throw new RhiError(
        'usage-missing',
        `The buffer "${label}" can't be mapped for ${mode}: it was created without the usage copyTarget. Add this usage.`,
      );
    }
    if (range.byteLength > this.#staging.limit) throw this.#exhausted(buffer, range);
    return range;
  }

  #open(buffer: BufferHandle, mapping: Mapping, range: MapRange, data: ArrayBuffer): MappedBuffer {
    mapping.isOpen = true;
    this.#watch.mappings.set(buffer, mapping);
    return new MappedBuffer(buffer, this.#label(buffer), mapping.mode, range, data, (mapped, bytes) =>
      this.#unmap(mapped, mapping, bytes),
    );
  }

  #unmap(mapped: MappedBuffer, mapping: Mapping, data: ArrayBuffer): void {
    const { buffer, mode, byteLength } = mapped;
    const isLive = this.#rhi.context.handles.isLive(buffer);
    this.#ledger.settle();
    // A buffer that was destroyed while it was mapped is not written.
    const isOrdered = isLive && this.#mustBeOrdered(mapped);
    mapped.close();
    this.#staging.release(byteLength);
    this.#forget(buffer, mapping);
    if (!isLive) return;
    const misuse = this.#watch.misuse(buffer, mapping);
    if (mode !== 'read') this.#write(mapped, isOrdered, data);
    if (misuse !== null) throw misuse;
  }

  /**
   * Returns whether the write has to be ordered within the list.
   * @throws RhiError `unmap-inside-pass` if an ordered write is needed inside a pass
   */
  #mustBeOrdered({ buffer, mode, byteOffset, byteLength }: MappedBuffer): boolean {
    const ledger = this.#ledger;
    if (mode === 'read' || mode === 'write-discard') return false;
    const isChanged = mode === 'read-write' || ledger.isChangedInList(buffer, byteOffset, byteLength);
    // Effects can be unknown, such as the effects of a bind group made before the ledger. Unknown effects mostly
    // concern other buffers, so they are no reason to throw inside a pass.
    if (!ledger.isInPass) return isChanged || ledger.isListUnknown;
    if (!isChanged) return false;
    const why =
      mode === 'read-write'
        ? 'Its bytes are written'
        : 'Earlier commands of the list change these bytes, so they are written';
    throw new RhiError(
      'unmap-inside-pass',
      `The buffer "${this.#label(buffer)}", mapped for ${mode}, can't be unmapped inside a pass. ${why} in list order, which WebGPU does not allow inside a pass. Unmap it before or after the pass.`,
    );
  }

  #write(
    { buffer, mode, byteOffset, byteLength }: MappedBuffer,
    isOrdered: boolean,
    data: ArrayBuffer,
  ): void {
    const { context } = this.#rhi;
    if (mode === 'write-discard') context.renameBuffer(buffer);
    if (isOrdered) context.writeBuffer(buffer, byteOffset, data);
    else writeWordsUnordered(context.writer, buffer, byteOffset, new Uint32Array(data), 0, byteLength >> 2);
  }

  /** Removes the mapping, unless the buffer already has a newer one. */
  #forget(buffer: BufferHandle, mapping: Mapping): void {
    const { mappings } = this.#watch;
    if (mappings.get(buffer) === mapping) mappings.delete(buffer);
  }

  #label(buffer: BufferHandle): string {
    return this.#rhi.context.handles.label(buffer);
  }

  #exhausted(buffer: BufferHandle, { byteLength }: MapRange): RhiError {
    const { usedBytes, limit } = this.#staging;
    return new RhiError(
      'staging-exhausted',
      `Mapping ${byteLength} bytes of the buffer "${this.#label(buffer)}" exceeds the staging memory: ${usedBytes} of ${limit} bytes are in use. Unmap other buffers, map fewer bytes at a time, or raise stagingBytes.`,
    );
  }
}
