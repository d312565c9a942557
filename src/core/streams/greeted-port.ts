import type { PortLike } from './carrier.js';
import { isBare, type PortMessage, PortMessageKind } from './port-messages.js';

/** Kinds of messages about shared memory, which the port may hold. They are posted in their order. */
const MEMORY: readonly number[] = [PortMessageKind.control, PortMessageKind.slab, PortMessageKind.drop];

/**
 * The writing end's port. It holds messages about shared memory until the reading end has sent `hello`. Firefox often
 * loses shared memory that one worker posts to another on a port that it has just received. All other messages are
 * posted at once, so that an attachment is checked and transferred by the call that sends it.
 *
 *   writer ── control, slab ──► held │ ◄── hello ── reader
 *                                    └── control, slab ──►
 *          ── wake, attachment ─────────────────────────►
 */
export class GreetedPort implements PortLike {
  onmessage: PortLike['onmessage'] = null;
  readonly #port: PortLike;
  #held: PortMessage[] | null = [];

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
    const sent = message as PortMessage;
    if (this.#held && !isBare(sent) && MEMORY.includes(sent[0])) this.#held.push(sent);
    else this.#port.postMessage(message, transfer);
  }

  /** Posts the held messages and closes the port, so that a reader that connects later still gets the last pages. */
  close(): void {
    this.#release();
    this.#port.onmessage = null;
    this.#port.close();
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const message of held) this.#port.postMessage(message);
  }
}
