import type { StreamReader } from '../../core/streams/stream.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import { ClipPlayer } from '../../render/animation/clip-player.js';
import { MotionPlayer } from '../../render/animation/motion-player.js';
import type { Scene } from '../../render/scene/scene.js';
import type { FrameHeader } from './render-thread.js';

interface LateFramesHost {
  readonly scene: Scene;
  /** Whether a further list may be recorded: no frame has begun, and the lists before are not too far behind. */
  isIdle(): boolean;
  /** Records a further list of the last game frame. @param timeSeconds scene time that it shows */
  recordAgain(timeSeconds: number): void;
}

/** Animation frames without a game frame from which on the game is late. */
const LATE = 2;

/**
 * What the render thread does by itself while the game is late: at its own animation frames it goes on with what was
 * declared to move (`render/animation/motion-player.ts`) and with clips (`render/animation/clip-player.ts`), in further lists of the last game frame.
 *
 *   animation frames  │     │     │     │     │     │     │
 *   game frames       7     8     ▒▒▒ a long task ▒▒▒     9
 *   lists             7     8           8'    8'    8'    9        a first miss is only waited for
 *   scene time        ├─────┼───────────┴─────┴─────┴─────┤        goes on by this thread's clock, and never back
 *
 * Only a running engine's frames begin this: under `step()` no clock is read, and what is on demand, stopped or hidden
 * stays as it is. Where nothing has changed nothing is recorded, and where nothing will no animation frame is asked for.
 *
 * The game's time and this one's are the same clock, a message apart. At the game's return the later of the two holds
 * until the game's has passed it, which is a matter of milliseconds; so motion neither goes back nor jumps.
 */
export class LateFrames {
  readonly #host: LateFramesHost;
  readonly #player: MotionPlayer;
  readonly #clips: ClipPlayer;
  /** Of the last game frame: its scene time, and when it was recorded, in milliseconds. */
  #frameSeconds = 0;
  #frameAt = 0;
  #isRunning = false;
  /** Animation frames since then. */
  #missed = 0;
  #request = 0;
  /** Scene time of the last list. */
  #shownSeconds = Number.NEGATIVE_INFINITY;

  constructor(host: LateFramesHost) {
    this.#host = host;
    const { nodes, materials } = host.scene;
    this.#player = new MotionPlayer(nodes, materials);
    this.#clips = new ClipPlayer(host.scene);
  }

  /** Executes a motion command, or one of clips. */
  execute(reader: StreamReader): void {
    if (reader.opcode === RenderOpcode.holdMotion) this.#isRunning = false;
    else if (!this.#clips.execute(reader)) this.#player.execute(reader);
    this.#schedule();
  }

  /** Per game frame, before it is recorded. */
  beginFrame({ flags, timeSeconds }: FrameHeader): void {
    const wasRunning = this.#isRunning;
    this.#isRunning = (flags & RenderFrameFlag.running) !== 0;
    // Stopped, time is the game's alone: a last list may have gone on for the moment before the stop was heard of, and
    // threads that take over know nothing of it.
    this.#shownSeconds = this.#isRunning ? Math.max(timeSeconds, this.#shownSeconds) : timeSeconds;
    this.#apply(this.#shownSeconds);
    this.#missed = 0;
    if (!this.#isRunning) return;
    // A picture that is drawn once more is of the same moment, which began when it was drawn first.
    if (!wasRunning || timeSeconds !== this.#frameSeconds) {
      this.#frameSeconds = timeSeconds;
      this.#frameAt = performance.now();
    }
    this.#schedule();
  }

  stop(): void {
    this.#isRunning = false;
    if (this.#request) cancelAnimationFrame(this.#request);
    this.#request = 0;
  }

  /** @returns whether anything is other than it was */
  #apply(seconds: number): boolean {
    const hasMoved = this.#player.apply(seconds);
    return this.#clips.apply(seconds) || hasMoved;
  }

  #schedule(): void {
    // An old browser's worker may have no animation frames; motion goes by the game's then.
    if (this.#request || !this.#isRunning || !globalThis.requestAnimationFrame) return;
    if (!this.#player.isMoving && !this.#clips.isMoving) return;
    this.#request = requestAnimationFrame(this.#onAnimationFrame);
  }

  /** Per animation frame, while something moves. */
  readonly #onAnimationFrame = (milliseconds: number): void => {
    this.#request = 0;
    if (!this.#isRunning) return;
    this.#missed++;
    if (this.#missed >= LATE && this.#host.isIdle()) {
      const elapsed = Math.max(milliseconds - this.#frameAt, 0) / 1000;
      this.#shownSeconds = Math.max(this.#frameSeconds + elapsed, this.#shownSeconds);
      if (this.#apply(this.#shownSeconds)) this.#host.recordAgain(this.#shownSeconds);
    }
    this.#schedule();
  };
}
