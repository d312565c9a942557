import type { HelperMessage, MemoryMessage } from '../../render/helper-threads/helper-loops.js';

/**
 * Sends helper threads the shared memories that the render thread's loops use. A helper receives them once it has
 * reported that it listens, because Firefox cannot read shared memory that one worker posts to another earlier. The
 * helper receives all of them again if it could not read a message.
 *
 *   share ─► kept: the newest of each kind, and every clip ─┬─► helper that listens
 *                          ◄── listens, or lost ────────────┘─► all that is kept
 */
export class HelperMemories {
  readonly #ports: readonly MessagePort[];
  readonly #listening = new Set<MessagePort>();
  /** The newest message of each kind, and one message per clip. */
  readonly #kept = new Map<string, MemoryMessage>();

  /** @param onLoss called with the number of a helper that could not read a message, from 1 on */
  constructor(ports: readonly MessagePort[], onLoss: (helper: number) => void) {
    this.#ports = ports;
    for (const [index, port] of ports.entries())
      port.onmessage = ({ data }: MessageEvent<HelperMessage>) => {
        this.#listening.add(port);
        for (const message of this.#kept.values()) port.postMessage(message);
        if (data === 'lost') onLoss(index + 1);
      };
  }

  /**
   * Closes the ports. Call it when the helpers have ended, or serve another thread: open ports would keep this object
   * alive.
   */
  close(): void {
    for (const port of this.#ports) {
      port.onmessage = null;
      port.close();
    }
  }

  share(message: MemoryMessage): void {
    if (message.kind === 'forgetClip') this.#kept.delete(`clip ${message.number}`);
    else this.#kept.set(message.kind === 'clip' ? `clip ${message.number}` : message.kind, message);
    for (const port of this.#ports) if (this.#listening.has(port)) port.postMessage(message);
  }
}
