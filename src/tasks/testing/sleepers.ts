import { type Stepper, steppedAtomics } from '../../sync/testing/replay-thread.js';
import type { BlockingAtomics } from '../blocking/shared-word.js';

/**
 * Simulates threads that sleep on words. As in a browser, a change without a notification wakes no thread. Test-only.
 */
export class Sleepers {
  readonly #asleep: { readonly index: number; isWoken: boolean }[] = [];

  atomicsOf(stepper: Stepper): BlockingAtomics {
    const plain = steppedAtomics(stepper);
    return new Proxy(plain, {
      get: (_, name) => {
        if (name === 'wait') {
          return (words: Int32Array, index: number, expected: number) => {
            const sleeper = stepper.act(`sleep ${index}`, () => {
              if (words[index] !== expected) return null;
              const entry = { index, isWoken: false };
              this.#asleep.push(entry);
              return entry;
            });
            if (!sleeper) return 'not-equal';
            stepper.wait('a notification', () => sleeper.isWoken);
            return 'ok';
          };
        }
        if (name === 'notify') {
          return (_words: Int32Array, index: number, count = Number.POSITIVE_INFINITY) =>
            stepper.act(`notify ${index}`, () => {
              const due = this.#asleep
                .filter((each) => each.index === index && !each.isWoken)
                .slice(0, count);
              for (const each of due) each.isWoken = true;
              return due.length;
            });
        }
        return Reflect.get(plain, name);
      },
    }) as BlockingAtomics;
  }
}
