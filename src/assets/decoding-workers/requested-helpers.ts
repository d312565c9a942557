/**
 * The helpers that the asset worker has requested from the page. Each helper is a task in the engine's pool, at the
 * other end of a port. A port does not report that a helper has died, so the page reports it.
 *
 *   asset worker ── helper: number, port ──► page ── task ──► a worker of the pool, when one is free
 *                ◄── helperDied: number ────
 *                ── helperOver: number ────►      retracts the task, or ends it if a worker has begun it
 */
import type { AssetPort } from '../loading/asset-protocol.js';
import type { DecodingWorker } from './decoding-helper.js';
import type { DecodingRequest } from './decoding-messages.js';

export class RequestedHelpers {
  readonly #page: Pick<AssetPort, 'postMessage'>;
  readonly #helpers = new Map<number, EventTarget>();
  #next = 1;

  constructor(page: Pick<AssetPort, 'postMessage'>) {
    this.#page = page;
  }

  request(): DecodingWorker {
    const number = this.#next++;
    const { port1, port2 } = new MessageChannel();
    const helper = new RequestedHelper(port1, () => {
      this.#helpers.delete(number);
      this.#page.postMessage({ kind: 'helperOver', number }, []);
    });
    this.#helpers.set(number, helper);
    this.#page.postMessage({ kind: 'helper', number, port: port2 }, [port2]);
    return helper;
  }

  /** Reports the death of a helper. @param reason the browser's message, or empty */
  died(number: number, reason: string): void {
    this.#helpers.get(number)?.dispatchEvent(Object.assign(new Event('error'), { message: reason }));
  }
}

/** A helper behind a port, with the interface that the decoding pool uses. */
class RequestedHelper extends EventTarget implements DecodingWorker {
  readonly #port: MessagePort;
  readonly #onEnd: () => void;

  constructor(port: MessagePort, onEnd: () => void) {
    super();
    this.#port = port;
    this.#onEnd = onEnd;
    port.onmessage = ({ data }) => this.dispatchEvent(new MessageEvent('message', { data }));
    port.onmessageerror = () => this.dispatchEvent(new MessageEvent('messageerror'));
  }

  postMessage(message: DecodingRequest, transfer: Transferable[]): void {
    this.#port.postMessage(message, transfer);
  }

  terminate(): void {
    this.postMessage({ kind: 'end' }, []);
    this.#port.close();
    this.#onEnd();
  }
}
