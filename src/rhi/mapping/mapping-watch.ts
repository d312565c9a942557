/**
 * Which buffers are mapped, and whether commands use one meanwhile (SYSTEMS M6). A list that does is not submitted:
 * whoever would submit it is told the buffer's label instead, and may do so again once it is unmapped.
 *
 *   beginFrame ─ draw b ─ map b ─ endFrame ✗ buffer-mapped ─ unmap ─ endFrame ✓
 *
 * While the bytes of a `read-write` are on their way nobody can unmap it, and they may hang on this very frame: then a
 * use is told at the frame's end, which it does not stop.
 */
import { RhiError } from '../../core/errors.js';
import type { BufferHandle } from '../commands/descriptors.js';
import type { CheckedImmediateContext } from '../record/checked-contexts.js';
import type { BufferLedger } from './buffer-ledger.js';
import type { MapMode } from './mapped-buffer.js';

/** The state of a buffer from the call of `map` to `unmap`. */
export interface Mapping {
  readonly mode: MapMode;
  /** The ledger's count from which on nothing may use the buffer; infinite while a `read` is under way. */
  since: number;
  /** The ledger's count at the record that read its bytes: no use against the rule. 0: none. */
  readAt: number;
  /** Its bytes are with the caller, who may unmap it. */
  isOpen: boolean;
  /** A submission was refused for it. */
  isTold: boolean;
}

export class MappingWatch {
  readonly #context: CheckedImmediateContext;
  readonly #ledger: BufferLedger;
  /** By buffer. */
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

  /** Null: nothing has used it while it was mapped, or a submission was refused for that. After `settle`. */
  misuse(buffer: BufferHandle, { mode, since, isTold }: Mapping): RhiError | null {
    if (isTold || this.#ledger.entry(buffer).lastUse <= since) return null;
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
      mapping.isTold = true;
      throw this.#usedWhileMapped(buffer, mapping.mode, 'Nothing was submitted: unmap it, and submit again.');
    }
  }

  /** What was destroyed meanwhile is forgotten. */
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

  /** What used a read-write before it was read is seen by the read. */
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
