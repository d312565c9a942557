/**
 * Makes context methods from the table of commands: one per row with `call`. Commands recorded per draw have methods
 * written by hand (`command-context.ts`).
 *
 *   copyBufferToBuffer: { fields: { source, sourceByteOffset, target, … } }
 *     └► context.copyBufferToBuffer(source, 0, target, 256, 1024)  ──►  | header | source | 0 | target | 256 | 1024 |
 *
 *   fields of the row     method
 *   up to six numbers     writes them one by one; allocates nothing
 *   one `isKept` object   encodes each object once; later calls with it copy the encoding and allocate nothing
 *   a created handle      allocates the handle; the immediate context may keep the descriptor
 *   any others            encodes the record by the table (`core/records/record-codec.ts`)
 */

import { encodeRecord, fixedWords, isVariable, writeBytes } from '../../core/records/record-codec.js';
import { encodeJson } from '../../core/records/record-fields.js';
import type { FieldType } from '../../core/records/record-table.js';
import { writeDouble, writeLong } from '../../core/records/wide-words.js';
import type { Attachment, StreamWriter } from '../../core/streams/stream.js';
import type { CommandRow, CommandRows, CommandTable } from '../commands/command-rows.js';
import { commandRows, rhiCommands } from '../commands/commands.js';
import type { ArgumentChecks } from './argument-checks.js';

/** An object whose methods record commands. */
export interface Recorder {
  readonly writer: StreamWriter;
  /** Checks made before each call is recorded. Null: no checks. */
  readonly checks: ArgumentChecks | null;
  /** Mark of the handles of this RHI (`handles.ts`); 0 if handles have no mark. */
  readonly mark: number;
  /** Called before a command that submits all records so far. If it throws, that command is not recorded. */
  beforeSubmission(): void;
  /** Called after a command that reads data back. */
  readBackRecorded(): void;
}

/** A recorder that creates resources. */
export interface Creator extends Recorder {
  /** Returns a handle for the resource that the call creates. */
  create(kind: number, descriptor: LabelledDescriptor): number;
}

export interface LabelledDescriptor {
  readonly label: string;
  readonly [member: string]: unknown;
}

type Call = (...args: never[]) => unknown;

/** The table of commands, typed so that it accepts any name. */
const table: CommandTable<CommandRows> = rhiCommands;

type Rows = typeof commandRows;
type ContextOf<Row> = Row extends { readonly context: infer Context } ? Context : 'any';

/**
 * Methods of the rows with this context: 'immediate' for commands of the immediate context only, 'any' for all others.
 */
type CommandMethods<Context> = {
  [Name in keyof Rows as Rows[Name] extends { readonly call: Call }
    ? ContextOf<Rows[Name]> extends Context
      ? Name
      : never
    : never]: Rows[Name] extends { readonly call: infer Method } ? Method : never;
};

/** A base class of contexts. */
type RecorderClass = abstract new (...args: never[]) => Recorder;

type WithMethods<Base extends RecorderClass, Methods> = abstract new (
  ...args: ConstructorParameters<Base>
) => InstanceType<Base> & Methods;

/**
 * Returns a class with the methods of the table's commands.
 * @param context 'immediate' for the commands that only the immediate context records, 'any' for the commands that
 *   every context records
 */
// @__NO_SIDE_EFFECTS__
export function withCommands<Base extends RecorderClass, Context extends 'immediate' | 'any'>(
  Base: Base,
  context: Context,
): WithMethods<Base, CommandMethods<Context>> {
  abstract class WithCommands extends (Base as abstract new () => Recorder) {}
  for (const [name, row] of Object.entries<CommandRow>(commandRows)) {
    if (row.call === undefined || (row.context ?? 'any') !== context) continue;
    Object.defineProperty(WithCommands.prototype, name, { value: methodOf(name, row) });
  }
  return WithCommands as unknown as WithMethods<Base, CommandMethods<Context>>;
}

type Method = (this: Recorder, ...args: never[]) => unknown;

function methodOf(name: string, row: CommandRow): Method {
  const fields = Object.values(row.fields);
  const opcode = table.opcodes[name] ?? 0;
  if (fields[0]?.isCreated === true) return createMethod(name, row) as unknown as Method;
  if (fields.length === 1 && fields[0]?.isKept === true) return keptMethod(opcode, name) as Method;
  const areWords = fields.every(({ wire }) => !isVariable(wire) && wire !== 'attachment');
  if (areWords && fields.length <= 6) return wordMethod(opcode, name, row) as Method;
  return recordMethod(name, row);
}

