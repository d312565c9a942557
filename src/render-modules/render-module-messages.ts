/**
 * The messages about render modules between the main thread and the render thread. Each connection has its own port for
 * them. Commands travel in the stream of render commands instead, so that all commands keep their order.
 *
 *   main ── load │ forget ──► render        main ◄── loaded │ failed ── render       by the module's number
 *                                           main ◄── executed, thrown, posted ── render
 *   render ── point ──► RHI        render ◄── reached, readBack ── RHI                if these are two threads
 */
import { type ErrorData, StateError } from '../core/errors.js';

/** A module to load. Its commands are numbered from 1, in the order of `loaded.commands`. */
export interface LoadModule {
  readonly module: number;
  /** Name in messages. */
  readonly name: string;
  /** Absolute URL. */
  readonly url: string;
  /** Data for the module: any cloneable value. */
  readonly data: unknown;
  readonly isRestored: boolean;
}

/** Removes a module whose load the main thread has given up, because of the time limit or a lost message. */
export interface ForgetModule {
  readonly forgotten: number;
}

export type ModuleNotice =
  | { readonly kind: 'loaded'; readonly module: number; readonly commands: readonly string[] }
  | { readonly kind: 'failed'; readonly module: number; readonly error: ErrorData }
  /** All commands up to this one have begun. */
  | { readonly kind: 'executed'; readonly sequence: number }
  | { readonly kind: 'thrown'; readonly error: ErrorData }
  | { readonly kind: 'posted'; readonly module: number; readonly value: unknown };

/** The port and memory that the main thread creates for a new connection. */
export interface ModulesConfig {
  readonly port: MessagePort;
  /** Memory of the sequence number of the last begun command, which survives a killed worker. Null if unshared. */
  readonly counter: SharedArrayBuffer | null;
  /** Sequence number of the last command that earlier connections have executed. */
  readonly executed: number;
}

export type RhiPoint = 'submitted' | 'completed';

/** A request to the RHI thread. The answer has the same `id`. */
export interface PointRequest {
  readonly id: number;
  readonly point: RhiPoint;
  readonly frame: number;
}

export type PointNotice =
  | { readonly kind: 'reached'; readonly id: number; readonly error: ErrorData | null }
  | { readonly kind: 'readBack'; readonly request: number; readonly bytes: ArrayBuffer };

/** Number of the first read-back for a render module. Smaller numbers are read-backs for the main thread. */
export const FIRST_MODULE_READBACK = 0x80000000;

/** The data of a render module's command. */
export type RenderCommandData = ArrayBuffer | ArrayBufferView | JsonValue | undefined;
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/**
 * View types. The `kind` of a view's data is `DataKind.firstView` plus the index in this list. The other kinds are JSON
 * text (empty for undefined) and the bytes of an ArrayBuffer.
 */
const VIEWS = [
  Uint8Array,
  Uint8ClampedArray,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigUint64Array,
  BigInt64Array,
  DataView,
] as const;
const DataKind = { json: 0, buffer: 1, firstView: 2 } as const;

export interface EncodedData {
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** Copies the data of a command, so that the caller can change it afterwards. @throws TypeError for unsupported data */
export function encodeData(data: RenderCommandData): EncodedData {
  if (data === undefined) return { kind: DataKind.json, bytes: new Uint8Array(0) };
  if (data instanceof ArrayBuffer) return { kind: DataKind.buffer, bytes: new Uint8Array(data.slice(0)) };
  if (ArrayBuffer.isView(data)) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    const view = VIEWS.findIndex((each) => data instanceof each);
    if (view < 0) throw new TypeError(`A ${data.constructor.name} is not a supported view.`);
    return { kind: DataKind.firstView + view, bytes };
  }
  const text: string | undefined = JSON.stringify(data);
  if (text === undefined) throw new TypeError(`A ${typeof data} can't be converted to JSON.`);
  return { kind: DataKind.json, bytes: new TextEncoder().encode(text) };
}

const viewOf = (kind: number): (new (buffer: ArrayBuffer) => ArrayBufferView) =>
  VIEWS[kind - DataKind.firstView] ?? Uint8Array;

/** Decodes the data of a command. The result may share the buffer of `bytes`. */
export function decodeData({ kind, bytes }: EncodedData): unknown {
  if (kind === DataKind.json)
    return bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes));
  const { buffer } = bytes;
  return kind === DataKind.buffer ? buffer : new (viewOf(kind))(buffer as ArrayBuffer);
}

/** Creates the error of a command that a render module has not defined. Both threads use it. */
export function unknownCommand(module: string, command: string, known: readonly string[]): StateError {
  return new StateError(
    'render-command-unknown',
    `The render module "${module}" has defined no command "${command}". ${known.length ? `It has ${known.join(', ')}.` : 'It has none.'} Define it by defineCommand() during set-up.`,
  );
}
