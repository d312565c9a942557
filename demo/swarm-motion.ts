/**
 * Moves meshes that are laid out like the seeds of a sunflower. Two waves run through them. The sine of each seed's own
 * phase is computed once. The addition theorem then gives the sine at any moment, so a seed costs only a few
 * multiplications per frame:
 *
 *   sin(phase − ωt) = sin(phase)·cos(ωt) − cos(phase)·sin(ωt)
 *
 * Lengths are in metres, angles in radians. The field has a fixed size, so seeds get smaller as their number grows.
 */
import type { Actor } from '../src/index.js';

export const FIELD_RADIUS = 10;
export const MAXIMUM_COUNT = 100_000;

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Floats per seed: its direction from the middle, and the sine and cosine of the phases of both waves. */
const FLOATS_PER_SEED = 6;
const RIPPLE_WAVES = 2.6;
const SPIRAL_ARMS = 3;
const SPIRAL_WAVES = 1.35;

/** Returns the distance of a seed from the middle, as a fraction of the field's radius. */
export function seedDistance(index: number, count: number): number {
  return Math.sqrt((index + 0.5) / count);
}

export function seedAngle(index: number): number {
  return index * GOLDEN_ANGLE;
}

export class SwarmMotion {
  readonly #seeds: Float32Array;
  /** Edge length of a seed. */
  readonly size: number;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
    this.size = (FIELD_RADIUS * 1.18) / Math.sqrt(count);
    this.#seeds = new Float32Array(count * FLOATS_PER_SEED);
    for (let index = 0; index < count; index++) {
      const distance = seedDistance(index, count);
      const angle = seedAngle(index);
      const ripple = distance * RIPPLE_WAVES * 2 * Math.PI;
      const spiral = distance * SPIRAL_WAVES * 2 * Math.PI + SPIRAL_ARMS * angle;
      this.#seeds.set(
        [
          Math.cos(angle),
          Math.sin(angle),
          Math.sin(ripple),
          Math.cos(ripple),
          Math.sin(spiral),
          Math.cos(spiral),
        ],
        index * FLOATS_PER_SEED,
      );
    }
  }

  /** Moves the actors to the seeds' places at the given time. Runs per frame and mesh. */
  apply(actors: readonly Actor[], timeSeconds: number): void {
    const seeds = this.#seeds;
    const sinRipple = Math.sin(timeSeconds * 1.5);
    const cosRipple = Math.cos(timeSeconds * 1.5);
    const sinSpiral = Math.sin(timeSeconds * 0.83);
    const cosSpiral = Math.cos(timeSeconds * 0.83);
    const breath = 1 + 0.04 * Math.sin(timeSeconds * 0.5);
    const lastIndex = Math.min(actors.length, this.#count);
    for (let index = 0, at = 0; index < lastIndex; index++, at += FLOATS_PER_SEED) {
      const x = seeds[at] as number;
      const z = seeds[at + 1] as number;
      const sinA = seeds[at + 2] as number;
      const cosA = seeds[at + 3] as number;
      const sinB = seeds[at + 4] as number;
      const cosB = seeds[at + 5] as number;
      const ripple = sinA * cosRipple - cosA * sinRipple;
      const rippleSlope = cosA * cosRipple + sinA * sinRipple;
      const spiral = sinB * cosSpiral - cosB * sinSpiral;
      const spiralSlope = cosB * cosSpiral + sinB * sinSpiral;
      const fraction = Math.sqrt((index + 0.5) / this.#count);
      const calm = fraction * (1.15 - 0.5 * fraction);
      const distance = FIELD_RADIUS * fraction * breath + 0.22 * spiralSlope * fraction;
      const height = 0.85 * calm * ripple + 0.62 * fraction * spiral;
      // The rotation tilts the seed along the slope, about the level axis perpendicular to its direction from the
      // middle. Then the seed turns with the spiral about its own axis. The product of both half-angle quaternions is
      // written out; its length is close to 1.
      const tilt = -0.48 * (rippleSlope * 0.75 + spiralSlope * 0.6) * calm;
      const turn = 0.9 * spiral;
      const actor = actors[index] as Actor;
      actor.position.set(x * distance, height, z * distance);
      actor.rotation.set(-z * tilt + x * tilt * turn, turn, x * tilt + z * tilt * turn, 1);
    }
  }
}
