/**
 * The fences that commands signal and wait for, on any backend, by handle. The value of a fence only rises.
 *
 *   createFence ─► 0     signalFence 3 recorded ─► last = 3     GPU done ─► value 3 ─► waiters continue
 *                        signalFence 2 recorded ─► refused: it would not rise
 *
 * A destroyed fence fails after its last pending signal, and its pending waits then reject. A fence bound to the handle
 * belongs to another owner, so it is detached instead.
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
  /** The resource's own fence, or a fence that was bound to the handle. */
  readonly fence: QueuedFence;
  /** Highest value that a record signals, executed or pending. */
  lastValue: FenceValue;
  /** Number of signals in flight on the GPU. */
  pendingSignals: number;
  isDestroyed: boolean;
  /** Substitute for a GPU object, so that release queues free a fence like any other resource. */
  readonly gpu: { destroy(): void };
}

/** A signal in flight on the GPU. */
export interface BegunSignal {
  readonly resource: FenceResource;
  readonly value: FenceValue;
}

export class FenceTable extends ResourceTable<FenceResource> {
  /** Fences of other owners, by handle. The handle's `FenceResource` may not exist yet, or may be destroyed already. */
  readonly #bound = new Map<number, QueuedFence>();
  /** Destroyed fences with pending signals. */
  readonly #destroyedPending = new Set<FenceResource>();
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
          // The fence was in a release queue when `fail` was called, so it has not failed yet.
          if (this.#failure) return this.#fail(resource, this.#failure);
          this.#destroyedPending.add(resource);
          this.#failIfFinished(resource);
        },
      },
    };
    // If the new fence takes over the slot of another, that fence has lost its handle, so it is destroyed.
    this.add(resource)?.gpu.destroy();
  }

  /**
   * Binds a handle to a fence of another owner, which outlives the handle. Call it before the handle is used.
   * @throws RhiError `fence-exists`
   */
  bind(handle: number, fence: QueuedFence): void {
    // Handles of callers have a mark above 32 bits (`handles.ts`); handles in records do not.
    const recorded = handle >>> 0;
    const resource = this.find(recorded);
    if (resource !== undefined || this.#bound.has(recorded)) {
      throw new RhiError(
        'fence-exists',
        `The handle of the fence "${resource?.label ?? fence.name}" has a fence already. Bind each handle once, before its createFence is executed.`,
      );
    }
    this.#bound.set(recorded, fence);
  }

  /**
   * Begins a signal that was recorded; `finishSignals` ends it.
   * @throws RhiError `stale-handle`, `wrong-handle-kind`, `fence-not-rising`; StateError `fence-out-of-range` for a
   *   fence of 32 bits
   */
  beginSignal(handle: number, value: FenceValue): FenceResource {
    const resource = this.get(handle);
    if (value <= resource.lastValue) {
      throw new RhiError(
        'fence-not-rising',
        `The fence "${resource.label}" can't be signalled with ${value} after ${resource.lastValue}. A fence's value only rises: signal a higher value.`,
      );
    }
    // `signalQueued` is called first: it throws for a value that the fence refuses, and a refused signal must not be
    // counted.
    resource.fence.signalQueued?.(value);
    resource.lastValue = value;
    resource.pendingSignals++;
    return resource;
  }

  /** Ends signals that the GPU has reached. @param report receives a fence's errors, such as a value beyond its bits */
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
      this.#failIfFinished(resource);
    }
    for (const { resource } of signals) attempt(() => resource.fence.batch?.end());
  }

  /** Fails all own fences and detaches the bound ones, because no signal will follow. */
  fail(error: Error): void {
    this.#failure = error;
    for (const resource of [...this.values(), ...this.#destroyedPending]) this.#fail(resource, error);
  }

  #fail({ handle, fence }: FenceResource, error: Error): void {
    // A bound fence belongs to another owner, so it is only detached.
    if (this.#bound.has(handle)) fence.detach?.(asStreamError(error));
    else fence.fail(error);
  }

  #failIfFinished(resource: FenceResource): void {
    const { handle, fence, label, isDestroyed, pendingSignals } = resource;
    if (!isDestroyed || pendingSignals > 0) return;
    this.#destroyedPending.delete(resource);
    if (this.#bound.delete(handle)) {
      fence.detach?.(null);
      return;
    }
    fence.fail(
      new RhiError(
        'fence-destroyed',
        `The fence "${label}" was destroyed, so no signal will follow. Destroy it only when nothing waits for it.`,
      ),
    );
  }
}

/** Returns the fence value in a record. @throws RhiError `bad-fence-value` */
export function fenceValueAt(words: Uint32Array, index: number): FenceValue {
  const value = readLong(words, index);
  if (isFenceValue(value)) return value;
  throw new RhiError(
    'bad-fence-value',
    `A fence takes whole numbers from 0 to 2^53 − 1 and bigints below 2^64 − 1, not ${String(value)}. Pass such a value.`,
  );
}
