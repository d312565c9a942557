/**
 * Runs a WebAssembly module with bindings of Emscripten's embind, without Emscripten's own script. That script creates
 * functions from text, which a Content-Security-Policy with only 'wasm-unsafe-eval' forbids.
 *
 *   start           module ─ embind_register_… ─► types, classes, functions
 *   call            arguments ─ toWire ─► invoker in the module's table ─ fromWire ─► result
 *   during a call   module ─ emval_… ─► JavaScript values (`embind-values.ts`)
 *
 * This file supports the features that Binomial's transcoder uses: numbers, flags, JavaScript values, and classes with
 * one constructor. Registrations of strings, structures, enumerations and constants are ignored. A call that needs one
 * of them throws.
 */
import { type EmbindImports, ValueHandles, valueImports, type Wire, type WireType } from './embind-values.js';

/** The short names of a module's imports and exports, as its build has assigned them. */
export interface EmbindNames {
  /** Emscripten's names by short name. */
  readonly imports: Readonly<Record<string, string>>;
  readonly memory: string;
  readonly table: string;
  /** The function that registers all classes and functions. */
  readonly initialize: string;
}

/** An instance of a module. An Error from any of its calls leaves its memory in an unknown state. */
export interface EmbindModule {
  call(name: string, ...values: readonly unknown[]): unknown;
  create(className: string, ...values: readonly unknown[]): EmbindObject;
}

export interface EmbindObject {
  call(name: string, ...values: readonly unknown[]): unknown;
  /** Frees the object's memory. */
  destroy(): void;
}

type Invoker = (...wires: Wire[]) => Wire;

interface BoundFunction {
  /** Type of the result, then types of the arguments. The first argument of a method is `this`. */
  readonly types: readonly number[];
  readonly invoker: Invoker;
  /** First argument of the invoker. */
  readonly target: Wire;
}

interface BoundClass {
  readonly methods: Map<string, BoundFunction>;
  readonly destroy: Invoker;
  create?: BoundFunction;
}

const PAGE_BYTES = 65_536;
const MAXIMUM_MEMORY_BYTES = 2 ** 31;
/** Emscripten's error numbers for file operations, which a decoder does not use. */
const [NOT_SUPPORTED, NOT_SEEKABLE] = [52, 70];