/** Makes a method that writes up to six numbers. The method allocates nothing. */
function wordMethod(opcode: number, name: string, row: CommandRow) {
  const fields = Object.values(row.fields);
  const wires = fields.map(({ wire }) => wire);
  const defaults = fields.map((field) => (field.default as number | undefined) ?? 0);
  const places = wires.map((_, index) => wordsOf(wires.slice(0, index)));
  const count = fields.length;
  const length = wordsOf(wires);
  const put = (writer: StreamWriter, at: number, index: number, given: number | undefined): void => {
    const value = given ?? (defaults[index] as number);
    const place = at + (places[index] as number);
    const wire = wires[index];
    if (wire === 'f32') writer.floats[place] = value;
    else if (wire === 'f64') writeDouble(writer.words, place, value);
    else if (wire === 'u64') writeLong(writer.words, place, value);
    else writer.words[place] = value;
  };
  return function (
    this: Recorder,
    a?: number,
    b?: number,
    c?: number,
    d?: number,
    e?: number,
    f?: number,
  ): void {
    const { writer, checks } = this;
    checks?.checkCall(this, name, [a, b, c, d, e, f]);
    if (row.endsSubmission === true) this.beforeSubmission();
    const at = writer.reserve(opcode, length);
    if (count > 0) put(writer, at, 0, a);
    if (count > 1) put(writer, at, 1, b);
    if (count > 2) put(writer, at, 2, c);
    if (count > 3) put(writer, at, 3, d);
    if (count > 4) put(writer, at, 4, e);
    if (count > 5) put(writer, at, 5, f);
    if (row.readsBack === true) this.readBackRecorded();
  };
}

const wordsOf = (wires: readonly FieldType[]): number =>
  wires.reduce((sum, wire) => sum + fixedWords(wire), 0);

/** Makes a method that writes one object. Each object is encoded once, and treated as immutable from then on. */
function keptMethod(opcode: number, name: string) {
  const encodings = new WeakMap<object, Uint32Array>();
  return function (this: Recorder, descriptor: object): void {
    const { writer, checks } = this;
    checks?.checkCall(this, name, [descriptor]);
    let encoded = encodings.get(descriptor);
    if (encoded === undefined) {
      const json = encodeJson(checks?.recorded(descriptor) ?? descriptor);
      encoded = new Uint32Array(1 + ((json.length + 3) >> 2));
      writeBytes(encoded, 0, json);
      encodings.set(descriptor, encoded);
    }
    const at = writer.reserve(opcode, encoded.length);
    writer.words.set(encoded, at);
  };
}

/**
 * Makes a method that creates a resource. The method allocates the handle. Each other field of the record is the
 * descriptor itself, or the descriptor's member of that name.
 */
function createMethod(name: string, row: CommandRow) {
  const [handleField = '', ...others] = Object.keys(row.fields);
  const kind = row.fields[handleField]?.kinds?.[0] ?? 0;
  return function (this: Creator, descriptor: LabelledDescriptor): number {
    this.checks?.checkCall(this, name, [descriptor]);
    const handle = this.create(kind, descriptor);
    const values = others.map((field) => [
      field,
      field === 'descriptor' ? (this.checks?.recorded(descriptor) ?? descriptor) : descriptor[field],
    ]);
    encodeRecord(this.writer, table, name, { ...Object.fromEntries(values), [handleField]: handle });
    return handle;
  };
}

/** Makes a method that writes any record. */
function recordMethod(name: string, row: CommandRow): Method {
  const fields = Object.entries(row.fields);
  const parameters = row.parameters ?? fields.map(([field]) => field);
  return function (this: Recorder, ...args: readonly unknown[]): void {
    this.checks?.checkCall(this, name, args);
    if (row.endsSubmission === true) this.beforeSubmission();
    const values: Record<string, unknown> = {};
    for (const [field, { wire, default: byDefault }] of fields) {
      const given = args[parameters.indexOf(field)];
      const value = given === undefined ? byDefault : given;
      values[field] = wire === 'bytes' ? bytesOf(value as Data) : value;
      if (wire === 'attachment') values[field] = this.writer.attach(value as Attachment);
    }
    encodeRecord(this.writer, table, name, values);
  } as Method;
}

type Data = ArrayBuffer | ArrayBufferView;

/** Returns the bytes of a view or a buffer, without a copy. */
export function bytesOf(data: Data): Uint8Array {
  if (data instanceof Uint8Array) return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
