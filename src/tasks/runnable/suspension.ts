/**
 * The suspension of a runnable by the page (SYSTEMS T15). The runnable pauses at its next safe point, and continues
 * after as many calls of `resume` as there were of `suspend`.
 *
 *   page       suspend() ─ request 3 ─►                            resume() ─►
 *   runnable   ░░░░░░░░░░░░░░░░░░░░░░ safe point ─► `suspended` 3 ··········· ░░░░ continues
 *
 * Messages announce both, because they wake code that awaits a safe point. With shared memory, a word also holds the
 * number of the request, and 0 after `resume`. Requests are numbered, so a late notice counts for no later request.
 */
import { StateError } from '../../core/errors.js';
import { mayBlock } from '../blocking/lock-holder.js';
import type { RunnableNotice, SuspendRequest } from '../task-messages.js';

/** Index of the word with the number of the request. */
const SUSPENSION = 1;

interface SafePointsHost {
  readonly words: Int32Array | null;
  /** True on the page's thread, which never blocks. */
  readonly isHere: boolean;
  readonly post: (notice: RunnableNotice) => void;
  /** Returns whether the thread is to end. It then pauses no more. */
  readonly isStopRequested: () => boolean;
}

/** The runnable's side of the suspension. */
export class SafePoints {
  readonly #host: SafePointsHost;
  /** Number of the request that has arrived by message; 0 for none. */
  #heard = 0;
  /** Number of the last request that was confirmed to the page. */
  #told = 0;
  #waiting: (() => void)[] = [];

  constructor(host: SafePointsHost) {
    this.#host = host;
  }

  /** Number of the current request; 0 for none. */
  get request(): number {
    const { words, isStopRequested } = this.#host;
    if (isStopRequested()) return 0;
    return words ? Atomics.load(words, SUSPENSION) : this.#heard;
  }

  hear(message: SuspendRequest): void {
    this.#heard = message.kind === 'suspend' ? message.request : 0;
    this.wake();
  }

  /** Lets paused code check again whether it may continue. */
  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Pauses while there is a request. */
  async pause(): Promise<void> {
    for (let request = this.request; request !== 0; request = this.request) {
      this.#tell(request);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Blocks the thread while there is a request. @throws StateError `wait-not-possible` */
  block(): void {
    const { words, isHere } = this.#host;
    if (!words || isHere || !mayBlock()) {
      throw new StateError(
        'wait-not-possible',
        'blockAtSafePoint() needs a thread of its own and shared memory (a cross-origin isolated page). Await safePoint() instead.',
      );
    }
    for (let request = this.request; request !== 0; request = this.request) {
      this.#tell(request);
      Atomics.wait(words, SUSPENSION, request);
    }
  }

  #tell(request: number): void {
    if (request === this.#told) return;
    this.#told = request;
    this.#host.post({ kind: 'suspended', request });
  }
}

/** The page's side of the suspension. */
export class Suspension {
  readonly #words: Int32Array | null;
  readonly #tell: (message: SuspendRequest) => void;
  #count = 0;
  /** Number of the last request. */
  #request = 0;
  #isPaused = false;
  /** Resolves with whether the runnable has paused for the current request. */
  #paused: Promise<boolean> = Promise.resolve(false);
  #settle: (isPaused: boolean) => void = () => {};

  /** @param words words that the thread shares; `null` without shared memory */
  constructor(words: Int32Array | null, tell: (message: SuspendRequest) => void) {
    this.#words = words;
    this.#tell = tell;
  }

  /** Number of calls of `suspend` without a `resume`. */
  get count(): number {
    return this.#count;
  }

  /** Whether the runnable has paused and not been resumed. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** @returns resolves with true when the runnable has paused; with false if it is resumed or ends before */
  suspend(): Promise<boolean> {
    if (++this.#count > 1) return this.#paused;
    this.#paused = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const request = ++this.#request;
    if (this.#words) Atomics.store(this.#words, SUSPENSION, request);
    this.#tell({ kind: 'suspend', request });
    return this.#paused;
  }

  /** Undoes one call of `suspend`. @returns true if it was the last one, so that the runnable continues */
  resume(): boolean {
    if (this.#count === 0 || --this.#count > 0) return false;
    this.#end();
    this.#tell({ kind: 'resume' });
    return true;
  }

  /** Undoes all calls of `suspend`, because the runnable ends. */
  end(): void {
    if (this.#count === 0) return;
    this.#count = 0;
    this.#end();
  }

  /** Handles the notice that the runnable has paused. */
  hear(request: number): void {
    if (this.#count === 0 || request !== this.#request) return;
    this.#isPaused = true;
    this.#settle(true);
  }

  #end(): void {
    this.#isPaused = false;
    this.#settle(false);
    if (!this.#words) return;
    Atomics.store(this.#words, SUSPENSION, 0);
    Atomics.notify(this.#words, SUSPENSION);
  }
}
