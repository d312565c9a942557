/**
 * Carries arguments to a task, and its changes back.
 *
 *   isolated        structured clone: plain data is copied, shared memory is shared
 *   not isolated    packArguments ─► plain data, and a copy of each shared array's memory
 *                   unpackArguments ─► the task's arguments ─► changesOf ─► runs of changed bytes ─► applyChanges
 *
 * Only changed bytes are written back, so tasks may write different parts of one array at the same time.
 */
import { adoptCopy, isCopied, type TaskArray, type TaskArrayConstructor } from './shared-array.js';

export interface PackedArguments {
  /** The arguments, with an `ArrayAddress` in place of each shared array. */
  readonly data: unknown;
  /** Copies of the memory of the shared arrays in the arguments. */
  readonly copies: readonly ArrayBuffer[];
  /** The number of each copy's original on the page, or `null` if it has no number. */
  readonly sources: readonly (number | null)[];
}

/** Changed runs of bytes of one buffer: the offset and length of each run, and the bytes of all runs in order. */
export interface Changes {
  readonly buffer: number;
  readonly begins: readonly number[];
  readonly lengths: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A property name that programs don't use. */
const ADDRESS = '\0fencepost shared array';

interface ArrayAddress {
  readonly [ADDRESS]: {
    readonly buffer: number;
    readonly type: string;
    readonly offset: number;
    readonly length: number;
  };
}

/** Constructors of typed arrays by `Symbol.toStringTag`, which subclasses inherit from their typed array. */
const constructors = globalThis as unknown as Readonly<Record<string, TaskArrayConstructor<TaskArray>>>;

/**
 * Packs arguments for a thread without shared memory.
 * @param originals receives the copied memory, in the order of `copies`
 */
export function packArguments(
  argument: unknown,
  originals: ArrayBuffer[],
  sourceOf: (memory: ArrayBuffer) => number | null,
): PackedArguments {
  const data = findArrays(argument, originals);
  return { data, copies: originals.map((memory) => memory.slice(0)), sources: originals.map(sourceOf) };
}

function findArrays(argument: unknown, originals: ArrayBuffer[]): unknown {
  return replace(argument, new Map(), (value) => {
    if (!isCopied(value)) return undefined;
    const memory = value.buffer as ArrayBuffer;
    let buffer = originals.indexOf(memory);
    if (buffer < 0) buffer = originals.push(memory) - 1;
    const { byteOffset: offset, length } = value;
    return { [ADDRESS]: { buffer, type: value[Symbol.toStringTag], offset, length } } satisfies ArrayAddress;
  });
}

/** Restores the arguments for the task. The shared arrays in them are views of the copies. */
export function unpackArguments({ data, copies }: Pick<PackedArguments, 'data' | 'copies'>): unknown {
  copies.forEach(adoptCopy);
  return replace(data, new Map(), (value) => {
    const address = (value as ArrayAddress)[ADDRESS];
    if (address === undefined) return undefined;
    const ArrayClass = constructors[address.type] as TaskArrayConstructor<TaskArray>;
    return new ArrayClass(copies[address.buffer] as ArrayBuffer, address.offset, address.length);
  });
}

/** Returns the arguments for a task on this thread: plain data is cloned, and shared arrays keep their memory. */
export function cloneArguments(argument: unknown): unknown {
  const originals: ArrayBuffer[] = [];
  const data = findArrays(argument, originals);
  return unpackArguments({ data: structuredClone(data), copies: originals });
}

/** Returns the changes of the copies relative to `before`. */
export function changesOf(copies: readonly ArrayBuffer[], before: readonly ArrayBuffer[]): Changes[] {
  return copies.flatMap((copy, buffer) => {
    const now = new Uint8Array(copy);
    const then = new Uint8Array(before[buffer] as ArrayBuffer);
    const begins: number[] = [];
    const lengths: number[] = [];
    let total = 0;
    for (let at = 0; at < now.length; at++) {
      if (now[at] === then[at]) continue;
      const begin = at;
      while (at < now.length && now[at] !== then[at]) at++;
      begins.push(begin);
      lengths.push(at - begin);
      total += at - begin;
    }
    if (total === 0) return [];
    const bytes = new Uint8Array(total);
    let filled = 0;
    for (const [run, begin] of begins.entries()) {
      bytes.set(now.subarray(begin, begin + (lengths[run] as number)), filled);
      filled += lengths[run] as number;
    }
    return [{ buffer, begins, lengths, bytes }];
  });
}

/** Writes the changes of a task into the originals of its copies. */
export function applyChanges(originals: readonly ArrayBuffer[], changes: readonly Changes[]): void {
  for (const { buffer, begins, lengths, bytes } of changes) {
    const memory = new Uint8Array(originals[buffer] as ArrayBuffer);
    let taken = 0;
    for (const [run, begin] of begins.entries()) {
      const length = lengths[run] as number;
      memory.set(bytes.subarray(taken, taken + length), begin);
      taken += length;
    }
  }
}

/**
 * Returns a copy of the value in which `substitute` has replaced parts. It visits arrays, plain objects, Maps and
 * Sets, and keeps all other values.
 */
function replace(
  value: unknown,
  done: Map<object, unknown>,
  substitute: (value: object) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  const other = substitute(value);
  if (other !== undefined) {
    done.set(value, other);
    return other;
  }
  const part = (each: unknown): unknown => replace(each, done, substitute);
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    done.set(value, list);
    for (const each of value) list.push(part(each));
    return list;
  }
  if (value instanceof Map) {
    const map = new Map<unknown, unknown>();
    done.set(value, map);
    for (const [key, each] of value) map.set(part(key), part(each));
    return map;
  }
  if (value instanceof Set) {
    const set = new Set<unknown>();
    done.set(value, set);
    for (const each of value) set.add(part(each));
    return set;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const object: Record<string, unknown> = {};
  done.set(value, object);
  for (const [name, each] of Object.entries(value)) object[name] = part(each);
  return object;
}

/**
 * Assigns numbers to the page's memory that is copied for tasks. A copy refers to its original by this number, and so
 * does a copy of that copy.
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
