/**
 * The mapped buffers, and the check that no command uses a mapped buffer (SYSTEMS M6). A list that uses a
 * mapped buffer is not submitted. The call that would submit it throws an error with the buffer's label, and
 * may be repeated after `unmap`.
 *
 *   beginFrame ─ draw b ─ map b ─ endFrame ✗ buffer-mapped ─ unmap ─ endFrame ✓
 *
 * While a `read-write` waits for its bytes, its caller can't unmap the buffer, and the bytes may depend on
 * this very frame. In this case, a use is reported at the frame's end without preventing the submission.
 */
import { RhiError } from '../../core/errors.js';
import type { BufferHandle } from '../commands/descriptors.js';
import type { CheckedImmediateContext } from '../record/checked-contexts.js';
import type { BufferLedger } from './buffer-ledger.js';
import type { MapMode } from './mapped-buffer.js';

/** The state of a buffer from the call of `map` to `unmap`. */
export interface Mapping {
  readonly mode: MapMode;
  /** The ledger's sequence number after which uses are forbidden; infinite while a `read` is in flight. */
  since: number;
  /**
   * The ledger's sequence number of the record that reads the bytes, which is an allowed use; 0 without such a record.
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
   * Returns the error for a use while the buffer was mapped; null if there was none, or if a refused submission has
   * reported it. Call the ledger's `settle` first.
   */
  misuse(buffer: BufferHandle, { mode, since, isReported }: Mapping): RhiError | null {
    if (isReported || this.#ledger.entry(buffer).lastUse <= since) return null;
    return this.#usedWhileMapped(buffer, mode, 'Unmap it before recording its use.');
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
      throw this.#usedWhileMapped(buffer, mapping.mode, 'Nothing was submitted: unmap it, and submit again.');
    }
  }

  /** Reports forbidden uses at the frame's end, and forgets destroyed buffers. */
  #finishFrame(): void {
    this.#ledger.settle();
    for (const [buffer, mapping] of this.mappings) {
      const { mode, since, isOpen } = mapping;
      if (!this.#context.handles.isLive(buffer)) this.mappings.delete(buffer);
      else if (!isOpen && since < Number.POSITIVE_INFINITY && this.#isUsedInFrame(buffer, mapping)) {
        throw this.#usedWhileMapped(buffer, mode, 'Wait until it is mapped, and unmap it before its use.');
      }
    }
  }

  /**
   * Returns whether a command of this frame uses the buffer. For a `read-write`, uses before its read are allowed,
   * because the read sees their results.
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
