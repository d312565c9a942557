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
  #isEnded = false;
  /** The last attempt to have threads serve tasks. */
  #latest: Promise<void> = Promise.resolve();
  #attempts = 0;

  constructor(system: () => TaskSystem, override?: URL) {
    this.#system = system;
    this.#url = findNamedPart(override).href;
  }

  /** The engine's threads that tasks are not sent to yet, for the list of all. */
  unopened({ workers: { owner, other } }: RenderConnection): readonly string[] {
    if (this.#isOpen || this.#isEnded) return [];
    return [...(owner || other ? ['render'] : []), ...(owner && other ? ['rhi'] : [])];
  }

  /** Somebody has named one of them. */
  async open(connection: RenderConnection): Promise<void> {
    if (this.#isEnded) return;
    this.#isOpen = true;
    await this.#attach(connection);
  }

  /** Other threads have taken over: what these have not begun goes to them. */
  async moveTo(connection: RenderConnection): Promise<void> {
    if (!this.#isOpen || this.#isEnded) return;
    const before = this.#attached.splice(0);
    await this.#attach(connection).finally(() => {
      for (const name of before) if (!this.#attached.includes(name)) this.#system().detachThread(name);
    });
  }

  /** The engine has given up: its threads have ended, and no others follow. What they have not begun runs on this one. */
  end(): void {
    this.#isEnded = true;
    this.#attempts++;
    this.#latest = Promise.resolve();
    for (const name of this.#attached.splice(0)) this.#system().detachThread(name);
  }

  #attach(connection: RenderConnection): Promise<void> {
    this.#latest = this.#serve(connection, ++this.#attempts);
    return this.#latest;
  }

  /** Names are attached when all threads have answered that they serve: to one that can't, no task is sent. */
  async #serve(connection: RenderConnection, attempt: number): Promise<void> {
    const ports = new Map<AttachedName, MessagePort>();
    const isLatest = (): boolean => attempt === this.#attempts;
    try {
      const control = await connection.control();
      await control.serveTasks((name) => {
        const { port1, port2 } = new MessageChannel();
        ports.set(name, port1);
        return { name, port: port2, url: this.#url };
      });
    } catch (error) {
      for (const port of ports.values()) port.close();
      if (isLatest()) throw error;
      ports.clear();
    }
    // Other threads have taken over meanwhile, or none have: whoever waits for these waits for those.
    if (!isLatest()) {
      for (const port of ports.values()) port.close();
      await this.#latest.catch(() => {}); // told to who asked for it
      return;
    }
    for (const [name, port] of ports) this.#system().attachThread(name, asWorker(port));
    this.#attached = [...ports.keys()];
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
