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

import { readDouble } from '../../../core/double-words.js';
import { RhiError } from '../../../core/errors.js';
import type { StreamReader } from '../../../core/stream.js';
import { atDeadline, type Clock, systemClock } from '../../../sync/deadline.js';
import type { QueuedFence } from '../../../sync/monitored/fence-queue.js';
import { RhiOpcode } from '../../commands/commands.js';
import { ResourceKind } from '../../commands/handles.js';
import { stringAt } from '../../commands/record-fields.js';
import { FenceTable, fenceValueAt } from '../../host/fence-table.js';
import type { ResourceTable } from '../../memory/resource-table.js';
import type { ExecutorParts } from '../extension.js';

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
    // Among the others, so that destroying, release and the leak report are theirs.
    const tables = parts.resources.tables as (ResourceTable<never> | undefined)[];
    tables[ResourceKind.fence] = this.#table as unknown as ResourceTable<never>;
    // A lost device and the executor's end fail `completed`, and with it all that the GPU would have signalled.
    parts.completed.subscribe(() => {
      const { error } = parts.completed;
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

  execute({ words, fields, opcode }: StreamReader): boolean {
    const first = words[fields];
    switch (opcode) {
      case RhiOpcode.createFence: {
        const label = stringAt(words, fields, 3);
        this.#table.create(first, readDouble(words, fields + 1), label, this.#parts.resources.frame);
        return true;
      }
      case RhiOpcode.signalFence:
        this.#signal(first, fenceValueAt(words, fields + 1));
        return true;
      case RhiOpcode.waitFence:
        this.#wait(first, fenceValueAt(words, fields + 1));
        return true;
      default:
        return false;
    }
  }

  #signal(handle: number, value: number): void {
    const { completed, device } = this.#parts;
    this.#parts.outsidePass();
    const resource = this.#table.beginSignal(handle, value);
    this.#split();
    const signal = (): void => {
      // A lost device settles this promise as well; then `completed` has failed, and the fence with it.
      if (completed.error !== null) return;
      try {
        this.#table.finishSignal(resource, value);
      } catch (error) {
        this.#parts.report(error); // a value that the fence refuses
      }
    };
    // One more turn of the microtask queue, so that a loss settled together with this is known first.
    device.queue.onSubmittedWorkDone().then(ignore, ignore).then(signal);
  }

  #wait(handle: number, value: number): void {
    const { viewport } = this.#parts;
    this.#unwatch();
    this.#parts.outsidePass();
    const { fence, label } = this.#table.get(handle);
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
      this.#parts.report(
        new RhiError(
          'fence-wait-long',
          `The list has waited ${LONG_WAIT / 1000} s for the fence "${label}" to reach ${value}; it is at ${fence.value}. It goes on waiting, and all lists behind it. Signal the fence, or find out what its signal hangs on.`,
        ),
      ),
    );
    this.#parts.hold(fence.whenReached(value));
  }

  /** Submits, and asks for the read-backs so far, so that they come before the fence. */
  #split(): void {
    this.#parts.list.submit();
    this.#parts.transfers.startReadbacks();
  }
}

function ignore(): void {}
