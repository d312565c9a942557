import { systemClock } from '../../sync/deadline.js';
import type { AttachedName } from '../../tasks/page/named-threads.js';
import type { WorkerLike } from '../../tasks/page/pool-worker.js';
import type { TaskSystem } from '../../tasks/system/task-system.js';
import type { KeptWorkers, RenderConnection } from '../connections/connection.js';

/** How long a thread that will be ended may take to answer that it begins no more tasks, in milliseconds. */
const LEAVE_LIMIT = 1000;

/** A thread that was asked to begin no more tasks. */
interface Leaving {
  readonly worker: Worker | undefined;
  /** It does not go on living: its answer may not come. */
  expire(milliseconds: number): void;
}

/**
 * The engine's threads as named threads of its task system (SYSTEMS T2), from the first task on that is sent to one.
 *
 *   single        page: game, render, rhi
 *   render        page: game      worker: render, rhi
 *   render+rhi    page: game      worker: render      worker: rhi
 *
 *   page ── serveTasks: port ──► ThreadQueues on the thread ◄── orders, by that port ── task system
 *
 * A change of threads keeps workers where it can, and such a worker still has its queues. Before what it has not begun is sent
 * on, it answers that it begins none of that; of one that has ended no answer is awaited.
 */
export class TaskThreads {
  readonly #system: () => TaskSystem;
  /** On which worker each lies. */
  readonly #attached = new Map<AttachedName, Worker | undefined>();
  readonly #leaving = new Set<Leaving>();
  /** That the attached ones are of. */
  #connection: RenderConnection | null = null;
  #isOpen = false;
  #isEnded = false;
  /** The last attempt to have threads serve tasks. */
  #latest: Promise<void> = Promise.resolve();
  #attempts = 0;

  constructor(system: () => TaskSystem) {
    this.#system = system;
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
    await this.#attach(connection);
  }

  /** The engine has given up: its threads have ended, and no others follow. What they have not begun runs on this one. */
  end(): void {
    this.#isEnded = true;
    this.#attempts++;
    this.#latest = Promise.resolve();
    this.#leave({});
  }

  #attach(connection: RenderConnection): Promise<void> {
    this.#latest = this.#serve(connection, ++this.#attempts);
    return this.#latest;
  }

  /** Names are attached when all threads have answered that they serve: to one that can't, no task is sent. */
  async #serve(connection: RenderConnection, attempt: number): Promise<void> {
    const ports = new Map<AttachedName, MessagePort>();
    let failure: { readonly error: unknown } | null = null;
    const isLatest = (): boolean => attempt === this.#attempts;
    try {
      await connection.control.serveTasks((name) => {
        const { port1, port2 } = new MessageChannel();
        ports.set(name, port1);
        return { name, port: port2 };
      });
    } catch (error) {
      for (const port of ports.values()) port.close();
      ports.clear();
      failure = { error };
    }
    // Other threads have taken over meanwhile, or none have: whoever waits for these waits for those.
    if (!isLatest()) {
      for (const port of ports.values()) port.close();
      await this.#latest.catch(() => {}); // told to who asked for it
      return;
    }
    const { workers } = connection;
    this.#leave(workers);
    this.#connection = connection;
    for (const [name, port] of ports) {
      this.#system().attachThread(name, asWorker(port));
      this.#attached.set(name, name === 'rhi' ? workers.owner : (workers.other ?? workers.owner));
    }
    if (failure) throw failure.error;
  }

  /** @param next the workers that go on living */
  #leave(next: KeptWorkers): void {
    const old = this.#connection?.workers ?? {};
    const expire = (each: Leaving): void => {
      if (isOneOf(each.worker, next)) return;
      // Of one that has ended, what it said last is here, and is read before any timer.
      each.expire(isOneOf(each.worker, old) ? LEAVE_LIMIT : 0);
    };
    for (const each of this.#leaving) expire(each);
    for (const [name, worker] of this.#attached) {
      let end = (): void => {};
      const gone = new Promise<void>((resolve) => {
        end = resolve;
      });
      const leaving: Leaving = {
        worker,
        expire: (milliseconds) => void systemClock.set(end, milliseconds),
      };
      this.#leaving.add(leaving);
      void this.#system()
        .leaveThread(name, gone)
        .then(() => this.#leaving.delete(leaving));
      expire(leaving);
    }
    this.#attached.clear();
  }
}

const isOneOf = (worker: Worker | undefined, { owner, other }: KeptWorkers): boolean =>
  worker !== undefined && (worker === owner || worker === other);

/** The end of a channel, as the task system sees a worker. Nobody hears of errors by it: the engine watches its threads itself. */
function asWorker(port: MessagePort): WorkerLike {
  const worker: WorkerLike = {
    postMessage: (message, transfer = []) => port.postMessage(message, transfer),
    onmessage: null,
    onmessageerror: null,
    onerror: null,
    terminate: () => port.close(),
  };
  port.onmessage = (event) => worker.onmessage?.(event);
  port.onmessageerror = (event) => worker.onmessageerror?.(event);
  return worker;
}
