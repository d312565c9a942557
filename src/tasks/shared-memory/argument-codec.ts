/**
 * Encodes plain data and shared arrays as words of a slot in shared memory, so that they need no message. Other values
 * (a Map, an image, a long text) are sent by message instead.
 *
 *   a value         | kind | its content … |        a text: length, then two UTF-16 units per word
 *   a shared array  | kind | type | memory | byte offset | length |        the memory by its number (`SharedMemories`)
 */
import type { TaskArray, TaskArrayConstructor } from '../arguments/shared-array.js';
import type { MemoryMessage } from '../task-messages.js';

/** Assigns numbers to memory, by which other threads find the memory. */
interface MemoryNumbers {
  /** Returns the memory's number, and sends new memory to all other threads before a job names it. */
  numberOf(memory: SharedArrayBuffer): number;
}

const Kind = {
  undefined: 0,
  null: 1,
  true: 2,
  false: 3,
  int: 4,
  double: 5,
  text: 6,
  list: 7,
  object: 8,
  array: 9,
  memory: 10,
} as const;

const arrayTypes: readonly TaskArrayConstructor<TaskArray>[] = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
];

/** Greatest depth of nested data. Deeper and cyclic data is sent by message. */
const DEPTH = 8;

const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

const unwritable = new Error('For a message.');

/**
 * Writes one value. If a getter of the value throws, the value is not written. The getter then throws again when a
 * message is created instead.
 * @returns whether the value could be written and fits
 */
