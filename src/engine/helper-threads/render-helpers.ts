import { ThreadError } from '../../core/errors.js';
import { EVENT_RING_BYTES, EventRing } from '../../core/events/event-ring.js';
import { messageLost } from '../../core/streams/port-messages.js';
import { RANGE_MEMORY_BYTES } from '../../render/helper-threads/range-memory.js';
import type { ServeRanges } from '../../render/helper-threads/serve-ranges.js';
import { canShare } from '../../tasks/arguments/shared-array.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { HelperPorts } from '../../threads/control/protocol.js';
import { startModuleWorker } from '../../threads/library-files/module-worker.js';
import { findTaskWorker } from '../../threads/library-files/worker-location.js';
import { defaultWorkers } from '../../threads/tasks/create-task-system.js';
import type { ResolvedOptions } from '../options/engine-options.js';

/**
 * The workers that help the render thread with its loops (SYSTEMS R13). They start once a world has many primitives or
 * clip tracks and the engine's first frame is complete. Each new render thread gets new helpers. The loops also run
 * without helpers, so a helper that dies is reported but not replaced.
 *
 *   page ── ServeRanges, port ──► helper ◄── memories ── port ── render thread
 *       └── connectHelpers: memory, ports ─────────────────────────────┘
 */
export class RenderHelpers {
  readonly #options: () => ResolvedOptions;
  readonly #reportError: (error: unknown) => void;
  #workers: Worker[] = [];
  #moves = 0;
  #isDisposed = false;
  /** Event rings by the helper's name. */
  rings: Readonly<Record<string, EventRing>> = {};

  constructor(options: () => ResolvedOptions, reportError: (error: unknown) => void) {
    this.#options = options;
    this.#reportError = reportError;
  }

  /**
   * Replaces the helpers with new helpers for another render thread. An error of this move is ignored once a later move
   * has begun or the helpers were disposed of.
   */
  async moveTo(connection: RenderConnection): Promise<void> {
    if (this.#isDisposed) return;
    this.#terminate();
    const move = ++this.#moves;
    try {
      await connection.control.connectHelpers(this.#start());
    } catch (error) {
      if (move === this.#moves && !this.#isDisposed) throw error;
    }
  }

  /** Ends the helpers for good. */
  dispose(): void {
    this.#isDisposed = true;
    this.#terminate();
  }

  #terminate(): void {
    for (const worker of this.#workers.splice(0)) worker.terminate();
    this.rings = {};
  }

  #start(): HelperPorts {
    const { taskWorkers, locate } = this.#options();
    const count = canShare() ? (taskWorkers ?? defaultWorkers()) : 0;
    const ports: MessagePort[] = [];
    if (count === 0) return { memory: null, ports };
    const memory = new SharedArrayBuffer(RANGE_MEMORY_BYTES);
    const script = findTaskWorker(locate?.('tasks')).href;
    const rings: Record<string, EventRing> = {};
    for (let number = 1; number <= count; number++) {
      const worker = startModuleWorker(script);
      const { port1, port2 } = new MessageChannel();
      const events = new SharedArrayBuffer(EVENT_RING_BYTES);
      const message: ServeRanges = { ranges: true, memory, number, port: port2, events };
      worker.onerror = (event) => this.#died(worker, number, event);
      worker.onmessage = ({ data }: MessageEvent<{ readonly kind: string }>) => {
        if (data.kind === 'lost')
          this.#reportError(
            messageLost(`helper ${number}`, 'The render thread continues without this helper.'),
          );
      };
      worker.postMessage(message, [port2]);
      this.#workers.push(worker);
      ports.push(port1);
      rings[`helper ${number}`] = new EventRing(events);
    }
    this.rings = rings;
    return { memory, ports };
  }

  #died(worker: Worker, number: number, event: ErrorEvent): void {
    event.preventDefault();
    worker.terminate();
    this.#reportError(
      new ThreadError(
        'task-worker-died',
        `Helper ${number} of the render thread has died: ${event.message || 'its script could not be loaded'}. The render thread continues without this helper. Serve task-worker.js beside worker.js.`,
      ),
    );
  }
}
