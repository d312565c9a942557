import type { PortLike } from '../streams/carrier.js';

/**
 * The end of a message channel whose messages the test delivers, one at a time and in order. It clones messages as a
 * real port does: transferred buffers are detached, shared memory stays shared. Test-only.
 */
export class ManualPort implements PortLike {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  isClosed = false;
  /** Messages in flight to this port. */
  readonly inbox: unknown[] = [];
  other!: ManualPort;

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    const copy = structuredClone(message, { transfer: [...transfer] });
    if (!this.isClosed) this.other.inbox.push(copy);
  }

  /** Delivers the oldest message to this port. @returns false if there is none */
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

  /** Delivers until no message is in flight in either direction. @returns number of delivered messages */
  settle(): number {
    let count = 0;
    while (this.port2.deliver() || this.port1.deliver()) count++;
    return count;
  }
}
