/**
 * Converts a command list to text, one line per record. Lines are indented between `begin…` and `end…`, and between
 * `push…` and `pop…`. Handles are shown with the labels of their resources. The records of a draw bundle are indented
 * below the line of its creation. The text is for people and tests, so the code is slow and allocates freely.
 *
 *   beginFrame frame=7 flags=0
 *     beginRenderPass descriptor={"label":"main",…}
 *       setVertexBuffer slot=0 buffer=<buffer 3.0 "vertices"> …
 */

import { having, optional, whole } from '../../core/options/members.js';
import { decodeRecord } from '../../core/records/record-codec.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { checkOptions, checkValue } from '../commands/class-arguments.js';
import { type CommandInfo, commandInfo } from '../commands/command-info.js';
import { rhiCommands } from '../commands/commands.js';
import { isHandleField } from '../commands/descriptor-shapes.js';
import { describeHandle } from '../commands/handles.js';
import { type CommandRecord, RecordSequence } from '../commands/record-sequence.js';
import { bundleFault } from './draw-bundle.js';

export interface TraceOptions {
  /** Maximum length of a field's text, in characters. Longer texts are cut, and end with `…`. Default 160. */
  readonly maximumFieldLength?: number;
}

/** The part of a reader that a trace needs: its current record. */
export type CurrentRecord = Omit<CommandRecord, 'attachment'>;

type NamedField = CommandInfo['fields'][number];

/** Converts records to lines. It remembers the indentation, the labels and the draw bundles of former records. */
export class Trace {
  readonly #maximumFieldLength: number;
  readonly #labels = new Map<number, string>();
  /** Lines of the records of each draw bundle, by handle. */
  readonly #bundles = new Map<number, readonly string[]>();
  #depth = 0;

  constructor({ maximumFieldLength = 160 }: TraceOptions = {}) {
    this.#maximumFieldLength = maximumFieldLength;
  }

  /** Returns the reader's current record as a line, without moving the reader. */
  line(reader: CurrentRecord): string {
    const { name, values } = decodeRecord(rhiCommands, reader);
    const isEnd = name.startsWith('end') || name.startsWith('pop');
    const isBegin = name.startsWith('begin') || name.startsWith('push');
    if (name.startsWith('create')) this.#learn(values);
    if (name === 'createDrawBundle') this.#learnBundle(values);
    if (name === 'beginDrawingViewport') this.#labels.set(reader.words[reader.fields], 'viewport');
    if (isEnd) this.#depth = Math.max(0, this.#depth - 1);
    const indentation = '  '.repeat(this.#depth);
    if (isBegin) this.#depth++;
    const shown = (commandInfo[reader.opcode]?.fields ?? []).map(
      (field) => ` ${field.name}=${this.#text(field, (values as Record<string, unknown>)[field.name])}`,
    );
    return indentation + name + shown.join('');
  }

  /**
   * Returns the current record as lines. The creation of a draw bundle has one more line per record of the bundle.
   */
  lines(reader: CurrentRecord): string[] {
    const line = this.line(reader);
    const handle = reader.words[reader.fields];
    if (!line.trimStart().startsWith('createDrawBundle ')) return [line];
    const indentation = '  '.repeat(this.#depth + 1);
    return [line, ...this.bundle(handle).map((inner) => indentation + inner)];
  }

  /** Returns the lines of a draw bundle; none if the bundle is unknown or its words are faulty. */
  bundle(handle: number): readonly string[] {
    return this.#bundles.get(handle) ?? [];
  }

  /** Returns the text of a handle, with the label of its resource if that is known. */
  handle(handle: number): string {
    const label = this.#labels.get(handle);
    const slot = describeHandle(handle);
    return label === undefined ? `<${slot}>` : `<${slot} ${JSON.stringify(label)}>`;
  }

  /** Remembers the label of a created resource. */
  #learn(values: object): void {
    const { handle, label, descriptor } = values as {
      readonly handle: number;
      readonly label?: string;
      readonly descriptor?: { readonly label?: string };
    };
    const known = label ?? descriptor?.label;
    if (known !== undefined) this.#labels.set(handle, known);
  }

  /** Remembers the lines of a created draw bundle. */
  #learnBundle({ handle, commands }: { handle: number; commands: ArrayLike<number> }): void {
    const words = Uint32Array.from(commands);
    this.#bundles.delete(handle);
    if (bundleFault(words) !== null) return;
    const lines: string[] = [];
    const depth = this.#depth;
    this.#depth = 0;
    for (const record of new RecordSequence(words)) lines.push(this.line(record));
    this.#depth = depth;
    this.#bundles.set(handle, lines);
  }

  #text(field: NamedField, value: unknown): string {
    const text = this.#fieldText(field, value);
    return text.length > this.#maximumFieldLength ? `${text.slice(0, this.#maximumFieldLength)}…` : text;
  }

  #fieldText({ name, wire, kinds }: NamedField, value: unknown): string {
    if (kinds !== undefined) return this.handle(value as number);
    if (wire === 'attachment') return `attachment ${value}`;
    if (name === 'commands') return `${(value as ArrayLike<number>).length} words`;
    if (wire === 'bytes') return `${(value as Uint8Array).length} bytes`;
    if (wire === 'u32[]' || wire === 'f32[]') return `[${Array.from(value as ArrayLike<number>).join(' ')}]`;
    if (wire === 'json') return this.#descriptorText(value);
    return wire === 'string' ? JSON.stringify(value) : String(value);
  }

  /** Returns a descriptor as JSON, with texts such as `<buffer 3.0 "vertices">` in place of handles. */
  #descriptorText(value: unknown): string {
    const named = (key: string, member: unknown): unknown => {
      if (!isHandleField(key)) return member;
      if (typeof member === 'number') return this.handle(member);
      if (!Array.isArray(member)) return member;
      return member.map((handle) => (typeof handle === 'number' ? this.handle(handle) : handle));
    };
    let text: string;
    try {
      text = JSON.stringify(value, named);
    } catch {
      return '(nested too deep)';
    }
    // `JSON.stringify` puts the text of a handle in quotes, which are removed.
    return text.replace(/"<(?:[^"\\]|\\.)*>"/g, (text) => JSON.parse(text) as string);
  }
}

/**
 * Passes each record of a stream to the listener as lines of text, before the record executes.
 * @param onLines receives the lines of a page's records
 * @returns a function that stops the calls of `onLines`; undefined if the stream can't be watched
 */
export function traceStream(
  stream: Pick<StreamReader, 'watch'>,
  onLines: (lines: string[]) => void,
): (() => void) | undefined {
  const trace = new Trace();
  return stream.watch?.({
    onRecords: (words, at, used) => {
      const lines: string[] = [];
      for (const record of new RecordSequence(words.subarray(at, used))) lines.push(...trace.lines(record));
      onLines(lines);
      return used;
    },
  });
}

/**
 * Reads all records that have arrived, and returns them as text. The records are consumed, so no executor can execute
 * them.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function traceList(reader: StreamReader, options: TraceOptions = {}): string {
  checkValue('The reader of traceList', reader, having('next', 'the reader of a stream'));
  checkOptions('traceList', options, { maximumFieldLength: optional(whole()) });
  const trace = new Trace(options);
  const lines: string[] = [];
  while (reader.next()) lines.push(...trace.lines(reader));
  return lines.join('\n');
}
