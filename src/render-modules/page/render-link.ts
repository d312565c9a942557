import { canShareMemory } from '../../core/browser/opaque-origin.js';
import { errorFromData, type FencepostError, ThreadError } from '../../core/errors.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import { type Clock, withDeadline } from '../../sync/deadline.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { ForgetModule, LoadModule, ModuleNotice } from '../render-module-messages.js';

/** The listeners of a link. */
interface LinkListeners {
  onExecuted(sequence: number): void;
  onThrown(error: FencepostError): void;
  onPosted(module: number, value: unknown): void;
  /** Clock of the deadlines. */
  readonly clock: Clock;
}

interface Load {
  readonly resolve: (names: readonly string[]) => void;
  readonly reject: (error: Error) => void;
}

/** Time limit for fetching and setting up a module, in milliseconds. */
const LOAD_LIMIT = 30_000;

const LOSS =
  'Pending addRenderModule() calls reject: call them again. Values that modules have posted are lost.';

/**
 * The main thread's end of the channel for messages about render modules, to the render thread of one connection. The
 * link of the next connection gets the sequence number of the last executed command. With shared memory this number is
 * exact, even if the worker was killed. Otherwise messages carry it, and each message is sent before its command
 * begins.
 */
export class RenderLink {
  readonly connection: RenderConnection;
  readonly #port: MessagePort;
  readonly #counter: Int32Array | null;
  #executed: number;
  readonly #listeners: LinkListeners;
  /** Pending loads by module number. */
  readonly #loads = new Map<number, Load>();
  #end: FencepostError | null = null;

  /** Opens a link. @param executed sequence number of the last command that earlier threads have executed */
  static async open(
    connection: RenderConnection,
    executed: number,
    listeners: LinkListeners,
  ): Promise<RenderLink> {
    const control = connection.control;
    const { port1, port2 } = new MessageChannel();
    const counter = canShareMemory() ? new SharedArrayBuffer(4) : null;
    const link = new RenderLink(connection, port1, counter, executed, listeners);
    try {
      await control.connectModules({ port: port2, counter, executed });
    } catch (error) {
      link.end();
      throw error;
    }
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
    const lose = (error: FencepostError): void => {
      this.#rejectLoads(error);
      listeners.onThrown(error);
    };
    hearLosses(port, 'render modules, to the page', lose, LOSS);
  }

  /** Sequence number of the last command that has begun. */
  get executed(): number {
    return Math.max(this.#executed, this.#counter ? Atomics.load(this.#counter, 0) : 0);
  }

  /**
   * Loads a module. Resolves to the names of its commands. After the time limit, the render thread removes the module.
   * @throws DataCloneError synchronously, for data that can't be cloned
   */
  load(load: LoadModule): Promise<readonly string[]> {
    if (this.#end) return Promise.reject(this.#end);
    const { module, name } = load;
    const { clock } = this.#listeners;
    this.#port.postMessage(load);
    const loaded = new Promise<readonly string[]>((resolve, reject) =>
      this.#loads.set(module, { resolve, reject }),
    );
    return withDeadline(loaded, {
      milliseconds: LOAD_LIMIT,
      waiter: 'addRenderModule()',
      awaited: `the render module "${name}" to be fetched and to set itself up`,
      clock,
    }).finally(() => {
      // A load that is still pending has exceeded its time limit.
      if (this.#loads.delete(module)) this.#port.postMessage({ forgotten: module } satisfies ForgetModule);
    });
  }

  end(error: FencepostError = linkEnded()): void {
    if (this.#end) return;
    this.#end = error;
    this.#port.close();
    this.#rejectLoads(error);
  }

  #rejectLoads(error: FencepostError): void {
    for (const [module, { reject }] of this.#loads) {
      reject(error);
      if (!this.#end) this.#port.postMessage({ forgotten: module } satisfies ForgetModule);
    }
    this.#loads.clear();
  }

  #take(module: number): Load | undefined {
    const load = this.#loads.get(module);
    this.#loads.delete(module);
    return load;
  }

  #receive(notice: ModuleNotice): void {
    const listeners = this.#listeners;
    switch (notice.kind) {
      case 'loaded':
        this.#take(notice.module)?.resolve(notice.commands);
        break;
      case 'failed':
        this.#take(notice.module)?.reject(errorFromData(notice.error));
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

/** Creates the error of a load whose threads were replaced. */
export const linkEnded = (): ThreadError =>
  new ThreadError(
    'render-thread-ended',
    'The render thread has ended while a module was being loaded. Add it again.',
  );
