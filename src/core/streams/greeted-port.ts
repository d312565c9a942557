import type { PortLike } from './carrier.js';
import { PortMessageKind } from './port-messages.js';

/**
 * The writing end's port until the reading end has said hello. In Firefox, shared memory that is posted to a worker which has
 * not heard anything on the port yet arrives as `messageerror` when the writer is a worker as well.
 *
 *   writer ── control, slab ──► held │ ◄── hello ── reader
 *                                    └── control, slab ──►
 */
export class GreetedPort implements PortLike {
  onmessage: PortLike['onmessage'] = null;
  readonly #port: PortLike;
  #held: [message: unknown, transfer: Transferable[] | undefined][] | null = [];

  constructor(port: PortLike) {
    this.#port = port;
    port.onmessage = (event) => {
      if (event.data === PortMessageKind.hello) this.#release();
      this.onmessage?.(event);
    };
  }

  set onmessageerror(listener: PortLike['onmessageerror']) {
    this.#port.onmessageerror = listener;
  }

  postMessage(message: unknown, transfer?: Transferable[]): void {
    if (this.#held) this.#held.push([message, transfer]);
    else this.#port.postMessage(message, transfer);
  }

  /** Held messages go first: a reader that comes later finds how the stream ended. */
  close(): void {
    this.#release();
    this.#port.onmessage = null;
    this.#port.close();
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const [message, transfer] of held) this.#port.postMessage(message, transfer);
  }
}
