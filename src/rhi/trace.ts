/**
 * A list as text, from the table alone: one line per record, indented inside frames and passes. For people and
 * for tests; it is slow and allocates freely.
 *
 *   beginFrame frame=7 flags=0
 *     beginRenderPass descriptor={"label":"main",…}
 *       drawIndexed indexCount=36 instanceCount=100 …
 */
import { decodeRecord } from '../core/record-codec.js';
import type { StreamReader } from '../core/stream.js';
import { rhiCommands } from './commands.js';
import { describeHandle } from './handles.js';

export interface TraceOptions {
  /** Longest text of one field; the rest is cut. Default 160. */
  readonly maximumFieldLength?: number;
}

/** Fields that hold a handle, whatever command they are in. */
const HANDLE_FIELDS = new Set([
  'handle',
  'buffer',
  'texture',
  'source',
  'target',
  'pipeline',
  'bindGroup',
  'querySet',
]);

/** Turns records into lines. It keeps the indentation from one record to the next. */
export class Trace {
  readonly #maximumFieldLength: number;
  #depth = 0;

  constructor({ maximumFieldLength = 160 }: TraceOptions = {}) {
    this.#maximumFieldLength = maximumFieldLength;
  }

  /** The reader's current record as a line, without moving the reader. */
  line(reader: Pick<StreamReader, 'words' | 'ints' | 'floats' | 'opcode' | 'fields' | 'fieldWords'>): string {
    const { name, values } = decodeRecord(rhiCommands, reader);
    const types = rhiCommands.fields[name] as Readonly<Record<string, string>>;
    const isEnd = name.startsWith('end') || name.startsWith('pop');
    const isBegin = name.startsWith('begin') || name.startsWith('push');
    if (isEnd) this.#depth = Math.max(0, this.#depth - 1);
    const indentation = '  '.repeat(this.#depth);
    if (isBegin) this.#depth++;
    const fields = Object.entries(values as Record<string, unknown>).map(
      ([field, value]) => ` ${field}=${this.#text(field, types[field], value)}`,
    );
    return indentation + name + fields.join('');
  }

  #text(field: string, type: string, value: unknown): string {
    const text = fieldText(field, type, value);
    return text.length > this.#maximumFieldLength ? `${text.slice(0, this.#maximumFieldLength)}…` : text;
  }
}

function fieldText(field: string, type: string, value: unknown): string {
  if (type === 'attachment') return `attachment ${value}`;
  if (type === 'bytes') return `${(value as Uint8Array).length} bytes`;
  if (type === 'u32[]' || type === 'f32[]') return `[${Array.from(value as ArrayLike<number>).join(' ')}]`;
  if (type === 'json' || type === 'string') return JSON.stringify(value);
  if (type === 'u32' && HANDLE_FIELDS.has(field)) return `<${describeHandle(value as number)}>`;
  return String(value);
}

/** Reads everything that has arrived and returns it as text. It takes the records: nobody executes them. */
export function traceList(reader: StreamReader, options?: TraceOptions): string {
  const trace = new Trace(options);
  const lines: string[] = [];
  while (reader.next()) lines.push(trace.line(reader));
  return lines.join('\n');
}
