import {
  type HelperMessage,
  KeptMemories,
  type MemoryMessage,
} from '../../render/helper-threads/helper-loops.js';

/**
 * Sends the shared memories of the render thread's loops to the page, which passes them on to the helpers. They are
 * sent once the page has reported that it listens. Firefox cannot read shared memory that a worker posts to a new port
 * earlier. If the page could not read a message, it receives all memories again.
 *
 *   share ─► kept: the newest of each kind, and every clip ─┬─► the page, once it listens ─► pool workers
 *                          ◄── listens, or lost ────────────┘─► all that is kept
 */
export class HelperMemories {
  readonly #port: MessagePort;
  readonly #kept = new KeptMemories();
  #isPageListening = false;

  /** @param onLoss called when the page could not read a message */
  constructor(port: MessagePort, onLoss: () => void) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<HelperMessage>) => {
      this.#isPageListening = true;
      for (const message of this.#kept.all()) port.postMessage(message);
      if (data === 'lost') onLoss();
    };
  }

  /**
   * Closes the port. Call it when the helpers have ended or serve another thread, because an open port would keep this
   * object alive.
   */
  close(): void {
    this.#port.onmessage = null;
    this.#port.close();
  }

  /** Bytes of the memories in use (SYSTEMS M8). */
  get byteLength(): number {
    return this.#kept.byteLength;
  }

  share(message: MemoryMessage): void {
    this.#kept.keep(message);
    if (this.#isPageListening) this.#port.postMessage(message);
  }
}
