import type { StreamWriter } from '../../core/streams/stream.js';
import type { FrameScheduler } from '../../engine/frames/frame-scheduler.js';
import { writeText } from '../../game/updates/write-record.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { atDeadline, type Clock } from '../../sync/deadline.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import { type EncodedData, unknownCommand } from '../render-module-messages.js';
import type { RenderModule } from './render-module.js';

interface RenderCommandQueueHost {
  readonly pipeline: Pipeline;
  readonly scheduler: FrameScheduler;
  readonly reportError: (error: unknown) => void;
  readonly clock: Clock;
  /** The render thread has begun the removal: until then threads that follow need the module as well. */
  readonly onRemoved: (module: RenderModule) => void;
}

interface SentCommand {
  readonly sequence: number;
  readonly module: RenderModule;
  /** Null removes the module. */
  readonly name: string | null;
  readonly data: EncodedData;
}

/** How often a wait looks whether the next frame still comes by itself, in milliseconds. */
const LOOK_MILLISECONDS = 100;

/**
 * Commands for render modules, from `send` until the render thread has begun them (SYSTEMS R2): what has not begun when
 * its thread dies is written again, to the threads that follow.
 *
 *   send a │ send b │ …                      sequence numbers 1, 2 …
 *   beginFrame 7 │ changes │ a │ b │ endFrame 7        kept here until the render thread has begun them
 *                                  ✕ a dead thread that had begun a:
 *   beginFrame 8 │ everything  │ b │ endFrame 8
 */
export class RenderCommandQueue {
  readonly #host: RenderCommandQueueHost;
  #sequence = 0;
  /** In order; the first `#written` are in the stream, and may have begun. */
  readonly #commands: SentCommand[] = [];
  #written = 0;
  #onWritten: (() => void)[] = [];
  #endLooking: (() => void) | null = null;

  constructor(host: RenderCommandQueueHost) {
    this.#host = host;
  }

  /** @param name of the command; null removes the module */
  add(module: RenderModule, name: string | null, data: EncodedData): void {
    this.#commands.push({ sequence: ++this.#sequence, module, name, data });
  }

  /** Whether all that was sent is in the stream. */
  get isWritten(): boolean {
    return this.#written === this.#commands.length;
  }

  /** Per frame: writes what was sent since the last one. */
  write(writer: StreamWriter): void {
    const commands = this.#commands;
    for (; this.#written < commands.length; this.#written++) {
      const { sequence, module, name, data } = commands[this.#written] as SentCommand;
      const command = name === null ? 0 : module.commands.indexOf(name) + 1;
      if (name !== null && command === 0) {
        // It was loaded again, and is another one.
        this.#host.reportError(unknownCommand(module.name, name, module.commands));
        commands.splice(this.#written--, 1);
        continue;
      }
      const { bytes, kind } = data;
      const at = writer.reserve(RenderOpcode.callModule, 5 + ((bytes.length + 3) >> 2));
      const { words } = writer;
      words[at] = module.number;
      words[at + 1] = command;
      words[at + 2] = sequence;
      words[at + 3] = kind;
      writeText(words, at + 4, bytes);
    }
    if (this.#onWritten.length) queueMicrotask(() => this.tellWritten());
  }

  /** The render thread has begun all up to this one. */
  forgetExecuted(sequence: number): void {
    let count = 0;
    while ((this.#commands[count]?.sequence ?? Infinity) <= sequence) count++;
    for (const { name, module } of this.#commands.splice(0, count)) {
      if (name === null) this.#host.onRemoved(module);
    }
    this.#written = Math.max(this.#written - count, 0);
  }

  /** What there is goes to another stream. */
  rewind(): void {
    this.#written = 0;
  }

  /** Resolves when a frame has taken along all that was sent; where none comes by itself, one is made. */
  async whenWritten(): Promise<void> {
    if (this.isWritten) return;
    const written = new Promise<void>((tell) => this.#onWritten.push(tell));
    await Promise.resolve(); // a tick that is running makes a frame
    if (this.isWritten || this.#host.pipeline.completed.error) return;
    if (!this.#endLooking) this.#look();
    await written;
  }

  /** Whoever waits goes on: a frame has taken all along, or none will. */
  tellWritten(): void {
    this.#endLooking?.();
    this.#endLooking = null;
    const told = this.#onWritten;
    this.#onWritten = [];
    for (const tell of told) tell();
  }

  /** Makes a frame where none comes by itself; where one should, the engine may still be stopped, or the page hidden. */
  #look(): void {
    const { scheduler, clock } = this.#host;
    if (scheduler.isRunning && !globalThis.document?.hidden) {
      this.#endLooking = atDeadline(clock.now() + LOOK_MILLISECONDS, clock, () => this.#look());
      return;
    }
    this.#endLooking = () => {};
    scheduler.produceOnce(0, 0, 'update', () => {}).catch(() => this.tellWritten());
  }
}
