/**
 * The mapped buffers, and the check that no command uses a mapped buffer (SYSTEMS M6). A list that uses a
 * mapped buffer is not submitted. The call that would submit it throws an error with the buffer's label, and
 * may be repeated after `unmap`.
 *
 *   beginFrame ─ draw b ─ map b ─ endFrame ✗ buffer-mapped ─ unmap ─ endFrame ✓
 *
 * While a `read-write` waits for its bytes, its caller can't unmap the buffer. The bytes may even arrive only if this
 * frame is submitted. So a use at this time is reported at the frame's end, but does not prevent the submission.
 */
import { RhiError } from '../../core/errors.js';
import type { BufferHandle } from '../commands/descriptors.js';
import type { CheckedImmediateContext } from '../record/checked-contexts.js';
import type { BufferLedger } from './buffer-ledger.js';
import type { MapMode } from './mapped-buffer.js';

/** The state of a buffer from the call of `map` to `unmap`. */
export interface Mapping {
  readonly mode: MapMode;
  /** The ledger's sequence number after which uses are forbidden. Infinite while a `read` is in flight. */
  since: number;
  /**
   * The ledger's sequence number of the record that reads the bytes; 0 if there is no such record. This record is an
   * allowed use.
   */
  readAt: number;
  /** Whether the caller has the bytes, and can unmap the buffer. */
  isOpen: boolean;
  /** Whether a submission was refused because of this mapping. */
  isReported: boolean;
}

export class MappingWatch {
  readonly #context: CheckedImmediateContext;
  readonly #ledger: BufferLedger;
  /** Mappings by buffer. */
  readonly mappings = new Map<BufferHandle, Mapping>();
  readonly #stopListening: readonly (() => void)[];

  constructor(context: CheckedImmediateContext, ledger: BufferLedger) {
    this.#context = context;
    this.#ledger = ledger;
    this.#stopListening = [
      context.onSubmission(() => this.#checkSubmission()),
      context.onFrameFinished(() => this.#finishFrame()),
    ];
  }

  /**
   * Returns the error for a use of the buffer while it was mapped. Returns null if there was no use, or if a refused
   * submission has reported it. Call the ledger's `settle` first.
   */
  misuse(buffer: BufferHandle, { mode, since, isReported }: Mapping): RhiError | null {
    if (isReported || this.#ledger.entry(buffer).lastUse <= since) return null;
    return this.#usedWhileMapped(buffer, mode, 'Unmap the buffer before recording its use.');
  }

  dispose(): void {
    for (const stop of this.#stopListening) stop();
    this.mappings.clear();
  }

  #checkSubmission(): void {
    this.#ledger.settle();
    for (const [buffer, mapping] of this.mappings) {
      const isLive = this.#context.handles.isLive(buffer);
      if (!isLive || !mapping.isOpen || !this.#isUsedInFrame(buffer, mapping)) continue;
      mapping.isReported = true;
      throw this.#usedWhileMapped(
        buffer,
        mapping.mode,
        'The list was not submitted. Unmap the buffer, and submit again.',
      );
    }
  }

  /** Reports uses of a buffer whose `read-write` awaits its bytes, at the frame's end. Forgets destroyed buffers. */
  #finishFrame(): void {
    this.#ledger.settle();
    for (const [buffer, mapping] of this.mappings) {
      const { mode, since, isOpen } = mapping;
      if (!this.#context.handles.isLive(buffer)) this.mappings.delete(buffer);
      else if (!isOpen && since < Number.POSITIVE_INFINITY && this.#isUsedInFrame(buffer, mapping)) {
        throw this.#usedWhileMapped(
          buffer,
          mode,
          'Wait for the promise of map, and unmap the buffer before its use.',
        );
      }
    }
  }

  /**
   * Returns whether a command recorded in this frame, or since the mapping, uses the buffer. For a `read-write`, uses
   * recorded before its read are allowed, because the read returns their results.
   */
  #isUsedInFrame(buffer: BufferHandle, { mode, since, readAt }: Mapping): boolean {
    const { lastUse } = this.#ledger.entry(buffer);
    if (lastUse === readAt) return false;
    return lastUse > (mode === 'read-write' ? since : Math.min(since, this.#ledger.frameBegan));
  }

  #usedWhileMapped(buffer: BufferHandle, mode: MapMode, remedy: string): RhiError {
    return new RhiError(
      'buffer-mapped',
      `The buffer "${this.#context.handles.label(buffer)}" is used by commands while it is mapped for ${mode}. ${remedy}`,
    );
  }
}
