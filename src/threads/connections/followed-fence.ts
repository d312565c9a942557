/**
 * A fence of the main thread that outlives its sources, which are fences of threads that may end. It waits for a value
 * of its source only if the value has a waiter on the main thread (SYSTEMS F5). So other signals cause no notification.
 *
 *   a waiter         for 9 ───────────────────► waits for 9 of the source      signals 1 … 8: no notification
 *   a reader         ◄── the source's value     the newest one, in shared memory
 *   source changes   waits move to the new source; the value never decreases
 *
 * The object is also the storage cell of its own fence. The fence's waiters read that cell.
 */
import { NOBODY_WAITS, type SignallableCell } from '../../sync/fences/fence-value.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import type { FenceValue, WaitableFence } from '../../sync/waitable.js';

export class FollowedFence implements SignallableCell {
  readonly fence: PrivateFence;
  /** The largest value seen so far. */
  #seen: FenceValue = 0;
  #source: WaitableFence | null = null;
  #monitored: FenceValue = NOBODY_WAITS;
  /** The source's value that this fence waits for. */
  #awaited = NOBODY_WAITS;

  constructor(name: string) {
    this.fence = new PrivateFence(name, { cell: this });
  }

  /**
   * Follows another fence.
   * @param source the fence to follow from now on; null keeps the present value
   */
  follow(source: WaitableFence | null): void {
    this.#seen = this.current;
    this.#source = source;
    this.#awaited = NOBODY_WAITS;
    this.#await();
    this.fence.look();
  }

  get current(): FenceValue {
    const value = this.#source?.value ?? 0;
    if (value > this.#seen) this.#seen = value;
    return this.#seen;
  }

  raise(value: FenceValue): boolean {
    if (value <= this.current) return false;
    this.#seen = value;
    return true;
  }

  monitor(_slot: number, value: FenceValue): void {
    this.#monitored = value;
    this.#await();
  }

  /** Does nothing, because private fences never close their slots. */
  closeSlot(): void {}

  #await(): void {
    const source = this.#source;
    const value = Number(this.#monitored) + 1;
    if (!source || value >= this.#awaited) return;
    this.#awaited = value;
    source.whenReached(value).then(
      () => {
        if (source !== this.#source) return;
        if (this.#awaited === value) this.#awaited = NOBODY_WAITS;
        this.fence.look();
        this.#await();
      },
      () => {}, // The caller of `follow` listens for the source's failure itself.
    );
  }
}
