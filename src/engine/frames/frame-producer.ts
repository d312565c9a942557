import type { FencepostError, ThreadError } from '../../core/errors.js';
import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { writeDouble } from '../../core/records/wide-words.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { MotionUpdates } from '../../game/motion/motion-updates.js';
import type { SceneUpdates } from '../../game/updates/scene-updates.js';
import type { World } from '../../game/world/world.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import type { FrameEndSync } from '../../sync/frame-end-sync.js';

/** The content of a frame: the engine's only world, or all its worlds (`worlds.ts`). */
export interface FrameWorld
  extends Pick<World, 'disposed' | 'paused' | 'whenReady' | 'isPending' | 'retainedBytes'> {
  readonly arrivals: number;
  /** Bytes of the arrays of transforms. */
  readonly arrayBytes: number;
  tick(deltaSeconds: number): void;
  sendUpdates(): void;
  dispose(reason?: FencepostError): void;
  readonly updates: Pick<SceneUpdates, 'timeSeconds' | 'isRunning'> & {
    readonly motions: Pick<MotionUpdates, 'pause'> | null;
  };
}

export type FrameWork = 'tick' | 'update' | 'redraw';

/**
 * Produces frames on the game thread: tick, end-of-frame update, publication. Only this class numbers frames and writes
 * `beginFrame` and `endFrame`. `beginFrame` carries the scene time, so the render thread reads a clock only for late
 * frames.
 *
 *   tick groups ─► beginFrame N │ render commands of dirty components │ endFrame N ─► publish ─► FrameEndSync
 *               └─ waits here for the frame's prerequisites (SYSTEMS R7), if any; no thread is blocked
 */
export class FrameProducer {
  /** The last frame produced; 0 before the first. */
  frame = 0;
  /** Bits of `RenderFrameFlag` of the last frame. */
  flags = 0;
  /** Set while the changes of a frame are written. Changes noticed meanwhile belong to that frame. */
  isSending = false;
  /** Time from the last frame's tick to its publication, in milliseconds. It includes the wait for prerequisites. */
  gameThreadMs = 0;
  /** The stream to the current threads; replaced when other threads take over. */
  writer: StreamWriter;
  /** Resolves when frames can be produced again; null unless other threads are taking over. */
  held: Promise<void> | null = null;
  /** Creates the error for calls that wait for the frame. Set while the function of a frame prerequisite runs. */
  refusal: ((call: string) => ThreadError) | null = null;
  /** Resolves when the prerequisites of the next frame have ended; null if it has none. */
  prerequisite: Promise<unknown> | null = null;
  /** Writes the commands that follow the world's changes. Called per frame that sends changes. */
  writeCommands: ((writer: StreamWriter, frame: number) => void) | null = null;
  /** Called per frame that sends changes, in the turn of its publication, before any other code of the page runs. */
  onPublished: ((frame: number) => void) | undefined;
  /** Runs pending tasks of the game thread for some milliseconds. Called per frame, after its publication. */
  onFrameEnd: (() => void) | undefined;
  /** Resolves when the frame that waits for its prerequisites is published; null if no frame waits. */
  #gate: Promise<unknown> | null = null;
  #release = (): void => {};
  readonly #sync: FrameEndSync;
  /** The engine's world; `Worlds` replaces it when a second world is created. */
  world: FrameWorld;
  readonly #events: EventRing;
  readonly #writeSettings: (writer: StreamWriter, flags: number) => void;
  #bytesBefore = 0;

  /** @param writeSettings writes the changes outside the world (surface size, scene settings). Called per frame. */
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
   * Checks a call that waits for the render thread. Inside a prerequisite's function such a call would be a deadlock
   * (SYSTEMS R2). The game waits for the render thread, which waits for the frame, which waits for the function.
   * @throws ThreadError `blocked-on-render-thread`
   */
  checkWait(call: string): void {
    if (this.refusal) throw this.refusal(call);
  }

  /** Stops scene time and motion. This also applies to a frame that has ticked and waits for its prerequisites. */
  pause(): void {
    const { updates } = this.world;
    updates.isRunning = false;
    updates.motions?.pause();
  }

  /** Stops producing frames until `release`. */
  hold(): void {
    this.held ??= new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.held = null;
    this.#release();
  }

  /**
   * Whether a frame may be produced now. The frame-end sync (SYSTEMS R5) and the stream's hard limit have to allow it.
   * No frame may wait for its prerequisites, and no other threads may be taking over.
   */
  get isReady(): boolean {
    return this.#gate === null && this.#isOpen;
  }

  get #isOpen(): boolean {
    return this.held === null && this.#sync.isReady && this.writer.isWritable;
  }

  /** Resolves when a frame may be produced. Check `isReady` again, because another caller may have produced a frame. */
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
    // A stream rejects when its threads end. While frames are held, ignore that, because other threads will take over.
    await this.writer.whenWritable().catch((error: unknown) => {
      if (this.held === null) throw error;
    });
  }

  /**
   * Produces one frame. Called per frame, and only if `isReady`.
   * @param deltaSeconds time that the game simulates
   * @param flags bits of `RenderFrameFlag`
   * @param work the game's work: `tick` runs the world and sends its changes, `update` only sends its changes, `redraw`
   *   sends none of its changes, so that the picture shows the world of the last frame
   * @param onProduced called with the frame's number in the turn in which it is published
   * @param elapsedSeconds increment of scene time, which drives declared motion: the whole elapsed time, even if the
   *   game simulates less
   * @returns the result of `onProduced`, or a promise of it if the frame has prerequisites
   */
  produce<T>(
    deltaSeconds: number,
    flags: number,
    work: FrameWork,
    onProduced: (frame: number) => T,
    elapsedSeconds = deltaSeconds,
  ): T | Promise<T> {
    const began = this.advance(deltaSeconds, flags, work, elapsedSeconds);
    return this.complete(deltaSeconds, flags, work, onProduced, began);
  }

  /**
   * The first half of `produce`: advances scene time and runs the tick. `complete` may follow, or another `advance` if
   * there is nothing to draw. Called only if `isReady`.
   * @returns the time at which the tick began, for `complete`
   */
  advance(deltaSeconds: number, flags: number, work: FrameWork, elapsedSeconds: number): number {
    const { world } = this;
    const { updates, paused } = world;
    const events = this.#events;
    const frame = this.frame + 1;
    if (!paused) updates.timeSeconds += elapsedSeconds;
    updates.isRunning = !paused && (flags & RenderFrameFlag.running) !== 0;
    const began = events.begin(TimelineEvent.tick, frame);
    if (work === 'tick' && !paused) world.tick(deltaSeconds);
    events.end(TimelineEvent.tick, frame, began);
    return began;
  }

  /** The second half of `produce`: waits for the frame's prerequisites, then sends the frame. */
  complete<T>(
    deltaSeconds: number,
    flags: number,
    work: FrameWork,
    onProduced: (frame: number) => T,
    began: number,
  ): T | Promise<T> {
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
      // While waiting, more prerequisites may be added and other threads may take over.
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
