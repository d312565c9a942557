/**
 * The asset worker's handle to one helper. A helper is a task that decodes jobs on a worker of the engine's pool. It
 * has at most two jobs at a time. The second job saves the wait between jobs, and no more than two jobs are lost if the
 * helper dies. A helper gets its first job after its task has started, so a helper that can't start loses no job.
 */
import { errorFromData } from '../../core/errors.js';
import type { DecoderUrls } from '../loading/asset-protocol.js';
import { workerDied } from '../worker-died.js';
import { buffersIn, type DecodingReply, type DecodingRequest } from './decoding-messages.js';
import type { DecodingJob } from './decoding-pool.js';

/** The channel to a helper. It fires `message`, `messageerror` and `error`, as a `Worker` does. */
export interface DecodingWorker extends EventTarget {
  postMessage(message: DecodingRequest, transfer: Transferable[]): void;
  terminate(): void;
}

interface HelperEvents {
  /** Called when the helper can take another job. */
  readonly onFree: () => void;
  /**
   * Called when the helper has died or can't decode. `end` itself does not call it.
   * @param unfinished jobs to run elsewhere
   * @param isUnfit whether other helpers would fail too
   */
  readonly onEnd: (unfinished: readonly DecodingJob[], isUnfit: boolean) => void;
}

export class DecodingHelper {
  readonly #worker: DecodingWorker;
  readonly #events: HelperEvents;
  readonly #jobs = new Map<number, DecodingJob>();
  readonly #pings: (() => void)[] = [];
  #isReady = false;
  #isEnded = false;
  #nextId = 1;

  constructor(worker: DecodingWorker, urls: DecoderUrls, events: HelperEvents) {
    this.#worker = worker;
    this.#events = events;
    worker.addEventListener('message', (event) => this.#receive((event as MessageEvent<DecodingReply>).data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#onDeath((event as Partial<ErrorEvent>).message);
    });
    worker.addEventListener('messageerror', () => this.#onDeath('an answer can’t be read'));
    this.#post({ kind: 'begin', urls });
  }

  /** Count of the helper's jobs; Infinity while the helper is starting. */
  get load(): number {
    return this.#isReady ? this.#jobs.size : Number.POSITIVE_INFINITY;
  }

  get isBusy(): boolean {
    return this.#jobs.size > 0;
  }

  give(job: DecodingJob): void {
    const id = this.#nextId++;
    this.#jobs.set(id, job);
    const parameters = job.parameters.map(withOwnBytes);
    const { decoder, method } = job;
    this.#post({ kind: 'decode', id, decoder, method, parameters }, [...buffersIn(parameters)]);
  }

  retract(job: DecodingJob): void {
    for (const [id, each] of this.#jobs) if (each === job) this.#post({ kind: 'retract', id });
  }

  /** Resolves when the helper has answered a ping, or has ended. */
  answers(): Promise<void> {
    return new Promise((resolve) => {
      this.#pings.push(resolve);
      this.#post({ kind: 'ping' });
    });
  }

  end(): void {
    this.#isEnded = true;
    this.#worker.terminate();
    for (const answer of this.#pings.splice(0)) answer();
  }

  #post(message: DecodingRequest, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #receive(reply: DecodingReply): void {
    if (this.#isEnded) return;
    if (reply.kind === 'ready') this.#isReady = true;
    else if (reply.kind === 'pong') this.#pings.shift()?.();
    else this.#settle(reply);
    if (!this.#isEnded) this.#events.onFree();
  }

  #settle(reply: Extract<DecodingReply, { id: number }>): void {
    const job = this.#jobs.get(reply.id);
    this.#jobs.delete(reply.id);
    if (!job) return;
    if (reply.kind === 'done') {
      job.resolve(reply.result);
      return;
    }
    const { error } = reply;
    // The helper's security policy or a missing file prevents decoding. The asset worker itself may succeed.
    if (error.name === 'WasmBlocked' || error.code === 'features-missing') {
      const unfinished = [job, ...this.#jobs.values()];
      this.end();
      this.#events.onEnd(unfinished, true);
    } else if (error.code === 'internal')
      job.reject(Object.assign(new Error(error.message), { name: error.name }));
    else job.reject(errorFromData(error));
  }

  #onDeath(reason = ''): void {
    if (this.#isEnded) return;
    this.end();
    if (!this.#isReady) {
      this.#events.onEnd([], true);
      return;
    }
    for (const { file, reject } of this.#jobs.values())
      reject(workerDied(file, 'A worker that decoded it', reason));
    this.#events.onEnd([], false);
  }
}

/**
 * Returns the parameter with a copy of its bytes, if it has any. The copy can be transferred. Transferring a view would
 * take the whole file.
 */
function withOwnBytes(parameter: unknown): unknown {
  if (parameter instanceof Uint8Array) return parameter.slice();
  const bytes = (parameter as { readonly bytes?: unknown } | undefined)?.bytes;
  return bytes instanceof Uint8Array ? { ...(parameter as object), bytes: bytes.slice() } : parameter;
}
