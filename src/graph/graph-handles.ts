/** Largest number of versions of a resource in a set-up. */
export const MOST_VERSIONS = 1024;
/** Largest number of resources in a set-up. */
export const MOST_RESOURCES = 4096;
/** Handles have 30 bits, which V8 stores without allocating. */
const NUMBERS = 2 ** 30;
/** The very first handle. It is so large that users are unlikely to pass it by mistake. */
const FIRST = 2 ** 22;

/**
 * Handles of a graph. A handle is a number that identifies a version of a resource's contents. Numbers rise from set-up
 * to set-up, so a handle from an earlier set-up is invalid in a later one. After 2³⁰ handles, which take days of
 * frames, numbers start again from 0. A set-up makes at most 2²² handles.
 *
 *   set-up 1              set-up 2                    set-up 3: the current one
 *   2²²  +1  +2  +3  │    +4  +5  +6  +7  +8    │     +9          +10         +11
 *                                                     resource 0  resource 1  resource 0
 *                                                     version 0   version 0   version 1
 */
export class GraphHandles {
  /** Number of handles of the current set-up. */
  count = 0;
  /** First handle of the current set-up. */
  #first: number;
  // For each handle of the set-up: its resource (−1 if withdrawn), its version, and the handle of the version before.
  readonly #resources: number[] = [];
  readonly #versions: number[] = [];
  readonly #before: number[] = [];

  /** @param first first handle of the first set-up. Tests choose a number near the largest. */
  constructor(first = FIRST) {
    this.#first = first;
  }

  /** Begins a set-up. Called per frame. */
  begin(): void {
    this.#first = (this.#first + this.count) % NUMBERS;
    this.count = 0;
  }

  /** Makes a handle. @param before handle of the version before; 0 for version 0 */
  add(resource: number, version: number, before: number): number {
    const index = this.count++;
    this.#resources[index] = resource;
    this.#versions[index] = version;
    this.#before[index] = before;
    return (this.#first + index) % NUMBERS;
  }

  /** Returns the resource of a handle of this set-up. For other numbers the result is undefined or wrong. */
  resourceOf(handle: number): number {
    return this.#resources[this.#indexOf(handle)] as number;
  }

  /** Returns the resource of a handle of this set-up; −1 for every other value. */
  find(handle: number): number {
    const isHandle = Number.isInteger(handle) && handle >= 0 && handle < NUMBERS;
    const index = isHandle ? this.#indexOf(handle) : this.count;
    return index < this.count ? (this.#resources[index] as number) : -1;
  }

  versionOf(handle: number): number {
    return this.#versions[this.#indexOf(handle)] as number;
  }

  /** Withdraws the newest handle, which is invalid from then on. @returns the handle of the version before */
  withdraw(handle: number): number {
    const index = this.#indexOf(handle);
    this.#resources[index] = -1;
    return this.#before[index] as number;
  }

  #indexOf(handle: number): number {
    return (handle - this.#first) & (NUMBERS - 1);
  }
}
