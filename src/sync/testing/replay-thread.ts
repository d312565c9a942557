import type { VirtualThread, Wait } from './schedule-explorer.js';

/**
 * Runs *real, synchronous* code as a virtual thread that can be interrupted before every atomic operation. JavaScript
 * can't stop a function in its middle, so the body runs again from its start for every step. Operations already done
 * return their results from a log, without effect. The next operation is done for real. The operation after it throws
 * `suspended` to leave the body.
 *
 *   step 1   load → 0 · suspended
 *   step 2   (load → 0) · store · suspended
 *   step 3   (load → 0) · (store) · exchange → 1 · suspended …
 *
 * So the body must create its own objects, and access shared state through `act` and `wait` only. Test-only.
 */
export interface Stepper {
  /**
   * Does one atomic step, once, and remembers its result.
   * @param label a text, or a function that creates it if needed
   */
  act<T>(label: string | (() => string), action: () => T): T;
  /** Sleeps until the condition holds. This sleep is not a step. */
  wait(waitsFor: string, isOver: () => boolean): void;
}

const suspended = Symbol('suspended');

export function* replayThread(body: (stepper: Stepper) => void): VirtualThread {
  const log: unknown[] = [];
  for (;;) {
    let position = 0;
    let hasActed = false;
    let label: string | undefined;
    let wait: Wait | undefined;
    const stepper: Stepper = {
      act: (name, action) => {
        if (position < log.length) return log[position++] as ReturnType<typeof action>;
        if (hasActed) throw suspended;
        hasActed = true;
        label = typeof name === 'string' ? name : name();
        const result = action();
        log.push(result);
        position++;
        return result;
      },
      wait: (waitsFor, isOver) => {
        if (position < log.length) {
          position++;
          return;
        }
        if (hasActed || !isOver()) {
          wait = { waitsFor, isOver };
          throw suspended;
        }
        log.push(undefined);
        position++;
      },
    };
    try {
      body(stepper);
    } catch (error) {
      if (error !== suspended) throw error;
      yield wait ?? label;
      continue;
    }
    return;
  }
}

/**
 * Creates an `Atomics` for the real code under test: every operation is one step, and `wait` sleeps in the explorer.
 */
export function steppedAtomics(stepper: Stepper): typeof Atomics {
  return new SteppedAtomics(stepper) as unknown as typeof Atomics;
}

/** The operations are methods of the prototype, because an object is created for every step of every schedule. */
class SteppedAtomics {
  constructor(readonly stepper: Stepper) {}

  wait(words: Int32Array, index: number, expected: number): void {
    this.stepper.wait('the bell', () => words[index] !== expected);
  }
}

for (const name of Object.getOwnPropertyNames(Atomics)) {
  const operation = Reflect.get(Atomics, name) as (...args: unknown[]) => unknown;
  if (name === 'wait' || typeof operation !== 'function') continue;
  Reflect.set(SteppedAtomics.prototype, name, function (this: SteppedAtomics, ...args: unknown[]) {
    return this.stepper.act(
      () => `${name} ${args.slice(1).join(' ')}`,
      () => operation.apply(Atomics, args),
    );
  });
}
