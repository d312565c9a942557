/**
 * Gives each memory of the page that is copied for tasks a number. A copy, and a copy of that copy, name
 * their original by the number.
 */
export class CopiedMemories {
  readonly #numbers = new WeakMap<ArrayBuffer, number>();
  readonly #memories = new Map<number, WeakRef<ArrayBuffer>>();
  readonly #garbage = new FinalizationRegistry<number>((number) => this.#memories.delete(number));
  #next = 0;

  numberOf(memory: ArrayBuffer): number {
    let number = this.#numbers.get(memory);
    if (number === undefined) {
      number = this.#next++;
      this.#numbers.set(memory, number);
      this.#memories.set(number, new WeakRef(memory));
      this.#garbage.register(memory, number);
    }
    return number;
  }

  find(number: number | null): ArrayBuffer | undefined {
    return number === null ? undefined : this.#memories.get(number)?.deref();
  }
}
