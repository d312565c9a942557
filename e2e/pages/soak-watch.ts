/**
 * Watches a soak: pending promises, errors that no action announced, and counts of actions.
 *
 *   promises  each is kept with its expected errors ───────────────────► ended(): all have ended
 *   errors    each has to be announced by an action since the last settling ──► else a failure
 */
import type * as fencepost from 'fencepost';

/** Errors with which calls may reject after a worker was killed. */
export const KILLED = /^ThreadError (thread-not-answering|worker-start-timeout|worker-died)/;

export class SoakWatch {
  readonly failures: string[] = [];
  readonly counts: Record<string, number> = {};
  /** Time of the last thread replacement, in milliseconds of `performance.now()`. */
  restartedAt = -Infinity;
  readonly #write: (entry: string) => void;
  readonly #settleLimit: number;
  readonly #pending = new Map<symbol, { readonly what: string; readonly ended: Promise<void> }>();
  /** Errors that may be reported until the next settling. */
  #announced: RegExp[] = [];

  /** Watches an engine. @param settleLimit time limit of pending work, in milliseconds */
  constructor(engine: fencepost.Engine, write: (entry: string) => void, settleLimit: number) {
    this.#write = write;
    this.#settleLimit = settleLimit;
    engine.addEventListener('error', ({ detail }) => {
      const text = `${detail.code}: ${detail.message}`;
      write(`  ! error ${text}`);
      this.count(`error ${detail.code}`);
      if (!this.#announced.some((pattern) => pattern.test(text)))
        this.#fail(`An error that nothing announced: ${text}`);
    });
    for (const event of ['devicelost', 'devicerestored', 'threadrestarted', 'surfacechange'] as const) {
      engine.addEventListener(event, () => {
        write(`  ! ${event}`);
        this.count(event);
        if (event === 'threadrestarted') this.restartedAt = performance.now();
      });
    }
  }

  log(...parts: unknown[]): void {
    this.#write(parts.join(' '));
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** Allows errors of this kind until the next settling. */
  announce(pattern: RegExp): void {
    this.#announced.push(pattern);
  }

  /** Allows no further errors. */
  forgetAnnounced(): void {
    this.#announced = [];
  }

  /**
   * Tracks a promise until it settles. @param expected errors with which it may reject, as "ErrorClass code:
   * message"
   */
  track(what: string, begin: () => Promise<unknown>, expected?: RegExp): Promise<void> {
    const key = Symbol(what);
    const ended = (async () => {
      try {
        await begin();
      } catch (error) {
        const { name, code, message, stack } = error as FailureLike;
        const text = `${name} ${code ?? ''}: ${message}`;
        this.#write(`  ! ${what} rejected: ${text}`);
        const isNobodyKilled = expected === KILLED && this.#announced.length === 0;
        if (!expected?.test(text) || isNobodyKilled)
          this.#fail(`${what} rejected: ${text}\n${code ? '' : stack}`);
      } finally {
        this.#pending.delete(key);
      }
    })();
    this.#pending.set(key, { what, ended });
    return ended;
  }

  /** Resolves when all tracked promises have settled. @throws if one has not settled in time */
  async ended(): Promise<void> {
    while (this.#pending.size > 0) {
      await this.inTime(Promise.all([...this.#pending.values()].map(({ ended }) => ended)));
    }
  }

  async inTime(work: Promise<unknown>): Promise<void> {
    let timer = 0;
    const late = new Promise<never>((_, reject) => {
      timer = window.setTimeout(() => {
        const open = [...this.#pending.values()].map(({ what }) => what);
        reject(new Error(`After ${this.#settleLimit / 1000} s these have not ended: ${open.join(', ')}`));
      }, this.#settleLimit);
    });
    await Promise.race([work, late]);
    clearTimeout(timer);
  }

  #fail(text: string): void {
    this.failures.push(text);
    this.#write(`  ! FAILED ${text}`);
  }
}

interface FailureLike {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
}