export function writeValue(value: unknown, into: Int32Array, numbers: MemoryNumbers): boolean {
  let at = 0;
  const put = (word: number): void => {
    if (at >= into.length) throw unwritable;
    into[at++] = word;
  };
  const putText = (text: string): void => {
    put(text.length);
    for (let unit = 0; unit < text.length; unit += 2) {
      put(text.charCodeAt(unit) | ((unit + 1 < text.length ? text.charCodeAt(unit + 1) : 0) << 16));
    }
  };
  const putNumber = (value: number): void => {
    if ((value | 0) === value && !Object.is(value, -0)) {
      put(Kind.int);
      put(value);
      return;
    }
    double[0] = value;
    put(Kind.double);
    put(halves[0] as number);
    put(halves[1] as number);
  };
  const write = (value: unknown, depth: number): void => {
    switch (typeof value) {
      case 'undefined':
        put(Kind.undefined);
        return;
      case 'boolean':
        put(value ? Kind.true : Kind.false);
        return;
      case 'number':
        putNumber(value);
        return;
      case 'string':
        put(Kind.text);
        putText(value);
        return;
      case 'object':
        value === null ? put(Kind.null) : writeObject(value, depth);
        return;
      default:
        throw unwritable;
    }
  };
  const writeObject = (value: object, depth: number): void => {
    if (depth > DEPTH) throw unwritable;
    if (ArrayBuffer.isView(value)) {
      const type = arrayTypes.indexOf(value.constructor as TaskArrayConstructor<TaskArray>);
      if (type < 0 || !(value.buffer instanceof SharedArrayBuffer)) throw unwritable;
      put(Kind.array);
      put(type);
      put(numbers.numberOf(value.buffer));
      put(value.byteOffset);
      put((value as TaskArray).length);
      return;
    }
    if (value instanceof SharedArrayBuffer) {
      put(Kind.memory);
      put(numbers.numberOf(value));
      return;
    }
    if (Array.isArray(value)) {
      put(Kind.list);
      put(value.length);
      for (let index = 0; index < value.length; index++) write(value[index], depth + 1);
      return;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw unwritable;
    const names = Object.keys(value);
    put(Kind.object);
    put(names.length);
    for (const name of names) {
      putText(name);
      write((value as Record<string, unknown>)[name], depth + 1);
    }
  };
  try {
    write(value, 0);
    return true;
  } catch {
    return false;
  }
}

/** Thrown when memory of another thread has not arrived yet. */
export class MemoryMissing extends Error {
  readonly memory: number;
  constructor(memory: number) {
    super(`The memory ${memory} has not arrived.`);
    this.memory = memory;
  }
}

/** Reads a value that `writeValue` has written. @throws MemoryMissing */
export function readValue(
  from: Int32Array,
  memoryOf: (memory: number) => SharedArrayBuffer | undefined,
): unknown {
  let at = 0;
  const take = (): number => from[at++] as number;
  const takeText = (): string => {
    const length = take();
    let text = '';
    for (let unit = 0; unit < length; unit += 2) {
      const word = take();
      text += String.fromCharCode(word & 0xffff);
      if (unit + 1 < length) text += String.fromCharCode(word >>> 16);
    }
    return text;
  };
  const takeMemory = (): SharedArrayBuffer => {
    const number = take();
    const memory = memoryOf(number);
    if (!memory) throw new MemoryMissing(number);
    return memory;
  };
  const read = (): unknown => {
    switch (take()) {
      case Kind.null:
        return null;
      case Kind.true:
        return true;
      case Kind.false:
        return false;
      case Kind.int:
        return take();
      case Kind.double: {
        halves[0] = take();
        halves[1] = take();
        return double[0];
      }
      case Kind.text:
        return takeText();
      case Kind.list: {
        const list: unknown[] = [];
        for (let left = take(); left > 0; left--) list.push(read());
        return list;
      }
      case Kind.object: {
        const object: Record<string, unknown> = {};
        for (let left = take(); left > 0; left--) {
          const name = takeText();
          const value = read();
          // Define `__proto__` as an own property, as a structured clone does.
          if (name !== '__proto__') object[name] = value;
          else
            Object.defineProperty(object, name, {
              value,
              writable: true,
              enumerable: true,
              configurable: true,
            });
        }
        return object;
      }
      case Kind.array: {
        const ArrayClass = arrayTypes[take()] as TaskArrayConstructor<TaskArray>;
        const memory = takeMemory();
        const byteOffset = take();
        return new ArrayClass(memory, byteOffset, take());
      }
      case Kind.memory:
        return takeMemory();
      default:
        return undefined;
    }
  };
  return read();
}

/** Maximum number of memories that each thread can number. */
const PER_THREAD = 2 ** 20;
/** Distance between the first number of a thread and the first number of the thread that replaces it. */
const PER_INCARNATION = 2 ** 14;

/**
 * Assigns numbers to the memory of shared arrays, so that jobs can refer to it. A thread uses only its own numbers: in
 * arguments of its jobs, and in results of jobs that it runs. The thread keeps the arguments of its jobs until the jobs
 * have ended. So once the memory is garbage on that thread, other threads may forget the number.
 *
 *   thread 1   numberOf(memory) ─► 1·2²⁰ + 5 ─── message: memory ───► others: find(number)
 *              garbage, no own job has it ─────── message: forget ──► others: forget the number
 */
export class SharedMemories {
  readonly #thread: number;
  readonly #tell: (message: MemoryMessage) => void;
  readonly #numbers = new WeakMap<SharedArrayBuffer, number>();
  readonly #own = new Map<number, WeakRef<SharedArrayBuffer>>();
  readonly #others = new Map<number, SharedArrayBuffer>();
  readonly #garbage: FinalizationRegistry<number>;
  #next: number;

  /**
   * @param tell sends a message to all other threads
   * @param incarnation number of earlier threads with the same thread number. A replacement thread assigns
   *   other numbers than they did, because their jobs may still be queued and name their memory
   */
  constructor(thread: number, tell: (message: MemoryMessage) => void, incarnation = 0) {
    this.#thread = thread;
    this.#next = (incarnation * PER_INCARNATION) % PER_THREAD;
    this.#tell = tell;
    this.#garbage = new FinalizationRegistry((number) => {
      this.#own.delete(number);
      tell({ kind: 'memory', number, memory: null });
    });
  }

  numberOf(memory: SharedArrayBuffer): number {
    const known = this.#numbers.get(memory);
    if (known !== undefined) return known;
    const number = this.#thread * PER_THREAD + (this.#next++ % PER_THREAD);
    this.#numbers.set(memory, number);
    this.#own.set(number, new WeakRef(memory));
    this.#garbage.register(memory, number);
    this.#tell({ kind: 'memory', number, memory });
    return number;
  }

  find(number: number): SharedArrayBuffer | undefined {
    return this.#others.get(number) ?? this.#own.get(number)?.deref();
  }

  hear({ number, memory }: MemoryMessage): void {
    if (memory) this.#others.set(number, memory);
    else this.#others.delete(number);
  }

  /** Yields the memory to which this thread has assigned numbers, for threads that could not read a message. */
  *own(): Iterable<MemoryMessage> {
    for (const [number, reference] of this.#own) {
      const memory = reference.deref();
      if (memory) yield { kind: 'memory', number, memory };
    }
  }

  /** Yields all memory with numbers, for a thread that joins later. */
  *known(): Iterable<MemoryMessage> {
    yield* this.own();
    for (const [number, memory] of this.#others) yield { kind: 'memory', number, memory };
  }
}
