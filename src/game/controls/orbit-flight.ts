/**
 * A flight: a movement of the orbiting camera from one pose to another in a given time. The camera passes on an arc
 * about its target, which moves along a line meanwhile.
 *
 *   elapsed seconds ──easing──► share 0 … 1 ──► target, azimuth, polar: linear; distance and lens: by equal factors
 */
import type { Pose } from './orbit-pose.js';

/** Functions of the elapsed share, 0 to 1, which return the covered share. */
export const EASINGS = {
  linear: (share: number): number => share,
  'ease-in': (share: number): number => share * share,
  'ease-out': (share: number): number => share * (2 - share),
  'ease-in-out': (share: number): number => share * share * (3 - 2 * share),
};

/** Pace of a movement: a name, or a function of the elapsed share that returns the covered share. */
export type Easing = keyof typeof EASINGS | ((share: number) => number);

/** Half the heights of an orthographic picture before and after a flight, in metres. */
interface LensChange {
  readonly from: number;
  readonly to: number;
}

export class Flight {
  /** Resolves with whether the camera has arrived. */
  readonly ended: Promise<boolean>;
  /** Whether `engine.step()` has moved the flight. Only steps move it from then on. */
  isStepped = false;
  readonly #from: Pose;
  readonly #to: Pose;
  readonly #lens: LensChange | null;
  readonly #seconds: number;
  readonly #ease: (share: number) => number;
  #elapsed = 0;
  #resolve: (hasArrived: boolean) => void = () => {};

  constructor(from: Pose, to: Pose, lens: LensChange | null, seconds: number, easing: Easing) {
    this.#from = { ...from };
    this.#to = to;
    this.#lens = lens;
    this.#seconds = seconds;
    this.#ease = typeof easing === 'function' ? easing : EASINGS[easing];
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Moves the pose by some seconds. @returns whether the flight has arrived */
  advance(seconds: number, pose: Pose): boolean {
    this.#elapsed += seconds;
    const { isOver } = this;
    // The end is copied, so that it has the exact bits of the values that the page has passed.
    if (isOver) Object.assign(pose, this.#to);
    else this.#mix(this.#ease(this.#elapsed / this.#seconds), pose);
    return isOver;
  }

  /** Half the height of an orthographic picture in metres; `null` if the flight does not change it. */
  get halfHeight(): number | null {
    if (!this.#lens) return null;
    const { from, to } = this.#lens;
    return this.isOver ? to : mixByFactor(from, to, this.#ease(this.#elapsed / this.#seconds));
  }

  get isOver(): boolean {
    return this.#elapsed >= this.#seconds;
  }

  /** Settles `ended`. */
  end(hasArrived: boolean): void {
    this.#resolve(hasArrived);
  }

  #mix(share: number, pose: Pose): void {
    const [from, to] = [this.#from, this.#to];
    for (const key of ['x', 'y', 'z', 'azimuth', 'polar'] as const) {
      pose[key] = from[key] + (to[key] - from[key]) * share;
    }
    pose.distance = mixByFactor(from.distance, to.distance, share);
  }
}

const mixByFactor = (from: number, to: number, share: number): number =>
  from > 0 ? from * (to / from) ** share : from + (to - from) * share;
