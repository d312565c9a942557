/**
 * Task systems for unit tests: their workers run on the test's own thread, behind real message ports. Test-only.
 */
import { afterEach, vi } from 'vitest';
import { setMayBlock } from '../blocking/lock-holder.js';
import type { WorkerLike } from '../page/pool-worker.js';
import type { TaskHost } from '../page/task-host.js';
import { TaskSystem } from '../system/task-system.js';
import type { ServedThread } from '../worker/queued-orders.js';
import { serveTasks } from '../worker/serve-tasks.js';

export type TestModules = Record<string, Record<string, unknown>>;

const DIED = 'died';

export class FakeWorker implements WorkerLike {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly #channel = new MessageChannel();
  readonly #end: () => void;
  readonly #died: () => void;
  /** Simulates a message to the worker that the browser can't read. */
  readonly loseOrder: () => void;

  /** @param named makes the worker a named thread @param whenLoaded resolves when its modules can be loaded */
  constructor(
    modules: TestModules,
    named: ServedThread | null = null,
    whenLoaded: Promise<void> | null = null,
  ) {
    const { port1, port2 } = this.#channel;
    const importModule = async (url: string) => {
      await whenLoaded;
      return modules[url] ?? Promise.reject(new Error('404'));
    };
    this.#end = serveTasks(port2, importModule, false, null, named);
    port1.onmessage = (event) => {
      if (event.data === DIED) this.onerror?.({ message: 'out of memory' } as ErrorEvent);
      else this.onmessage?.(event);
    };
    this.#died = () => port2.postMessage(DIED);
    this.loseOrder = () => port2.onmessageerror?.(new MessageEvent('messageerror'));
  }

  /** Ends the worker; the page gets the error after all earlier messages. */
  die(): void {
    this.#end();
    this.#died();
  }

  /** Makes the worker take no more jobs and answer nothing, without an error. */
  hang(): void {
    this.#end();
    this.#channel.port1.onmessage = null;
  }

  /** Simulates a message from the worker that the browser can't read. */
  loseAnswer(): void {
    this.onmessageerror?.(new MessageEvent('messageerror'));
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.#channel.port1.postMessage(message, transfer as never);
  }

  terminate(): void {
    this.#end();
    this.#channel.port1.close();
  }
}

const systems: TaskSystem[] = [];
afterEach(async () => {
  for (const system of systems.splice(0)) await system.dispose();
  vi.unstubAllGlobals();
  // Fake workers run on the test's own thread and have forbidden it to sleep; allow it again.
  setMayBlock(true);
});

/**
 * Creates a task system with at most this number of workers, and loads the module `test:tasks`. The system ends with
 * the test.
 */
export async function createTestSystem(
  modules: TestModules,
  workers: number,
  isShared = true,
  host: Partial<TaskHost> = {},
) {
  vi.stubGlobal('crossOriginIsolated', isShared);
  const started: FakeWorker[] = [];
  const told: unknown[] = [];
  const system = new TaskSystem({
    sizes: { high: 0, normal: workers, background: 0 },
    startWorker: () => {
      const worker = new FakeWorker(modules);
      started.push(worker);
      return worker;
    },
    importModule: async (url) => modules[url] ?? Promise.reject(new Error('404')),
    onError: (error) => told.push(error),
    ...host,
  });
  systems.push(system);
  return { system, started, told, module: await system.load('test:tasks') };
}
