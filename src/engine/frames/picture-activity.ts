import type { EffectSettings, Effects } from '../../game/effects/effect-settings.js';
import type { View } from '../../game/world/view.js';
import type { World } from '../../game/world/world.js';
import type { ShownAntialias } from '../../proxy/look.js';

/** Frames that TAA needs after a change: the length of its longest average. */
const SMOOTHED_FRAMES = 64;
/** Time of automatic exposure after a change, in units of 1 / speed. The exposure is then within 1 % of its goal. */
const EXPOSURE_TIMES = 5;
/** Longest time in seconds for which automatic exposure follows a change. */
const MOST_EXPOSURE_SECONDS = 10;

/** Time that a picture needs after a change until it stays the same. */
interface Settling {
  readonly frames: number;
  readonly seconds: number;
}

/** The worlds and looks of an engine. */
interface PictureHost {
  /** Worlds that tick. */
  worlds(): readonly World[];
  shownWorld(): World;
  readonly look: { readonly antialias: ShownAntialias; readonly effects: EffectSettings<Effects> };
}

/**
 * Tells whether the next frame would differ from the last one, although the page has changed nothing. The scheduler
 * asks it in an engine that draws only changes.
 *
 *   tick callbacks ──────────────────► hasTicks    they may change the scene, so they run at every animation frame
 *   motions, clips, particles … ─────► isMoving    each animation frame is drawn; the last one has `willMove` false
 *   TAA, automatic exposure ─────────► settling    some frames are drawn after each change
 */
export class PictureActivity {
  readonly #host: PictureHost;

  constructor(host: PictureHost) {
    this.#host = host;
  }

  get hasTicks(): boolean {
    return this.#host.worlds().some((world) => !world.paused && world.hasTicks);
  }

  /** Whether the next frame would differ from the last one without a change by the page. */
  get isMoving(): boolean {
    // Frames carry the uploads of all worlds, whether shown or not.
    return this.#host
      .worlds()
      .some((world) => world.updates.staged || this.#isMovingAfter(world, world.updates.sentSeconds));
  }

  /** Whether the frame after the next one differs from the next one. */
  get willMove(): boolean {
    return this.#host
      .worlds()
      .some((world) => world.updates.staged || this.#isMovingAfter(world, world.updates.timeSeconds));
  }

  get settling(): Settling {
    const { look } = this.#host;
    const { antialias } = look;
    const { autoExposure } = look.effects.shown;
    let settling = settlingOf(antialias, autoExposure);
    for (const view of this.#views) {
      const own = view.effects.autoExposure ?? autoExposure;
      const { frames, seconds } = settlingOf(view.antialias ?? antialias, own);
      settling = {
        frames: Math.max(settling.frames, frames),
        seconds: Math.max(settling.seconds, seconds),
      };
    }
    return settling;
  }

  /** All views of the engine, of all worlds. */
  get #views(): Iterable<View> {
    return this.#host.shownWorld().updates.views?.views ?? [];
  }

  #isMovingAfter(world: World, seconds: number): boolean {
    return !world.paused && this.#isShown(world) && world.updates.isMovingAfter(seconds);
  }

  #isShown(world: World): boolean {
    if (world === this.#host.shownWorld()) return true;
    for (const { cameraComponent } of this.#views) if (cameraComponent?.world === world) return true;
    return false;
  }
}

function settlingOf(antialias: ShownAntialias, autoExposure: Effects['autoExposure'] | undefined): Settling {
  const frames = antialias === 'taa' ? SMOOTHED_FRAMES : 0;
  if (!autoExposure || autoExposure === true) return { frames, seconds: 0 };
  const { speedUp = 1, speedDown = 1 } = autoExposure;
  return {
    frames,
    seconds: Math.min(EXPOSURE_TIMES / Math.min(speedUp, speedDown), MOST_EXPOSURE_SECONDS),
  };
}
