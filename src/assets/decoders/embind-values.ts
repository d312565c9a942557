/**
 * JavaScript values that a WebAssembly module holds by handles (`emscripten::val`): arrays passed to it, and their
 * constructors and properties. Handles are even numbers. Handles below 10 are constants and are never freed.
 *
 *   handle   2 undefined │ 4 null │ 6 true │ 8 false │ 10, 12, … reference-counted values
 */

/** A value as passed to or from WebAssembly: a number, an address, or a handle. */
export type Wire = number;

/** Functions that a module imports, by Emscripten's names without leading underscores. */
export type EmbindImports = Readonly<Record<string, (...wires: Wire[]) => Wire | undefined>>;

export interface WireType {
  toWire(value: unknown): Wire;
  fromWire(wire: Wire): unknown;
  /** Reads an argument that the module has written to memory. */
  read(address: number): unknown;
}

const CONSTANTS: readonly unknown[] = [undefined, null, true, false];
const FIRST_COUNTED = 10;

export class ValueHandles {
  readonly #held = new Map<Wire, { readonly value: unknown; count: number }>();
  readonly #free: Wire[] = [];
  #next = FIRST_COUNTED;

  value(handle: Wire): unknown {
    return handle < FIRST_COUNTED ? CONSTANTS[handle / 2 - 1] : this.#held.get(handle)?.value;
  }

  /** Adds a value. @returns a handle that must be released once */
  add(value: unknown): Wire {
    const constant = CONSTANTS.indexOf(value);
    if (constant >= 0) return (constant + 1) * 2;
    let handle = this.#free.pop();
    if (handle === undefined) {
      handle = this.#next;
      this.#next += 2;
    }
    this.#held.set(handle, { value, count: 1 });
    return handle;
  }

  retain(handle: Wire): void {
    const held = this.#held.get(handle);
    if (held) held.count++;
  }

  release(handle: Wire): void {
    const held = this.#held.get(handle);
    if (!held || --held.count > 0) return;
    this.#held.delete(handle);
    this.#free.push(handle);
  }
}

/** Access to the module for the imports below. */
interface ValueContext {
  readonly values: ValueHandles;
  readonly memory: () => ArrayBuffer;
  readonly text: (address: number) => string;
  readonly words: (count: number, address: number) => readonly number[];
  readonly type: (type: number) => WireType;
}

type Caller = (self: unknown, callee: unknown, packed: number) => Wire;

/** Bytes of each packed argument of a call. */
const ARGUMENT_BYTES = 8;
/** Kind of a caller that uses `new`. */
const CONSTRUCTOR = 1;

export function valueImports({ values, memory, text, words, type }: ValueContext): EmbindImports {
  const callers: Caller[] = [];
  const property = (holder: unknown, key: unknown): unknown =>
    (holder as Readonly<Record<PropertyKey, unknown>>)[key as PropertyKey];
  return {
    emval_incref: (handle = 0) => void values.retain(handle),
    emval_decref: (handle = 0) => void values.release(handle),
    emval_new_cstring: (address = 0) => values.add(text(address)),
    emval_get_global: (name = 0) => values.add(name === 0 ? globalThis : property(globalThis, text(name))),
    // A module reads only two properties of Emscripten's script: two views of the module's memory.
    emval_get_module_property: (name = 0) => {
      const views: Readonly<Record<string, ArrayBufferView>> = {
        HEAP8: new Int8Array(memory()),
        HEAPU8: new Uint8Array(memory()),
      };
      return values.add(views[text(name)]);
    },
    emval_get_property: (holder = 0, key = 0) =>
      values.add(property(values.value(holder), values.value(key))),
    emval_as: (handle = 0, wanted = 0) => type(wanted).toWire(values.value(handle)),
    emval_get_method_caller: (count = 0, types = 0, kind = 0) => {
      const [result, ...given] = words(count, types).map(type);
      const call: Caller = (self, callee, packed) => {
        const parameters = given.map((each, index) => each.read(packed + index * ARGUMENT_BYTES));
        const target = callee as new (...all: unknown[]) => unknown;
        const returned =
          kind === CONSTRUCTOR
            ? Reflect.construct(target, parameters)
            : Reflect.apply(target, self, parameters);
        return result?.toWire(returned) ?? 0;
      };
      return callers.push(call) - 1;
    },
    emval_call: (caller = 0, callee = 0, _destructors = 0, packed = 0) =>
      callers[caller]?.(null, values.value(callee), packed),
    emval_call_method: (caller = 0, holder = 0, name = 0, _destructors = 0, packed = 0) => {
      const self = values.value(holder);
      return callers[caller]?.(self, property(self, text(name)), packed);
    },
  };
}
