import { errorFromData, type FencepostError, ThreadError } from '../core/errors.js';
import type { ThreadRoles } from '../rhi/thread-guard.js';
import { withDeadline } from '../sync/deadline.js';
import type { RenderConnection } from './connection.js';
import type { LoadModule, ModuleNotice } from './render-module-messages.js';

/**
 * The main thread's end of what it says about render modules to the render thread of one connection. The next connection
 * has another one, which is told what this one has executed: exactly where memory is shared, also of a killed worker;
 * else by messages, each of which is sent before its command begins.
 */
export interface LinkListeners {
  onExecuted(sequence: number): void;
  onThrown(error: FencepostError): void;
  onPosted(module: number, value: unknown): void;
}

/** Fetching and setting up a module, in milliseconds. */
const LOAD_LIMIT = 30_000;

export class RenderLink {
  readonly connection: RenderConnection;
  readonly #port: MessagePort;
  readonly #counter: Int32Array | null;
  #executed: number;
  readonly #listeners: LinkListeners;
  readonly #loads = new Map<
    number,
    { readonly resolve: (names: readonly string[]) => void; readonly reject: (error: Error) => void }
  >();
  #end: FencepostError | null = null;

  /** @param executed the last sequence that was executed elsewhere */
  static async open(
    connection: RenderConnection,
    roles: ThreadRoles,
    executed: number,
    listeners: LinkListeners,
  ): Promise<RenderLink> {
    const control = await connection.control();
    const { port1, port2 } = new MessageChannel();
    const counter = globalThis.crossOriginIsolated ? new SharedArrayBuffer(4) : null;
    const link = new RenderLink(connection, port1, counter, executed, listeners);
    await control.connectModules({ port: port2, counter, executed }, roles);
    return link;
  }

  constructor(
    connection: RenderConnection,
    port: MessagePort,
    counter: SharedArrayBuffer | null,
    executed: number,
    listeners: LinkListeners,
  ) {
    this.connection = connection;
    this.#port = port;
    this.#counter = counter && new Int32Array(counter);
    this.#executed = executed;
    this.#listeners = listeners;
    port.onmessage = ({ data }: MessageEvent<ModuleNotice>) => this.#receive(data);
  }

  /** The last command that has begun. */
  get executed(): number {
    return Math.max(this.#executed, this.#counter ? Atomics.load(this.#counter, 0) : 0);
  }

  /** Resolves to the names of the commands that the module defines. */
  load(load: LoadModule): Promise<readonly string[]> {
    if (this.#end) return Promise.reject(this.#end);
    const loaded = new Promise<readonly string[]>((resolve, reject) =>
      this.#loads.set(load.module, { resolve, reject }),
    );
    this.#port.postMessage(load);
    return withDeadline(loaded, {
      milliseconds: LOAD_LIMIT,
      waiter: 'addRenderModule()',
      awaited: `the render module "${load.name}" to be fetched and to set itself up`,
    });
  }

  end(error: FencepostError = linkEnded()): void {
    if (this.#end) return;
    this.#end = error;
    this.#port.close();
    for (const { reject } of this.#loads.values()) reject(error);
    this.#loads.clear();
  }

  #receive(notice: ModuleNotice): void {
    const listeners = this.#listeners;
    switch (notice.kind) {
      case 'loaded':
        this.#loads.get(notice.module)?.resolve(notice.commands);
        break;
      case 'failed':
        this.#loads.get(notice.module)?.reject(errorFromData(notice.error));
        break;
      case 'executed':
        this.#executed = notice.sequence;
        listeners.onExecuted(notice.sequence);
        break;
      case 'thrown':
        listeners.onThrown(errorFromData(notice.error));
        break;
      case 'posted':
        listeners.onPosted(notice.module, notice.value);
    }
  }
}

const linkEnded = (): ThreadError =>
  new ThreadError(
    'render-thread-ended',
    'The render thread has ended while a module was being loaded. Add it again.',
  );
