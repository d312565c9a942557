/**
 * An executor without a GPU, for servers and unit tests (SYSTEMS H8). It runs the same lists by the same rules: it counts
 * commands by name, keeps handles and lifetimes, refuses what is stale or out of range, signals fences, holds waits, and
 * keeps what is written, copied and cleared. Every frame completes at once. Nothing is drawn or computed.
 *
 *   record ─► checked by its row ─┬─► refused: a typed error, its attachment freed
 *                                 └─► handlers[opcode], created by its row, or nothing ─► counted
 */
import { asStreamError, isStreamError, isTyped, messageOf, RhiError } from '../../core/errors.js';
import { EventRing, TimelineEvent } from '../../core/event-ring.js';
import type { StreamReader } from '../../core/stream.js';
import type { QueuedFence } from '../../sync/monitored/fence-queue.js';
import { PrivateFence } from '../../sync/monitored/private-fence.js';
import type { SignallableFence } from '../../sync/waitable.js';
import { type CommandFact, commandFacts } from '../commands/command-facts.js';
import { RhiOpcode } from '../commands/commands.js';
import type { FenceHandle, RhiCapabilities } from '../commands/descriptors.js';
import { closeAttachment } from '../commands/record-attachments.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { type ExecutorOptions, emptyFrameStats, type LeakReport } from '../host/executor.js';
import type { CompleteCommandOptions, CompleteExecutor } from '../record/complete-options.js';
import { type RecordCheck, recordCheck } from './checks.js';
import { handlers } from './handlers.js';
import { type ExecutorHost, ExecutorParts } from './parts.js';

type CommandName = keyof typeof RhiOpcode;

export interface NullExecutorOptions extends ExecutorOptions, CompleteCommandOptions {}

export function nullCapabilities(): RhiCapabilities {
  return {
    backend: 'null',
    adapter: 'null',
    surfaceFormat: 'rgba8unorm',
    features: [],
    limits: { maxTextureDimension2D: 8192, maxBufferSize: 2 ** 30, maxStorageBufferBindingSize: 2 ** 27 },
  };
}

export class NullExecutor implements CompleteExecutor {
  readonly submitted = new PrivateFence('submitted');
  readonly completed = new PrivateFence('completed');
  /** Nothing is submitted here but frames. */
  readonly completedFrames = this.completed;
  readonly stats = emptyFrameStats();
  /** How often each command was executed. */
  readonly commandCounts = new Map<CommandName, number>();

  readonly #options: NullExecutorOptions;
  readonly #facts: readonly (CommandFact | undefined)[];
  readonly #checks: readonly (RecordCheck | undefined)[];
  readonly #events: EventRing;
  readonly #reader: StreamReader;
  readonly #host: ExecutorHost & { isDisposing: boolean };
  readonly #parts: ExecutorParts;
  #began = 0;
  #isInFrame = false;
  /** The reader's current record has not been executed yet. */
  #isHeld = false;
  #isSuspended = false;
  #isPumping = false;
  #isDisposed = false;

