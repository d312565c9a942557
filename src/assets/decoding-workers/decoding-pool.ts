/**
 * Queues decoding jobs, with the jobs of the oldest load first. The asset worker runs one job after another. Workers of
 * the engine's pool, the helpers, run jobs at the same time. Helpers are requested when enough bytes wait. Idle
 * helpers end when nothing waits, so that their workers are free for other tasks.
 *
 *   load 1: ▢ ▢ ▢ ▢ ▢ ▢  load 2: ▢ ▢ ─┬─► the asset worker: one job, then a turn of its event loop
 *                                       ├─► helper 1: one job, and a second job ahead
 *                                       └─► helper 2 …
 *
 * The end of a load retracts its jobs: waiting jobs are dropped, and results of running jobs are discarded.
 */
import { eventTurn } from '../../core/events/event-turn.js';
import type { Decoders } from '../decoders/decoders.js';
import type { DecoderUrls } from '../loading/asset-protocol.js';
import type { DecodedLoad } from '../loading/serve-assets.js';
import { DecodingHelper, type DecodingWorker } from './decoding-helper.js';

/** Waiting compressed bytes per started helper. Decoding half of them takes about 50 ms on one thread. */
const BYTES_PER_HELPER = 128 * 1024;
/**
 * Limit of decoding threads, including the asset worker. More threads speed up a file little, and each thread holds the
 * memory of its decoders.
 */
const MAXIMUM_THREADS = 4;

/** Returns the largest count of helpers beside the asset worker. @param cores count of the machine's cores */
export const helperCount = (cores: number): number => Math.max(0, Math.min(MAXIMUM_THREADS, cores) - 1);

/** A compressed part of a file. */
interface DecodingPiece extends Omit<DecodedLoad, 'helpers'> {
  readonly decoder: keyof Decoders;
  readonly method: string;
  readonly parameters: readonly unknown[];
  /** Count of compressed bytes. */
  readonly byteLength: number;
  /** Decodes the piece on this thread. */
  readonly run: () => Promise<unknown>;
}

export interface DecodingJob extends DecodingPiece {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class DecodingPool {
  readonly #urls: DecoderUrls;
  readonly #startWorker: () => DecodingWorker;
  #maximumHelpers: number;
  readonly #waiting: DecodingJob[] = [];
  readonly #helpers: DecodingHelper[] = [];
  #isWorking = false;

  constructor(urls: DecoderUrls, startWorker: () => DecodingWorker, maximumHelpers: number) {
    this.#urls = urls;
    this.#startWorker = startWorker;
    this.#maximumHelpers = maximumHelpers;
  }

  /**
   * Decodes a piece here or on a helper.
   * @throws the decoder's error; the signal's reason; ThreadError `asset-worker-died`
   */
  run(piece: DecodingPiece): Promise<unknown> {
    const { signal } = piece;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const retract = (): void => this.#retract(job);
      const settled = (): void => signal.removeEventListener('abort', retract);
      const job: DecodingJob = {
        ...piece,
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      signal.addEventListener('abort', retract);
      this.#enqueue(job);
      if (this.#isWorking) this.#share();
      else void this.#work();
    });
  }

  /** Resolves when every busy helper has answered a ping, or has ended. */
  async answers(): Promise<void> {
    await Promise.all(this.#helpers.filter(({ isBusy }) => isBusy).map((helper) => helper.answers()));
  }

  /** Queues a job after the jobs of its load and before those of newer loads. */
  #enqueue(job: DecodingJob): void {
    const behind = this.#waiting.findIndex(({ number }) => number > job.number);
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, job);
  }

  #retract(job: DecodingJob): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    for (const helper of this.#helpers) helper.retract(job);
    job.reject(job.signal.reason);
  }

  /** Runs jobs on this thread until the queue is empty. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    // Wait one turn, so that all jobs queued in this turn are known.
    await eventTurn();
    this.#share();
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      this.#share();
      await job.run().then(job.resolve, job.reject);
      await eventTurn();
    }
    this.#isWorking = false;
  }

  #share(): void {
    this.#startHelpers();
    for (let job = this.#waiting[0]; job; job = this.#waiting[0]) {
      const helper = this.#leastLoadedHelper();
      // Queue one job ahead to keep a helper busy. The last jobs go only to idle helpers.
      if (!helper || helper.load > (this.#waiting.length > this.#helpers.length ? 1 : 0)) break;
      this.#waiting.shift();
      helper.give(job);
    }
    this.#endIdle();
  }

  #leastLoadedHelper(): DecodingHelper | undefined {
    let leastLoaded = this.#helpers[0];
    for (const helper of this.#helpers)
      if (leastLoaded && helper.load < leastLoaded.load) leastLoaded = helper;
    return leastLoaded;
  }

  #startHelpers(): void {
    const bytes = this.#waiting.reduce((sum, { byteLength }) => sum + byteLength, 0);
    while (
      this.#helpers.length < this.#maximumHelpers &&
      bytes > BYTES_PER_HELPER * (this.#helpers.length + 1)
    ) {
      try {
        const helper: DecodingHelper = new DecodingHelper(this.#startWorker(), this.#urls, {
          onFree: () => this.#share(),
          onEnd: (unfinished, isUnfit) => this.#onHelperEnd(helper, unfinished, isUnfit),
        });
        this.#helpers.push(helper);
      } catch {
        // The page can't be asked for a helper, so do not try again.
        this.#maximumHelpers = 0;
      }
    }
  }

  #onHelperEnd(helper: DecodingHelper, unfinished: readonly DecodingJob[], isUnfit: boolean): void {
    this.#helpers.splice(this.#helpers.indexOf(helper), 1);
    if (isUnfit) this.#maximumHelpers = 0;
    for (const job of unfinished) if (!job.signal.aborted) this.#enqueue(job);
    this.#share();
    if (!this.#isWorking) void this.#work();
  }

  /** Ends the helpers that have no job, including helpers that have not started. */
  #endIdle(): void {
    if (this.#waiting.length > 0) return;
    for (const helper of [...this.#helpers]) {
      if (helper.isBusy) continue;
      this.#helpers.splice(this.#helpers.indexOf(helper), 1);
      helper.end();
    }
  }
}
