import type { Instance } from './instance.js';

/** A setting that has one value, such as the environment. The instance that was mounted last decides it. */
export class Slot {
  readonly #instances: Instance[] = [];
  readonly #apply: (instance: Instance | null) => void;

  /** @param apply applies an instance, or the default for `null` */
  constructor(apply: (instance: Instance | null) => void) {
    this.#apply = apply;
  }

  add(instance: Instance): void {
    this.#apply(instance);
    this.#instances.push(instance);
  }

  change(instance: Instance): void {
    if (this.#instances.at(-1) === instance) this.#apply(instance);
  }

  remove(instance: Instance): void {
    const wasLast = this.#instances.at(-1) === instance;
    const at = this.#instances.indexOf(instance);
    if (at >= 0) this.#instances.splice(at, 1);
    if (wasLast) this.#apply(this.#instances.at(-1) ?? null);
  }
}