  /** @param facts of the table whose commands the reader brings */
  constructor(options: NullExecutorOptions, facts = commandFacts) {
    this.#options = options;
    this.#facts = facts;
    this.#checks = facts.map((fact) => fact && recordCheck(fact));
    this.#events = options.events ?? new EventRing();
    this.#reader = options.reader;
    this.#host = {
      submitted: this.submitted,
      completed: this.completed,
      isDisposing: false,
      beginFrame: (frame) => this.#beginFrame(frame),
      endFrame: () => this.#endFrame(),
      execute: (record) => this.#execute(record),
      hold: (until) => this.#hold(until),
    };
    this.#parts = new ExecutorParts(options, this.#host);
    this.completed.subscribe(() => {
      if (this.completed.error !== null) this.#parts.fences.fail(this.completed.error);
    });
    options.reader.onAvailable = () => this.pump();
  }

  fence(handle: FenceHandle): SignallableFence {
    // Records hold no mark, callers' handles do.
    return this.#parts.fences.get(handle >>> 0).fence;
  }

  bindFence(handle: FenceHandle, fence: QueuedFence): void {
    this.#parts.fences.bind(handle, fence);
  }

  pump(): void {
    if (this.#isPumping || this.#isSuspended || this.#isDisposed) return;
    this.#isPumping = true;
    try {
      while (!this.#isSuspended && (this.#isHeld || this.#reader.next())) {
        this.#isHeld = false;
        this.#execute(this.#reader);
      }
    } catch (error) {
      // A listener has disposed of this, and the reader is closed.
      if (this.#isDisposed) return;
      const failure = asStreamError(error as Error);
      // The fences first: who hears of the error finds them failed.
      this.submitted.fail(failure);
      this.completed.fail(failure);
      this.#options.onError(failure);
    } finally {
      this.#isPumping = false;
      // For what was destroyed between frames: the next one may never come.
      if (!this.#isInFrame) this.purge();
    }
  }

  whenPipelinesReady(): Promise<void> {
    return Promise.resolve();
  }

  purge(): void {
    const { count, releases } = this.#parts.resources;
    // Nothing is ever under way but the list that is being recorded.
    if (this.#isInFrame) releases.purge(this.completed.value);
    else releases.purgeAll();
    this.stats.liveResources = count;
    this.stats.pendingReleases = releases.length;
  }

  dispose(): LeakReport {
    // Also when a listener calls it while this is under way.
    if (this.#host.isDisposing) return { leaks: [] };
    this.#host.isDisposing = true;
    this.#isSuspended = false;
    this.pump();
    this.#isDisposed = true;
    this.#reader.onAvailable = null;
    this.#reader.close(this.#options.closeReason?.());
    const { resources, fences } = this.#parts;
    const leaks = resources.tables.flatMap((table) => table.leaks());
    const error = new RhiError(
      'executor-disposed',
      'The executor was disposed of; nothing more will complete.',
    );
    this.submitted.fail(error);
    this.completed.fail(error);
    // While they are still there; those, too, that were created behind an error which had ended the stream.
    fences.fail(error);
    for (const { handle } of [...fences.values()]) fences.take(handle);
    return { leaks };
  }

  #execute(record: CommandRecord): void {
    const fact = this.#facts[record.opcode];
    try {
      if (fact === undefined) throw unknownCommand(record.opcode);
      const { resources } = this.#parts;
      this.#checks[record.opcode]?.(record, resources);
      const handler = handlers[record.opcode];
      if (handler !== undefined) handler(this.#parts, record);
      else if (fact.creates !== 0) resources.create(fact, record);
      if (this.#isHeld) return;
      const name = fact.name as CommandName;
      this.commandCounts.set(name, (this.commandCounts.get(name) ?? 0) + 1);
    } catch (error) {
      if (isStreamError(error)) throw error;
      this.#refuse(record);
      if (!this.#isDisposed) this.#options.onError(isTyped(error) ? error : commandRefused(error));
    }
  }

  /** Frees what the record brought, and answers who asks for bytes with none. */
  #refuse(record: CommandRecord): void {
    const { words, fields, opcode } = record;
    if (opcode === RhiOpcode.readBuffer) this.#options.onReadback(words[fields], new ArrayBuffer(0));
    else closeAttachment(record);
  }

  #hold(until: Promise<unknown>): void {
    this.#isHeld = this.#isSuspended = true;
    const resume = (): void => {
      this.#isSuspended = false;
      this.pump();
    };
    until.then(resume, resume);
  }

  #beginFrame(frame: number): void {
    const parts = this.#parts;
    parts.resources.frame = frame;
    this.#isInFrame = true;
    this.#began = this.#events.begin(TimelineEvent.execute, frame);
    parts.drawCalls = parts.instances = parts.uploadBytes = 0;
  }

  #endFrame(): void {
    const { stats } = this;
    const { resources, drawCalls, instances, uploadBytes } = this.#parts;
    const { frame } = resources;
    this.#isInFrame = false;
    const events = this.#events;
    const submitting = events.end(TimelineEvent.execute, frame, this.#began, uploadBytes);
    stats.frame = frame;
    stats.drawCalls = drawCalls;
    stats.instances = instances;
    stats.uploadBytes = uploadBytes;
    const number = this.submitted.value + 1;
    events.end(TimelineEvent.submit, frame, submitting, stats.liveResources);
    this.submitted.signal(number);
    this.completed.signal(number);
    const purging = events.begin(TimelineEvent.purge, 0);
    this.purge();
    stats.rhiThreadMs = events.end(TimelineEvent.purge, 0, purging, number) - this.#began;
    if (!this.#isDisposed) this.#options.onFrame?.(stats);
  }
}

function unknownCommand(opcode: number): RhiError {
  return new RhiError(
    'bad-record',
    `A record has the opcode ${opcode}, which is no command's. Record it with a context of this version.`,
  );
}

function commandRefused(cause: unknown): RhiError {
  return new RhiError(
    'command-refused',
    `A command was refused: ${messageOf(cause)} Correct its arguments.`,
    { cause },
  );
}
