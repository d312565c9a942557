import { ManualChannel, type ManualPort } from '../../core/testing/manual-channel.js';
import type { Clock } from '../deadline.js';
import { type FenceAtomics, type FenceEnvironment, systemEnvironment } from '../fences/fence-environment.js';
import type { FencesOptions } from '../fences/fence-options.js';
import { createFences, type Fences, joinFences } from '../fences/fences.js';
import { ManualClock } from './manual-clock.js';

/**
 * Threads that share fences, all in one test. The test decides when events arrive that would wake a thread's event
 * loop.
 *
 *   memory     `deliver` calls the listener of a changed bell (a shared word that wakes a thread)
 *   messages   `deliver` delivers the oldest message of a port
 *
 * Test-only.
 */
export type FenceForm = 'memory' | 'messages';
export const FORMS: readonly FenceForm[] = ['memory', 'messages'];

export class FenceThreads {
  readonly clock = new ManualClock();
  /** Time of log entries, in milliseconds; the test sets it. */
  time = 1000;
  readonly environment: FenceEnvironment;
  readonly home: Fences;
  readonly form: FenceForm;
  readonly errors: string[] = [];
  readonly #bells: { isRung: () => boolean; onRing: () => void }[] = [];
  readonly #ports: ManualPort[] = [];

  constructor(
    form: FenceForm,
    options: FencesOptions = {},
    atomics: FenceAtomics = systemEnvironment.atomics,
    clock: Clock = this.clock,
  ) {
    this.form = form;
    this.environment = {
      atomics,
      clock,
      now: () => this.time,
      listen: (ints, index, expected, onRing) => {
        this.#bells.push({ isRung: () => Atomics.load(ints, index) !== expected, onRing });
      },
      createChannel: () => {
        const { port1, port2 } = new ManualChannel();
        this.#ports.push(port1, port2);
        return { port1, port2 };
      },
    };
    this.home = createFences({
      shared: form === 'memory',
      name: 'home',
      environment: this.environment,
      onError: (error) => this.errors.push(error.code),
      ...options,
    });
  }

  join(name: string, options: { mayBlock?: boolean; by?: FenceForm } = {}): Fences {
    const { mayBlock, by = this.form } = options;
    return joinFences(this.home.invite({ by }).invitation, {
      name,
      mayBlock,
      environment: this.environment,
      onError: (error) => this.errors.push(error.code),
    });
  }

  /**
   * Passes a thread's messages to `answer` first. If `answer` returns true, the thread's proxy does not receive the
   * message.
   */
  intercept(thread: Fences, answer: (message: unknown) => boolean): void {
    const port = (thread.core.uplink as ManualPort).other;
    const { onmessage } = port;
    port.onmessage = (event) => {
      if (!answer(event.data)) onmessage?.(event);
    };
  }

  /** Events in flight, as a source of deliveries for the schedule explorer. */
  get inbox(): readonly unknown[] {
    const rung = this.#bells.filter(({ isRung }) => isRung());
    return [...rung, ...this.#ports.flatMap(({ inbox }) => inbox)];
  }

  /**
   * Delivers one event: calls the first listener whose bell has changed, or else delivers the oldest message of a port.
   * @returns false when there is none
   */
  deliver(): boolean {
    const index = this.#bells.findIndex(({ isRung }) => isRung());
    if (index >= 0) {
      const [bell] = this.#bells.splice(index, 1);
      bell.onRing();
      return true;
    }
    return this.#ports.find(({ inbox }) => inbox.length > 0)?.deliver() ?? false;
  }

  settle(): void {
    while (this.deliver());
  }
}

/** Follows a promise: its state is `waiting`, `reached`, its value, or the code of its error. */
export function watch(promise: Promise<unknown>): { state: string } {
  const watched = { state: 'waiting' };
  promise.then(
    (value) => {
      watched.state = value === undefined ? 'reached' : String(value);
    },
    (error) => {
      watched.state = (error as { code?: string }).code ?? String(error);
    },
  );
  return watched;
}

/** Lets settled promises run their callbacks. */
export async function turn(): Promise<void> {
  for (let index = 0; index < 10; index++) await Promise.resolve();
}
