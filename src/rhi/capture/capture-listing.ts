/**
 * Lists a capture for people: frames, passes and commands as lines of text, and the state that is bound at a command.
 * The state is found by following the commands since the pass began, so no GPU is needed.
 */
import { decodeRecord } from '../../core/records/record-codec.js';
import { jsonAt } from '../../core/records/record-fields.js';
import { commandInfo } from '../commands/command-info.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { bundleAt } from '../record/draw-bundle.js';
import { type CurrentRecord, Trace } from '../record/trace.js';
import type { Capture } from './capture-file.js';

export interface ListedCommand {
  readonly name: string;
  /** The command as `traceList` prints it. */
  readonly line: string;
  /** Lines of the records in an executed draw bundle; empty for other commands. */
  readonly inner: readonly string[];
  /** Whether the command is a draw, a dispatch, or the execution of a draw bundle. */
  readonly isWork: boolean;
  /** Index of the command's pass in the frame's passes; −1 outside passes. */
  readonly pass: number;
}

export interface ListedPass {
  readonly label: string;
  readonly kind: 'render' | 'compute';
  /** Index of the command that begins the pass, in the frame's commands. */
  readonly firstCommand: number;
  /** Index of the command that ends the pass, in the frame's commands. */
  readonly lastCommand: number;
}

export interface ListedFrame {
  /** The frame's number when it was captured. */
  readonly frame: number;
  /** Index of the frame's first record in the capture's stream. */
  readonly firstRecord: number;
  /** Commands from `beginFrame` up to the next `beginFrame`. */
  readonly commands: readonly ListedCommand[];
  readonly passes: readonly ListedPass[];
}

/** Maximum length of a field's text in a line. */
const FIELD_LENGTH = 400;

export class CaptureListing {
  readonly frames: readonly ListedFrame[];
  readonly #stream: Uint32Array;
  /** Offsets of the stream's records, in words. */
  readonly #offsets: number[] = [];
  /** Commands of the draw bundles that are alive at the record being listed, by handle. */
  readonly #bundles = new Map<number, Uint32Array>();
  /** Commands of executed draw bundles, by the index of the stream's record that executes them. */
  readonly #executed = new Map<number, Uint32Array>();
  readonly #trace = new Trace({ maximumFieldLength: FIELD_LENGTH });

  constructor({ creations, stream }: Pick<Capture, 'creations' | 'stream'>) {
    this.#stream = stream;
    // The creations contain the labels of resources that were alive at the start.
    for (const record of new RecordSequence(creations)) this.#learn(record);
    this.frames = this.#listFrames();
  }

  /** Returns the stream's record of a command. */
  record(frame: ListedFrame, command: number): CurrentRecord {
    return RecordSequence.at(this.#stream, this.#offsets[frame.firstRecord + command]);
  }

  /** Returns the state that is bound at a command; empty outside passes. */
  boundState(frame: ListedFrame, command: number): BoundState {
    const state: BoundState = { pass: null, ...nothingBound(), other: {} };
    const pass = frame.passes[frame.commands[command]?.pass ?? -1];
    if (pass === undefined) return state;
    state.pass = pass.label;
    for (let index = pass.firstCommand; index <= command; index++) {
      const executed = this.#executed.get(frame.firstRecord + index);
      if (executed === undefined) this.#apply(this.record(frame, index), state);
      else {
        // At the command that executes the bundle, the listed state is that of the bundle's draws. Commands after it
        // begin without state.
        Object.assign(state, nothingBound());
        if (index < command) continue;
        for (const record of new RecordSequence(executed)) this.#apply(record, state);
      }
    }
    return state;
  }

  /** Returns a record's line. Keeps the commands of a created bundle, so that its executions can show them. */
  #learn(record: CurrentRecord): string {
    const { opcode, words, fields, fieldWords } = record;
    if (opcode === RhiOpcode.createDrawBundle) {
      this.#bundles.set(words[fields], bundleAt(words, fields, fieldWords).commands);
    }
    return this.#trace.line(record);
  }

