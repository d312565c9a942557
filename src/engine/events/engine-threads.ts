import { eventTurn } from '../../core/events/event-turn.js';
import type { PipelineThread } from '../../threads/connections/connection.js';
import type { ThreadingMode } from '../options/engine-options.js';
import type { EngineEventDetails } from './engine-events.js';

/** The threads of each mode, besides the page's own. */
export const THREADS: Readonly<Record<ThreadingMode, readonly PipelineThread[]>> = {
  single: [],
  render: ['render'],
  'render+rhi': ['render', 'RHI'],
};

type Emit = <K extends 'threadcreated' | 'threaddestroyed'>(type: K, detail: EngineEventDetails[K]) => void;

/**
 * Fires the events of the engine's threads. Each `threadcreated` is followed by one `threaddestroyed`.
 *
 *   createEngine    resolves │ a turn later: threadcreated
 *   setThreading             threadcreated │ first frame │ threaddestroyed
 *   a worker died            threaddestroyed, threadcreated │ first frame │ threadrestarted
 *   dispose, giving up       threaddestroyed
 */
export class EngineThreads {
  /** Threads whose `threadcreated` was fired, and whose `threaddestroyed` was not. */
  readonly #announced = new Set<PipelineThread>();
  readonly #emit: Emit;
  #hasEnded = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /**
   * Announces the threads that `createEngine` has started, one turn of the event loop later, so that its caller can add
   * listeners first.
   * @param mode returns the threading mode; called in that turn
   */
  async announceFirst(mode: () => ThreadingMode): Promise<void> {
    await eventTurn();
    this.created(THREADS[mode()]);
  }

  /** Fires `threadcreated` for each thread that was not announced. */
  created(threads: readonly PipelineThread[]): void {
    for (const thread of threads) {
      if (this.#hasEnded || this.#announced.has(thread)) continue;
      this.#announced.add(thread);
      this.#emit('threadcreated', { thread });
    }
  }

  /** Fires `threaddestroyed` for each thread that was announced. */
  destroyed(threads: readonly PipelineThread[]): void {
    for (const thread of threads)
      if (this.#announced.delete(thread)) this.#emit('threaddestroyed', { thread });
  }

  /** Announces the end of all threads. Later threads are not announced. */
  end(): void {
    this.#hasEnded = true;
    this.destroyed([...this.#announced]);
  }
}
