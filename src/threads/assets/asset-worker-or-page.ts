import type { AssetReply, AssetRequest } from '../../assets/loading/asset-protocol.js';
import { messageOf } from '../../core/errors.js';
import { loadFile } from '../library-files/load-file.js';

/**
 * The asset worker of `single` mode. It may fail to start, because a page's policy may forbid workers. Then all loads
 * run on the page instead, including loads that were posted to the worker before. Without workers (Node), loads run on
 * the page from the start.
 *
 *   post ──► worker, kept until its first message
 *              └╌ error before that message ╌► import(asset-worker.js) ──► the kept and all later messages
 */
export class AssetWorkerOrPage extends EventTarget {
  readonly #url: string;
  #target: Worker | MessagePort | null;
  /** Messages kept until the worker's first answer; null once the worker has answered or the page has taken over. */
  #unanswered: AssetRequest[] | null = [];
  #isEnded = false;

  /**
   * @param worker null if the platform has no workers
   * @param url address of the worker's script
   */
  constructor(worker: Worker | null, url: string) {
    super();
    this.#url = url;
    this.#target = worker;
    if (!worker) {
      this.#takeOver(null).catch((error: unknown) => this.#fail(messageOf(error)));
      return;
    }
    worker.onmessage = (event: MessageEvent<AssetReply>) => {
      this.#unanswered = null;
      this.#forward(event);
    };
    worker.onmessageerror = (event) => this.#forward(event);
    worker.onerror = (event) => {
      if (this.#unanswered === null) this.#forward(event);
      else this.#takeOver(worker).catch(() => this.#forward(event));
    };
  }

  postMessage(message: AssetRequest, transfer: Transferable[] = []): void {
    // Kept messages must keep their bytes, so the worker receives copies.
    this.#target?.postMessage(message, this.#unanswered ? [] : transfer);
    this.#unanswered?.push(message);
  }

  terminate(): void {
    this.#isEnded = true;
    if (this.#target instanceof MessagePort) this.#target.close();
    else this.#target?.terminate();
  }

  async #takeOver(worker: Worker | null): Promise<void> {
    worker?.terminate();
    const { serveAssetsOn } = await loadFile('assets', this.#url);
    if (this.#isEnded) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (event: MessageEvent<AssetReply>) => this.#forward(event);
    port1.onmessageerror = (event) => this.#forward(event);
    serveAssetsOn(port2);
    const unanswered = this.#unanswered ?? [];
    this.#target = port1;
    this.#unanswered = null;
    for (const message of unanswered) port1.postMessage(message);
  }

  #forward(event: Event): void {
    const { data, message } = event as Partial<MessageEvent & ErrorEvent>;
    // Check the type by its name, because a DOM such as jsdom has event classes of its own besides Node's.
    if (event.type === 'error') this.#fail(message ?? '');
    else this.dispatchEvent(new MessageEvent(event.type, { data }));
  }

  #fail(message: string): void {
    this.dispatchEvent(Object.assign(new Event('error'), { message }));
  }
}
