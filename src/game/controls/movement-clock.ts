/**
 * The clock of controls that move with time: ticks of the world, or animation frames if nothing ticks.
 *
 *   world ticks      ●   ●   ●   ●                    started, or engine.step()
 *   frames           ○   ○   ○   ○   ●   ●   ●        an engine that draws on demand does not tick
 */
import type { ControlsEngine } from '../world/view.js';

/** Assumed duration of the first animation frame of a movement, in seconds. */
const SECONDS_PER_FRAME = 1 / 60;

export interface ClockedMovement {
  /** Whether the movement needs another animation frame. */
  readonly isMoving: boolean;
  /** Whether `engine.step()` has moved this movement. Only ticks move it from then on. */
  readonly isStepped: boolean;
  /** Called per tick of the world. */
  tick(seconds: number): void;
  /** Called per animation frame after `request`, if the world has not ticked since the last one. */
  frame(seconds: number): void;
}

export class MovementClock {
  readonly #movement: ClockedMovement;
  readonly #stopTicking: () => void;
  /** Id of the requested animation frame; 0 for none. */
  #frame = 0;
  /** Time of the previous animation frame in milliseconds; 0 if the movement has only just begun. */
  #frameTime = 0;
  /** Whether the world has ticked since the last animation frame. If so, ticks move the camera. */
  #hasTicked = false;

  constructor(world: ControlsEngine['world'], movement: ClockedMovement) {
    this.#movement = movement;
    this.#stopTicking = world.onTick((seconds) => {
      this.#hasTicked = true;
      movement.tick(seconds);
    });
  }

  /** Requests animation frames that advance the movement until it ends. */
  request(): void {
    if (!this.#frame) this.#frame = globalThis.requestAnimationFrame?.(this.#onFrame) ?? 0;
  }

  end(): void {
    this.#stopTicking();
    globalThis.cancelAnimationFrame?.(this.#frame);
    this.#frame = 0;
  }

  readonly #onFrame = (milliseconds: number): void => {
    this.#frame = 0;
    const seconds = this.#frameTime ? (milliseconds - this.#frameTime) / 1000 : SECONDS_PER_FRAME;
    if (!this.#hasTicked && !this.#movement.isStepped) this.#movement.frame(seconds);
    this.#hasTicked = false;
    // Two animation frames may have the same time, so a camera that did not move has not always arrived.
    const { isMoving } = this.#movement;
    this.#frameTime = isMoving ? milliseconds : 0;
    if (isMoving) this.request();
  };
}
