import type { AttachedName } from '../../tasks/named/named-threads.js';
import type { WorkerLike } from '../../tasks/pool-worker.js';
import type { TaskSystem } from '../../tasks/task-system.js';
import type { RenderConnection } from './connection.js';
import { findNamedPart } from './task-worker-location.js';

/** What a thread of the engine serves tasks with. */
export interface TaskThreadConfig {
  readonly name: AttachedName;
  readonly port: MessagePort;
  /** Where the part for it lies. */
  readonly url: string;
}

/**
 * The engine's threads as named threads of its task system (SYSTEMS T2), from the first task on that is sent to one.
 *
 *   single        page: game, render, rhi
 *   render        page: game      worker: render, rhi
 *   render+rhi    page: game      worker: render      worker: rhi
 *
 *   page ── serveTasks: port ──► part "named" on the thread ◄── orders, by that port ── task system
 */
export class TaskThreads {
  readonly #system: () => TaskSystem;
  readonly #url: string;
  #attached: AttachedName[] = [];
  #isOpen = false;

  constructor(system: () => TaskSystem, override?: URL) {
    this.#system = system;
    this.#url = findNamedPart(override).href;
  }

  /** The engine's threads that tasks are not sent to yet, for the list of all. */
  unopened({ workers: { owner, other } }: RenderConnection): readonly string[] {
    if (this.#isOpen) return [];
    return [...(owner || other ? ['render'] : []), ...(owner && other ? ['rhi'] : [])];
  }

  /** Somebody has named one of them. */
  async open(connection: RenderConnection): Promise<void> {
    this.#isOpen = true;
    await this.#attach(connection);
  }

  /** Other threads have taken over: what these have not begun goes to them. */
  async moveTo(connection: RenderConnection): Promise<void> {
    if (!this.#isOpen) return;
    const before = this.#attached.splice(0);
    await this.#attach(connection).finally(() => {
      for (const name of before) if (!this.#attached.includes(name)) this.#system().detachThread(name);
    });
  }

  async #attach(connection: RenderConnection): Promise<void> {
    const control = await connection.control();
    const names = await control.serveTasks((name) => {
      const { port1, port2 } = new MessageChannel();
      this.#system().attachThread(name, asWorker(port1));
      return { name, port: port2, url: this.#url };
    });
    this.#attached = [...names];
  }
}

/** The end of a channel, as the task system sees a worker. Nobody hears of errors by it: the engine watches its threads itself. */
function asWorker(port: MessagePort): WorkerLike {
  const worker: WorkerLike = {
    postMessage: (message, transfer = []) => port.postMessage(message, transfer),
    onmessage: null,
    onerror: null,
    terminate: () => port.close(),
  };
  port.onmessage = (event) => worker.onmessage?.(event);
  return worker;
}
