import type { FencepostError, ThreadError } from '../../core/errors.js';
import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { writeDouble } from '../../core/records/wide-words.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { MotionUpdates } from '../../game/motion/motion-updates.js';
import type { SceneUpdates } from '../../game/updates/scene-updates.js';
import type { World } from '../../game/world/world.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import type { FrameEndSync } from '../../sync/frame-end-sync.js';

/** What a frame is made of: the engine's world, or all of them (`worlds.ts`). */
export interface FrameWorld
  extends Pick<World, 'disposed' | 'paused' | 'whenReady' | 'isPending' | 'retainedBytes'> {
  readonly arrivals: number;
  tick(deltaSeconds: number): void;
  sendUpdates(): void;
  dispose(reason?: FencepostError): void;
  readonly updates: Pick<SceneUpdates, 'timeSeconds' | 'isRunning'> & {
    readonly motions: Pick<MotionUpdates, 'pause'> | null;
  };
}

export type FrameWork = 'tick' | 'update' | 'redraw';

/**
 * The game thread's side of a frame: tick, end-of-frame update, publish. It is the only place that numbers
 * frames and writes `beginFrame` and `endFrame`; scene time travels in them, so the render side reads no clock.
 *
 *   tick groups ─► beginFrame N │ render commands of dirty components │ endFrame N ─► publish ─► FrameEndSync
 *               └─ waits here for the frame's prerequisites (SYSTEMS R7), where there are any; no thread is blocked
 */
export class FrameProducer {
  /** The last frame produced; 0 before the first. */
  frame = 0;
  /** Its bits of `RenderFrameFlag`. */
  flags = 0;
  /** While the changes of a frame are written: what is noted then belongs to that frame. */
  isSending = false;
  /** Time the last frame took on this thread, in milliseconds. */
  gameThreadMs = 0;
  /** Another one when other threads take over. */
  writer: StreamWriter;
  /** While other threads take over: resolves when frames can be produced again. */
  held: Promise<void> | null = null;
  /** While the function of a frame prerequisite runs: what a call that waits for the frame throws. */
  refusal: ((call: string) => ThreadError) | null = null;
  /** Ends with what must end before the next frame is drawn. */
  prerequisite: Promise<unknown> | null = null;
  /** Per frame: writes what is sent after the world's changes. */
  writeCommands: ((writer: StreamWriter, frame: number) => void) | null = null;
  /** Per frame that is published with what has changed: the page has not gone on since. */
  onPublished: ((frame: number) => void) | undefined;
  /** Per frame, once its fence was begun: runs pending tasks of the game thread, for some milliseconds. */
  onFrameEnd: (() => void) | undefined;
  /** While a frame that has ticked waits for its prerequisites. */
  #gate: Promise<unknown> | null = null;
  #release = (): void => {};
  readonly #sync: FrameEndSync;
  /** Several from when there are some. */
  world: FrameWorld;
  readonly #events: EventRing;
  readonly #writeSettings: (writer: StreamWriter, flags: number) => void;
  #bytesBefore = 0;

  /** @param writeSettings per frame: writes what changed outside the world (surface size, scene settings) */
  constructor(
    writer: StreamWriter,
    sync: FrameEndSync,
    world: FrameWorld,
    events: EventRing,
    writeSettings: (writer: StreamWriter, flags: number) => void,
  ) {
    this.writer = writer;
    this.#sync = sync;
    this.world = world;
    this.#events = events;
    this.#writeSettings = writeSettings;
  }

  /**
   * For calls that wait for the render thread: inside a prerequisite's function the game would wait for the render thread,
   * which waits for the game's frame, which waits for the function (SYSTEMS R2).
   * @throws ThreadError `blocked-on-render-thread`
   */
  checkWait(call: string): void {
    if (this.refusal) throw this.refusal(call);
  }

  /** The engine has stopped: also what waits for its prerequisites is the frame of one that is still. */
  pause(): void {
    const { updates } = this.world;
    updates.isRunning = false;
    updates.motions?.pause();
  }

  /** Produces nothing until `release`. */
  hold(): void {
    this.held ??= new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.held = null;
    this.#release();
  }

  /** Whether a frame may be produced now (SYSTEMS R5, and the stream's hard limit). */
  get isReady(): boolean {
    return this.#gate === null && this.#isOpen;
  }

