/**
 * Pending requests of a thread that has no access to the group's memory. It sends them as messages to the thread that
 * has the memory.
 *
 *   create 3 ─► … ─► created 3     resolves; rejects if any message is lost, because that may have been the answer
 *   flush 4 ──► … ─► flushed 4     resolves, also if a message is lost
 */

/**
 * Index and generation of the new fence. The index is −1 if the memory is full, or this thread has left the group.
 */
interface Created {
  readonly index: number;
  readonly generation: number;
}

interface Creation {
  readonly resolve: (created: Created) => void;
  readonly reject: (error: Error) => void;
}

export class GroupRequests {
  readonly #creations = new Map<number, Creation>();
  readonly #flushes = new Map<number, () => void>();
  #count = 0;

  /** Requests a new fence. @param ask sends the request with this number */
  create(ask: (request: number) => void): Promise<Created> {
    const request = this.#count++;
    ask(request);
    return new Promise((resolve, reject) => this.#creations.set(request, { resolve, reject }));
  }

  /** Requests a flush of the logs. @param ask sends the request with this number */
  flush(ask: (request: number) => void): Promise<void> {
    const request = this.#count++;
    ask(request);
    return new Promise((resolve) => this.#flushes.set(request, resolve));
  }

  /** Resolves the request. @returns false if it was no longer pending */
  created(request: number, created: Created): boolean {
    const creation = this.#creations.get(request);
    this.#creations.delete(request);
    creation?.resolve(created);
    return creation !== undefined;
  }

  flushed(request: number): void {
    this.#flushes.get(request)?.();
    this.#flushes.delete(request);
  }

  /** Ends all requests. @param error rejects pending creations; `null` when this thread has left the group */
  end(error: Error | null): void {
    for (const { resolve, reject } of this.#creations.values()) {
      if (error) reject(error);
      else resolve({ index: -1, generation: 0 });
    }
    this.#creations.clear();
    for (const resolve of this.#flushes.values()) resolve();
    this.#flushes.clear();
  }
}
