import { hearLosses } from '../../core/streams/port-messages.js';
import {
  type HelperMessage,
  KeptMemories,
  type MemoryMessage,
} from '../../render/helper-threads/helper-loops.js';
import { RANGE_MEMORY_BYTES } from '../../render/helper-threads/range-memory.js';
import type { TaskSystem } from '../../tasks/system/task-system.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { HelperPool } from '../../threads/control/protocol.js';

/**
 * Makes workers of the engine's pool help with the render thread's loops (SYSTEMS R13, T14). The help begins after the
 * engine's first frame, once a world has many primitives or clip tracks. With the option `recordingTasks`, it begins
 * without that condition. Each new render thread gets new memory. The loops also run without helpers, so the death of a
 * worker stops no loop.
 *
 *   render thread ── memories, through a port ──► page ──► the workers that serve the high set
 *        └═════════ ranges, in shared memory ═════════════════════┘
 */
export class RenderHelpers {
  readonly #tasks: () => TaskSystem;
  readonly #recordingTasks: number;
  #port: MessagePort | null = null;
  #moves = 0;
  #isDisposed = false;

  /** @param tasks opens the engine's task system @param recordingTasks option of the engine */
  constructor(tasks: () => TaskSystem, recordingTasks: number) {
    this.#tasks = tasks;
    this.#recordingTasks = recordingTasks;
  }

  /**
   * Moves the loops to another render thread. An error of this move is ignored once a later move has begun or the
   * helpers were disposed of.
   */
  async moveTo(connection: RenderConnection): Promise<void> {
    if (this.#isDisposed) return;
    this.#close();
    const move = ++this.#moves;
    try {
      await connection.control.connectHelpers(this.#open());
    } catch (error) {
      if (move === this.#moves && !this.#isDisposed) throw error;
    }
  }

  /** Bytes of the words that all loops share. The render thread counts the memories of the loops. */
  get byteLength(): number {
    return this.#port ? RANGE_MEMORY_BYTES : 0;
  }

  /** Ends the pool's help with the loops permanently. */
  dispose(): void {
    this.#isDisposed = true;
    if (this.#port) this.#tasks().reside(null);
    this.#close();
  }

  #close(): void {
    this.#port?.close();
    this.#port = null;
  }

  #open(): HelperPool | null {
    const system = this.#tasks();
    const pool = system.memory;
    if (!pool) return null;
    const memory = new SharedArrayBuffer(RANGE_MEMORY_BYTES);
    const kept = new KeptMemories();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<MemoryMessage>) => {
      kept.keep(data);
      system.tellResidents(data);
    };
    hearLosses(port1, 'the render thread’s loops', () => port1.postMessage('lost' satisfies HelperMessage));
    this.#port = port1;
    system.reside({ memory, messages: () => kept.all() });
    port1.postMessage('listens' satisfies HelperMessage);
    const { shape, words } = pool;
    return {
      memory,
      pool: { buffer: words.buffer, shape },
      takers: system.residentCount,
      recordingTasks: this.#recordingTasks,
      port: port2,
    };
  }
}
