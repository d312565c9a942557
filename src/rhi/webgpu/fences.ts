/**
 * Fences as commands (SYSTEMS table C, F2, F4, H7). Both end what is submitted so far; a fence's value is the only
 * number such a submission has, and the list goes on under its own (L1).
 *
 *   copies · draws │ signalFence f 1 │ draws │ waitFence g 7 │ draws │ endFrame
 *           submit ┘                  submit ┘ held, until g ≥ 7     └ submit: list k, number k + 1
 *                  └ GPU done ─► f = 1
 *
 * A held list may be held for more than a task, and a canvas texture lives only one: so whoever has acquired it
 * can't wait any more.
 */

import { readDouble } from '../../core/double-words.js';
import { RhiError } from '../../core/errors.js';
import { atDeadline, type Clock, systemClock } from '../../sync/deadline.js';
import type { QueuedFence } from '../../sync/monitored/fence-queue.js';
import { ResourceKind } from '../commands/handles.js';
import { stringAt } from '../commands/record-fields.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { FenceTable, fenceValueAt } from '../host/fence-table.js';
import type { ExecutorParts, Handler } from './parts.js';

/** A wait that lasts longer is reported, in milliseconds. It goes on: whoever signals may have good reasons. */
const LONG_WAIT = 10_000;

export class FenceCommands {
  /** Nothing is waited for any more: what is still in the stream is executed at once. */
  isDisposing = false;
  /** The record is a wait that was held and is executed again. */
  #isHeldWait = false;
  /** Ends the watch over the wait that is held. */
  #unwatch = (): void => {};
  readonly #parts: ExecutorParts;
  readonly #clock: Clock;
  readonly #table = new FenceTable();

  constructor(parts: ExecutorParts, clock: Clock = systemClock) {
    this.#parts = parts;
    this.#clock = clock;
    parts.resources.addTable(ResourceKind.fence, this.#table);
    const { completed } = parts.host;
    // A lost device and the executor's end fail `completed`, and with it all that the GPU would have signalled.
    completed.subscribe(() => {
      const { error } = completed;
      if (error === null) return;
      this.#unwatch();
      this.#table.fail(error);
    });
  }

  /** @throws RhiError `stale-handle` */
  fence(handle: number): QueuedFence {
    return this.#table.get(handle).fence;
  }

  /** @throws RhiError `fence-exists` */
  bind(handle: number, fence: QueuedFence): void {
    this.#table.bind(handle, fence);
  }

  create({ words, fields }: CommandRecord): void {
    const label = stringAt(words, fields, 3);
    this.#table.create(words[fields], readDouble(words, fields + 1), label, this.#parts.resources.frame);
  }

  signal({ words, fields }: CommandRecord): void {
    const { host, device } = this.#parts;
    const { completed } = host;
    const value = fenceValueAt(words, fields + 1);
    this.#parts.outsidePass();
    const resource = this.#table.beginSignal(words[fields], value);
    this.#split();
    const signal = (): void => {
      // A lost device settles this promise as well; then `completed` has failed, and the fence with it.
      if (completed.error !== null) return;
      try {
        this.#table.finishSignal(resource, value);
      } catch (error) {
        host.report(error); // a value that the fence refuses
      }
    };
    // One more turn of the microtask queue, so that a loss settled together with this is known first.
    device.queue.onSubmittedWorkDone().then(ignore, ignore).then(signal);
  }

  wait({ words, fields }: CommandRecord): void {
    const { viewport, host } = this.#parts;
    const value = fenceValueAt(words, fields + 1);
    this.#unwatch();
    this.#parts.outsidePass();
    const { fence, label } = this.#table.get(words[fields]);
    if (this.isDisposing) return;
    if (viewport.isAcquired) {
      throw new RhiError(
        'wait-after-acquire',
        `The list waits for the fence "${label}" after it has used the surface's texture, which does not live that long. Wait first, then draw to the viewport.`,
      );
    }
    this.#split();
    if (!this.#isHeldWait) fence.waitQueued?.(value);
    this.#isHeldWait = false;
    if (fence.isReached(value)) {
      fence.waitUnblocked?.(value);
      return;
    }
    if (fence.error !== null) throw fence.error;
    this.#isHeldWait = true;
    this.#unwatch = atDeadline(this.#clock.now() + LONG_WAIT, this.#clock, () =>
      host.report(
        new RhiError(
          'fence-wait-long',
          `The list has waited ${LONG_WAIT / 1000} s for the fence "${label}" to reach ${value}; it is at ${fence.value}. It goes on waiting, and all lists behind it. Signal the fence, or find out what its signal hangs on.`,
        ),
      ),
    );
    host.hold(fence.whenReached(value));
  }

  /** Submits, and asks for the read-backs so far, so that they come before the fence. */
  #split(): void {
    this.#parts.list.submit();
    this.#parts.transfers.startReadbacks();
  }
}

function ignore(): void {}

export const fenceHandlers = {
  createFence: ({ fences }, record) => fences.create(record),
  signalFence: ({ fences }, record) => fences.signal(record),
  waitFence: ({ fences }, record) => fences.wait(record),
} satisfies Record<string, Handler>;
