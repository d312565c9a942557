/**
 * A fence of the main thread that goes on while the fences it goes by come and go with their threads. It waits at its source
 * as everybody waits (SYSTEMS F5): only for what somebody waits for here, so that other signals ring nobody.
 *
 *   who waits here   for 9 ───────────────────► waits at the source for 9      signals 1 … 8: nobody is told
 *   who reads here   ◄── the source's value     in shared memory it is the newest
 *   source changes   what is awaited is awaited of the next one; values never go back
 *
 * It is the cell that its fence's waiters look at.
 */
import { NOBODY_WAITS, type SignallableCell } from '../../sync/fences/fence-value.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import type { FenceValue, WaitableFence } from '../../sync/waitable.js';

export class FollowedFence implements SignallableCell {
  readonly fence: PrivateFence;
  /** The largest value that was seen. */
  #seen: FenceValue = 0;
  #source: WaitableFence | null = null;
  #monitored: FenceValue = NOBODY_WAITS;
  /** The value of the source that is awaited. */
  #awaited = NOBODY_WAITS;

  constructor(name: string) {
    this.fence = new PrivateFence(name, { cell: this });
  }

  /** @param source whose signals are this fence's from now on; null: nobody's, and the value stays as it is */
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

  /** Private fences never close theirs. */
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
      () => {}, // whoever made it follow hears of the failure
    );
  }
}
