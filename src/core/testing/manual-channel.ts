import type { PortLike } from '../streams/carrier.js';

/**
 * A message channel whose messages arrive when the test says so, one at a time and in order. Messages are
 * cloned as a real port does (transferred buffers are detached, shared memory stays shared). Test-only.
 */
export class ManualPort implements PortLike {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  isClosed = false;
  /** Messages under way to this port. */
  readonly inbox: unknown[] = [];
  other!: ManualPort;

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    const copy = structuredClone(message, { transfer: [...transfer] });
    if (!this.isClosed) this.other.inbox.push(copy);
  }

  /** Hands over the oldest message; false when there is none. */
  deliver(): boolean {
    if (this.inbox.length === 0) return false;
    const data = this.inbox.shift();
    this.onmessage?.({ data } as MessageEvent);
    return true;
  }

  close(): void {
    this.isClosed = true;
  }
}

export class ManualChannel {
  readonly port1 = new ManualPort();
  readonly port2 = new ManualPort();

  constructor() {
    this.port1.other = this.port2;
    this.port2.other = this.port1;
  }

  /** Delivers until nothing is under way in either direction; answers how many messages that took. */
  settle(): number {
    let count = 0;
    while (this.port2.deliver() || this.port1.deliver()) count++;
    return count;
  }
}
