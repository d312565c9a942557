import { systemClock } from '../../sync/deadline.js';
import type { AttachedName } from '../../tasks/page/named-threads.js';
import type { WorkerLike } from '../../tasks/page/pool-worker.js';
import type { TaskSystem } from '../../tasks/system/task-system.js';
import type { KeptWorkers, RenderConnection } from '../connections/connection.js';

/** Longest wait for a worker that is not kept to confirm that it begins no more tasks, in milliseconds. */
const LEAVE_LIMIT = 1000;

/** A thread that was asked to begin no more tasks. */
interface Leaving {
  readonly worker: Worker | undefined;
  /** Ends the wait for the thread's answer after this time, because the answer may never arrive. */
  expire(milliseconds: number): void;
}

/**
 * The engine's threads as named threads of its task system (SYSTEMS T2). All workers are attached when a task first
 * names one of them: as `render`, and in mode `render+rhi` also as `rhi`. Tasks for a name that is not attached run on
 * the next thread of the order `rhi`, `render`, `game`:
 *
 *   single        page: game, render, rhi
 *   render        page: game      worker: render, rhi
 *   render+rhi    page: game      worker: render      worker: rhi
 *
 *   page ── serveTasks: port ──► ThreadQueues on the thread ◄── orders, through that port ── task system
 *
 * A change of threads keeps workers if it can, and a kept worker still has its queues. Before its queued
 * tasks are moved, it must confirm that it begins none of them. A worker that is not kept has `LEAVE_LIMIT` to confirm.
 * No confirmation is awaited from a worker that has already ended.
 */
export class TaskThreads {
  readonly #system: () => TaskSystem;
  /** Worker of each attached name. */
  readonly #attached = new Map<AttachedName, Worker | undefined>();
  readonly #leaving = new Set<Leaving>();
  /** Connection of the attached names. */
  #connection: RenderConnection | null = null;
  #isOpen = false;
  #isEnded = false;
  /** The last attempt to make threads serve tasks. */
  #latest: Promise<void> = Promise.resolve();
  #attempts = 0;

  constructor(system: () => TaskSystem) {
    this.#system = system;
  }

  /** Returns the names of the engine's threads that are not attached yet, for the list of all names. */
  unopened({ workers: { owner, other } }: RenderConnection): readonly string[] {
    if (this.#isOpen || this.#isEnded) return [];
    return [...(owner || other ? ['render'] : []), ...(owner && other ? ['rhi'] : [])];
  }

  /** Attaches the names of the threads. Called when a task names one of them. */
  async open(connection: RenderConnection): Promise<void> {
    if (this.#isEnded) return;
    this.#isOpen = true;
    await this.#attach(connection);
  }

  /** Attaches the names to the threads that have taken over. Queued tasks move from the old to the new threads. */
  async moveTo(connection: RenderConnection): Promise<void> {
    if (!this.#isOpen || this.#isEnded) return;
    await this.#attach(connection);
  }

  /**
   * Detaches all names, because the threads have ended and no threads replace them. Queued tasks then run on this
   * thread.
   */
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

  /**
   * Attaches the names once all threads have confirmed that they serve tasks. If any thread cannot serve tasks, no name
   * is attached.
   */
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
    // If other threads have taken over meanwhile, or all have ended, callers wait for the later attempt instead.
    if (!isLatest()) {
      for (const port of ports.values()) port.close();
      await this.#latest.catch(() => {}); // The caller of the later attempt handles the error.
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

  /** Detaches all names. @param next workers that are kept */
  #leave(next: KeptWorkers): void {
    const old = this.#connection?.workers ?? {};
    const expire = (each: Leaving): void => {
      if (isOneOf(each.worker, next)) return;
      // The last message of a worker that has ended is in this thread's queue already, and is read before any timer.
      each.expire(isOneOf(each.worker, old) ? LEAVE_LIMIT : 0);
    };
    for (const each of this.#leaving) expire(each);
    for (const [name, worker] of this.#attached) {
      let end = (): void => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const leaving: Leaving = {
        worker,
        expire: (milliseconds) => void systemClock.set(end, milliseconds),
      };
      this.#leaving.add(leaving);
      void this.#system()
        .leaveThread(name, ended)
        .then(() => this.#leaving.delete(leaving));
      expire(leaving);
    }
    this.#attached.clear();
  }
}

const isOneOf = (worker: Worker | undefined, { owner, other }: KeptWorkers): boolean =>
  worker !== undefined && (worker === owner || worker === other);

/**
 * Wraps the end of a channel as a worker of the task system. It reports no errors: the engine watches its
 * threads itself.
 */
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
