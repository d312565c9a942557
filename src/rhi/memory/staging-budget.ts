/**
 * A bound on staging memory (SYSTEMS M6): bytes are taken and given back; who may wait gets a turn in order, so that
 * a large request is not starved by small ones that came later.
 *
 *   limit 100   take 60 ✓   take 60 ✗ ─► wait 60 ── release 60 ─► its turn
 */
interface Turn {
  readonly byteLength: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class StagingBudget {
  readonly limit: number;
  usedBytes = 0;
  peakBytes = 0;
  #turns: Turn[] = [];

  /** @param limit bytes */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Somebody waits for a turn. */
  get isAwaited(): boolean {
    return this.#turns.length > 0;
  }

  /** False when it does not fit, or others wait for theirs. */
  take(byteLength: number): boolean {
    if (this.#turns.length > 0 || this.usedBytes + byteLength > this.limit) return false;
    this.#add(byteLength);
    return true;
  }

  /** Resolves when the bytes have been taken. @param byteLength at most the limit */
  wait(byteLength: number): Promise<void> {
    return new Promise((resolve, reject) => this.#turns.push({ byteLength, resolve, reject }));
  }

  release(byteLength: number): void {
    this.usedBytes -= byteLength;
    for (let turn = this.#turns[0]; turn; turn = this.#turns[0]) {
      if (this.usedBytes + turn.byteLength > this.limit) return;
      this.#turns.shift();
      this.#add(turn.byteLength);
      turn.resolve();
    }
  }

  fail(error: Error): void {
    for (const { reject } of this.#turns) reject(error);
    this.#turns = [];
  }

  #add(byteLength: number): void {
    this.usedBytes += byteLength;
    this.peakBytes = Math.max(this.peakBytes, this.usedBytes);
  }
}
