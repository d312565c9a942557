import { writeDouble } from '../core/double-words.js';
import type { StreamWriter } from '../core/stream.js';
import type { World } from '../game/world.js';
import { RenderOpcode } from '../proxy/commands.js';
import type { FrameEndSync } from '../sync/frame-end-sync.js';
import type { FrameTrace } from './frame-trace.js';

/**
 * The game thread's side of a frame: tick, end-of-frame update, publish. It is the only place that numbers
 * frames and writes `beginFrame` and `endFrame`; scene time travels in them, so the render side reads no clock.
 *
 *   tick groups ─► beginFrame N │ render commands of dirty components │ endFrame N ─► publish ─► FrameEndSync
 */
export class FrameProducer {
  /** The last frame produced; 0 before the first. */
  frame = 0;
  /** Its bits of `RenderFrameFlag`. */
  flags = 0;
  /** Sum of all delta times, in seconds. */
  timeSeconds = 0;
  /** Time the last frame took on this thread, in milliseconds. */
  gameThreadMs = 0;
  /** Set while a trace is taken. */
  trace: FrameTrace | null = null;
  readonly #writer: StreamWriter;
  readonly #sync: FrameEndSync;
  readonly #world: World;
  readonly #writeSettings: (writer: StreamWriter) => void;

  /** @param writeSettings per frame: writes what changed outside the world (surface size, scene settings) */
  constructor(
    writer: StreamWriter,
    sync: FrameEndSync,
    world: World,
    writeSettings: (writer: StreamWriter) => void,
  ) {
    this.#writer = writer;
    this.#sync = sync;
    this.#world = world;
    this.#writeSettings = writeSettings;
  }

  /** Whether a frame may be produced now (SYSTEMS R5, and the stream's hard limit). */
  get isReady(): boolean {
    return this.#sync.isReady && this.#writer.isWritable;
  }

  /** Resolves when a frame could be produced; somebody else may have taken the turn when the caller goes on. */
  async whenReady(): Promise<void> {
    while (!this.isReady) {
      await this.#sync.whenReady();
      await this.#writer.whenWritable();
    }
  }

  /**
   * Per frame: produces one frame. Only when `isReady`.
   * @param deltaSeconds time since the last frame
   * @param flags bits of `RenderFrameFlag`
   * @param work what the game does: `tick` runs the world, `update` only sends what has changed, `redraw` sends
   *   nothing, so that the picture is that of the last frame
   * @returns the frame's number
   */
  produce(deltaSeconds: number, flags: number, work: 'tick' | 'update' | 'redraw'): number {
    const began = performance.now();
    const writer = this.#writer;
    const world = this.#world;
    if (work === 'tick') world.tick(deltaSeconds);
    this.timeSeconds += deltaSeconds;
    const frame = ++this.frame;
    this.flags = flags;

    const header = writer.reserve(RenderOpcode.beginFrame, 5);
    writer.words[header] = frame;
    writer.words[header + 1] = flags;
    writer.floats[header + 2] = deltaSeconds;
    writeDouble(writer.words, header + 3, this.timeSeconds);
    this.#writeSettings(writer);
    if (work !== 'redraw') world.sendUpdates();
    const end = writer.reserve(RenderOpcode.endFrame, 1);
    writer.words[end] = frame;

    writer.publish();
    this.#sync.endFrame(frame);
    const ended = performance.now();
    this.gameThreadMs = ended - began;
    this.trace?.add(frame, began, ended);
    return frame;
  }
}
