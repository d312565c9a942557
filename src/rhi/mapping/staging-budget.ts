/**
 * Counts staging memory against a limit (SYSTEMS M6). Callers take bytes and release them. Waiting requests get their
 * bytes in order, so that small later requests do not starve a large one.
 *
 *   limit 100   take 60 ✓   take 60 ✗ ─► wait 60 ── release 60 ─► its turn
 */
interface Turn {
  readonly byteLength: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class StagingBudget {
  usedBytes = 0;
  peakBytes = 0;
  #turns: Turn[] = [];

  /** @param limit maximum number of bytes in use */
  constructor(readonly limit: number) {}

  /** Whether a request waits for bytes. */
  get isAwaited(): boolean {
    return this.#turns.length > 0;
  }

  /** Takes bytes. Returns false if they do not fit, or if requests wait. */
  take(byteLength: number): boolean {
    const isTaken = !this.isAwaited && this.#fits(byteLength);
    if (isTaken) this.#add(byteLength);
    return isTaken;
  }

  /**
   * Resolves when the bytes have been taken. Call it after `take` has returned false, because only `release` serves
   * waiting requests.
   * @param byteLength at most the limit
   */
  wait(byteLength: number): Promise<void> {
    return new Promise((resolve, reject) => this.#turns.push({ byteLength, resolve, reject }));
  }

  release(byteLength: number): void {
    this.usedBytes -= byteLength;
    for (let turn = this.#turns[0]; turn && this.#fits(turn.byteLength); turn = this.#turns[0]) {
      this.#turns.shift();
      this.#add(turn.byteLength);
      turn.resolve();
    }
  }

  /** Rejects all waiting requests. */
  fail(error: Error): void {
    for (const { reject } of this.#turns) reject(error);
    this.#turns = [];
  }

  #fits(byteLength: number): boolean {
    return this.usedBytes + byteLength <= this.limit;
  }

  #add(byteLength: number): void {
    this.usedBytes += byteLength;
    this.peakBytes = Math.max(this.peakBytes, this.usedBytes);
  }
}