export async function startEmbind(module: WebAssembly.Module, names: EmbindNames): Promise<EmbindModule> {
  const types = new Map<number, WireType>();
  const functions = new Map<string, BoundFunction>();
  const classes = new Map<number, BoundClass>();
  const classesByName = new Map<string, BoundClass>();
  const values = new ValueHandles();

  // Read the buffer for each access, because the memory gets a new buffer when it grows.
  const buffer = (): ArrayBuffer => memory.buffer as ArrayBuffer;
  const view = (): DataView => new DataView(buffer());
  const words = (count: number, address: number): number[] =>
    Array.from({ length: count }, (_, index) => view().getUint32(address + index * 4, true));
  const text = (address: number): string => {
    const bytes = new Uint8Array(buffer(), address);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  };
  const type = (number: number): WireType => {
    const found = types.get(number);
    if (!found) throw new Error('the decoder passes a value of a type that is not supported.');
    return found;
  };
  const bind = (count = 0, given = 0, invoker = 0, target = 0): BoundFunction => ({
    types: words(count, given),
    invoker: table.get(invoker) as Invoker,
    target,
  });
  const invoke = (bound: BoundFunction | undefined, name: string, given: readonly unknown[]): unknown => {
    if (!bound) throw new Error(`the decoder has no ${name}.`);
    const [result, ...parameters] = bound.types.map(type);
    if (parameters.length !== given.length)
      throw new Error(`${name} takes ${parameters.length} values and got ${given.length}.`);
    const wires = parameters.map((each, index) => each.toWire(given[index]));
    return result?.fromWire(bound.invoker(bound.target, ...wires));
  };

  const registrations: EmbindImports = {
    embind_register_void: (id = 0) =>
      void types.set(id, { toWire: () => 0, fromWire: () => undefined, read: () => undefined }),
    embind_register_bool: (id = 0, _name = 0, yes = 1, no = 0) =>
      void types.set(id, {
        toWire: (value) => (value ? yes : no),
        fromWire: (wire) => wire !== 0,
        read: (address) => view().getUint8(address) !== 0,
      }),
    embind_register_integer: (id = 0, _name = 0, bytes = 4, minimum = 0) =>
      void types.set(id, integerType(bytes, minimum !== 0, view)),
    embind_register_float: (id = 0, _name = 0, bytes = 8) =>
      void types.set(id, {
        toWire: Number,
        fromWire: (wire) => wire,
        read: (address) =>
          bytes === 4 ? view().getFloat32(address, true) : view().getFloat64(address, true),
      }),
    embind_register_emval: (id = 0) => {
      const take = (handle: Wire): unknown => {
        const value = values.value(handle);
        values.release(handle);
        return value;
      };
      const read = (address: number): unknown => take(view().getUint32(address, true));
      types.set(id, { toWire: (value) => values.add(value), fromWire: take, read });
      return undefined;
    },
    embind_register_class: (...all) => {
      const [id = 0, pointer = 0, constantPointer = 0, , , , , , , , name = 0, , destroy = 0] = all;
      for (const each of [id, pointer, constantPointer]) types.set(each, integerType(4, false, view));
      const bound = { methods: new Map(), destroy: table.get(destroy) as Invoker };
      classes.set(id, bound);
      classesByName.set(text(name), bound);
      return undefined;
    },
    embind_register_class_constructor: (id = 0, count, given, _signature, invoker, target) => {
      const bound = classes.get(id);
      if (bound) bound.create = bind(count, given, invoker, target);
      return undefined;
    },
    embind_register_class_function: (id = 0, name = 0, count, given, _signature, invoker, target) =>
      void classes.get(id)?.methods.set(nameOf(text(name)), bind(count, given, invoker, target)),
    embind_register_function: (name = 0, count, given, _signature, invoker, target) =>
      void functions.set(nameOf(text(name)), bind(count, given, invoker, target)),
  };

  const system: EmbindImports = {
    cxa_throw: () => {
      throw new Error('the decoder has thrown an exception.');
    },
    abort_js: () => {
      throw new Error('the decoder has stopped.');
    },
    emscripten_memcpy_js: (to = 0, from = 0, length = 0) =>
      void new Uint8Array(buffer()).copyWithin(to, from, from + length),
    emscripten_resize_heap: (wanted = 0) => Number(grow(memory, wanted >>> 0)),
    fd_close: () => NOT_SUPPORTED,
    fd_seek: () => NOT_SEEKABLE,
    // Discard the decoder's messages, and report them as written.
    fd_write: (_file = 0, parts = 0, count = 0, written = 0) => {
      const lengths = words(count * 2, parts).filter((_, index) => index % 2 === 1);
      const sum = lengths.reduce((total, length) => total + length, 0);
      view().setUint32(written, sum, true);
      return 0;
    },
  };

  const known = {
    ...registrations,
    ...valueImports({ values, memory: buffer, text, words, type }),
    ...system,
  };
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: space, name } of WebAssembly.Module.imports(module)) {
    imports[space] = { ...imports[space], [name]: importOf(names.imports[name] ?? name, known) };
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  const memory = exports[names.memory] as WebAssembly.Memory;
  const table = exports[names.table] as WebAssembly.Table;
  (exports[names.initialize] as () => void)();

  return {
    call: (name, ...given) => invoke(functions.get(name), name, given),
    create: (className, ...given) => {
      const bound = classesByName.get(className);
      const pointer = Number(invoke(bound?.create, className, given));
      return {
        call: (name, ...each) => invoke(bound?.methods.get(name), name, [pointer, ...each]),
        destroy: () => void bound?.destroy(pointer),
      };
    },
  };
}

/**
 * Returns the function that the module imports by this name. Unsupported registrations have no effect. Other
 * unsupported functions throw when they are called.
 */
function importOf(mangled: string, known: EmbindImports): WebAssembly.ImportValue {
  const name = mangled.replace(/^_+/, '');
  const found = known[name];
  if (found) return found;
  if (name.startsWith('embind_')) return () => {};
  return () => {
    throw new Error(`the decoder calls ${name}, which is not supported.`);
  };
}

/** Returns the name in a registered signature, which may include the types of its arguments. */
const nameOf = (signature: string): string => signature.replace(/\(.*/, '').trim();

function integerType(bytes: number, isSigned: boolean, view: () => DataView): WireType {
  const unused = 32 - bytes * 8;
  const fromWire = (wire: Wire): number =>
    isSigned ? (wire << unused) >> unused : (wire << unused) >>> unused;
  // Memory is little-endian, so `fromWire` cuts off the bytes read beyond a short integer.
  return { toWire: Number, fromWire, read: (address) => fromWire(view().getInt32(address, true)) };
}

/**
 * Grows the memory by at least a fifth if possible, so that repeated growth rarely moves it.
 * @returns false if it can't grow
 */
function grow(memory: WebAssembly.Memory, wanted: number): boolean {
  const { byteLength } = memory.buffer;
  if (wanted > MAXIMUM_MEMORY_BYTES) return false;
  const generous = Math.min(Math.max(wanted, byteLength * 1.2), MAXIMUM_MEMORY_BYTES);
  for (const size of [generous, wanted]) {
    try {
      memory.grow(Math.ceil((size - byteLength) / PAGE_BYTES));
      return true;
    } catch {
      // Retry with exactly the requested size.
    }
  }
  return false;
}
