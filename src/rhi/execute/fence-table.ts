/**
 * The fences that commands signal and wait for, on any backend: by handle, rising only, and with an end that wakes
 * who still waits.
 *
 *   createFence ─► 0     signalFence 3 recorded ─► last = 3     GPU done ─► value 3 ─► waiters go on
 *                        signalFence 2 recorded ─► refused: it would not rise
 *
 * A destroyed fence fails only when no signal of it is with the GPU any more.
 */
import { asStreamError, RhiError } from '../../core/errors.js';
import { readLong } from '../../core/records/wide-words.js';
import { ValueCell } from '../../sync/fences/cells/value-cell.js';
import type { QueuedFence } from '../../sync/fences/fence-queue.js';
import { isFenceValue } from '../../sync/fences/fence-value.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import type { FenceValue } from '../../sync/waitable.js';
import { ResourceKind } from '../commands/handles.js';
import { type Resource, ResourceTable } from './resource-table.js';

export interface FenceResource extends Resource {
  /** Its own, or one that was bound to the handle. */
  readonly fence: QueuedFence;
  /** Highest value that a record signals, whether it has happened yet or not. */
  lastValue: FenceValue;
  /** Signals given to the GPU that have not happened. */
  pendingSignals: number;
  isDestroyed: boolean;
  /** In the place of a GPU object, so that release queues free a fence like any other resource. */
  readonly gpu: { destroy(): void };
}

/** That is with the GPU. */
export interface BegunSignal {
  readonly resource: FenceResource;
  readonly value: FenceValue;
}

export class FenceTable extends ResourceTable<FenceResource> {
  /** Fences of somebody else, by handle; the handle may not exist yet, or no longer. */
  readonly #bound = new Map<number, QueuedFence>();
  /** Destroyed, with signals that the GPU has not come to. */
  readonly #outliving = new Set<FenceResource>();
  #failure: Error | null = null;

  constructor() {
    super(ResourceKind.fence);
  }

  create(handle: number, value: FenceValue, label: string, createdInFrame: number): void {
    const resource: FenceResource = {
      handle,
      label,
      createdInFrame,
      fence: this.#bound.get(handle) ?? new PrivateFence(label, { cell: new ValueCell(value) }),
      lastValue: value,
      pendingSignals: 0,
      isDestroyed: false,
      gpu: {
        destroy: () => {
          resource.isDestroyed = true;
          // It was waiting to be released when everything ended, known to nobody else.
          if (this.#failure) return this.#fail(resource, this.#failure);
          this.#outliving.add(resource);
          this.#endIfOver(resource);
        },
      },
    };
    // One whose slot is taken has no handle any more.
    this.add(resource)?.gpu.destroy();
  }

  /**
   * Lets commands that name the handle signal and wait for a fence that lives on without it. To be called before the
   * handle is used.
   * @throws RhiError `fence-exists`
   */
  bind(handle: number, fence: QueuedFence): void {
    // Records hold no mark, callers' handles do.
    const recorded = handle >>> 0;
    const resource = this.find(recorded);
    if (resource !== undefined || this.#bound.has(recorded)) {
      throw new RhiError(
        'fence-exists',
        `The handle of the fence "${resource?.label ?? fence.name}" has a fence already. Bind it once, right after createFence and before anything is executed.`,
      );
    }
    this.#bound.set(recorded, fence);
  }

  /**
   * A signal was recorded; `finishSignals` follows when it has happened.
   * @throws RhiError `stale-handle`, `fence-not-rising`; StateError `fence-out-of-range` (32 bits)
   */
  beginSignal(handle: number, value: FenceValue): FenceResource {
    const resource = this.get(handle);
    if (value <= resource.lastValue) {
      throw new RhiError(
        'fence-not-rising',
        `The fence "${resource.label}" was to be signalled with ${value} after ${resource.lastValue}. Its values only rise: signal a higher one.`,
      );
    }
    // First: a signal that the fence refuses is none that anybody could wait for.
    resource.fence.signalQueued?.(value);
    resource.lastValue = value;
    resource.pendingSignals++;
    return resource;
  }

  /** The GPU has come to them. @param report is given what a fence refuses, such as a value beyond its bits */
  finishSignals(signals: readonly BegunSignal[], report: (error: unknown) => void): void {
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        report(error);
      }
    };
    for (const { resource } of signals) resource.fence.batch?.begin();
    for (const { resource, value } of signals) {
      resource.pendingSignals--;
      attempt(() => resource.fence.signal(value));
      this.#endIfOver(resource);
    }
    for (const { resource } of signals) attempt(() => resource.fence.batch?.end());
  }

  /** Nothing will be signalled any more. */
  fail(error: Error): void {
    this.#failure = error;
    for (const resource of [...this.values(), ...this.#outliving]) this.#fail(resource, error);
  }

  #fail({ handle, fence }: FenceResource, error: Error): void {
    // What was bound is not this table's to end.
    if (this.#bound.has(handle)) fence.detach?.(asStreamError(error));
    else fence.fail(error);
  }

  #endIfOver(resource: FenceResource): void {
    const { handle, fence, label, isDestroyed, pendingSignals } = resource;
    if (!isDestroyed || pendingSignals > 0) return;
    this.#outliving.delete(resource);
    if (this.#bound.delete(handle)) {
      fence.detach?.(null);
      return;
    }
    fence.fail(
      new RhiError(
        'fence-destroyed',
        `The fence "${label}" was destroyed; nothing will signal it any more. Destroy it when nobody waits.`,
      ),
    );
  }
}

/** The value of a `signalFence` or `waitFence` record. @throws RhiError `bad-fence-value` */
export function fenceValueAt(words: Uint32Array, index: number): FenceValue {
  const value = readLong(words, index);
  if (isFenceValue(value)) return value;
  throw new RhiError(
    'bad-fence-value',
    `A fence takes whole numbers from 0 to 2^53 − 1 and bigints below 2^64 − 1, not ${String(value)}. Give it one.`,
  );
}
