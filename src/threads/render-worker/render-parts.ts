import { type FencepostError, ThreadError } from '../../core/errors.js';
import type { StreamReader } from '../../core/stream.js';
import { renderStream } from '../../proxy/commands.js';
import { closeAttachment } from '../../rhi/commands/record-fields.js';
import {
  COMMAND_PARTS,
  type CommandPart,
  type RenderPart,
  type RenderPartHost,
  type RenderPartModule,
  type RenderPartName,
  type ThreadPartName,
} from '../control/thread-parts.js';
import type { FrameHeader } from './render-thread.js';

/**
 * The parts at work on the render thread, by the commands that are theirs. The loop knows this class and no single part.
 *
 *   command ── no part ─────────────────────────────► the renderer
 *           └─ its part ─┬─ is there ───────────────► RenderPart.execute
 *                        └─ is not ─┬─ hold ────────► load; the stream waits at this very command
 *                                   ├─ load, skip ──► left out
 *                                   └─ refuse ──────► an error that names the command
 *
 * A part that could not be had is told as one error, and asked for again by the next frame that needs it; until then its
 * commands are left out, and the rest of the frame is drawn.
 */
export interface RenderPartsOptions {
  readonly host: RenderPartHost;
  readonly load: (name: RenderPartName) => Promise<RenderPartModule>;
  readonly onError: (error: unknown) => void;
  /** The table of commands and parts; another one in tests. */
  readonly table?: Readonly<Record<string, CommandPart>>;
  /** Names by opcode; others in tests. */
  readonly names?: readonly string[];
}

/** A part that a command of the table belongs to. */
interface Entry {
  readonly part: ThreadPartName;
  active: RenderPart | null;
  loading: Promise<void> | null;
  /** The frame for which it could not be had; −1: none. */
  missingInFrame: number;
  /** `load` has failed, and does not ask again by itself: its commands may come at every frame. */
  isGivenUp: boolean;
}

interface Command {
  readonly entry: Entry;
  readonly absent: CommandPart['absent'];
}

export class RenderParts {
  readonly #options: RenderPartsOptions;
  /** By opcode; undefined: the renderer's. */
  readonly #commands: (Command | undefined)[] = [];
  readonly #entries = new Map<ThreadPartName, Entry>();
  /** Those at work, in the order in which they came. */
  readonly #active: RenderPart[] = [];
  #isStopped = false;

  constructor(options: RenderPartsOptions) {
    this.#options = options;
    const { table = COMMAND_PARTS as Readonly<Record<string, CommandPart>>, names = renderStream.names } =
      options;
    for (const [opcode, name] of names.entries()) {
      const command = Object.hasOwn(table, name) ? table[name] : undefined;
      this.#commands[opcode] = command && { entry: this.#entryOf(command.part), absent: command.absent };
    }
  }

  /** Whether the command is a part's; per command. */
  has(opcode: number): boolean {
    return this.#commands[opcode] !== undefined;
  }

  /**
   * Executes the reader's current record, a part's command, or leaves it out.
   * @returns null when that is done; else what the stream waits for before this is called again. It never rejects.
   * @throws ThreadError `render-part-missing`
   */
  execute(reader: StreamReader, frame: FrameHeader): Promise<void> | null {
    const { entry, absent } = this.#commands[reader.opcode] as Command;
    if (entry.active) return entry.active.execute(reader, frame) ?? null;
    switch (absent) {
      case 'hold':
        if (entry.missingInFrame !== frame.frame) return this.#hold(entry, frame.frame);
        break;
      case 'load':
        if (!entry.isGivenUp)
          this.#load(entry).catch(() => {
            entry.isGivenUp = true;
          });
        break;
      case 'refuse':
        throw this.#notAttached(reader.opcode, entry.part);
    }
    closeAttachment(reader);
    return null;
  }

  /** Sets a part to work, in the place of the one of that name, if any. */
  attach(name: ThreadPartName, part: RenderPart): void {
    const entry = this.#entryOf(name);
    if (entry.active) {
      entry.active.stop?.();
      this.#active.splice(this.#active.indexOf(entry.active), 1);
    }
    entry.active = part;
    this.#active.push(part);
    if (this.#isStopped) part.stop?.();
  }

  /** Per game frame, before it is recorded. */
  beginFrame(frame: FrameHeader): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.beginFrame?.(frame);
  }

  /** Per list, before it is recorded. */
  beginList(frame: FrameHeader): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.beginList?.(frame);
  }

  /** Per list, at its end. */
  endList(): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.endList?.();
  }

  stop(): void {
    this.#isStopped = true;
    for (const part of this.#active) part.stop?.();
  }

  #entryOf(part: ThreadPartName): Entry {
    let entry = this.#entries.get(part);
    if (!entry) {
      entry = { part, active: null, loading: null, missingInFrame: -1, isGivenUp: false };
      this.#entries.set(part, entry);
    }
    return entry;
  }

  #hold(entry: Entry, frame: number): Promise<void> {
    return this.#load(entry).catch((error: unknown) => {
      entry.missingInFrame = frame;
      if (!this.#isStopped) this.#options.onError(error);
    });
  }

  #load(entry: Entry): Promise<void> {
    const { load, host } = this.#options;
    // The table gives `hold` and `load` to no other parts.
    entry.loading ??= load(entry.part as RenderPartName)
      .then(({ createRenderPart }) => {
        // What comes after the end would record into a stream that nobody reads any more.
        if (!this.#isStopped) this.attach(entry.part, createRenderPart(host));
      })
      .finally(() => {
        entry.loading = null;
      });
    return entry.loading;
  }

  #notAttached(opcode: number, part: ThreadPartName): FencepostError {
    return new ThreadError(
      'render-part-missing',
      `The render command "${this.#nameOf(opcode)}" (opcode ${opcode}) came before its part "${part}" was attached. It was left out.`,
    );
  }

  #nameOf(opcode: number): string {
    return (this.#options.names ?? renderStream.names)[opcode] ?? '';
  }
}
