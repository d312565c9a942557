import type { StreamWriter } from '../../core/streams/stream.js';
import type { FrameScheduler } from '../../engine/frames/frame-scheduler.js';
import { writeText } from '../../game/updates/write-record.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { atDeadline, type Clock } from '../../sync/deadline.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import { type EncodedData, unknownCommand } from '../render-module-messages.js';
import type { AnyRenderModule } from './render-module.js';

interface RenderCommandQueueHost {
  readonly pipeline: Pipeline;
  readonly scheduler: FrameScheduler;
  readonly reportError: (error: unknown) => void;
  readonly clock: Clock;
  /**
   * Called when the render thread has begun a removal. Until then the module stays registered, because
   * threads that take over must load it, too.
   */
  readonly onRemoved: (module: AnyRenderModule) => void;
}

interface SentCommand {
  readonly sequence: number;
  readonly module: AnyRenderModule;
  /** Name of the command; null removes the module. */
  readonly name: string | null;
  readonly data: EncodedData;
}

/** Interval in milliseconds at which a wait checks whether the frame loop will still produce a frame. */
const CHECK_MILLISECONDS = 100;

/**
 * Commands for render modules, from `send` until the render thread has begun them (SYSTEMS R2). If the thread dies, the
 * commands that have not begun are written again, to the threads that take over.
 *
 *   send a │ send b │ …                      sequence numbers 1, 2 …
 *   beginFrame 7 │ changes │ a │ b │ endFrame 7        kept here until the render thread has begun them
 *                                  ✕ the thread dies after it has begun a:
 *   beginFrame 8 │ whole world │ b │ endFrame 8
 */
export class RenderCommandQueue {
  readonly #host: RenderCommandQueueHost;
  #sequence = 0;
  /** Commands in order. The first `#written` are in the stream, and may have begun. */
  readonly #commands: SentCommand[] = [];
  #written = 0;
  #onWritten: (() => void)[] = [];
  #cancelCheck: (() => void) | null = null;

  constructor(host: RenderCommandQueueHost) {
    this.#host = host;
  }

  /** Queues a command. @param name name of the command; null removes the module */
  add(module: AnyRenderModule, name: string | null, data: EncodedData): void {
    this.#commands.push({ sequence: ++this.#sequence, module, name, data });
  }

  /** Whether all queued commands are in the stream. */
  get isWritten(): boolean {
    return this.#written === this.#commands.length;
  }

  /** Writes the commands sent since the last frame. Called per frame. */
  write(writer: StreamWriter): void {
    const commands = this.#commands;
    for (; this.#written < commands.length; this.#written++) {
      const { sequence, module, name, data } = commands[this.#written] as SentCommand;
      const command = name === null ? 0 : module.commands.indexOf(name) + 1;
      if (name !== null && command === 0) {
        // The module was loaded again, and no longer defines this command.
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
    if (this.#onWritten.length) queueMicrotask(() => this.resolveWaits());
  }

  /** Drops all commands up to this sequence number, because the render thread has begun them. */
  forgetExecuted(sequence: number): void {
    let count = 0;
    while ((this.#commands[count]?.sequence ?? Infinity) <= sequence) count++;
    for (const { name, module } of this.#commands.splice(0, count)) {
      if (name === null) this.#host.onRemoved(module);
    }
    this.#written = Math.max(this.#written - count, 0);
  }

  /** Marks all commands as unwritten, because they must be written to another stream. */
  rewind(): void {
    this.#written = 0;
  }

  /** Resolves when a frame has written all queued commands. Produces a frame itself if the frame loop will not. */
  async whenWritten(): Promise<void> {
    if (this.isWritten) return;
    const written = new Promise<void>((resolve) => this.#onWritten.push(resolve));
    await Promise.resolve(); // If a tick is running now, let it finish: its frame writes the commands.
    if (this.isWritten || this.#host.pipeline.completed.error) return;
    if (!this.#cancelCheck) this.#produceIfNeeded();
    await written;
  }

  /** Resolves all waits, because a frame has written all commands, or no frame will. */
  resolveWaits(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = null;
    const waits = this.#onWritten;
    this.#onWritten = [];
    for (const resolve of waits) resolve();
  }

  /**
   * Produces a frame if the frame loop will not. Otherwise checks again later, because the page may stop the engine or
   * become hidden.
   */
  #produceIfNeeded(): void {
    const { scheduler, clock } = this.#host;
    if (scheduler.drawsAlways && !globalThis.document?.hidden) {
      this.#cancelCheck = atDeadline(clock.now() + CHECK_MILLISECONDS, clock, () => this.#produceIfNeeded());
      return;
    }
    this.#cancelCheck = () => {};
    scheduler.produceOnce(0, 0, 'update', () => {}).catch(() => this.resolveWaits());
  }
}
