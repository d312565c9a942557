/**
 * What the main thread and the render thread say to each other about render modules, over a port of their own, one per
 * connection. Commands don't travel here but in the stream of render commands, in order with all others.
 *
 *   main ── load │ forget ──► render        main ◄── loaded │ failed ── render       by the module's number
 *                                           main ◄── executed, thrown, posted ── render
 *   render ── point ──► RHI        render ◄── reached │ failed, readBack ── RHI       where these are two threads
 */
import { type ErrorData, StateError } from '../core/errors.js';

/** A module to load. The commands it defines are numbered from 1, in the order of `loaded.commands`. */
export interface LoadModule {
  readonly module: number;
  /** For messages. */
  readonly name: string;
  /** Absolute. */
  readonly url: string;
  /** For the module: anything that can be cloned. */
  readonly data: unknown;
  readonly isRestored: boolean;
}

/** The main thread has given up waiting for the module to load. */
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

/** What the main thread opens for a new connection. */
export interface ModulesConfig {
  readonly port: MessagePort;
  /** Holds the last sequence that has begun, where memory is shared: it outlives a killed worker. */
  readonly counter: SharedArrayBuffer | null;
  /** The last sequence that another connection has executed. */
  readonly executed: number;
}

export type RhiPoint = 'submitted' | 'completed';

/** To the RHI thread; answered by its `id`. */
export interface PointRequest {
  readonly id: number;
  readonly point: RhiPoint;
  readonly frame: number;
}

export type PointNotice =
  | { readonly kind: 'reached'; readonly id: number; readonly error: ErrorData | null }
  | { readonly kind: 'readBack'; readonly request: number; readonly bytes: ArrayBuffer };

/** Read-backs under these numbers and above are for render modules; those below are frames, for the main thread. */
export const FIRST_MODULE_READBACK = 0x80000000;

/** What a command carries besides numbers. */
export type RenderCommandData = ArrayBuffer | ArrayBufferView | JsonValue | undefined;
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/** The `kind` field: JSON text (none: undefined), bytes, or the typed array by its place in this list. */
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

/** Copies what a command carries, so that its caller may go on writing to it. Throws TypeError for what is neither. */
export function encodeData(data: RenderCommandData): EncodedData {
  if (data === undefined) return { kind: DataKind.json, bytes: new Uint8Array(0) };
  if (data instanceof ArrayBuffer) return { kind: DataKind.buffer, bytes: new Uint8Array(data.slice(0)) };
  if (ArrayBuffer.isView(data)) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    const view = VIEWS.findIndex((each) => data instanceof each);
    if (view < 0) throw new TypeError(`A ${data.constructor.name} is no kind of view that is known.`);
    return { kind: DataKind.firstView + view, bytes };
  }
  const text: string | undefined = JSON.stringify(data);
  if (text === undefined) throw new TypeError(`A ${typeof data} can't be said in JSON.`);
  return { kind: DataKind.json, bytes: new TextEncoder().encode(text) };
}

const viewOf = (kind: number): (new (buffer: ArrayBuffer) => ArrayBufferView) =>
  VIEWS[kind - DataKind.firstView] ?? Uint8Array;

/** @param bytes of its own: what is answered may lie on it */
export function decodeData({ kind, bytes }: EncodedData): unknown {
  if (kind === DataKind.json)
    return bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes));
  const { buffer } = bytes;
  return kind === DataKind.buffer ? buffer : new (viewOf(kind))(buffer as ArrayBuffer);
}

/** The error of a command that a render module has not defined; both threads find it. */
export function unknownCommand(module: string, command: string, known: readonly string[]): StateError {
  return new StateError(
    'render-command-unknown',
    `The render module "${module}" has defined no command "${command}". ${known.length ? `It has ${known.join(', ')}.` : 'It has none.'} Define it by defineCommand() during set-up.`,
  );
}
