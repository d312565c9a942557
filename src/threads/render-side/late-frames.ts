import type { StreamReader } from '../../core/streams/stream.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import { ClipPlayer } from '../../render/animation/clip-player.js';
import { MotionPlayer } from '../../render/animation/motion-player.js';
import type { Scene } from '../../render/scene/scene.js';
import type { FrameHeader } from './render-thread.js';

interface LateFramesHost {
  readonly scene: Scene;
  /** Returns whether another list may be recorded: no frame has begun, and few lists are in flight. */
  isIdle(): boolean;
  /** Records another list of the last game frame. @param timeSeconds scene time that the list shows */
  recordAgain(timeSeconds: number): void;
}

/** Number of animation frames without a game frame after which the game counts as late. */
const LATE = 2;

/**
 * Applies declared motion (`render/animation/motion-player.ts`) and clips (`render/animation/clip-player.ts`) to each
 * game frame. While the game is late, both continue at the render thread's own animation frames, in further lists of
 * the last game frame.
 *
 *   animation frames  │     │     │     │     │     │     │
 *   game frames       7     8     ▒▒▒ a long task ▒▒▒     9
 *   lists             7     8           8'    8'    8'    9        the first miss only waits
 *   scene time        ├─────┼───────────┴─────┴─────┴─────┤        follows this thread's clock, and never goes back
 *
 * Only frames of a running engine start such lists. `step()` reads no clock. Pictures on demand, stopped engines and
 * hidden pages stay still. If nothing has changed, no list is recorded. If nothing will change, no animation frame is
 * requested.
 *
 * The game and this thread read the same clock, but the game's time arrives by a message. When game frames arrive
 * again, the later of the two times is shown until the game's time has passed it, which takes milliseconds. So motion
 * neither goes back nor jumps.
 */
export class LateFrames {
  readonly #host: LateFramesHost;
  readonly #player: MotionPlayer;
  readonly #clips: ClipPlayer;
  /** Scene time of the last game frame of a running engine. */
  #frameSeconds = 0;
  /** Clock time at which the first game frame with this scene time arrived, in milliseconds. */
  #frameAt = 0;
  #isRunning = false;
  /** Number of animation frames since the last game frame. */
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

  /** Executes a command of motion or clips. */
  execute(reader: StreamReader): void {
    if (reader.opcode === RenderOpcode.holdMotion) this.#isRunning = false;
    else if (!this.#clips.execute(reader)) this.#player.execute(reader);
    this.#schedule();
  }

  /** Applies motion at the frame's scene time. Called per game frame, before it is recorded. */
  beginFrame({ flags, timeSeconds }: FrameHeader): void {
    const wasRunning = this.#isRunning;
    this.#isRunning = (flags & RenderFrameFlag.running) !== 0;
    // After a stop, scene time follows the game only. Ignore the time of the last list, which may be later because the
    // list was recorded before the stop arrived. After a change of threads, the new threads would not know that time.
    this.#shownSeconds = this.#isRunning ? Math.max(timeSeconds, this.#shownSeconds) : timeSeconds;
    this.#apply(this.#shownSeconds);
    this.#missed = 0;
    if (!this.#isRunning) return;
    // A picture that is drawn again shows the same time, so keep the clock time of its first drawing.
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

  /** Applies motion and clips at this scene time. @returns whether anything has changed */
  #apply(seconds: number): boolean {
    const hasMoved = this.#player.apply(seconds);
    return this.#clips.apply(seconds) || hasMoved;
  }

  #schedule(): void {
    // Workers of old browsers may have no animation frames. Motion then follows the game's frames only.
    if (this.#request || !this.#isRunning || !globalThis.requestAnimationFrame) return;
    if (!this.#player.isMoving && !this.#clips.isMoving) return;
    this.#request = requestAnimationFrame(this.#onAnimationFrame);
  }

  /** Records another list if the game is late. Called per animation frame, while something moves. */
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
