/**
 * Fences as commands, on any backend (SYSTEMS table C, F2, F4, H7). Both end what is submitted so far; a fence's value is
 * the only number such a submission has, and the list goes on under its own (L1).
 *
 *   copies · draws │ signalFence f 1 │ draws │ waitFence g 7 │ draws │ endFrame
 *           submit ┘                  submit ┘ held, until g ≥ 7     └ submit: list k, number k + 1
 *                  └ GPU done ─► f = 1
 *
 * A held list may be held for more than a task, and a canvas texture lives only one: so whoever has acquired it
 * can't wait any more.
 */
import { RhiError } from '../../core/errors.js';
import { stringAt } from '../../core/records/record-fields.js';
import { atDeadline, systemClock } from '../../sync/deadline.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import type { Backend } from './backend.js';
import { type BegunSignal, FenceTable, fenceValueAt } from './fence-table.js';

/** A wait that lasts longer is reported, in milliseconds. It goes on: whoever signals may have good reasons. */
const LONG_WAIT = 10_000;
/** Of a `signalFence` record, with its header. */
const SIGNAL_WORDS = 4;

export class FenceCommands {
  readonly table = new FenceTable();
  readonly #backend: Backend;
  /** The record is a wait that was held and is executed again. */
  #isHeldWait = false;
  /** Ends the watch over the wait that is held. */
  #unwatch = (): void => {};
  /** The signals that were recorded right behind each other, last; while they are being executed. */
  #last: { readonly words: Uint32Array; fields: number; readonly signals: BegunSignal[] } | null = null;
  /** Signals that the GPU has come to. */
  #executed: BegunSignal[] = [];

  constructor(backend: Backend) {
    this.#backend = backend;
    const { completed } = backend.host;
    // A lost device and the executor's end fail `completed`, and with it all that the GPU would have signalled.
    completed.subscribe(() => {
      const { error } = completed;
      if (error === null) return;
      this.#unwatch();
      this.table.fail(error);
    });
  }

  /** @throws RhiError `wrong-handle-kind`, `bad-fence-value` */
  create({ words, fields }: CommandRecord, frame: number): void {
    if (handleKind(words[fields]) !== ResourceKind.fence) throw this.table.staleHandle(words[fields]);
    this.table.create(words[fields], fenceValueAt(words, fields + 1), stringAt(words, fields, 3), frame);
  }

  signal({ words, fields }: CommandRecord): void {
    const value = fenceValueAt(words, fields + 1);
    const begun: BegunSignal = { resource: this.table.beginSignal(words[fields], value), value };
    const last = this.#last;
    if (last?.words === words && last.fields + SIGNAL_WORDS === fields) {
      // Right behind another signal: the work before is the same.
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
      // A lost device settles this as well; then `completed` has failed, and the fence with it.
      if (this.#backend.host.completed.error !== null) return;
      this.#executed.push(...run.signals);
      if (this.#backend.isImmediate) this.#finishExecuted();
      // What is heard together is told together (F7).
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
        `The list waits for the fence "${label}" after it has used the surface's texture, which does not live that long. Wait first, then draw to the viewport.`,
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
          `The list has waited ${LONG_WAIT / 1000} s for the fence "${label}" to reach ${value}; it is at ${fence.value}. It goes on waiting, and all lists behind it. Signal the fence, or find out what its signal hangs on.`,
        ),
      ),
    );
    this.#backend.host.hold(fence.whenReached(value));
  }
}