  handle(handle: number): string {
    return this.#trace.handle(handle);
  }

  #listFrames(): ListedFrame[] {
    const frames: (ListedFrame & { commands: ListedCommand[]; passes: ListedPass[] })[] = [];
    let pass = -1;
    for (const current of new RecordSequence(this.#stream)) {
      const { opcode, words, fields } = current;
      const index = this.#offsets.push(fields - 1) - 1;
      if (opcode === RhiOpcode.beginFrame) {
        frames.push({ frame: words[fields], firstRecord: index, commands: [], passes: [] });
        pass = -1;
      }
      const frame = frames[frames.length - 1];
      const command = frame.commands.length;
      if (opcode === RhiOpcode.beginRenderPass || opcode === RhiOpcode.beginComputePass) {
        const kind = opcode === RhiOpcode.beginRenderPass ? 'render' : 'compute';
        const { label } = jsonAt<{ readonly label?: unknown }>(words, fields);
        pass = frame.passes.length;
        frame.passes.push({
          label: typeof label === 'string' ? label : '',
          kind,
          firstCommand: command,
          lastCommand: command,
        });
      }
      if (pass >= 0) frame.passes[pass] = { ...frame.passes[pass], lastCommand: command };
      const name = rhiCommands.names[opcode];
      const line = this.#learn(current);
      const executed = opcode === RhiOpcode.executeDrawBundle ? this.#bundles.get(words[fields]) : undefined;
      if (executed !== undefined) this.#executed.set(index, executed);
      const isWork = commandInfo[opcode]?.isWork || opcode === RhiOpcode.executeDrawBundle;
      const inner = executed === undefined ? [] : this.#trace.bundle(words[fields]);
      frame.commands.push({ name, line, inner, isWork, pass });
      if (opcode === RhiOpcode.endRenderPass || opcode === RhiOpcode.endComputePass) pass = -1;
    }
    return frames;
  }

  #apply(record: CurrentRecord, state: BoundState): void {
    const { name, values } = decodeRecord(rhiCommands, record);
    switch (name) {
      case 'setGraphicsPipeline':
      case 'setComputePipeline':
        state.pipeline = this.handle(values.pipeline);
        break;
      case 'setBindGroup': {
        const offsets = Array.from(values.dynamicOffsets).join(' ');
        const suffix = offsets === '' ? '' : ` offsets [${offsets}]`;
        state.groups[values.index] = this.handle(values.bindGroup) + suffix;
        break;
      }
      case 'setVertexBuffer':
        state.vertexBuffers[values.slot] =
          `${this.handle(values.buffer)} from ${values.byteOffset}, ${values.byteLength} bytes`;
        break;
      case 'setIndexBuffer': {
        const format = values.format === 1 ? 'uint32' : 'uint16';
        state.indexBuffer = `${this.handle(values.buffer)} ${format} from ${values.byteOffset}, ${values.byteLength} bytes`;
        break;
      }
      case 'setViewport':
      case 'setBlendFactor':
      case 'setScissorRect':
      case 'setStencilRef':
        state.other[name] = Object.values(values).join(' ');
    }
  }
}

/** The state that is bound at a command. Resources have the same names as in listed commands. */
export interface BoundState {
  /** Label of the pass; null outside passes. */
  pass: string | null;
  pipeline: string | null;
  /** Bind groups by index. */
  readonly groups: Record<number, string>;
  /** Vertex buffers by slot. */
  readonly vertexBuffers: Record<number, string>;
  indexBuffer: string | null;
  /** Viewport, scissor rectangle, stencil reference and blend factor, if they were set. */
  readonly other: Record<string, string>;
}

/**
 * Returns the state at the start of a pass, which is also the state after a draw bundle. Viewport, scissor rectangle,
 * stencil reference and blend factor are not included, because bundles keep them.
 */
const nothingBound = () => ({ pipeline: null, groups: {}, vertexBuffers: {}, indexBuffer: null });