  get #isOpen(): boolean {
    return this.held === null && this.#sync.isReady && this.writer.isWritable;
  }

  /** Resolves when a frame could be produced; somebody else may have taken the turn when the caller goes on. */
  async whenReady(): Promise<void> {
    if (this.isReady) return;
    const { awaitedFrame } = this.#sync;
    const frame = this.frame + 1;
    const began = this.#events.begin(TimelineEvent.gameWait, frame);
    while (!this.isReady) {
      await this.#gate;
      await this.#whenOpen();
    }
    this.#events.end(TimelineEvent.gameWait, frame, began, awaitedFrame);
  }

  async #whenOpen(): Promise<void> {
    await this.held;
    await this.#sync.whenReady();
    // A stream that ends with its threads is followed by another one.
    await this.writer.whenWritable().catch((error: unknown) => {
      if (this.held === null) throw error;
    });
  }

  /**
   * Per frame: produces one frame. Only when `isReady`.
   * @param deltaSeconds time since the last frame
   * @param flags bits of `RenderFrameFlag`
   * @param work what the game does: `tick` runs the world, `update` only sends what has changed, `redraw` sends
   *   nothing, so that the picture is that of the last frame
   * @param onProduced called with the frame's number in the turn in which it is published
   * @param elapsedSeconds what scene time, by which declared motion goes, rises by: all that has passed, where the
   *   game simulates less of it
   * @returns what `onProduced` does, or a promise of it where the frame has prerequisites
   */
  produce<T>(
    deltaSeconds: number,
    flags: number,
    work: FrameWork,
    onProduced: (frame: number) => T,
    elapsedSeconds = deltaSeconds,
  ): T | Promise<T> {
    const { world } = this;
    const { updates, paused } = world;
    const events = this.#events;
    const frame = this.frame + 1;
    if (!paused) updates.timeSeconds += elapsedSeconds;
    updates.isRunning = !paused && (flags & RenderFrameFlag.running) !== 0;
    const began = events.begin(TimelineEvent.tick, frame);
    if (work === 'tick' && !paused) world.tick(deltaSeconds);
    events.end(TimelineEvent.tick, frame, began);
    if (this.prerequisite) return this.#produceLater(deltaSeconds, flags, work, onProduced, began);
    return onProduced(this.#send(deltaSeconds, flags, work, began));
  }

  async #produceLater<T>(
    deltaSeconds: number,
    flags: number,
    work: FrameWork,
    onProduced: (frame: number) => T,
    began: number,
  ): Promise<T> {
    let open = (): void => {};
    this.#gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    try {
      // More may be added meanwhile, and other threads may take over.
      while (this.prerequisite || !this.#isOpen) {
        const { prerequisite } = this;
        this.prerequisite = null;
        await (prerequisite ?? this.#whenOpen());
      }
      return onProduced(this.#send(deltaSeconds, flags, work, began));
    } finally {
      this.#gate = null;
      open();
    }
  }

  #send(deltaSeconds: number, flags: number, work: FrameWork, began: number): number {
    const { writer, world } = this;
    const events = this.#events;
    const frame = this.frame + 1;
    const updating = events.begin(TimelineEvent.update, frame);
    this.frame = frame;
    // The engine may have stopped since the tick.
    this.flags = world.updates.isRunning ? flags : flags & ~RenderFrameFlag.running;

    const header = writer.reserve(RenderOpcode.beginFrame, 5);
    writer.words[header] = frame;
    writer.words[header + 1] = this.flags;
    writer.floats[header + 2] = deltaSeconds;
    writeDouble(writer.words, header + 3, world.updates.timeSeconds);
    this.#writeSettings(writer, this.flags);
    if (work !== 'redraw') {
      this.isSending = true;
      try {
        world.sendUpdates();
        this.writeCommands?.(writer, frame);
      } finally {
        this.isSending = false;
      }
    }
    const end = writer.reserve(RenderOpcode.endFrame, 1);
    writer.words[end] = frame;

    writer.publish();
    this.#sync.endFrame(frame);
    const bytes = writer.bytesWritten;
    this.gameThreadMs = events.end(TimelineEvent.update, frame, updating, bytes - this.#bytesBefore) - began;
    this.#bytesBefore = bytes;
    if (work !== 'redraw') this.onPublished?.(frame);
    this.onFrameEnd?.();
    return frame;
  }
}
