/**
 * Fences as commands, on any backend (SYSTEMS table C, F2, F4, H7). `signalFence` and `waitFence` submit the commands
 * recorded so far. This submission gets no number: the list is numbered once, at its end (L1).
 *
 *   copies · draws │ signalFence f 1 │ draws │ waitFence g 7 │ draws │ endFrame
 *           submit ┘                  submit ┘ held, until g ≥ 7     └ submit: list k, number k + 1
 *                  └ GPU done ─► f = 1
 *
 * A list may be held for longer than one task of the event loop, but a canvas texture expires at the end of the task.
 * So a list that has acquired the surface's texture must not wait.
 */
import { RhiError } from '../../core/errors.js';
import { stringAt } from '../../core/records/record-fields.js';
import { atDeadline, systemClock } from '../../sync/deadline.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import type { Backend } from './backend.js';
import { type BegunSignal, FenceTable, fenceValueAt } from './fence-table.js';

/**
 * Duration after which a wait is reported, in milliseconds. The wait continues, because a late signal may be intended.
 */
const LONG_WAIT = 10_000;
/** Words of a `signalFence` record, with its header. */
const SIGNAL_WORDS = 4;

export class FenceCommands {
  readonly table = new FenceTable();
  readonly #backend: Backend;
  /** Whether the current record is a held wait that is executed again. */
  #isHeldWait = false;
  /** Stops the timer that reports a long wait. */
  #unwatch = (): void => {};
  /** The last run of adjacent signals; null once no further signal can join it. */
  #last: { readonly words: Uint32Array; fields: number; readonly signals: BegunSignal[] } | null = null;
  /** Signals that the GPU has reached and that are not delivered yet. */
  #executed: BegunSignal[] = [];

  constructor(backend: Backend) {
    this.#backend = backend;
    const { completed } = backend.host;
    // A lost device and the executor's disposal fail `completed`. After that, the GPU signals no fence any more.
    completed.subscribe(() => {
      const { error } = completed;
      if (error === null) return;
      this.#unwatch();
      this.table.fail(error);
    });
  }

  /** Executes `createFence`. @throws RhiError `wrong-handle-kind`, `bad-fence-value` */
  create({ words, fields }: CommandRecord, frame: number): void {
    if (handleKind(words[fields]) !== ResourceKind.fence) throw this.table.staleHandle(words[fields]);
    this.table.create(words[fields], fenceValueAt(words, fields + 1), stringAt(words, fields, 3), frame);
  }

  signal({ words, fields }: CommandRecord): void {
    const value = fenceValueAt(words, fields + 1);
    const begun: BegunSignal = { resource: this.table.beginSignal(words[fields], value), value };
    const last = this.#last;
    if (last?.words === words && last.fields + SIGNAL_WORDS === fields) {
      // This signal directly follows another signal, so both wait for the same work.
      last.fields = fields;
      last.signals.push(begun);
      return;
    }
    this.#backend.submit?.();
    const run = { words, fields, signals: [begun] };
    this.#last = run;
    const end = (): void => {
      if (this.#last === run) this.#last = null;
    };
    queueMicrotask(end);
    this.#backend.whenWorkDone(() => {
      end();
      // A lost device ends this wait too. In that case `completed` has failed, and so has the fence.
      if (this.#backend.host.completed.error !== null) return;
      this.#executed.push(...run.signals);
      if (this.#backend.isImmediate) this.#finishExecuted();
      // Signals that arrive in the same task are delivered together (F7).
      else if (this.#executed.length === run.signals.length) queueMicrotask(this.#finishExecuted);
    });
  }

  readonly #finishExecuted = (): void => {
    const executed = this.#executed;
    this.#executed = [];
    if (this.#backend.host.completed.error === null)
      this.table.finishSignals(executed, this.#backend.host.report);
  };

  wait({ words, fields }: CommandRecord): void {
    const value = fenceValueAt(words, fields + 1);
    this.#unwatch();
    const { fence, label } = this.table.get(words[fields]);
    if (this.#backend.host.isDisposing) return;
    if (this.#backend.viewport?.isAcquired) {
      throw new RhiError(
        'wait-after-acquire',
        `The list waits for the fence "${label}" after it has used the surface's texture, which may expire during the wait. Wait first, then draw to the viewport.`,
      );
    }
    this.#backend.submit?.();
    if (!this.#isHeldWait) fence.waitQueued?.(value);
    this.#isHeldWait = false;
    if (fence.isReached(value)) {
      fence.waitUnblocked?.(value);
      return;
    }
    if (fence.error !== null) throw fence.error;
    this.#isHeldWait = true;
    this.#unwatch = atDeadline(systemClock.now() + LONG_WAIT, systemClock, () =>
      this.#backend.host.report(
        new RhiError(
          'fence-wait-long',
          `The list has waited ${LONG_WAIT / 1000} s for the fence "${label}" to reach ${value}; it is at ${fence.value}. It keeps waiting, and so do all lists behind it. Signal the fence, or find out what delays the signal.`,
        ),
      ),
    );
    this.#backend.host.hold(fence.whenReached(value));
  }
}
